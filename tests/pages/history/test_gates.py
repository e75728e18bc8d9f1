"""The section *Gates*: gates and states of every layer, the order of units, and the effect of a held gate."""

from __future__ import annotations

import numpy as np
import pytest

from model import DecodingOptions, RecurrentTranslator
from model.networks.tap import AtEveryStep, hold_gate
from pages.shared.models import load_recurrent
from server.prefetch import prefetcher
from tests.pages.charts import check_caption
from tests.pages.conftest import SENTENCE, html_of
from tests.pages.drawn import metrics
from tests.pages.reading import marked, table
from tests.pages.stepped import labels, read_step_view
from views.text.numbers import percent, three_digits

LAYERS = {
    "lstm-vector": ("encoder-backwards", "decoder"),
    "lstm-additive": ("encoder-forwards", "encoder-backwards", "decoder"),
    "lstm-dot": ("encoder-forwards", "encoder-backwards", "decoder"),
}
EVERY_LAYER = [(name, layer) for name, layers in LAYERS.items() for layer in layers]


@pytest.fixture(scope="module")
def models() -> dict[str, RecurrentTranslator]:
    return {name: RecurrentTranslator.load(name) for name in LAYERS}


@pytest.mark.parametrize(("name", "layer"), EVERY_LAYER)
def test_gates_equal_the_network_sorted_by_the_forget_gate(open_app, models, name, layer):
    app = open_app("history", part="gates", network=name, cells=layer)
    header, numbers = read_step_view(app)
    trace = models[name].trace(SENTENCE)
    stack, _, direction = layer.partition("-")
    record = trace.encoder[direction] if stack == "encoder" else trace.decoder
    units = [int(unit) - 1 for unit in labels(header, "unit")]
    turn = -1 if direction == "backwards" else 1
    for quantity, array in vars(record).items():
        np.testing.assert_allclose(numbers[quantity], array[::turn][:, units], atol=1e-6)
    assert (np.diff(numbers["forget_gate"].mean(axis=0)) <= 1e-6).all()
    np.testing.assert_allclose(numbers["mean_forget"], numbers["forget_gate"].mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(numbers["most"], np.abs(numbers["cell"]).max(axis=0), atol=1e-6)
    np.testing.assert_array_equal(numbers["peak"], np.abs(numbers["cell"]).argmax(axis=0) + 1)
    gates = ("forget", "input", "output")
    shares = [numbers[f"{gate}_gate"] for gate in gates]
    assert [panel["finding"] for panel in header["panels"] if panel["is"] == "heatmap"] == [
        f"{gate} gate {gate[0]}: over 0.9 in {percent((share > 0.9).mean())} of the cells, below 0.1 in "
        f"{percent((share < 0.1).mean())}"
        for gate, share in zip(gates, shares, strict=True)
    ] + [""]
    assert float(check_caption(app, "numbers beyond 1").split("largest difference ")[1].split(",")[0]) < 1e-5


def test_selected_unit_stays_in_another_order(open_app):
    for order in ("forget", "input", "number"):
        app = open_app("history", part="gates", order=order, unit="40")
        header, _ = read_step_view(app)
        place = labels(header, "unit").index("40")
        assert f"&quot;unit&quot;: {place}}}" in html_of(app)
        assert app.query_params["unit"] == "40" or place == 0
    assert place == 39


@pytest.mark.parametrize(("held", "value"), [("shut", 0), ("open", 1)])
@pytest.mark.parametrize("gate", ["forget", "input"])
def test_held_gate_changes_translation_and_loss(open_app, models, gate, held, value):
    app = open_app("history", part="gates", gate=gate, held=held)
    model = models["lstm-vector"]
    tap = AtEveryStep({f"encoder.backwards.{gate}_gate": hold_gate(value)})
    before = model.trace(SENTENCE)
    after = model.trace(SENTENCE, target_ids=before.next_ids, intervention=tap)
    limit = min(2 * len(before.source_ids) + 10, 128)
    assert marked(app, "aa-text") == [model.translate(SENTENCE), model.translate_under(SENTENCE, tap, limit)]
    losses = model.score(before), model.score(after)
    assert metrics(app)["Loss, after"] == three_digits(float(losses[1].mean()))
    assert metrics(app)["Change"] == three_digits(float(losses[1].mean()) - float(losses[0].mean()))
    rows = table(app, "\u2212ln\u00a0p of each token")[1:]
    assert len(rows) == len(before.next_tokens)
    check = check_caption(app, "under the held gate")
    assert float(check.split("largest difference ")[1].rstrip(". Logits").split(". ")[0]) < 2e-5
    assert float(check.split("largest difference ")[2].rstrip(".")) < 1e-4


def test_no_gate_is_held_initially(open_app):
    app = open_app("history", part="gates")
    assert "Loss, after" not in metrics(app)
    app.button_group(key="held").set_value("shut").run()
    assert "Loss, after" in metrics(app)


def test_gate_of_another_layer_than_the_shown_one_can_be_held(open_app, models):
    app = open_app("history", part="gates", network="lstm-dot", of="decoder", gate="output", held="shut")
    model = models["lstm-dot"]
    before = model.trace(SENTENCE)
    tap = AtEveryStep({"decoder.output_gate": hold_gate(0)})
    after = model.trace(SENTENCE, target_ids=before.next_ids, intervention=tap)
    assert metrics(app)["Loss, after"] == three_digits(float(model.score(after).mean()))


def test_nonsense_in_the_address_falls_back(open_app):
    wrong = dict.fromkeys(("network", "cells", "order", "gate", "of", "held", "unit", "token"), "zz")
    app = open_app("history", part="gates", **wrong)
    assert not app.warning
    assert app.selectbox(key="network").value == "lstm-vector"
    assert read_step_view(
        open_app("history", part="gates", network="lstm-vector", cells="encoder-forwards")
    )  # it has none


@pytest.mark.parametrize("text", ["No", "car " * 100])
def test_short_and_long_sentences(open_app, text):
    assert read_step_view(open_app("history", part="gates", text=text))


def test_trace_is_prefetched_while_another_section_is_open(open_app):
    text = "Her youngest brother sings in the kitchen."
    service = load_recurrent("lstm-vector")
    assert service.cached_steps(text, DecodingOptions()) is None
    open_app("history", part="ladder", text=text)
    prefetcher().join()
    produced = service.cached_steps(text, DecodingOptions())[-1].ids
    assert service.traces.get((text, produced)).next_ids == produced
