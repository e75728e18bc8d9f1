"""The answer to the user's own picture: the best of ten that may all be wrong, wherever it is stated."""

from __future__ import annotations

import json

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model import VisionClassifier
from tests.pages.conftest import html_of, visit
from tests.pages.recipes import record_files
from tests.pages.vision.views import PATIENCE, VIEWS
from tests.payloads import read_payload
from tests.views.controls.odd_pictures import encoded, photo
from views.controls import samples
from views.html.class_bars import ranked
from views.text.numbers import percent

PICTURE = photo(70, 50)
BEST = "Its ten words do not include most things. The best of the ten is \u201c{name}\u201d."


@pytest.fixture(scope="module")
def trace():
    return VisionClassifier.load().trace(PICTURE)


def with_own_picture(**query: str) -> AppTest:
    """Open the page and upload a picture."""
    app = visit("vision", text=None, **query)
    app.get("file_uploader")[0].set_value(("a.png", encoded(PICTURE), "image/png")).run()
    assert not app.exception
    return app


def lines(app: AppTest) -> str:
    return "\n".join(each.value for each in app.markdown)


def press(app: AppTest, label: str) -> None:
    (button,) = (button for button in app.button if button.label == label)
    button.click().run()
    assert not app.exception


def test_an_own_picture_has_the_best_of_ten_until_the_user_says_what_it_shows(trace):
    app = with_own_picture(view="patches")
    name = trace.classes[trace.answer]
    assert BEST.format(name=name) in lines(app) and "**Is it one of these ten?**" in lines(app)
    assert "Answer:" not in lines(app)
    order = np.argsort(-trace.probabilities, kind="stable")
    assert ranked([trace.classes[place] for place in order], trace.probabilities[order]) in html_of(app)
    press(app, "No, something else")
    assert "Then each answer is wrong, whatever its percentage: the ten must share 100 %." in lines(app)
    assert "Why: Choosing a word" in html_of(app) and BEST.format(name=name) not in lines(app)
    press(app, name)
    assert f"It says so, too: {percent(float(trace.probabilities[trace.answer]))}." in lines(app)
    other = next(each for each in trace.classes if each != name)
    press(app, other)
    assert f"It says \u201c{name}\u201d instead." in lines(app)
    press(app, "Cover patches and see what changes it.")
    assert app.get("button_group")[0].value == "what-if"


@pytest.mark.parametrize("shown", ["own", samples.NAMES[0]])
def test_views_state_the_answer_to_an_own_picture_as_the_best_of_ten(shown):
    app = AppTest.from_function(VIEWS["positions"], default_timeout=PATIENCE)
    app.session_state["chosen_picture"] = shown
    app.run()
    assert not app.exception
    assert lines(app).replace("\\", "").count("(best of ten)") == (2 if shown == "own" else 0)


def test_a_sample_has_its_answer_and_no_question():
    app = visit("vision", text=None, view="patches", picture=samples.NAMES[0])
    trace = VisionClassifier.load().trace(samples.picture(samples.NAMES[0]).image)
    assert f"church, {percent(float(trace.probabilities[trace.answer]))}" in lines(app)
    assert "Is it one of these ten?" not in lines(app) and "best of ten" not in html_of(app)


def test_the_stage_and_its_file_head_each_layer_as_the_best_of_ten(monkeypatch):
    makers = record_files(monkeypatch)
    app = with_own_picture(view="cls")
    app.session_state["vision_stage_files"] = True
    app.run()
    (stage,) = (part.proto for part in app.get("bidi_component") if part.proto.component_name.endswith("picture_stage"))
    words = read_payload(stage.bytes)[0]["words"]
    assert words["headed"] == "Layer {layer}: best of ten" and words["read"] == "Best of ten: {class} {probability}."
    assert "All ten may be wrong." in words["noteRead"] and words["readAs"] == "best of ten"
    svg = next(make for name, make in makers.items() if name.startswith("vision-stage") and name.endswith(".svg"))()
    text = svg.decode() if isinstance(svg, bytes) else svg
    assert "Layer 6: best of ten" in text and "All ten may be wrong" in " ".join(text.split())
    assert json.dumps(words)  # without what cannot be sent
