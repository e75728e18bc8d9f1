"""Interventions on an opened model follow their description, however its calls are recorded."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from operator import attrgetter

import numpy as np
import pytest
import torch

from model import HeadInterventions, InterventionError
from model.tracing.head_interventions import Forbid, NoMask, OneHot, Scale, Temperature, Window
from tests.model.hub import tiny
from tests.model.hub.conftest import PICTURE, TEXT, example_input

HEADS = ((0, 1), (1, 3))
# name -> path of the output projection of layer i
PROJECTIONS = {
    "bert": "bert.encoder.layer.{}.attention.output.dense",
    "gpt2": "transformer.h.{}.attn.c_proj",
    "llama": "model.layers.{}.self_attn.o_proj",
    "deberta": "deberta.encoder.layer.{}.attention.output.dense",
    "gpt-j": "transformer.h.{}.attn.out_proj",
    "vit": "vit.layers.{}.attention.o_proj",
}


def without_heads(name: str) -> torch.nn.Module:
    """The network with the rows of HEADS in its output projection set to 0, without a tap."""
    network = tiny.network(name)
    for layer, head in HEADS:
        weight = attrgetter(PROJECTIONS[name].format(layer))(network).weight.data
        own = slice(8 * head, 8 * head + 8)
        if name == "gpt2":  # stores its projections transposed
            weight[own] = 0
        else:
            weight[:, own] = 0
    return network


@pytest.mark.parametrize("name", PROJECTIONS)
def test_an_ablated_head_contributes_nothing(name: str, opened):
    model = opened(name)
    (kind,) = model.kinds
    trace = model.trace(example_input(model), intervention=HeadInterventions((Scale(kind.name, HEADS, 0.0),)))
    if model.vision:
        inputs = dict(model.reader(images=PICTURE, return_tensors="pt"))
    else:
        inputs = {"input_ids": torch.tensor([trace.source.ids])}
    with torch.no_grad():
        expected = without_heads(name)(**inputs).logits[0]
    np.testing.assert_allclose(trace.logits, expected.numpy(), atol=1e-4)
    assert np.abs(trace.logits - model.trace(example_input(model)).logits).max() > 1e-3


@pytest.mark.parametrize("name", [*tiny.TEXT_MODELS, *tiny.PICTURE_MODELS])
def test_interventions_take_effect_in_every_architecture_and_kind(name: str, opened):
    """Head 2 of layer 1 is ablated, head 4 of layer 2 attends to one key: recomputed from the description."""
    model = opened(name)
    target = {"target": "She wants one."} if model.config.is_encoder_decoder else {}
    usual = model.trace(example_input(model), **target)
    for kind in model.kinds:
        changes = Scale(kind.name, ((0, 1),), 0.0), OneHot(kind.name, ((1, 3),), 0)
        trace = model.trace(example_input(model), intervention=HeadInterventions(changes), **target)
        record = trace.records[kind.name]
        assert record.by == "double"
        assert trace.verify().max_difference < 1e-5
        if record.outputs is not None:
            assert not record.outputs[0, 1].any()
            assert usual.records[kind.name].outputs[0, 1].any()
        assert (record.weights[1, 3, :, 0] == 1).all()
        assert np.abs(trace.logits - usual.logits).max() > 1e-4


@pytest.mark.parametrize("name", ["bert", "llama", "mistral", "gpt-oss", "gemma2", "deberta", "bloom"])
@pytest.mark.parametrize(
    "change",
    [
        lambda kind: Temperature(kind, HEADS, 0.5),
        lambda kind: Window(kind, HEADS, 2),
        lambda kind: Forbid(kind, HEADS, (1,)),
        lambda kind: OneHot(kind, HEADS, 2),
        lambda kind: Scale(kind, HEADS, 2.0),
    ],
    ids=["temperature", "window", "forbid", "one-hot", "scale"],
)
def test_every_intervention_is_confirmed_in_double_precision(name: str, change, opened):
    model = opened(name)
    (kind,) = model.kinds
    trace = model.trace(TEXT, intervention=HeadInterventions((change(kind.name),)))
    record = trace.records[kind.name]
    assert record.by == "double"
    assert record.verification.max_difference < 1e-5
    usual = model.trace(TEXT)
    assert np.abs(trace.logits - usual.logits).max() > 1e-4
    untouched = [head for head in range(4) if head not in (1,)]
    np.testing.assert_array_equal(record.weights[0, untouched], usual.attention(kind.name)[0, untouched])


def test_two_threads_share_a_model_and_not_its_interventions(opened):
    model = opened("gpt2")
    plans = [None, *(HeadInterventions((Scale("decoder", ((layer, 1),), 0.0),)) for layer in (0, 1))]
    alone = [model.trace(TEXT, intervention=plan).logits for plan in plans]
    with ThreadPoolExecutor(3) as pool:
        together = list(pool.map(lambda plan: model.trace(TEXT, intervention=plan).logits, plans * 5))
    for place, logits in enumerate(together):
        np.testing.assert_allclose(logits, alone[place % 3], atol=1e-5)


def test_a_head_without_its_mask_attends_to_later_tokens(opened):
    model = opened("gpt2")
    trace = model.trace(TEXT, intervention=HeadInterventions((NoMask("decoder", HEADS),)))
    later = np.triu(np.ones(trace.attention("decoder").shape[2:], dtype=bool), 1)
    attended = trace.attention("decoder")[:, :, later].any(axis=-1)
    assert {tuple(place) for place in np.argwhere(attended)} == set(HEADS)
    assert trace.verify().max_difference < 1e-5


def test_one_hot_cross_attention(opened):
    model = opened("t5")
    change = OneHot("cross", ((1, 0),), 2, 1)
    trace = model.trace(TEXT, target="She wants one.", intervention=HeadInterventions((change,)))
    np.testing.assert_array_equal(trace.attention("cross")[1, 0, 1], np.eye(len(trace.source.ids))[2])
    assert trace.verify().max_difference < 1e-5


def test_a_missing_head_is_refused(opened):
    with pytest.raises(InterventionError, match="There is no head 4 in layer 0"):
        opened("gpt2").trace(TEXT, intervention=HeadInterventions((Scale("decoder", ((0, 4),), 0.0),)))
