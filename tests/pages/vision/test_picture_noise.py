"""Noise on patches: means over noisy runs with their standard errors, as the model computes them."""

from __future__ import annotations

import numpy as np
import pytest

from model import Logit, Probability
from model.causal import patching_estimate
from tests.pages.drawn import matrices
from tests.pages.reading import programs
from tests.pages.vision.views import open_view, service, trace
from views.controls import painted
from views.text.numbers import percent, three_digits

ALL, SIDE = list(range(1, 10)), 3  # the middle of three rows is all of them: what gets noise until the user paints


def open_noise(**query: str):
    return open_view("causes", cause="noise", cellscale="metric", **query)


def words(app) -> str:
    return " ".join(" ".join(each.value for each in [*app.markdown, *app.caption, *app.info]).split())


@pytest.mark.parametrize(
    ("query", "noisy", "metric"),
    [
        ({}, ALL, None),
        ({"explain": "2", "noisemetric": "logit", "seed": "4"}, [2, 7], Logit(1)),
    ],
    ids=str,
)
def test_maps_and_the_sentence_are_the_models(query, noisy, metric):
    untouched = np.isin(np.arange(SIDE * SIDE) + 1, noisy, invert=True).reshape(SIDE, SIDE)
    query = {"samples": "3", "patchlayer": "1", "noisypatches": painted.encode(untouched)} | query
    app = open_noise(**query, cell="head_output-vision.2.1")
    drawn = {header["map"]: values for header, values in matrices(app).values() if "map" in header}
    options = {"samples": 3, "seed": int(query.get("seed", 0)), "metric": metric or Probability(trace().answer)}
    model = service().model
    sites = {
        "residual-vision": {"positions": [0]},
        "head_output-vision": {"site": "head_output"},
        "residual-patches": {"layers": [1], "positions": ALL},
    }
    results = {}
    for name, arguments in sites.items():
        results[name] = model.patch_noise(trace(), noisy, **options, **arguments)
        np.testing.assert_allclose(drawn[name], results[name].effects.reshape(drawn[name].shape), atol=1e-5)
    heads = results["head_output-vision"]
    write = three_digits if isinstance(metric, Logit) else percent
    numbers = (write(float(table.values[1, 0])) for table in (heads.grid, heads.standard_error))
    value, error = (" ".join(number.split()) for number in numbers)
    assert f"{value} \u00b1 {error} (standard error of 3 samples)" in words(app)
    assert f"({len(noisy)}). With the chosen cell" in words(app)
    assert words(app).count("rounding stays below 1e\u22125") == 2
    (fold,) = [fold for fold in app.expander if fold.label.startswith("The same in ")]
    assert f"noisy = {noisy}" in programs(fold)[0] and "seed = " in programs(fold)[0]


def test_no_patch_and_long_measurements_ask(monkeypatch):
    nothing = painted.encode(np.ones((SIDE, SIDE), dtype=bool))
    app = open_noise(noisypatches=nothing)
    assert "Choose at least one patch" in words(app) and set(matrices(app)) == {"Patches that get noise"}
    monkeypatch.setattr(patching_estimate, "ASKED_FROM", 10)
    app = open_noise(samples="2", seed="9")
    layers, heads = trace().attention.shape[:2]
    assert f"takes {2 * (layers + 1 + layers * heads)} runs of the model" in words(app)
    app = app.button(key="agree_noise").click().run()
    assert "standard error of 2 samples" in words(app) and not app.exception


def test_it_opens_on_the_head_with_the_largest_effect():
    """Not on the state of CLS after the last layer, from which the answer is read."""
    app = open_noise(samples="2")
    drawn = {header["map"]: values for header, values in matrices(app).values() if "map" in header}
    layer, head = np.unravel_index(np.abs(drawn["head_output-vision"]).argmax(), drawn["head_output-vision"].shape)
    assert f"layer {layer + 1}, head {head + 1}):" in words(app)
