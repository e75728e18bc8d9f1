"""Files of the stage: the caption states the pull with its control, and the recipe computes the weights again."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from model import Translator
from tests.pages.conftest import visit
from tests.pages.recipes import record_files, run_recipe
from views.components.stage_examples import EXAMPLES


@pytest.fixture
def makers(monkeypatch):
    return record_files(monkeypatch)


def open_files(captioned=True, **query):
    app = visit(**query)
    app.session_state["stage_files"] = True
    app.session_state["stage_caption"] = captioned
    app.run()
    assert not app.exception


def words_of(svg: str) -> list[str]:
    return [each.text or "" for each in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.nightly
def test_nothing_is_made_before_the_fold_is_opened_and_the_caption_has_the_sentence(makers):
    assert "stage.png" not in makers
    open_files(text="Where is the cat?", kind="decoder", layer="mean", head="3")
    words = words_of(makers["stage.svg"]())
    assert words[0] == "Masked decoder self-attention, head 3, mean of 4 layers"
    assert {"Where", "cat", "<s>", "chat"} <= set(words)
    caption = " ".join(words)
    assert "Where is the cat? \u2192 " in caption and "A ribbon shows where values are read" in caption
    assert "This is the mean of 4 heads" in caption and "forced" not in caption
    open_files(captioned=False, text="Where is the cat?", kind="decoder", layer="mean", head="3")
    assert "Where is the cat?" not in " ".join(words_of(makers["stage.svg"]()))


def test_a_pull_is_in_the_caption_with_its_control_and_in_the_recipe(makers, translator, tmp_path, monkeypatch):
    sentence, plan = EXAMPLES[-1].sentence, EXAMPLES[-1].pull
    open_files(text=sentence, pull=plan)
    assert makers["stage.png"]().startswith(b"\x89PNG")
    caption = " ".join(words_of(makers["stage.svg"]()))
    for part in ("Pulled: +8.85 on the score of", "You forced this weight.", "7 of 16", "Now: ", "Before: "):
        assert part in caption
    open_files(captioned=False, text=sentence, pull=plan)
    assert words_of(makers["stage.svg"]())[-1] == "You forced this weight."  # without a caption, too
    monkeypatch.setattr(Translator, "load", lambda: translator)
    printed, settings = run_recipe(makers, "stage", tmp_path, monkeypatch, "stage.zip")
    assert len(printed) == 1 and float(printed[0]) < 1e-5
    assert settings["input"]["pulls"] == plan and "pull=" in settings["link"]
    stored = np.load(tmp_path / "stage.npz")
    assert sorted(stored) == ["cross", "decoder", "encoder"] and stored["cross"].shape == (4, 8, 20, 17)
