"""The page of a model of pictures and text: the text with its picture, maps, attention within it; or the text alone."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from model import open_model
from pages.models import picture_text
from tests.model.hub.tiny_pictured import WORDS, build
from tests.new_process import clear_all
from tests.pages.models.opened_model_page import open_maps, page_text
from tests.payloads import read_payload
from views.controls import samples


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    logging.getLogger("transformers").setLevel(logging.ERROR)
    network, processor = build("llava")
    folder = tmp_path_factory.mktemp("pictured") / "llava"
    network.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


@pytest.fixture
def opened_page(folder, open_app, monkeypatch):
    """A function that opens the page of the model."""
    monkeypatch.setenv("ATLAS_MODELS", str(folder))
    clear_all()
    yield lambda **settings: open_app("models", model="llava", text=WORDS, **settings)
    clear_all()


def running_text(app):
    """Header and arrays of the running text."""
    (element,) = [part for part in app.get("bidi_component") if part.proto.component_name == "attention_text"]
    return read_payload(element.proto.bytes)


def test_the_text_is_shown_with_the_chosen_picture_in_it(opened_page, folder):
    app = opened_page(picture=samples.NAMES[1], layer="2", head="3")
    assert not app.exception and not app.warning
    header, arrays = running_text(app)
    trace = open_model(folder, device="cpu").trace(WORDS, picture=samples.picture(samples.NAMES[1]).image)
    np.testing.assert_allclose(arrays["decoder"], trace.attention("decoder"), atol=1e-5)
    assert header["pictures"][0]["places"] == trace.pictures[0].places.tolist()
    np.testing.assert_allclose(arrays["picture 0"][..., 0] / 255, trace.pictures[0].pixels.mean(axis=-1), atol=0.2)
    assert "It goes on" in page_text(app) and "besides text" not in page_text(app)


def test_maps_have_the_picture_as_one_token_and_the_tower_its_patches(opened_page):
    app = opened_page(part="attention")
    header, weights = open_maps(app)
    assert not app.exception and "picture 1" in header["keys"] and weights.shape[-1] == 9
    app = opened_page(part="within")
    header, weights = open_maps(app)
    assert not app.exception and header["keys"][:2] == ["CLS", "row 1, column 1"] and weights.shape[-1] == 17


def test_of_many_tokens_one_map_is_sent(opened_page, monkeypatch):
    monkeypatch.setattr(picture_text, "MOST_WEIGHTS", 100)
    app = opened_page(layer="2", head="mean")
    header, arrays = running_text(app)
    assert not app.exception and arrays["decoder"].shape == (1, 1, 24, 24)
    assert [control["name"] for control in header["controls"]] == ["direction"]


def test_the_text_alone_has_its_own_page(opened_page):
    app = opened_page(reads="text", part="heads")
    assert not app.exception and "picture" not in " ".join(widget.label for widget in app.selectbox)
    assert not [part for part in app.get("bidi_component") if part.proto.component_name == "attention_text"]
