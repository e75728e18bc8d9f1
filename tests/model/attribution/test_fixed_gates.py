"""Gates held in recurrent networks: the pass, the translation, and their two checks."""

import numpy as np
import pytest
import torch

from model import InterventionError, RecurrentTranslator
from model.attribution.fixed_gates import cells_of_layer, edited_copy, largest_cell_difference, recompute_cells
from model.networks.tap import AtEveryStep, hold_gate
from model.runtime.progress import run_to_end
from model.tracing.interventions import GATES, GateInterventions, HeldGate, gated_layers
from tests.model.networks import tiny_recurrent

TEXT = "the dog sleeps"
LSTMS = ("lstm-vector", "lstm-additive", "lstm-dot")
every_lstm = pytest.mark.parametrize("kind", LSTMS)


@pytest.fixture(scope="module")
def models(tokenizer):
    size = len(tokenizer)
    return {
        kind: RecurrentTranslator(tiny_recurrent(kind, 4, vocabulary_size=size), tokenizer)
        for kind in (*LSTMS, "rnn-vector")
    }


def plans(model: RecurrentTranslator):
    """Every gate of every layer shut, open and half open."""
    for layer in gated_layers(model.config):
        for gate in GATES:
            for value in (0.0, 0.5, 1.0):
                yield GateInterventions((HeldGate(layer, gate, value),))


@every_lstm
def test_formulas_in_double_precision_give_the_recorded_gates_and_states(models, kind):
    model = models[kind]
    trace = model.trace(TEXT)
    for layer in gated_layers(model.config):
        assert (
            largest_cell_difference(cells_of_layer(trace, layer), recompute_cells(model.network, trace, layer)) < 1e-5
        )


@every_lstm
def test_a_held_gate_is_held_at_every_step_and_both_checks_agree(models, kind):
    model = models[kind]
    trace = model.trace(TEXT)
    for plan in plans(model):
        result = model.intervene(trace, plan)
        (change,) = plan.changes
        gate = getattr(cells_of_layer(result.after, change.layer), f"{change.gate}_gate")
        assert (gate == np.float32(change.value)).all()
        assert result.check.recomputed < 1e-5 and result.check.edited < 1e-4, plan
        assert result.after.target_ids == trace.target_ids
        assert np.abs(model.score(result.after) - model.score(trace)).max() > 1e-6


@every_lstm
def test_the_translation_is_the_one_under_the_same_tap(models, kind):
    model = models[kind]
    trace = model.trace(TEXT)
    result = model.intervene(trace, GateInterventions((HeldGate("decoder", "forget", 0.0),)))
    limit = min(2 * len(trace.source_ids) + 10, 128)
    assert result.translation == model.translate_under(TEXT, AtEveryStep({"decoder.forget_gate": hold_gate(0)}), limit)


def test_an_empty_plan_changes_nothing(models):
    model = models["lstm-additive"]
    trace = model.trace(TEXT)
    result = model.intervene(trace, GateInterventions())
    np.testing.assert_allclose(result.after.logits, trace.logits, atol=1e-6)
    assert result.check.edited < 1e-5


def test_progress_is_reported_for_every_token(models):
    model = models["lstm-vector"]
    trace = model.trace(TEXT)
    steps = model.intervene_in_steps(trace, GateInterventions())
    first = next(steps)
    assert (first.done, first.total) == (1, min(2 * len(trace.source_ids) + 10, 128))
    assert run_to_end(steps).check.recomputed < 1e-5


def test_the_check_detects_a_gate_that_was_not_held(models):
    model = models["lstm-vector"]
    trace = model.trace(TEXT)
    recomputed = recompute_cells(model.network, trace, "decoder", {"forget": 0.0})
    assert largest_cell_difference(cells_of_layer(trace, "decoder"), recomputed) > 0.1


def test_an_edited_copy_does_not_change_the_network(models):
    model = models["lstm-dot"]
    before = {name: tensor.clone() for name, tensor in model.network.state_dict().items()}
    copy = edited_copy(model.network, GateInterventions((HeldGate("encoder.backwards", "input", 0.0),)))
    assert copy.embedding.weight is model.network.embedding.weight
    for name, tensor in model.network.state_dict().items():
        assert torch.equal(tensor, before[name])
    changed = [name for name, tensor in copy.state_dict().items() if not torch.equal(tensor, before[name])]
    assert changed and all(name.startswith("encoder.layer") and name.endswith("_reverse") for name in changed)


def test_an_rnn_has_no_gates_to_hold(models):
    model = models["rnn-vector"]
    assert model.capabilities == {"translate"}
    with pytest.raises(InterventionError, match="no gates to hold"):
        model.intervene(model.trace(TEXT), GateInterventions((HeldGate("decoder", "forget", 0.0),)))


def test_shutting_the_encoders_forget_gate_raises_the_loss_of_the_shipped_network():
    model = RecurrentTranslator.load("lstm-vector", "cpu")
    trace = model.trace("I want to buy a car.")
    result = model.intervene(trace, GateInterventions((HeldGate("encoder.backwards", "forget", 0.0),)))
    assert model.score(result.after).sum() > model.score(trace).sum() + 5
    assert result.translation != trace.target_text
    assert result.check.recomputed < 1e-5 and result.check.edited < 1e-3
