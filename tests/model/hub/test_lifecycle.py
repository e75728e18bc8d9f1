"""Closing an opened model, and what the owner of a live model does to it between two traces."""

from __future__ import annotations

import gc
import weakref
from importlib.util import find_spec

import numpy as np
import pytest
import torch
from torch import nn

from model import OpenError, open_model
from tests.model.hub import tiny
from tests.model.hub.conftest import TEXT
from tests.model.hub.test_live import state


def open_live(network):
    return open_model(network, reader=tiny.tokenizer())


def answers(network) -> np.ndarray:
    """The untouched model's own logits, in evaluation mode."""
    with torch.no_grad():
        return network.eval()(torch.tensor([tiny.tokenizer()(TEXT)["input_ids"]])).logits[0].numpy()


def assert_follows(model, network) -> None:
    np.testing.assert_allclose(model.trace(TEXT).logits, answers(network), atol=1e-4)


@pytest.mark.parametrize("name", ["bert", "gpt2"])
def test_closing_releases_the_network_and_leaves_the_live_model_as_it_was(name):
    network = tiny.network(name)
    before = state(network)
    with open_live(network) as model:
        model.trace(TEXT)
        held = weakref.ref(model.network), weakref.ref(model.resumable)
    gc.collect()
    assert [reference() for reference in held] == [None, None] and state(network) == before
    assert repr(model).endswith(f"{type(network).__name__}: closed>") and model.kinds and model.task
    for use in (lambda: model.trace(TEXT), lambda: model.config, lambda: model.resumable, lambda: model.generate("A")):
        with pytest.raises(OpenError, match="This model is closed; open it again"):
            use()
    model.close()  # again, which does nothing
    answers(network)


def test_what_nobody_uses_any_more_is_released():
    network = tiny.network("gpt2")
    model = open_live(network)
    model.trace(TEXT)
    copied, live = weakref.ref(model.network), weakref.ref(network)
    del model
    gc.collect()
    assert copied() is None
    model = open_live(network)
    del network
    gc.collect()
    assert live() is None and model.trace(TEXT).verify().max_difference < 1e-5  # its tensors live on


def replace_a_weight(network):
    layer = network.transformer.h[0].attn.c_proj
    layer.weight = nn.Parameter(torch.zeros_like(layer.weight))


def replace_a_layer(network):
    network.transformer.h[1].mlp = nn.Identity()


def add_a_hook(network):
    network.transformer.h[0].register_forward_hook(lambda module, inputs, output: output * 0.5)


def switch(network):
    network.transformer.h[0].mlp.act = nn.ReLU()


def resize(network):
    network.resize_token_embeddings(network.config.vocab_size - 1, mean_resizing=False)


def change_precision(network):
    network.double()


@pytest.mark.parametrize("change", [replace_a_weight, replace_a_layer, add_a_hook, switch, resize, change_precision])
def test_what_its_owner_changes_is_seen_in_the_next_trace(change):
    network = tiny.network("gpt2")
    model = open_live(network)
    first = model.trace(TEXT)
    same = model.network
    model.trace(TEXT)
    assert model.network is same  # nothing was changed, and nothing is copied again
    change(network)
    assert_follows(model, network)
    if change is not change_precision:
        assert np.abs(model.trace(TEXT).logits[:, :300] - first.logits[:, :300]).max() > 1e-3 or change is resize


def test_a_change_after_which_it_would_not_open_is_refused():
    network = tiny.network("gpt2")
    model = open_live(network)
    network.transformer.ln_f.register_forward_hook(lambda module, inputs, output: output + torch.randn_like(output))
    with pytest.raises(OpenError, match="differently each time"):
        model.trace(TEXT)
    network.transformer.ln_f._forward_hooks.clear()
    assert_follows(model, network)


class Adapted(nn.Linear):
    """A layer with a low-rank update that can be turned off, as adapters are."""

    def __init__(self, layer: nn.Linear):
        super().__init__(layer.in_features, layer.out_features, bias=False)
        self.weight, self.scaling = layer.weight, {"default": 1.0}
        self.update = nn.Parameter(0.2 * torch.randn(layer.out_features, layer.in_features))

    def forward(self, x):
        return super().forward(x) + self.scaling["default"] * nn.functional.linear(x, self.update)


class Wrapper(nn.Module):
    """What the library PEFT returns: a module around the model, whose layers it has replaced."""

    def __init__(self, network, learns_a_prompt: bool = False):
        super().__init__()
        self.base, self.active_peft_config = network, type("Config", (), {"is_prompt_learning": learns_a_prompt})()

    def get_base_model(self):
        return self.base


def test_a_model_with_adapters_opens_and_follows_them():
    network = tiny.network("llama")
    own = answers(network)
    plain = open_live(network)
    torch.manual_seed(0)
    adapted = network.model.layers[0].self_attn.q_proj = Adapted(network.model.layers[0].self_attn.q_proj)
    model = open_live(Wrapper(network))
    for opened in (model, plain):  # one that was opened before the adapter was added, too
        assert_follows(opened, network)
        assert np.abs(opened.trace(TEXT).logits - own).max() > 1e-2
    adapted.scaling["default"] = 0.0
    np.testing.assert_allclose(model.trace(TEXT).logits, own, atol=1e-4)
    with pytest.raises(OpenError, match="adapter adds vectors to the prompt"):
        open_live(Wrapper(network, learns_a_prompt=True))


@pytest.mark.skipif(find_spec("peft") is None, reason="needs peft")
def test_adapters_of_peft_live_disabled_switched_and_merged():
    from peft import LoraConfig, PromptTuningConfig, get_peft_model

    network = tiny.network("llama")
    own, plain = answers(network), open_live(network)
    options = {"r": 4, "init_lora_weights": False}
    adapted = get_peft_model(network, LoraConfig(target_modules=["q_proj", "v_proj"], **options)).eval()
    model = open_live(adapted)
    for opened in (model, plain):
        np.testing.assert_allclose(opened.trace(TEXT).logits, answers(adapted), atol=1e-4)
    with adapted.disable_adapter():
        np.testing.assert_allclose(model.trace(TEXT).logits, own, atol=1e-4)
    adapted.add_adapter("second", LoraConfig(target_modules=["q_proj"], **options))
    adapted.set_adapter("second")
    np.testing.assert_allclose(model.trace(TEXT).logits, answers(adapted), atol=1e-4)
    adapted.merge_adapter()
    np.testing.assert_allclose(model.trace(TEXT).logits, answers(adapted), atol=1e-4)
    adapted.unmerge_adapter()
    merged = adapted.merge_and_unload()
    np.testing.assert_allclose(open_live(merged).trace(TEXT).logits, answers(merged), atol=1e-4)
    prompted = get_peft_model(tiny.network("gpt2"), PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=3))
    with pytest.raises(OpenError, match="adapter adds vectors to the prompt"):
        open_live(prompted)


@pytest.mark.skipif(find_spec("accelerate") is None, reason="needs accelerate")
@pytest.mark.parametrize("places", [{"": "cpu"}, "disk"])
def test_a_live_model_with_a_device_map_opens(places, tmp_path):
    from accelerate import dispatch_model

    network = tiny.network("gpt2")
    own = answers(network)
    if places == "disk":
        names = ("wte", "wpe", "drop", "h.0", "ln_f")
        places = {"lm_head": "cpu", **{f"transformer.{name}": "cpu" for name in names}, "transformer.h.1": "disk"}
    spread = dispatch_model(network, places, main_device="cpu", offload_dir=tmp_path, force_hooks=True)
    model = open_live(spread)
    np.testing.assert_allclose(model.trace(TEXT).logits, own, atol=1e-4)
    np.testing.assert_allclose(answers(spread), own, atol=1e-5)
    assert model.trace(TEXT).verify().max_difference < 1e-5
