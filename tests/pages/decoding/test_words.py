"""The decoding page in the reader's language, and with addresses of earlier versions."""

import pytest

from tests.pages.pseudo import unsaid
from views.address import aliases

PARTS = ("step-by-step", "linear-softmax", "teacher-forcing", "beam-search")
NAMES = {"CPU", "d_model", "d<sub>k</sub>", "q \u00b7 k / \u221ad<sub>k</sub>", "Je veux acheter une voiture."}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("method", ["greedy", "beam", "sampling"])
def test_everything_is_said_in_the_readers_language(in_pseudo, part, method):
    assert unsaid(in_pseudo("decoding", part=part, method=method, step="2"), NAMES) == []


def test_departing_runs_are_said_in_the_readers_language(in_pseudo):
    app = in_pseudo("decoding", part="teacher-forcing", target="Je veux vendre un v\u00e9lo.")
    assert unsaid(app, NAMES) == []


def test_rows_that_cannot_be_read_are_refused_in_the_readers_language(in_pseudo):
    app = in_pseudo("decoding", part="linear-softmax")
    app.text_input(key="rows").set_value("a b").run()
    assert app.warning and unsaid(app, NAMES) == []


@pytest.mark.parametrize(
    ("old", "id"),
    [
        (("part", "Step by step"), "step-by-step"),
        (("part", "Linear + softmax"), "linear-softmax"),
        (("part", "Teacher forcing"), "teacher-forcing"),
        (("part", "Beam search"), "beam-search"),
        (("nodes", "Kept"), "kept"),
        (("nodes", "All considered"), "all"),
    ],
)
def test_old_values_mean_what_they_meant(old, id):
    name, value = old
    assert aliases.today({name: (value,)}) == {name: (id,)}


def test_an_old_address_opens_the_same_part(open_app):
    app = open_app("decoding", part="Beam search", nodes="All considered")
    assert app.session_state["part"] == "beam-search"
    assert app.session_state["nodes"] == "all"
