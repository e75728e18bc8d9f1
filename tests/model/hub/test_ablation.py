"""The effect of ablating a head equals the score of a network without that head."""

from __future__ import annotations

import pytest
import torch

from model.hub.ablation import ablate
from tests.model.hub import tiny
from tests.model.hub.conftest import PICTURE, TEXT
from tests.model.hub.test_interventions import PROJECTIONS


def network_without_head(name: str, layer: int, head: int) -> torch.nn.Module:
    network = tiny.network(name)
    module = network.get_submodule(PROJECTIONS[name].format(layer))
    own = slice(8 * head, 8 * head + 8)
    if name == "gpt2":  # stores its projections transposed
        module.weight.data[own] = 0
    else:
        module.weight.data[:, own] = 0
    return network


@pytest.mark.nightly
def test_a_decoder(opened):
    model = opened("gpt2")
    trace = model.trace(TEXT)
    changes = ablate(model, trace, TEXT, {})
    assert changes["decoder"].shape == (2, 4)
    ids = torch.tensor([trace.source.ids])
    with torch.no_grad():
        usual = tiny.network("gpt2")(ids, labels=ids).loss
        expected = network_without_head("gpt2", 1, 3)(ids, labels=ids).loss - usual
    assert changes["decoder"][1, 3] == pytest.approx(float(expected), abs=1e-4)


def test_a_masked_model(opened):
    model = opened("bert")
    trace = model.trace(TEXT)
    changes = ablate(model, trace, TEXT, {})
    losses = []
    with torch.no_grad():
        for network in (tiny.network("bert"), network_without_head("bert", 0, 2)):
            total = 0.0
            for place in range(1, len(trace.source.ids) - 1):
                ids = torch.tensor([trace.source.ids])
                ids[0, place] = model.reader.mask_token_id
                total -= float(network(ids).logits[0, place].log_softmax(dim=-1)[trace.source.ids[place]])
            losses.append(total / (len(trace.source.ids) - 2))
    assert changes["encoder"][0, 2] == pytest.approx(losses[1] - losses[0], abs=1e-4)


def test_a_picture(opened):
    model = opened("vit")
    trace = model.trace(PICTURE)
    answer = int(trace.probabilities.argmax())
    changes = ablate(model, trace, PICTURE, {}, answer)
    pixels = dict(model.reader(images=PICTURE, return_tensors="pt"))
    with torch.no_grad():
        networks = (tiny.network("vit"), network_without_head("vit", 1, 0))
        usual, other = (-network(**pixels).logits[0].log_softmax(dim=-1)[answer] for network in networks)
    assert changes["vision"][1, 0] == pytest.approx(float(other - usual), abs=1e-4)


def test_a_target_is_generated_once_and_not_for_each_head(opened, monkeypatch):
    model = opened("t5")
    trace = model.trace(TEXT)
    monkeypatch.setattr(model, "_generated", None)
    changes = ablate(model, trace, TEXT, {})
    assert {kind: table.shape for kind, table in changes.items()} == dict.fromkeys(
        ("encoder", "decoder", "cross"), (2, 4)
    )
    again = model.trace(TEXT, target=trace.target.ids)
    assert again.target == trace.target
