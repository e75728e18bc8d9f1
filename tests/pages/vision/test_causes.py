"""The view *Causes* shows what every layer answers, the parts of a logit, and the answer with a cell patched."""

import numpy as np
import pytest

from model.causal.cut_edges import cut_answer_in_steps
from model.causal.patched_answer import patched_probabilities
from model.causal.path_edges import path_edges_in_steps
from model.runtime.progress import run_to_end
from tests.pages.drawn import matrices, path_graph
from tests.pages.reading import table
from tests.pages.vision.programs import classifier, trace_of
from tests.tiers import nightly
from views.controls import samples
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
