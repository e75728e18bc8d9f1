"""A user's live model is left as it was: its mode, its attention, its gradients; what it learns is seen."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from model import HeadInterventions
from model.open_model import open_model
from model.tracing.head_interventions import Scale
from tests.model.hub import tiny
from tests.model.hub.conftest import PICTURE, TEXT

NAMES = ["bert", "gpt2", "llama", "gpt-j", "t5", "vit", "deberta"]


def state(network) -> dict:
    """Everything of a live model that opening it could change."""
    modules = {name: module.training for name, module in network.named_modules()}
    configs = {
        id(module.config): module.config._attn_implementation
        for module in network.modules()
        if hasattr(module, "config")
    }
    gradients = {name: parameter.requires_grad for name, parameter in network.named_parameters()}
    hooks = {
        name: (len(module._forward_hooks), len(module._forward_pre_hooks)) for name, module in network.named_modules()
    }
    return {
        "modules": modules,
        "configs": configs,
        "gradients": gradients,
        "hooks": hooks,
        "main": network.config.to_dict(),
    }


@pytest.mark.parametrize("implementation", ["eager", "sdpa"])
@pytest.mark.parametrize("name", NAMES)
def test_a_live_model_is_unchanged_by_opening_and_running_it(name, implementation):
    network = tiny.network(name)
    if network._can_set_attn_implementation():
        network.set_attn_implementation(implementation)
    network.train()
    next(network.children()).eval()  # a user may have frozen a part
    next(network.parameters()).requires_grad_(False)
    before = state(network)
    vision = network.main_input_name == "pixel_values"
    model = open_model(network, reader=tiny.processor() if vision else tiny.tokenizer())
    assert state(network) == before
    given, options = PICTURE if vision else TEXT, {"target": "A fox."} if name == "t5" else {}
    trace = model.trace(given, **options)
    model.score(trace)
    kind = model.kinds[0].name
    model.trace(given, intervention=HeadInterventions((Scale(kind, ((0, 0),), 0.0),)), **options)
    if model.task in ("complete", "translate"):
        model.generate(TEXT, 3)
    assert state(network) == before
    np.testing.assert_allclose(trace.logits, model.trace(given, **options).logits)  # no dropout, whatever the mode


def test_what_a_live_model_learns_is_seen():
    network = tiny.network("bert")
    model = open_model(network, reader=tiny.tokenizer())
    first = model.trace(TEXT).logits
    network.train()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.5)
    ids = torch.tensor([model.reader(TEXT)["input_ids"]])
    network(input_ids=ids, labels=ids).loss.backward()
    optimizer.step()
    changed = model.trace(TEXT).logits
    assert np.abs(changed - first).max() > 1e-3
    network.eval()
    with torch.no_grad():
        np.testing.assert_allclose(changed, network(input_ids=ids).logits[0].numpy(), atol=1e-4)


def test_the_weights_of_a_live_model_are_not_copied():
    network = tiny.network("gpt2")
    model = open_model(network, reader=tiny.tokenizer())
    assert model.network is not network
    own = {parameter.data_ptr() for parameter in network.parameters()}
    assert {parameter.data_ptr() for parameter in model.network.parameters()} == own


def test_two_opened_models_share_one_live_model():
    network = tiny.network("gpt2")
    first, second = (open_model(network, reader=tiny.tokenizer()) for _ in range(2))
    np.testing.assert_array_equal(first.trace(TEXT).logits, second.trace(TEXT).logits)
