"""The page Inside a layer in the reader's language, and with addresses of earlier versions."""

import pytest

from pages.inside.steps import NAMES as STEPS
from tests.pages.pseudo import unsaid
from views.address import aliases

PARTS = ("one-query", "heads", "memory", "scaling", "feed-forward", "add-norm")
NAMES = {"CPU", "d_model", "d<sub>k</sub>", "q \u00b7 k / \u221ad<sub>k</sub>", "Je veux acheter une voiture."}


@pytest.mark.parametrize("step", STEPS)
def test_every_step_is_said_in_the_readers_language(in_pseudo, step):
    assert unsaid(in_pseudo("inside", step=step), NAMES) == []


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("kind", ["decoder", "cross"])
def test_everything_is_said_in_the_readers_language(in_pseudo, part, kind):
    assert unsaid(in_pseudo("inside", inside=part, kind=kind, stack="decoder", norm_place="1"), NAMES) == []


def test_sizes_that_do_not_fit_are_refused_in_the_readers_language(in_pseudo):
    app = in_pseudo("inside", inside="heads", shape_heads="7")
    assert app.warning and unsaid(app, NAMES) == []


@pytest.mark.parametrize(
    ("old", "id"),
    [
        (("inside", "Seven steps"), "seven-steps"),
        (("inside", "One query"), "one-query"),
        (("inside", "Heads"), "heads"),
        (("inside", "Memory"), "memory"),
        (("inside", "Scaling"), "scaling"),
        (("inside", "Feed-forward"), "feed-forward"),
        (("inside", "Add & Norm"), "add-norm"),
        (("step", "1 Q, K, V"), "projections"),
        (("step", "2 Q K\u1d40"), "products"),
        (("step", "3 \u00f7 \u221ad\u2096"), "scores"),
        (("step", "4 Mask"), "masked"),
        (("step", "5 Softmax"), "weights"),
        (("step", "6 \u00d7 V"), "output"),
        (("step", "7 Concat, W\u2092"), "sublayer-output"),
        (("projection", "Query"), "query"),
        (("projection", "Key"), "key"),
        (("projection", "Value"), "value"),
        (("stack", "Encoder"), "encoder"),
        (("stack", "Decoder"), "decoder"),
        (("undone", "All"), "all"),
        (("undone", "Encoder"), "encoder"),
        (("undone", "Decoder"), "decoder"),
        (("undone", "Cross"), "cross"),
    ],
)
def test_old_values_mean_what_they_meant(old, id):
    name, value = old
    assert aliases.today({name: (value,)}) == {name: (id,)}


def test_an_old_address_opens_the_same_step(open_app):
    app = open_app("inside", step="7 Concat, W\u2092", kind="Cross")
    assert app.session_state["step"] == "sublayer-output"
    assert app.session_state["kind"] == "cross"
