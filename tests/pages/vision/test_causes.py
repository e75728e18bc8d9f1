"""The view *Causes* shows what every layer answers, the parts of a logit, and the answer with a cell patched."""

import numpy as np
import pytest

from model import Logit, Probability
from model.causal import patching_estimate
from model.causal.patched_answer import patched_probabilities
from model.causal.path_edges import cut_answer_in_steps, path_edges_in_steps
from model.runtime.progress import run_to_end
from tests.pages.drawn import matrices, path_graph
from tests.pages.reading import programs, table
from tests.pages.vision.programs import classifier, trace_of
from tests.pages.vision.views import open_view, service, trace
from tests.tiers import nightly
from views.controls import painted, samples
from views.text.numbers import percent, three_digits

CHURCH = "assets/samples/church.jpg"


def test_every_layer_answers_as_the_model_computes(open_app):
    trace = trace_of(CHURCH)
    app = open_app("vision", picture="church", view="causes", row="3", column="5")
    lens = classifier().logit_lens(trace)
    rows = table(app, "Answer after each layer")[1:]
    patch = 1 + 2 * trace.grid[1] + 4
    for row, layer in zip(rows, range(len(lens.ranks)), strict=True):
        for text, place in ((row[1], 0), (row[2], patch)):
            best, share = lens.top_ids[layer, place, 0], lens.top_probabilities[layer, place, 0]
            assert text == trace.classes[best] + percent(float(share))
        assert row[3] == percent(float(lens.probabilities[layer, 0]))


def test_parts_sum_to_the_difference_of_two_logits(open_app):
    trace = trace_of(CHURCH)
    app = open_app("vision", picture="church", view="causes", cause="logit", minusclass="1")
    attribution = classifier().logit_attribution(trace, trace.answer, 0)
    rows = {row[0]: row[1] for row in table(app, "Parts of the logit")[1:]}
    assert rows["sum: the logit"] == three_digits(attribution.logit)


@pytest.mark.parametrize("direction", ["denoising", nightly("noising")])
def test_maps_and_the_answer_of_the_patched_run(open_app, direction):
    model, trace = classifier(), trace_of(CHURCH)
    pixels = model.prepare(samples.picture("golf-ball").image)
    cell = {"cell": "head_output-vision.3.5", "direction": direction}
    app = open_app("vision", picture="church", view="causes", cause="patching", otherpicture="golf-ball", **cell)
    drawn = matrices(app)
    for site, positions, title in (
        ("residual", [0], "Residual stream, Vision"),
        ("head_output", None, "Head output, Vision"),
    ):
        result = model.patch(trace.pixels, pixels, None, site, "vision", direction=direction, positions=positions)
        np.testing.assert_allclose(drawn[title][1], result.effects, atol=1e-4)  # the last scale, the metric's
    experiment = model.prepare_experiment(trace.pixels, pixels)
    expected = patched_probabilities(model.resumable, experiment, "head_output", "vision", (2, 4), direction=direction)
    (line,) = [each.value for each in app.markdown if "With the chosen cell patched" in each.value]
    value = model.patch(trace.pixels, pixels, None, "head_output", "vision", direction=direction).grid.values[2, 4]
    assert three_digits(float(value)) in line
    shares = [row[2] for row in table(app, "")]
    assert shares[len(expected) : 2 * len(expected)] == [
        percent(share) for share in expected.tolist()
    ]  # below the answer


@pytest.mark.nightly
def test_one_patch_of_the_other_picture(open_app):
    model, trace = classifier(), trace_of(CHURCH)
    pixels = model.prepare(samples.picture("golf-ball").image)
    query = {"cause": "patching", "otherpicture": "golf-ball", "patchlayer": "5", "cell": "residual-patches.4.6"}
    app = open_app("vision", picture="church", view="causes", **query)
    experiment, cell = model.prepare_experiment(trace.pixels, pixels), 3 * trace.grid[1] + 5
    options = {"layers": [5], "positions": trace.places[1:]}
    single = model.patch(trace.pixels, pixels, None, "residual", "vision", **options)
    drawn = matrices(app)["Residual stream at each patch, layer 5"][1]
    np.testing.assert_allclose(drawn, single.effects.reshape(trace.grid), atol=1e-4)
    expected = patched_probabilities(model.resumable, experiment, "residual", "vision", (0, cell), **options)
    shares = [row[2] for row in table(app, "")]
    assert shares[len(expected) : 2 * len(expected)] == [
        percent(share) for share in expected.tolist()
    ]  # below the answer
    assert "Residual stream, Vision, layer 5" in "".join(each.value for each in app.markdown)


@pytest.mark.nightly
def test_edges_between_two_pictures_and_the_answer_with_some_cut(open_app):
    model, trace = classifier(), trace_of(CHURCH)
    pixels = model.prepare(samples.picture("golf-ball").image)
    experiment = model.prepare_experiment(trace.pixels, pixels)
    edges = run_to_end(path_edges_in_steps(model.resumable, experiment, by_token=False))
    cut = list(edges.edges[:3])
    query = {"cause": "paths", "otherpicture": "golf-ball", "cut": ",".join(edge.id for edge in cut), "measure": "999"}
    app = open_app("vision", picture="church", view="causes", **query)
    header = path_graph(app)
    assert [edge["id"] for edge in header["edges"]][:10] == [edge.id for edge in edges.edges[:10]]
    assert header["cut"] == [edge.id for edge in cut]
    expected = run_to_end(cut_answer_in_steps(model.resumable, experiment, cut))
    assert [row[2] for row in table(app, "")][:10] == [percent(share) for share in expected.probabilities.tolist()]
    assert f"With 3 edges cut: {three_digits(expected.value)}" in "".join(each.value for each in app.markdown)


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
