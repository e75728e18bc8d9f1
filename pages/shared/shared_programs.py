"""Programs whose lines are those of `model` that compute what the section shows: see `pages.shared.code`.

In `model` they stand between the marks `# program: <name>` and `# end of program`. Above them come marked lines of
`assets/code/headers.py`, which load what the function around the marks is given, a line for each value of the user's,
which is a name that nothing in the program defines, and the imports of all that it uses.
"""

import ast
import builtins
import sys
from pathlib import Path

from views.shipped_files import read_shipped
from views.text.program_comments import marked_programs

ROOT = Path(__file__).resolve().parents[2]
HEADERS = "assets/code/headers.py"
# page, section -> the parts of its program, in order: a module of `model`, or none for a header, and the name of a mark
SHARED: dict[tuple[str, str], tuple[str, ...]] = {
    ("decoding", "linear-softmax"): ("translation", "lessons/output_layer.py: linear-softmax"),
    ("history", "attention-over-states"): ("alignment", "lessons/first_attention.py: attention-over-states"),
    ("history", "gates"): ("lstm", "attribution/fixed_gates.py: gates"),
    ("history", "one-word"): ("rnn", "lessons/recurrence.py: one-word"),
    ("inside", "add-norm"): ("recorded", "lessons/residual.py: add-norm"),
    ("positions", "fourier"): ("lessons/position_basis.py: curve", "lessons/fourier.py: fourier"),
    ("positions", "other-models"): ("lessons/position_schemes.py: other-models",),
    ("positions", "rotation"): (
        "more places",
        "encoding",
        "networks/positional.py: rotation",
        "lessons/position_geometry.py: shift",
    ),
    ("positions", "similarity"): ("places", "encoding", "lessons/position_geometry.py: similarity"),
    ("tokens", "contexts"): ("stages", "lessons/contexts.py: contexts", "lessons/contexts.py: plane"),
    ("tokens", "dimensions"): (
        "lessons/single_dimensions.py: auc",
        "words",
        "lessons/single_dimensions.py: dimensions",
    ),
    ("tokens", "neighbours"): ("tokens", "token", "lessons/embedding.py: neighbours"),
    ("tokens", "step-by-step"): ("tokens", "lessons/embedding.py: step-by-step"),
    ("tokens", "word-order"): (
        "stages",
        "sentences",
        "lessons/word_order.py: match",
        "lessons/word_order.py: compare",
    ),
    ("vision", "classification"): ("classifier", "lessons/classification.py: classification"),
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
        module, _, name = part.rpartition(": ")
        source = read_shipped(ROOT / (f"model/{module}" if module else HEADERS)).decode("utf-8")
        importable |= _imports(source)
        text = marked_programs(source)[name].strip("\n")
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
        group = 0 if package in sys.stdlib_module_names else 2 if package == "model" else 1
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
