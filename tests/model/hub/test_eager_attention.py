"""Layers keep the numbers they have in their network, also where some have no attention or other numbers of heads."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from model import HeadInterventions, InterventionError, OpenError
from model.hub.ablation import ablate
from model.hub.eager_attention import NAME, layer_numbers, watch_layers
from model.tracing.head_interventions import OneHot, Scale
from tests.model.hub.conftest import TEXT

NIGHTLY = pytest.mark.nightly
HYBRIDS = ["lfm2", pytest.param("granite-hybrid", marks=NIGHTLY)]


def reported(model, text: str) -> list[np.ndarray]:
    """The weights that the network reports itself, by layer."""
    inputs = {key: torch.tensor([value]) for key, value in model.reader(text).items() if key != "token_type_ids"}
    model.network.set_attn_implementation("eager")
    try:
        with torch.no_grad():
            maps = model.network(**inputs, output_attentions=True, use_cache=False).attentions
    finally:
        model.network.set_attn_implementation(NAME)
    return [layer[0].numpy() for layer in maps if layer is not None]


@pytest.mark.parametrize("name", HYBRIDS)
def test_layers_of_a_hybrid_have_the_network_s_numbers(opened, name):
    model = opened(name)
    trace = model.trace(TEXT)
    record = trace.records["decoder"]
    assert record.layers == (1, 3) == model.layers["decoder"]
    for own, weights in zip(reported(model, TEXT), record.weights, strict=True):
        np.testing.assert_allclose(weights, own, atol=1e-5)
    one = model.trace(TEXT, keep=3)
    assert one.kept == 3 and one.records["decoder"].layers == (3,)
    np.testing.assert_array_equal(one.attention("decoder")[0], trace.attention("decoder")[1])
    with pytest.raises(OpenError, match="no attention in layer 0; counted from 0, this model has it in 1, 3"):
        model.trace(TEXT, keep=0)


@pytest.mark.parametrize("name", HYBRIDS)
def test_interventions_name_the_network_s_layers(opened, name):
    model = opened(name)
    before = model.trace(TEXT)
    after = model.trace(TEXT, intervention=HeadInterventions((OneHot("decoder", ((3, 2),), 0),)))
    np.testing.assert_array_equal(after.attention("decoder")[1, 2, :, 0], 1)
    np.testing.assert_array_equal(after.attention("decoder")[0], before.attention("decoder")[0])
    assert after.verify().max_difference < 1e-5
    with pytest.raises(InterventionError, match="Layer 2 has no decoder attention; these layers have it: 1, 3"):
        model.trace(TEXT, intervention=HeadInterventions((Scale("decoder", ((2, 0),), 0.0),)))
    with pytest.raises(InterventionError, match="no head 0 in layer 4"):
        model.trace(TEXT, intervention=HeadInterventions((Scale("decoder", ((4, 0),), 0.0),)))


def test_layers_of_unlike_numbers_of_heads_are_kinds_of_their_own(opened):
    model = opened("laguna")
    trace = model.trace(TEXT)
    assert {name: (record.layers, record.weights.shape[:2]) for name, record in trace.records.items()} == {
        "decoder-4-heads": ((0, 2), (2, 4)),
        "decoder-8-heads": ((1, 3), (2, 8)),
    }
    own = reported(model, TEXT)
    for record in trace.records.values():
        for place, weights in zip(record.layers, record.weights, strict=True):
            np.testing.assert_allclose(weights, own[place], atol=1e-5)
    assert trace.axes("decoder-8-heads")[0] == trace.tokens("source").labels
    assert list(model.trace(TEXT, keep=1).records) == ["decoder-8-heads"]
    layers = trace.attention("decoder")  # a list, as the layers do not stack
    assert [layer.shape[0] for layer in layers] == [4, 8, 4, 8]
    np.testing.assert_array_equal(layers[1], trace.records["decoder-8-heads"].weights[0])
    with pytest.raises(OpenError, match="no attention of kind cross; it has decoder-4-heads, decoder-8-heads"):
        trace.attention("cross")


def test_ablating_a_head_of_unlike_layers_changes_that_head_alone(opened):
    model = opened("laguna")
    trace = model.trace(TEXT)
    changes = ablate(model, trace, TEXT, {}, kinds=["decoder-8-heads"])["decoder-8-heads"]
    assert changes.shape == (2, 8)
    without = HeadInterventions((Scale("decoder-8-heads", ((3, 7),), 0.0),))
    ablated = model.trace(TEXT, intervention=without)
    assert changes[1, 7] == pytest.approx(model.score(ablated).mean() - model.score(trace).mean(), abs=1e-6)
    assert HeadInterventions.from_text(without.to_text()) == without
    with pytest.raises(InterventionError, match="Layer 2 has no decoder-8-heads attention"):
        model.trace(TEXT, intervention=HeadInterventions((Scale("decoder-8-heads", ((2, 7),), 0.0),)))


class Layer(nn.Module):
    """A layer with a list of its own, which calls `note` while a module of that list runs, and once itself."""

    def __init__(self, note) -> None:
        super().__init__()
        self.parts = nn.ModuleList([nn.Identity()])
        self.parts[0].forward = lambda: note()
        self.note = note

    def forward(self) -> None:
        self.parts[0]()
        self.note()


def test_the_outermost_list_numbers_a_call():
    places = []
    network = nn.Module()
    network.layers = nn.ModuleList([Layer(lambda: places.append(running.outermost)) for _ in range(3)])
    with watch_layers(network) as running:
        network.layers[2]()
        network.layers[0].parts[0]()
        assert running.outermost is None
    assert places == [("layers", 2), ("layers", 2), ("layers.0.parts", 0)]
    network.layers[1]()
    assert places[-1] is None


@pytest.mark.parametrize(
    ("places", "numbers"),
    [
        ([("layers", 1), ("layers", 3)], (1, 3)),
        ([("groups", 0), ("groups", 0)], (0, 1)),  # shared weights
        ([("blocks.0", 0), ("blocks.1", 1)], (0, 1)),  # lists of lists
        ([("layers", 4), None], (0, 1)),
        ([], ()),
    ],
)
def test_calls_are_counted_where_layers_have_no_numbers(places, numbers):
    assert layer_numbers(places) == numbers
