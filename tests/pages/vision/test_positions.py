"""Positions: the model's values are drawn, and removing the order changes the probabilities."""

from __future__ import annotations

import re

import numpy as np
import pytest

from model.attribution.vision_analysis import attention_distance, position_similarity
from pages.vision.positions import CHANGES, PICTURES
from tests.model.images import CLASSES, noise
from tests.pages.charts import charts, check_caption, numbers
from tests.pages.vision.views import open_view, service, trace
from views.figures.patch_positions import similarity_sheet
from views.text.numbers import percent


def bars(app) -> dict[str, tuple[float, float]]:
    """Return class -> probability before and after, with all digits."""
    (content,) = [element.value for element in app.html if "aa-moves" in element.value]
    rows = re.findall(r'<th scope="row"[^>]*>(.*?)</th>.*?title="(\S+) before, (\S+) after"', content)
    return {name: (float(before), float(after)) for name, before, after in rows}


def order(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).permutation(9)


def test_similarity_and_distances_equal_the_models():
    sheet, dots = charts(open_view("positions"))
    similarity = position_similarity(service().model.network)
    np.testing.assert_allclose(numbers(sheet["data"][0]["z"]), similarity_sheet(similarity, (3, 3))[..., 0], atol=1e-6)
    np.testing.assert_allclose(
        numbers(dots["data"][0]["y"]), attention_distance(trace().attention, (3, 3), 4).ravel(), rtol=1e-5
    )
    # uniform attention, computed by hand for a 3 x 3 grid of 4 pixels
    rows, columns = np.divmod(np.arange(9), 3)
    everywhere = 4 * np.hypot(rows[:, None] - rows, columns[:, None] - columns).mean()
    assert dots["layout"]["shapes"][0]["y0"] == pytest.approx(everywhere)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("seed", [1, 7])
def test_bars_before_and_after(change, seed):
    app = open_view("positions", change=change, shuffle=str(seed))
    pixels, classifier = noise(12, 12, 3), service().model
    expected = classifier.rearranged(
        pixels, None if change == "no-positions" else order(seed), positions=change == "shuffle"
    )
    drawn = bars(app)
    assert tuple(drawn) == CLASSES
    np.testing.assert_allclose([before for before, _ in drawn.values()], trace().probabilities, atol=1e-6)
    np.testing.assert_allclose([after for _, after in drawn.values()], expected, atol=1e-6)
    name = CLASSES[trace().answer]
    moved = f"**{name}**: {percent(float(trace().probabilities[trace().answer]))} \u2192 "
    (message,) = [element.value for element in app.markdown if element.value.startswith(moved)]
    new = CLASSES[int(expected.argmax())]
    assert ("The answer stays." in message) if new == name else (f"The answer is now *{new}*" in message)
    (image,) = app.get("image")
    assert image.proto.imgs[0].alt == PICTURES[change].english


def test_shuffle_again_changes_the_order():
    app = open_view("positions", shuffle="1")
    first = bars(app)
    next(button for button in app.button if button.label == "Shuffle again").click().run()
    assert app.number_input(key="shuffle").value == 2
    assert bars(app) != first
    app.number_input(key="shuffle").set_value(1).run()
    assert bars(app) == first


def test_the_check():
    line = check_caption(open_view("positions"), "Without position vectors")
    without, with_them = re.search(r"probability is (\S+)\. With them it\s+is (\S+)\. ", line).groups()
    similarity = re.search(r"difference (\S+)\.$", line).group(1)
    assert float(without) < 1e-5 < 1e-3 < float(with_them)
    assert float(similarity) < 1e-5


def test_the_text_states_what_was_computed():
    text = "\n".join(element.value for element in open_view("positions").markdown)
    reach = attention_distance(trace().attention, (3, 3), 4)
    uniform = attention_distance(np.ones((1, 1, 10, 10)), (3, 3), 4).item()
    assert f"{(reach < 0.9 * uniform).sum()} of {reach.size} heads attend" in text
    assert "{" not in text


@pytest.mark.parametrize("query", [dict(change="Bogus", shuffle="-3"), dict(change="", shuffle="many")])
def test_nonsense_in_the_address_falls_back(query):
    assert bars(open_view("positions", **query)) == bars(open_view("positions"))


def test_tables_are_built_when_they_are_opened():
    app = open_view("positions")
    assert not app.dataframe
    app.session_state["moved"] = app.session_state["reach"] = True
    app.run()
    moved, reach = (element.value for element in app.dataframe)
    assert moved["class"].tolist() == list(CLASSES)
    np.testing.assert_allclose(moved["unchanged"], trace().probabilities, atol=1e-6)
    np.testing.assert_allclose(reach.to_numpy()[:, 1:], attention_distance(trace().attention, (3, 3), 4), rtol=1e-6)
