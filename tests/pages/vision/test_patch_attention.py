"""Files of CLS attention: the stage as on the page, with a caption or without; the map alone next to it."""

import io
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.pages.conftest import visit
from tests.pages.recipes import record_files, run_recipe

ROOT = Path(__file__).resolve().parents[3]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def makers(monkeypatch):
    return record_files(monkeypatch)


def open_files(captioned=True, **query):
    app = visit("vision", text=None, view="cls", **query)
    app.session_state["vision_stage_files"] = True
    app.session_state["vision_stage_caption"] = captioned
    app.run()
    assert not app.exception


def test_the_stage_has_ribbons_layers_and_classes_and_a_caption_on_demand(makers):
    open_files(layer="2", head="3")
    root = ElementTree.fromstring(makers["vision-stage-layer-2-head-3.svg"]())
    words = [each.text for each in root.iter(f"{SVG}text")]
    assert "layer 2, head 3" in words[0] and {"Layer 1", "Layer 6", "Mean", "church"} <= set(words)
    assert "Each bar is the attention of CLS" in " ".join(words)
    strokes = [each.get("stroke-opacity") for each in root.iter(f"{SVG}path")]
    assert 0 < strokes.count("0.75") <= 24 and 0 < strokes.count("0.3") <= 3 * 6
    assert Image.open(io.BytesIO(makers["vision-stage-layer-2-head-3.png"]())).width > 1000
    map_alone = ElementTree.fromstring(makers["vision-layer-2-head-3.svg"]())
    assert not list(map_alone.iter(f"{SVG}path"))
    open_files(captioned=False, layer="2", head="3")
    plain = ElementTree.fromstring(makers["vision-stage-layer-2-head-3.svg"]())
    assert "Each bar is" not in " ".join(each.text or "" for each in plain.iter(f"{SVG}text"))


def test_nothing_is_offered_before_the_fold_is_opened(makers):
    visit("vision", text=None, view="cls", layer="mean", head="mean")
    assert "vision-stage-layer-mean-head-mean.png" not in makers
    open_files(layer="mean", head="mean")
    assert makers["vision-stage-layer-mean-head-mean.png"]().startswith(b"\x89PNG")


@pytest.mark.parametrize("sample", ["church", "golf-ball"])
def test_the_recipe_computes_the_weights_of_cls_again(makers, tmp_path, monkeypatch, sample):
    open_files(layer="2", head="3", picture=sample)
    (tmp_path / "assets").symlink_to(ROOT / "assets")
    printed, settings = run_recipe(makers, "vision-stage", tmp_path, monkeypatch, "vision-stage.zip")
    assert float(printed[-1]) < 1e-5
    assert settings["input"]["sample"] == sample and "layer=2" in settings["link"]
    assert settings["check"]["attention"] < 1e-5
    stored = np.load(tmp_path / "vision-stage.npz")
    assert stored["cls"].shape == (6, 6, 197)
