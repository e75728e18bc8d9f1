"""The Vision page in the reader's language, and with addresses of earlier versions."""

import pytest

from tests.pages.pseudo import unsaid
from views.address import aliases

VIEWS = ("patches", "cls", "any-patch", "layers", "positions", "heads", "full-maps", "what-if")
CLASSES = (
    "tench",
    "English springer",
    "cassette player",
    "chain saw",
    "church",
    "French horn",
    "garbage truck",
    "gas pump",
    "golf ball",
    "parachute",
)
NAMES = {*CLASSES, "CPU", "CLS", "ViT-B/16"}


@pytest.mark.parametrize("view", VIEWS)
def test_everything_is_said_in_the_readers_language(in_pseudo, view):
    assert unsaid(in_pseudo("vision", view=view), NAMES) == []


@pytest.mark.parametrize(
    ("name", "old", "id"),
    [
        ("view", "Patches", "patches"),
        ("view", "CLS attention", "cls"),
        ("view", "Any patch", "any-patch"),
        ("view", "Through the layers", "layers"),
        ("view", "Positions", "positions"),
        ("view", "Heads", "heads"),
        ("view", "Full maps", "full-maps"),
        ("view", "What if", "what-if"),
        ("measure", "Logit", "logit"),
        ("measure", "Probability", "probability"),
        ("vasks", "Every position", "all"),
        ("vasks", "CLS", "cls"),
        ("change", "Shuffle", "shuffle"),
        ("change", "No positions", "no-positions"),
        ("change", "Both", "both"),
        ("explain", "the answer", "answer"),
        *(("explain", old, str(place)) for place, old in enumerate(CLASSES, 1)),
    ],
)
def test_old_values_mean_what_they_meant(name, old, id):
    assert aliases.today({name: (old,)}) == {name: (id,)}


def test_an_old_address_opens_the_same_view(open_app):
    app = open_app("vision", view="Through the layers", explain="French horn")
    assert app.session_state["view"] == "layers"
    assert any("Explained: **French horn**" in element.value for element in app.markdown)
