"""The loss page in the reader's language, and with addresses of earlier versions."""

import pytest

from tests.pages.pseudo import unsaid
from views.address import aliases

PARTS = ("token-by-token", "smoothing-gradient", "training-curves")
NAMES = {"CPU", "d_model", "d<sub>k</sub>", "q \u00b7 k / \u221ad<sub>k</sub>", "Je veux acheter une voiture."}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("scored", ["target", "five"])
def test_everything_is_said_in_the_readers_language(in_pseudo, part, scored):
    assert unsaid(in_pseudo("loss", part=part, scored=scored, step="2"), NAMES) == []


@pytest.mark.parametrize(
    ("old", "id"),
    [
        (("part", "Piece by piece"), "token-by-token"),
        (("part", "Smoothing and gradient"), "smoothing-gradient"),
        (("part", "Training curves"), "training-curves"),
        (("scored", "Your target"), "target"),
        (("scored", "Five given pieces"), "five"),
        (("axis", "Steps"), "steps"),
        (("axis", "Epochs"), "epochs"),
    ],
)
def test_old_values_mean_what_they_meant(old, id):
    name, value = old
    assert aliases.today({name: (value,)}) == {name: (id,)}


def test_an_old_address_opens_the_same_part(open_app):
    app = open_app("loss", part="Training curves", axis="Epochs")
    assert app.session_state["part"] == "training-curves"
    assert app.session_state["axis"] == "epochs"
