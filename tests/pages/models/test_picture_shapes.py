"""Pictures that are not square, and tokens after the patches, in every section of the page."""

from __future__ import annotations

import logging
from types import SimpleNamespace

import pytest
import transformers
from PIL import Image

from pages.models import picture
from tests.model.hub import tiny
from tests.model.hub.test_tasks import build
from tests.new_process import clear_all
from tests.pages.models.opened_model_page import open_maps

MODELS = {
    "wide": ("ViT", "ViTForImageClassification", tiny.PICTURE | {"num_labels": 3}),
    "registers": ("Dinov2WithRegisters", "Dinov2WithRegistersForImageClassification", tiny.PICTURE | {"mlp_ratio": 2}),
    "detections": ("Yolos", "YolosModel", tiny.PICTURE | {"image_size": [32, 32], "num_detection_tokens": 3}),
}
SECTIONS = ["attention", "cls", "any-patch", "layers", "heads", "what-if"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    logging.getLogger("transformers").setLevel(logging.ERROR)
    root = tmp_path_factory.mktemp("shapes")
    for name, (config, architecture, sizes) in MODELS.items():
        build(config, architecture, sizes).save_pretrained(root / name)
        transformers.BitImageProcessor(size={"shortest_edge": 32}, do_center_crop=False).save_pretrained(root / name)
    return root


@pytest.fixture(autouse=True)
def listed(folders, monkeypatch):
    wide = Image.linear_gradient("L").resize((96, 48)).convert("RGB")
    monkeypatch.setattr(picture, "picture_input", lambda lock: SimpleNamespace(image=wide, is_own=False))
    monkeypatch.setenv("ATLAS_MODELS", ", ".join(str(folders / name) for name in MODELS))
    clear_all()
    yield
    clear_all()


@pytest.mark.parametrize("part", SECTIONS)
@pytest.mark.parametrize("name", MODELS)
def test_every_section_opens(open_app, name, part):
    app = open_app("models", model=name, part=part, vdo="ablate", vheads1=["2"], heads1=["2"])
    assert not app.exception
    assert not app.warning


@pytest.mark.parametrize("change", ["mask", "one-hot", "sharpen"])
def test_every_change_of_heads_opens(open_app, change):
    app = open_app("models", model="wide", part="what-if", vdo=change, vheads1=["2"])
    assert not app.exception
    options = [option.content for group in app.get("button_group") for option in group.proto.options]
    assert "One-hot attention" in options and "Mask" not in options  # a painted mask is square


@pytest.mark.parametrize(("name", "first", "last"), [("wide", 1, 0), ("registers", 5, 0), ("detections", 1, 3)])
def test_labels_follow_the_picture(open_app, name, first, last):
    header, _ = open_maps(open_app("models", model=name))
    keys = header["keys"]
    assert len(keys) == first + 4 * 8 + last
    assert keys[first] == "row 1, column 1" and keys[first + 31] == "row 4, column 8"
    assert keys[first + 32 :] == [f"token {n} after the patches" for n in range(1, last + 1)]
