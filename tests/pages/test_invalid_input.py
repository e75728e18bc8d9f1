"""Input that cannot be used: invalid settings in the address open the default view, invalid text gets one sentence."""

from __future__ import annotations

import numpy as np
import pytest

from model import Translator
from tests.pages.conftest import SENTENCE, visit
from tests.pages.kinds import maps_by_kind
from views.controls import sentence_input

INVALID = (
    {"kind": "bogus", "layer": "99", "head": "-1", "scale": "", "method": "", "beam": "x"},
    {"kind": "<b>", "layer": "1e400", "head": "nan", "scale": "", "look": "\x00", "units": "\ufffd", "utm": "1"},
)


@pytest.mark.parametrize("settings", INVALID, ids=range(2))
def test_invalid_settings_in_the_address_are_ignored(translator: Translator, settings: dict[str, str]):
    app = visit("attention", **settings)
    assert not app.exception and not app.warning
    header, weights = maps_by_kind(app)["encoder"]
    assert header["queries"] == header["keys"]
    np.testing.assert_allclose(weights[0, 0], translator.trace(SENTENCE).encoder_attention[0, 0], atol=1e-3)


def test_an_invalid_number_of_a_valid_method_is_its_default():
    app = visit("translate", method="Beam", beam="-1")
    assert app.number_input(key="beam").value == 4


@pytest.mark.parametrize("page", ["translate", "attention"])
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "nothing to translate"),
        (" \u200b ", "nothing to translate"),
        ("car " * 200, "tokens"),
        ("word " * 20_000, "characters"),
    ],
    ids=["empty", "spaces", "too-many-tokens", "too-many-characters"],
)
def test_text_that_cannot_be_translated_gets_one_sentence(page: str, text: str, reason: str):
    app = visit(page, text=text)
    assert not app.exception
    (warning,) = app.warning
    assert reason in warning.value
    app.text_input(key="text").set_value(sentence_input.DEFAULT).run()
    assert not app.exception and not app.warning
