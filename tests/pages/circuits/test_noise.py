"""The section *Noise* shows means over noisy runs with their standard errors, as the model computes them."""

import numpy as np
import pytest

from model.causal.patched_translation import patch_noise_parts_in_steps
from model.causal.sentence_pairs import prepare_sentence
from model.runtime.progress import run_to_end
from tests.pages.drawn import matrices
from tests.tiers import nightly
from views.text.numbers import three_digits


def grids_of(translator, trace, site, noisy, place=0, metric="probability", samples=10, seed=0):
    experiment = prepare_sentence(translator.resumable, trace, place, metric)
    steps = patch_noise_parts_in_steps(
        translator.resumable, experiment, site, {"encoder": noisy}, samples=samples, seed=seed
    )
    return run_to_end(steps)


@pytest.mark.parametrize(
    "query",
    [{}, nightly({"samples": "3", "seed": "7", "metric": "loss", "noisy": ["1", "4"], "site": "attention_output"})],
    ids=str,
)
def test_maps_are_means_over_noisy_runs(open_app, translator, trace, query):
    app = open_app("circuits", part="noise", cellscale="metric", word="5", **query)
    noisy = [int(place) - 1 for place in query.get("noisy", ["6"])]  # until another is chosen: car
    options = {"metric": query.get("metric", "probability"), "place": 4, "noisy": noisy}
    options |= {name: int(query[name]) for name in ("samples", "seed") if name in query}
    drawn = matrices(app)
    for site in (query.get("site", "residual"), "head_output"):
        for part, result in grids_of(translator, trace, site, **options).items():
            (values,) = [values for header, values in drawn.values() if header["map"] == f"{site}-{part}"]
            np.testing.assert_allclose(values, result.effects, atol=1e-5)
    (line,) = [each.value for each in app.caption if "gives the noisy run" in each.value]
    assert line.count("rounding stays below 1e\u22125") == 2


def test_the_chosen_cell_has_a_standard_error(open_app, translator, trace):
    app = open_app("circuits", part="noise", word="5", cell="residual-encoder.2.6")
    result = grids_of(translator, trace, "residual", [5], 4)["encoder"]
    (line,) = [" ".join(each.value.split()) for each in app.markdown if "standard error of 10 samples" in each.value]
    value, error = (three_digits(float(table.values[1, 5])) for table in (result.grid, result.standard_error))
    assert f"{value} \u00b1 {error} (standard error" in line
    assert f"{three_digits(result.donor)} without noise, {three_digits(result.receiver)} with noise on" in line


def test_no_token_and_long_measurements_ask(open_app):
    assert "Choose at least one token" in open_app("circuits", part="noise", noisy=[""]).info[0].value
    app = open_app("circuits", part="noise", text=" ".join(["very"] * 60), samples="50")
    assert "with 50 samples takes about" in " ".join(app.info[-1].value.split())
    assert app.button(key="agree_noise").label == "Measure the cells"
