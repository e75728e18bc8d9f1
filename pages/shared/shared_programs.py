"""Programs whose lines are those of `model` that compute what the section shows: see `pages.shared.code`.

In `model` they stand between the marks `# program: <name>` and `# end of program`. Above them come headers, which load
what the function around the marks is given, a line for each value of the user's, which is a name that nothing in the
program defines, and the imports of all that it uses.
"""

import ast
import builtins
import sys
from pathlib import Path

from views.text.program_comments import marked_programs

MODEL = Path(__file__).resolve().parents[2] / "model"
HEADERS = {  # name -> imports and a blank line, if any, then code without comments or blank lines
    "recorded tensors": """from model import Translator

translator, tensors = Translator.load(device="cpu"), {}
network = translator.network
translator.trace(sentence, target_ids=target_ids, intervention=lambda name, tensor: tensors.setdefault(name, tensor))
""",
    "translation": """from model import Translator

translator = Translator.load(device="cpu")
network, trace = translator.network, translator.trace(sentence, target_ids=target_ids)
""",
    "tokens": """import torch
from model import Translator

translator = Translator.load(device="cpu")
network, tokenizer = translator.network, translator.tokenizer
ids = torch.tensor([*tokenizer.encode(sentence), tokenizer.eos_id])
""",
    "chosen token": "table, token = network.embedding.weight, int(ids[place - 1])",
    "stages": """import torch
from model import Translator

translator = Translator.load(device="cpu")
rows = translator.network.embedding.weight.detach() * translator.config.d_model**0.5
traces = [translator.trace(sentence) for sentence in sentences]
stages = [torch.stack([rows[list(each.source_ids)], *map(torch.from_numpy, each.encoder_stream)]) for each in traces]
""",
    "two sentences": "own, other = (each.source_ids for each in traces)",
    "pairs of words": """import torch
from model import Translator

translator = Translator.load(device="cpu")
ids = [[translator.tokenizer.encode(word)[0] for word in pair] for pair in pairs]
vectors = translator.network.embedding.weight[torch.tensor(ids)].detach().double()
""",
    "classification": """from PIL import Image
from model import VisionClassifier

classifier = VisionClassifier.load(device="cpu")
trace = classifier.trace(Image.open(picture))
norm, head = classifier.network.norm.double(), classifier.network.head.double()
""",
    "alignment": """from model import RecurrentTranslator

record = RecurrentTranslator.load(score, device="cpu").trace(sentence, target_ids=target_ids).records["cross"]
""",
    "rnn": """import torch
from model import RecurrentTranslator

recurrent = RecurrentTranslator.load("rnn-vector", device="cpu")
encoder = recurrent.network.encoder
inputs = torch.from_numpy(recurrent.trace(sentence).encoder_embedded).double()
""",
    "lstm": """import torch
from model import RecurrentTranslator

recurrent = RecurrentTranslator.load(network, device="cpu")
encoder = recurrent.network.encoder
weights = [part.double() for part in encoder.weights(direction)]
inputs = torch.from_numpy(recurrent.trace(sentence).encoder_embedded)
h = c = torch.zeros(encoder.width).double()
""",
    "encoding": """import torch

column = torch.arange(d_model, dtype=torch.float64)
exponent = (column // 2 * 2 if form == "paper" else column) / d_model
angles = torch.arange(length)[:, None] / 10000**exponent
table = torch.where(column % 2 == 0, angles.sin(), angles.cos())
""",
}
HEADERS["longer encoding"] = HEADERS["encoding"].replace("(length)", "(length + shift)")
# page, section -> the parts of its program, in order: names of headers, or a module of `model` and the name of a mark
SHARED: dict[tuple[str, str], tuple[str, ...]] = {
    ("decoding", "linear-softmax"): ("translation", "lessons/output_layer.py linear-softmax"),
    ("history", "attention-over-states"): ("alignment", "lessons/first_attention.py attention-over-states"),
    ("history", "gates"): ("lstm", "attribution/fixed_gates.py gates"),
    ("history", "one-word"): ("rnn", "lessons/recurrence.py one-word"),
    ("inside", "add-norm"): ("recorded tensors", "lessons/residual.py add-norm"),
    ("positions", "fourier"): ("lessons/position_basis.py curve", "lessons/fourier.py fourier"),
    ("positions", "other-models"): ("lessons/position_schemes.py other-models",),
    ("positions", "rotation"): (
        "longer encoding",
        "networks/positional.py rotation",
        "lessons/position_geometry.py shift",
    ),
    ("positions", "similarity"): ("encoding", "lessons/position_geometry.py similarity"),
    ("tokens", "contexts"): ("stages", "lessons/contexts.py contexts", "lessons/contexts.py plane"),
    ("tokens", "dimensions"): (
        "lessons/single_dimensions.py auc",
        "pairs of words",
        "lessons/single_dimensions.py dimensions",
    ),
    ("tokens", "neighbours"): ("tokens", "chosen token", "lessons/embedding.py neighbours"),
    ("tokens", "step-by-step"): ("tokens", "lessons/embedding.py step-by-step"),
    ("tokens", "word-order"): (
        "stages",
        "two sentences",
        "lessons/word_order.py match",
        "lessons/word_order.py compare",
    ),
    ("vision", "classification"): ("classification", "lessons/classification.py classification"),
}


def shared_program(page: str, section: str, yours: str) -> str:
    """Return a section's program; the lines of its values, each None, end in `yours`.

    Raises:
        OSError: a module of `model` cannot be read.
        KeyError: the section has no such program, or a module has no such mark.
    """
    texts: list[str] = []
    importable: dict[str, tuple[str, str]] = {}  # name -> module, and what is imported from it, "" for itself
    for part in SHARED[page, section]:
        if part in HEADERS:
            imports, _, text = HEADERS[part].rpartition("\n\n")
        else:
            path, name = part.split(" ")
            imports = (MODEL / path).read_text(encoding="utf-8")
            text = marked_programs(imports)[name]
        importable |= _imports(imports)
        text = text.strip("\n")
        texts.append(f"\n{text}\n" if text.startswith("def ") else text)
    read = _undefined("\n".join(texts))
    values = [f"{name} = None{yours}" for name in read if name not in importable]
    lines = _import_lines({name: importable[name] for name in read if name in importable})
    return "\n\n".join([*lines, "\n".join(values), *texts])


def _imports(source: str) -> dict[str, tuple[str, str]]:
    """Names that a module imports by absolute names: module, and what is imported from it."""
    found: dict[str, tuple[str, str]] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import):
            found |= {alias.asname or alias.name: (alias.name, "") for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
    return found


def _import_lines(names: dict[str, tuple[str, str]]) -> list[str]:
    """Import these names: a text each for the standard library, for other packages and for `model`."""
    imported: dict[str, list[str]] = {}  # statement -> what it imports
    for name, (module, attribute) in sorted(names.items()):
        known = attribute or module
        start = f"from {module} import " if attribute else f"import {module}"
        imported.setdefault(start, []).append(known if name == known else f"{known} as {name}")
    groups: dict[int, list[str]] = {0: [], 1: [], 2: []}
    for start in sorted(imported, key=lambda start: (start.startswith("from"), start)):
        package = start.split()[1].partition(".")[0]
        group = 0 if package in sys.stdlib_module_names else 2 if package == MODEL.name else 1
        alone = start.startswith("import")
        groups[group].append(f"import {imported[start][0]}" if alone else start + ", ".join(imported[start]))
    return ["\n".join(lines) for lines in groups.values() if lines]


def _undefined(program: str) -> list[str]:
    """Names that a program reads and nothing in it defines, in the order in which it reads them."""
    defined, read = set(), []
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            read.append((node.lineno, node.col_offset, node.id))
        elif isinstance(node, ast.Name | ast.arg | ast.FunctionDef):
            defined.add(getattr(node, "id", getattr(node, "arg", getattr(node, "name", ""))))
    return list(dict.fromkeys(name for *_, name in sorted(read) if name not in defined and not hasattr(builtins, name)))
