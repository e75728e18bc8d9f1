"""Held gates as plain values: text form, refused values, and the tap."""

import pytest
import torch

from model import InterventionError
from model.networks.recurrent_config import RecurrentConfig
from model.tracing.interventions import GateInterventions, HeldGate, gated_layers

LAYERS = ("encoder.backwards", "decoder")
SHUT = HeldGate("encoder.backwards", "forget", 0.0)
OPEN = HeldGate("decoder", "input", 1.0)


def test_the_layers_with_gates_are_those_of_lstms():
    result = {kind: gated_layers(RecurrentConfig.preset(kind)) for kind in ("rnn-vector", "lstm-vector", "lstm-dot")}
    assert result == {
        "rnn-vector": (),
        "lstm-vector": LAYERS,
        "lstm-dot": ("encoder.forwards", "encoder.backwards", "decoder"),
    }


def test_the_tap_holds_every_step_of_its_own_gate_alone():
    tap = GateInterventions((SHUT, OPEN)).tap(LAYERS)
    gate = torch.rand(2, 3)
    assert not tap("encoder.backwards.4.forget_gate", gate).any()
    assert tap("decoder.0.input_gate", gate).eq(1).all()
    for name in ("encoder.backwards.4.input_gate", "decoder.0.forget_gate", "encoder.backwards.4.cell"):
        assert tap(name, gate) is gate


def test_the_later_of_two_changes_of_one_gate_applies():
    plan = GateInterventions((SHUT, HeldGate("encoder.backwards", "forget", 0.5)))
    assert plan.held("encoder.backwards") == {"forget": 0.5} and plan.held("decoder") == {}
    assert plan.tap(LAYERS)("encoder.backwards.0.forget_gate", torch.zeros(1)).item() == 0.5


def test_text_reads_back_equal():
    plan = GateInterventions((SHUT, OPEN, HeldGate("decoder", "output", 0.25)))
    assert plan.to_text() == "encoder.backwards:forget:0;decoder:input:1;decoder:output:0.25"
    assert GateInterventions.from_text(plan.to_text()) == plan
    assert GateInterventions.from_text("") == GateInterventions()


@pytest.mark.parametrize(
    "text", ["decoder", "decoder:input", "decoder:input:x", "decoder:input:nan", "a:b:c:d", None, 5, b"decoder:input:1"]
)
def test_other_text_is_refused(text):
    with pytest.raises(InterventionError, match="describes no intervention"):
        GateInterventions.from_text(text)


@pytest.mark.parametrize(
    ("change", "layers", "message"),
    [
        (SHUT, (), "has no gates to hold"),
        (HeldGate("encoder.forwards", "forget", 0.0), LAYERS, "There is no layer 'encoder.forwards' with gates"),
        (HeldGate("decoder", "candidate", 0.0), LAYERS, "There is no gate 'candidate'; choose one of input, forget"),
        (HeldGate("decoder", "input", 1.5), LAYERS, "cannot be held at 1.5; choose a value from 0"),
        (HeldGate("decoder", "input", float("nan")), LAYERS, "cannot be held at nan"),
    ],
)
def test_impossible_interventions_are_refused_with_one_sentence(change, layers, message):
    with pytest.raises(InterventionError, match=message):
        GateInterventions((change,)).check(layers)
    GateInterventions().check(layers)
