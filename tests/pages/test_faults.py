"""Faults of the installation, or a GPU without memory, get one sentence each on the page."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from model import CheckpointError, ConvolutionClassifier, LanguageModel, Translator, VisionClassifier
from pages.shared.models import load_service
from tests.new_process import clear_all
from tests.pages.conftest import ROOT, SENTENCE, visit
from tests.tiers import nightly
from views import navigation
from views.controls import picture_input, samples
from views.text import prose

ASSETS = ROOT / "assets"
# tests/model/test_recurrent_translator.py, tests/model/test_position_translator.py and tests/pages/shared/test_code.py
# damage their files
OTHERS = ("recurrent/", "positions/", "code/")
OF_NO_PAGE = "convolution/"  # no page opens this network yet
FILES = [
    name
    for name in sorted(path.relative_to(ASSETS).as_posix() for path in ASSETS.rglob("*") if path.is_file())
    if not name.startswith(OTHERS)
]
RESTORE = "git checkout -- assets"
ALTERED = "does not match its recorded SHA-256"


@pytest.fixture
def assets(tmp_path, monkeypatch):
    """Make the app read a copy of the assets that consists of links, and load all of them again."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).symlink_to(ASSETS / name)
    monkeypatch.setattr(prose, "TEXT", tmp_path / "text")
    monkeypatch.setattr(samples, "FOLDER", tmp_path / "samples")
    monkeypatch.setattr(navigation, "FAVICON", tmp_path / "favicon.png")
    monkeypatch.setattr("model.translator.SHIPPED", tmp_path / "translator")
    monkeypatch.setattr(VisionClassifier, "folder", tmp_path / "vision")
    monkeypatch.setattr(ConvolutionClassifier, "folder", tmp_path / "convolution")
    monkeypatch.setattr("model.language_model.SHIPPED", tmp_path / "language")
    monkeypatch.setattr("model.runtime.checkpoint.PROJECT", tmp_path)
    _clear_caches()
    yield tmp_path
    monkeypatch.undo()
    _clear_caches()


def _clear_caches() -> None:
    clear_all()
    picture_input._sample_thumbnail.cache_clear()
    prose._blocks.cache_clear()
    samples.picture.cache_clear()


def page_text(app: AppTest) -> str:
    """Return every text on the page that is not HTML, without the escapes of Markdown."""
    elements = (*app.error, *app.warning, *app.info, *app.markdown, *app.caption, *app.sidebar.warning)
    return "\n".join(element.value for element in elements).replace("\\", "")


def contains_no_path_of_the_machine(text: str) -> bool:
    """Return whether `text` contains no absolute path."""
    return not re.search(r"(?<![\w.~])/[\w.-]+/", text)


HOMES = {"vision": ("vision", {}), "language": ("decoding", {"part": "one-stack"})}


def visit_home(name: str) -> AppTest:
    """Open a page that needs the asset `name`."""
    page, settings = HOMES.get(name.split("/")[0], ("translate", {}))
    return visit(page, **settings)


NEEDED = [  # to load a model
    name for name in FILES if name.endswith(("card.json", "config.json", "model.safetensors", "tokenizer.model"))
]
LOADED_BY = {
    "translator": Translator.load,
    "vision": VisionClassifier.load,
    "convolution": ConvolutionClassifier.load,
    "language": LanguageModel.load,
}


@pytest.mark.parametrize("name", [name for name in NEEDED if not name.startswith(OF_NO_PAGE)])
def test_a_missing_model_file_gets_one_sentence(assets, name):
    (assets / name).unlink()
    app = visit_home(name)
    assert len(app.error) == 1
    assert name.split("/")[1] in page_text(app) and RESTORE in page_text(app)
    assert contains_no_path_of_the_machine(page_text(app))
    if name.endswith("config.json"):
        (assets / name).symlink_to(ASSETS / name)
        app.run()
        assert not app.error and not app.exception  # fixed without a restart


DAMAGED = {
    "truncated": lambda content: content[: len(content) // 2],
    "of another kind": lambda content: b"\xff\xfe\x00 not what it was",
    "a setting of another kind": lambda content: content.replace(b'"d_model": ', b'"d_model": 1'),
}


@pytest.mark.parametrize("damage", DAMAGED)
@pytest.mark.parametrize("name", NEEDED)
def test_a_damaged_model_file_gets_one_sentence_without_paths(assets, name, damage):
    content = (ASSETS / name).read_bytes()
    if DAMAGED[damage](content) == content:
        return  # this file has no such setting
    (assets / name).unlink()
    (assets / name).write_bytes(DAMAGED[damage](content))
    with pytest.raises(CheckpointError) as error:
        LOADED_BY[name.split("/")[0]]()
    assert RESTORE in str(error.value)
    assert contains_no_path_of_the_machine(str(error.value)), error.value


READ_BY = {  # file -> page and settings that show something of it
    "translator/card.json": ("translate", {}),
    "translator/tokenizer.model": ("translate", {}),
    "translator/english.safetensors": ("translate", {}),
    "translator/alignment.safetensors": ("heads", {}),
    "translator/heads.json": ("heads", {}),
    "translator/metrics.jsonl": ("loss", {"part": "Training curves"}),
    "text/en/heads.md": ("heads", {}),
    "samples/church.jpg": ("vision", {"picture": "church"}),
    "vision/card.json": ("vision", {}),
    "vision/heads.json": ("vision", {"view": "heads"}),
}


@pytest.mark.parametrize("place", [0.1, nightly(0.9)])
@pytest.mark.parametrize("name", READ_BY)
def test_a_flipped_bit_gets_one_sentence_on_the_page(assets, name, place):
    content = bytearray((ASSETS / name).read_bytes())
    content[int(place * len(content))] ^= 1
    (assets / name).unlink()
    (assets / name).write_bytes(content)
    page, settings = READ_BY[name]
    app = visit(page, **settings)
    assert not app.exception
    text = page_text(app)
    assert name.split("/")[-1] in text and ALTERED in text and RESTORE in text
    assert contains_no_path_of_the_machine(text)


def test_a_damaged_manifest_gets_one_sentence(assets):
    (assets / "manifest.json").unlink()
    (assets / "manifest.json").write_bytes(b'{"sha256": {"translator/card.json": ')
    app = visit("translate")
    assert not app.exception
    assert "manifest.json" in page_text(app) and RESTORE in page_text(app)


def test_a_folder_instead_of_a_file_gets_one_sentence(assets):
    (assets / "translator/tokenizer.model").unlink()
    (assets / "translator/tokenizer.model").mkdir()
    with pytest.raises(CheckpointError) as error:
        Translator.load()
    assert contains_no_path_of_the_machine(str(error.value)), error.value


def test_other_missing_files_are_named_and_the_page_is_rendered(assets):
    """All files are removed together, on the two pages that use most of them."""
    first = samples.NAMES[0]
    for name in ("text/en/vision.md", "vision/card.md", "favicon.png", f"samples/{first}.jpg"):
        (assets / name).unlink()
    (assets / f"samples/{samples.NAMES[1]}.jpg").unlink()
    (assets / f"samples/{samples.NAMES[1]}.jpg").write_bytes(b"\xff\xd8\xff half a picture")
    app = visit("vision", picture=first)
    text = page_text(app)
    assert f"{first}.jpg is missing in assets/samples: restore it with `{RESTORE}`." in text
    assert f"{samples.NAMES[1]}.jpg in assets/samples {ALTERED}: restore it with `{RESTORE}`." in text
    assert "`vision.md` is missing from `assets/text/en`" in text and "`favicon.png` is missing" in text
    assert app.title[0].value == "Vision"
    assert "Parachute" not in text and samples.SAMPLES[2]() in text  # the first remaining picture
    next(button for button in app.button if button.label == "Model card").click().run()
    assert "card.md is missing" in page_text(app)

    (assets / "translator/metrics.jsonl").unlink()
    assert "metrics.jsonl" in page_text(visit("loss", part="Training curves"))


def test_without_samples_a_picture_can_be_uploaded(assets):
    for path in (assets / "samples").iterdir():
        path.unlink()
    app = visit("vision")
    assert page_text(app).count("is missing in assets/samples") == len(samples.NAMES)
    picture = (ASSETS / "samples" / f"{samples.NAMES[0]}.jpg").read_bytes()
    app.get("file_uploader")[0].set_value(("a.jpg", picture, "image/jpeg")).run()
    assert not app.exception
    assert "Your picture: JPEG" in page_text(app)


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith("text/en/") and name.endswith(".md")])
def test_a_missing_or_invalid_text_is_reported(assets, name):
    page = name.rsplit("/")[-1].removesuffix(".md")
    title = prose.title(page)
    prose._blocks.cache_clear()
    (assets / name).unlink()
    assert prose.title(page) == page.replace("_", " ").capitalize()
    for text in (prose.lead(page), prose.block(page, "How to read it")):
        assert text == f"`{page}.md` is missing from `assets/text/en`: restore it with `{RESTORE}`."
    (assets / name).write_bytes(b"\xff\xfe\x00")
    assert ALTERED in prose.lead(page)
    (assets / "manifest.json").unlink()
    prose._blocks.cache_clear()
    assert "cannot be read" in prose.lead(page)
    (assets / name).unlink()
    (assets / name).symlink_to(ASSETS / name)
    assert prose.title(page) == title


def test_every_kind_of_asset_is_covered():
    """Files in a new folder need a test of their own here."""
    kinds = ("favicon.png", "manifest.json", "translator/", "vision/", "convolution/", "language/", "samples/", "text/")
    assert [name for name in FILES if not name.startswith(kinds)] == []
    assert len(NEEDED) == 13


def test_a_gpu_out_of_memory_is_reported_and_the_page_is_rendered(assets, monkeypatch):
    expected = visit("attention")
    assert expected.sidebar.text[0].value == "CPU"
    maps = load_service().trace(SENTENCE, next(iter(load_service().translations._entries))[1]).encoder_attention
    _clear_caches()
    network = load_service().model.network
    real, calls = network.encode, []

    def full_at_first(*arguments, **options):
        calls.append(1)
        if len(calls) == 1:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB.")
        return real(*arguments, **options)

    monkeypatch.setattr(network, "encode", full_at_first)
    app = visit("attention")
    assert len(calls) > 1
    assert app.sidebar.text[0].value == "CPU, because the GPU ran out of memory"  # in the run in which it happened
    assert len(app.get("plotly_chart")) == len(expected.get("plotly_chart"))
    again = load_service().trace(SENTENCE, next(iter(load_service().translations._entries))[1]).encoder_attention
    np.testing.assert_array_equal(again, maps)
