"""Each part's program computes the numbers that the page computes, at two settings."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
import torch

from model import Trace, Translator
from model.lessons.layer_steps import attention_steps, layer_inputs
from pages.shared import code
from pages.shared.code_values import VALUES
from tests.every_view import PARTS
from tests.pages.conftest import SENTENCE, visit

MOST_LINES = 25  # that hold something
MODULES = {"math", "numpy", "torch", "model"}
TEACHING = (
    "attention",
    "attribution",
    "history",
    "tokens",
    "positions",
    "masks",
    "inside",
    "decoding",
    "loss",
    "vision",
)
WITHOUT: set[tuple[str, str]] = {  # parts that have none yet
    ("attention", "maps"),
    ("attention", "lines"),
    ("attention", "one-weight"),
    ("attribution", "attribution"),
    ("history", "one-word"),
    ("history", "forgetting"),
    ("history", "gates"),
    ("history", "one-vector"),
    ("history", "attention-over-states"),
    ("history", "without-projections"),
    ("history", "recurrence"),
    ("history", "ladder"),
    ("tokens", "step-by-step"),
    ("tokens", "neighbours"),
    ("tokens", "spelling"),
    ("tokens", "contexts"),
    ("tokens", "word-order"),
    ("tokens", "sizes"),
    ("positions", "table"),
    ("positions", "wavelengths"),
    ("positions", "why-sinusoids"),
    ("positions", "similarity"),
    ("positions", "rotation"),
    ("positions", "orthogonality"),
    ("positions", "basis"),
    ("positions", "trained-model"),
    ("masks", "your-sentence"),
    ("masks", "causality"),
    ("masks", "padding"),
    ("inside", "heads"),
    ("inside", "memory"),
    ("inside", "scaling"),
    ("inside", "feed-forward"),
    ("inside", "add-norm"),
    ("decoding", "step-by-step"),
    ("decoding", "linear-softmax"),
    ("decoding", "teacher-forcing"),
    ("decoding", "beam-search"),
    ("loss", "token-by-token"),
    ("loss", "smoothing-gradient"),
    ("loss", "training-curves"),
    ("vision", "patches"),
    ("vision", "cls"),
    ("vision", "any-patch"),
    ("vision", "layers"),
    ("vision", "positions"),
    ("vision", "heads"),
    ("vision", "full-maps"),
    ("vision", "what-if"),
}
BY_THE_PART: set[tuple[str, str]] = set()  # which hand their program its values themselves

PROGRAMS = sorted((path.parent.name, path.stem) for path in code.FOLDER.rglob("*.py"))
OTHER = {"sentence": "Where did you learn to cook?", "target_ids": (220, 15, 3)}
OWN = {"sentence": SENTENCE, "target_ids": None}

Values = dict[str, object]


@pytest.fixture(scope="session")
def traced(translator: Translator) -> Callable[[Values], Trace]:
    """The trace of a sentence with the target that a program is given."""
    known = cache(lambda sentence, ids: translator.trace(sentence, target_ids=ids))
    return lambda values: known(values["sentence"], values["target_ids"])


def run(page: str, part: str, values: Values) -> dict[str, object]:
    """All names of a program after its end."""
    found: dict[str, object] = {}
    exec(code.program(page, part, **values), found)
    return found


def compare(found: dict[str, object], wanted: dict[str, object]) -> None:
    """Every number to 1e-5; what is no number, exactly."""
    assert wanted
    for name, value in wanted.items():
        got = found[name]
        if isinstance(value, str | bool) or value is None or isinstance(value, tuple):
            assert (tuple(got) if isinstance(value, tuple) else got) == value, name
            continue
        got = got.detach().cpu().numpy() if isinstance(got, torch.Tensor) else np.asarray(got)
        value = np.asarray(value)
        assert got.shape == value.shape, name
        np.testing.assert_allclose(got, value, rtol=1e-5, atol=1e-5, err_msg=name)


def seven_steps(network, trace: Trace, values: Values) -> dict[str, object]:
    place = values["kind"], values["layer"] - 1
    steps = attention_steps(network, trace, layer_inputs(network, trace, *place), *place, values["head"] - 1)
    names = {"q": "queries", "k": "keys", "v": "values"} | {name: name for name in ("products", "scores", "weights")}
    found = {name: getattr(steps, field) for name, field in names.items()}
    return found | {"output": steps.output, "sublayer_output": steps.inputs.sublayer_output}


def one_query(network, trace: Trace, values: Values) -> dict[str, object]:
    place = values["kind"], values["layer"] - 1
    steps = attention_steps(network, trace, layer_inputs(network, trace, *place), *place, values["head"] - 1)
    one = steps.one_query(values["query"] - 1)
    return {name: getattr(one, name) for name in ("products", "scores", "weights", "weighted", "mean")}


HEADS = ({"kind": "encoder", "layer": 1, "head": 1}, {"kind": "cross", "layer": 3, "head": 6})
# page, part -> two settings, and what the page computes of them with the network and the trace
OF_A_SENTENCE: dict[tuple[str, str], tuple[Values, Values, Callable]] = {
    ("inside", "seven-steps"): (OWN | HEADS[0], OTHER | HEADS[1], seven_steps),
    ("inside", "one-query"): (
        OWN | HEADS[0] | {"query": 5},
        OTHER | HEADS[1] | {"kind": "decoder", "query": 2},
        one_query,
    ),
}
# the same of parts that need no network
WITHOUT_NETWORK: dict[tuple[str, str], tuple[Values, Values, Callable]] = {}


@pytest.mark.parametrize("second", (0, pytest.param(1, marks=pytest.mark.slow)))  # each loads a translator of its own
@pytest.mark.parametrize("where", OF_A_SENTENCE, ids="/".join)
def test_the_numbers_of_a_sentence_are_the_pages(where, second, translator, traced):
    values, compute = OF_A_SENTENCE[where][second], OF_A_SENTENCE[where][2]
    compare(run(*where, values), compute(translator.network, traced(values), values))


@pytest.mark.parametrize("second", (0, 1))
@pytest.mark.parametrize("where", WITHOUT_NETWORK, ids="/".join)
def test_the_numbers_of_the_settings_are_the_pages(where, second):
    values, compute = WITHOUT_NETWORK[where][second], WITHOUT_NETWORK[where][2]
    compare(run(*where, values), compute(values))


def test_every_part_has_a_program_or_is_named():
    parts = {(page, part) for page in TEACHING for part in PARTS[page][1] or (page,)}
    assert parts - WITHOUT == set(PROGRAMS)
    assert set(PROGRAMS) == set(VALUES) | BY_THE_PART
    assert set(PROGRAMS) == set(OF_A_SENTENCE) | set(WITHOUT_NETWORK)


@pytest.mark.parametrize("where", PROGRAMS, ids="/".join)
def test_a_program_is_short_and_imports_little(where):
    text = (code.FOLDER / where[0] / f"{where[1]}.py").read_text(encoding="utf-8")
    assert 3 <= len([line for line in text.splitlines() if line.strip()]) <= MOST_LINES
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            assert {alias.name.split(".")[0] for alias in node.names} <= MODULES - {"model"}
        elif isinstance(node, ast.ImportFrom):
            assert node.module == "model" or node.module.split(".")[0] in MODULES - {"model"}
            if node.module == "model":
                import model

                assert {alias.name for alias in node.names} <= set(model.__all__)
    assert code.names(*where), "it takes no value of the reader's"


def shown(page: str, part: str, **query: str) -> str:
    """The program that a part shows."""
    key, parts = PARTS[page]
    app = visit(page, **({key: part} if parts else {}), **query)
    (fold,) = [fold for fold in app.expander if fold.label == "The same in PyTorch"]
    return fold.code[0].value


def test_the_fold_has_the_sentence_and_the_settings():
    text = shown("inside", "one-query", kind="cross", layer="2", head="3", cross_query="4")
    values = {"kind": "cross", "layer": 2, "head": 3, "query": 4}
    assert text == code.program("inside", "one-query", **OWN, **values)
