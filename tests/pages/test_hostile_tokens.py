"""Whatever a token contains, each view writes it as one label: visible, cut where it is drawn, in its own direction.

`make nightly` visits every view that shows tokens, `make test` one of each kind of drawing.
"""

from __future__ import annotations

import pytest

from tests.every_view import UNFOLDED, VIEWS, View
from tests.pages import hostile_tokens
from tests.pages.conftest import visit
from tests.tiers import nightly

SENTENCE = "-My cat is old."
SAMPLE = (
    "translate",  # the stage
    "attention/maps",
    "attention/lines",
    "attention/one-weight",
    "circuits/lens",  # tables and choices
    "history/forgetting",  # curves over tokens
    "history/recurrence",  # a drawing of an unrolled network
    "tokens/step-by-step/positions",  # a map of Plotly
    "tokens/neighbours",
    "tokens/word-order",
    "inside/heads",  # arcs
    "inside/add-norm",
    "decoding/beam-search",  # a tree
    "decoding/teacher-forcing",
    "decoding/step-by-step",
    "masks/causality",
    "loss/token-by-token",
)
# views of numbers, of the app's own words or of pictures, and all views whose names begin so
WITHOUT_TOKENS = (
    *("glossary", "vision/", "models", "history/one-vector", "history/ladder", "tokens/dimensions", "tokens/contexts"),
    *("tokens/sizes", "positions/table", "positions/wavelengths", "positions/why-sinusoids", "positions/similarity"),
    *("positions/rotation", "positions/orthogonality", "positions/basis", "positions/vectors", "masks/padding"),
    *("positions/other-models", "positions/compared/", "inside/memory", "inside/scaling", "loss/training-curves"),
    "decoding/one-stack/scores",
)
BOTH_LANGUAGES = "decoding/one-stack"  # one sequence has the English and the French tokens
PARAMETERS = [
    pytest.param(view, id=view.id) if view.id in SAMPLE else nightly(view, id=view.id) for view in VIEWS + UNFOLDED
]


@pytest.fixture(scope="module")
def labels():
    with pytest.MonkeyPatch.context() as patch:
        yield from hostile_tokens.install(patch)


@pytest.mark.parametrize("view", PARAMETERS)
def test_every_view_writes_a_token_by_the_one_label_function_in_its_language(view: View, labels):
    app = visit(view.page, **{"text": SENTENCE} | view.settings)
    assert hostile_tokens.faults(app, labels) == []
    assert hostile_tokens.translated_tokens(app, labels) == []
    if not view.id.startswith(BOTH_LANGUAGES):
        assert hostile_tokens.unnamed_languages(app) == []
    assert bool(hostile_tokens.hostile_texts(app, labels)) != view.id.startswith(WITHOUT_TOKENS)
