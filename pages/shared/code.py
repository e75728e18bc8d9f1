"""Code export: a section's computation as a short PyTorch program, with the user's own values, to be copied and run.

A program is a Python file, `assets/code/<page>/<section>.py`, or the lines of `model` that compute what the section
shows, see `SHARED`. Lines that end in `# yours` assign default values; the page replaces them by the current ones,
which come from `VALUES` or from the arguments of `render_program`. A program has 3 to 25 lines, not counting the blank
ones that ruff requires around definitions. Where a section shows more than fits, a further program has a fold of its
own.
"""

import ast
import builtins
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from pages.shared.models import open_language, open_recurrent
from pages.shared.page_header import Request
from views.controls import painted
from views.html.program import program_html
from views.shipped_files import ShippedFileError, read_shipped
from views.text import prose
from views.text.catalogue import say
from views.text.prose import marked_programs, with_translated_comments
from views.url_state import bound_settings
from views.url_state.codecs import DIGITS

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "code"
YOURS = "  # yours"


def programs() -> list[tuple[str, str]]:
    """Return page and section of every program."""
    return sorted({*SHARED, *((path.parent.name, path.stem) for path in FOLDER.glob("*/*.py"))})


@lru_cache(maxsize=64)
def _lines(page: str, section: str) -> tuple[str, ...]:
    if (page, section) in SHARED:
        return tuple(shared_program(page, section, YOURS).splitlines())
    return tuple(read_shipped(FOLDER / page / f"{section}.py").decode("utf-8").splitlines())


def value_names(page: str, section: str) -> list[str]:
    """Return the names of the values that a section's program uses.

    Raises:
        OSError: the section has no program.
    """
    return [line.partition(" = ")[0] for line in _lines(page, section) if line.endswith(YOURS)]


def fill_program(page: str, section: str, **values: object) -> str:
    """Return a section's program with these values instead of its default ones.

    Raises:
        OSError: the section has no program.
        KeyError: one of its values is missing.
    """
    lines = list(_lines(page, section))
    for place, line in enumerate(lines):
        if line.endswith(YOURS):
            name = line.partition(" = ")[0]
            lines[place] = f"{name} = {values[name]!r}{YOURS}"
    return "\n".join(lines)


def render_program(page: str, section: str, title: str = "", /, **values: object) -> None:
    """Render a fold with the section's program; nothing without one, a notice where its file cannot be read.

    Args:
        title: of the fold, for a further program of the section.
    """
    try:
        text = fill_program(page, section, **values)
    except FileNotFoundError:
        return
    except ShippedFileError:
        st.caption(prose.ALTERED(file=f"{section}.py", folder=f"assets/code/{page}"))
        return
    except (OSError, UnicodeDecodeError):
        st.caption(prose.DAMAGED(file=f"{section}.py", folder=f"assets/code/{page}"))
        return
    same = say("code.title", "The same in PyTorch") if "torch" in text else say("code.python", "The same in Python")
    with st.expander(title or same):
        st.html(program_html(with_translated_comments(text), title or same))


# The user's settings as values of the program that a section offers.

Values = dict[str, Any]  # name -> a literal of the program


def sentence(request: Request) -> Values:
    """Return the sentence and, unless it is the greedy one, its translation."""
    greedy = request.options.method == "greedy"
    ids = None if greedy else tuple(request.service.steps(request.text, request.options)[-1].ids)
    return {"sentence": request.text, "target_ids": ids}


def one_sequence(request: Request) -> Values:
    """Return the sentence and, unless it is the greedy one, the translation by the decoder-only network."""
    greedy = request.options.method == "greedy"
    ids = None if greedy else tuple(open_language().steps(request.text, request.options)[-1].ids)
    return {"sentence": request.text, "target_ids": ids}


def text(request: Request) -> Values:
    """Return the sentence alone."""
    return {"sentence": request.text}


def settings(*names: str, **renamed: str) -> Callable[[Request], Values]:
    """Return a function that reads settings, by their names or by others; decimal texts become numbers."""
    keys = {name: name for name in names} | renamed
    return lambda _: {name: _number(bound_settings.current_value(key)) for name, key in keys.items()}


def _number(value: object) -> object:
    return int(value) if isinstance(value, str) and value.isdecimal() and len(value) <= DIGITS else value


def query(_: Request) -> Values:
    """Return the index of the query, which each kind of attention has its own setting for."""
    return {"query": bound_settings.current_value(f"{bound_settings.current_value('kind')}_query")}


def recurrent_translation(request: Request) -> Values:
    """Return the sentence and, unless it is greedy, the translation of the network with the chosen alignment."""
    name, ids = bound_settings.current_value("score"), None
    if request.options.method != "greedy":
        ids = tuple(open_recurrent(name).steps(request.text, request.options)[-1].ids)
    return {"sentence": request.text, "target_ids": ids, "score": name}


def reading_direction(_: Request) -> Values:
    """Return the direction in which one encoder reads; KeyError for two."""
    return {"direction": {"backwards": "backwards", "forwards": "forwards"}[bound_settings.current_value("direction")]}


def gate_network(_: Request) -> Values:
    """Return the LSTM encoder whose gates are shown; ValueError for the decoder, which has no program."""
    _, direction = bound_settings.current_value("cells").split("-")
    return {"network": bound_settings.current_value("network"), "direction": direction}


def typed_target(request: Request) -> Values:
    """Return the sentence and the ids of the French typed for it; InputError where it cannot be a target."""
    typed = bound_settings.current_value("target")
    if not typed.strip():
        return sentence(request)
    return {"sentence": request.text, "target_ids": request.service.trace_of_target(request.text, typed).next_ids}


def scored_target(request: Request) -> Values:
    """Return the same on the page *Loss*; ValueError for typed probabilities, which have no program."""
    if bound_settings.current_value("scored") == "five":
        raise ValueError("Typed probabilities are scored.")
    return typed_target(request)


def orders(request: Request) -> Values:
    """Return the two sentences that are compared; InputError for one that the model does not accept."""
    both = bound_settings.current_value("o1"), bound_settings.current_value("o2")
    for typed in both:
        request.service.model.check(typed)
    return {"sentences": both}


def step(request: Request) -> Values:
    """Return the step of a translation; one with a single step has no control."""
    return {"step": bound_settings.current_value("step") if len(request.trace().next_ids) > 1 else 1}


def lengths(request: Request) -> Values:
    """Return the two lengths that are compared, with the width of the model."""
    both = bound_settings.current_value("short"), bound_settings.current_value("long")
    return {"lengths": both, "d_model": request.service.model.config.d_model}


def token_counts(request: Request) -> Values:
    """Return how many tokens the encoder and the decoder read."""
    trace = request.trace()
    return {"source": len(trace.source_ids), "target": len(trace.target_ids)}


def source_length(request: Request) -> Values:
    """Return how many tokens the encoder reads."""
    return {"length": len(request.service.model.check(request.text)) + 1}


def own_mask(request: Request) -> Values:
    """Return the mask that the user picked or painted, and the layers that use it."""
    mask, where = bound_settings.current_value("mask"), bound_settings.current_value("where")
    changed = painted.decode(bound_settings.stored_text("painted"), len(request.trace().target_ids))  # (query, key)
    layers = request.service.model.config.n_decoder_layers
    return {
        "mask": mask,
        "size": int(bound_settings.current_value("pieces")) if mask in ("window", "prefix") else 3,
        "painted": tuple((query + 1, key + 1) for query, key in np.argwhere(changed).tolist()),
        "layers": tuple(range(1, layers + 1)) if where == "all" else (int(where),),
    }


def replaced_token(request: Request) -> Values:
    """Return the position that changes and its new token; ValueError for a translation that is too short."""
    if len(request.trace().target_ids) < 3:
        raise ValueError("There is no place to change.")
    return {
        "place": int(bound_settings.current_value("change")),
        "replacement": int(bound_settings.current_value("replacement")),
    }


TABLE = {"length": "length", "d_model": "width", "form": "form"}
# page, section -> functions that return its program's values, called once the section is rendered
VALUES: dict[tuple[str, str], tuple[Callable[[Request], Values], ...]] = {
    ("inside", "seven-steps"): (sentence, settings("kind", "layer", "head")),
    ("inside", "one-query"): (sentence, settings("kind", "layer", "head"), query),
    ("inside", "heads"): (sentence, settings("kind")),
    ("inside", "feed-forward"): (sentence, settings("stack", "layer")),
    ("inside", "add-norm"): (sentence, settings("stack")),
    ("masks", "your-sentence"): (sentence, own_mask, settings("layer", "head")),
    ("masks", "causality"): (sentence, replaced_token),
    ("positions", "table"): (settings(**TABLE),),
    ("positions", "wavelengths"): (settings(**TABLE),),
    ("positions", "why-sinusoids"): (lengths,),
    ("positions", "similarity"): (settings(**TABLE),),
    ("positions", "rotation"): (settings("shift", **TABLE),),
    ("positions", "orthogonality"): (settings("first", "second", "form", d_model="width"),),
    ("positions", "basis"): (settings("curve", "basis", "columns", **TABLE),),
    ("positions", "compared"): (source_length,),
    ("loss", "token-by-token"): (scored_target,),
    ("loss", "training-curves"): (settings("axis"),),
    ("decoding", "linear-softmax"): (sentence, step),
    ("decoding", "teacher-forcing"): (typed_target,),
    ("decoding", "beam-search"): (text, settings("beam", "penalty")),
    ("decoding", "kv-cache"): (one_sequence,),
    ("decoding", "one-stack"): (sentence,),
    ("history", "one-word"): (text, reading_direction),
    ("history", "forgetting"): (text, settings("replacement")),
    ("history", "gates"): (text, gate_network),
    ("history", "one-vector"): (text,),
    ("history", "attention-over-states"): (recurrent_translation,),
    ("history", "without-projections"): (text, settings(form="raw_score")),
    ("history", "recurrence"): (token_counts,),
    ("history", "ladder"): (settings(order="ladder"),),
    ("tokens", "word-order"): (orders,),
    ("tokens", "step-by-step"): (text,),
    ("tokens", "neighbours"): (text, settings("count", place="near")),
}


def values_of_section(page: str, section: str, request: Request) -> Values | None:
    """Return the values of a section just rendered; None where it has no program, or stopped at bad input."""
    if (page, section) not in VALUES:
        return None
    try:
        return {name: value for gather in VALUES[page, section] for name, value in gather(request).items()}
    except (KeyError, ValueError):  # a control was not rendered, or the input cannot be used: the section reports it
        return None


# Programs whose lines are those of `model` that compute what the section shows.
#
# In `model` they stand between the marks `# program: <name>` and `# end of program`. Above them come marked lines of
# `assets/code/headers.py`, which load what the function around the marks is given, a line for each value of the user's,
# which is a name that nothing in the program defines, and the imports of all that it uses.

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
