"""The residual streams of every layout are found, proven, and equal to the hidden states that the library returns."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import transformers
from torch import nn

from model.causal.causal_error import CausalError
from model.causal.metrics import LogitDifference
from model.causal.resumable import stream_name
from model.hub.causal.block_places import SubLayer
from model.hub.causal.resumable_model import ResumableModel
from model.networks.tap import Intervention
from model.open_model import open_model
from tests.model.hub import tiny
from tests.model.hub.causal.live_models import live
from tests.model.hub.conftest import example_input
from tests.tiers import nightly

POST_NORM = ("bert", "bert-classes", "roberta", "distilbert", "deberta", "bart", "marian")
LAYOUTS = [
    "gpt2", "llama", "gpt-neox", "gpt-j", "bert", "vit", "bart", "t5",
    *(nightly(name) for name in (
        "bert-classes", "roberta", "distilbert", "modernbert", "deberta", "bloom", "mistral", "qwen3", "gemma2",
        "gemma3", "gpt-oss", "marian", "pegasus", "deit", "dinov2", "clip-vision",
    )),
]  # fmt: skip


@pytest.mark.parametrize("name", LAYOUTS)
def test_streams_are_proven(name):
    model = live(name).resumable
    assert model.stream_refusal is None
    proof = model.proof
    assert max(proof.sums, proof.disturbed, proof.replaced, proof.resumed) < 1e-5
    assert proof.batched < 1e-4
    assert proof.skips == (name != "t5")  # its first layer computes the positions of all
    assert model.pre_norm == (name not in POST_NORM)


@pytest.mark.parametrize("name", LAYOUTS)
def test_hooks_read_the_hidden_states_of_the_library(name):
    opened = live(name)
    model = opened.resumable
    trace = opened.trace(example_input(opened))
    inputs = model.probe if trace.received is None else (torch.from_numpy(trace.received)[None],)
    if trace.received is None:
        ids = [trace.source.ids] if trace.target is None else [trace.source.ids, trace.target.ids]
        inputs = tuple(torch.tensor([own]) for own in ids)
    with torch.inference_mode():
        tensors = model.record(inputs).tensors
    for stack, layers in model.stacks.items():
        reported = trace.stream[stack]
        for row in range(layers):  # the library returns the last one after the last norm
            np.testing.assert_allclose(tensors[stream_name(stack, row)][0], reported[row], atol=1e-5)


@pytest.mark.parametrize("name", ["gpt2", "gpt-neox", "bert", nightly("gemma2")])
@torch.inference_mode()
def test_a_changed_part_reaches_the_stream_and_the_answer(name):
    model = live(name).resumable
    before = model.record(model.probe)
    stack = model.output_stack
    for part in ("self", "ffn"):
        tensor = f"{stack}.0.{part}.sublayer_output"
        after = model.record(model.probe, Intervention({tensor: torch.zeros_like}))
        assert not torch.equal(after.hidden, before.hidden)
        assert not after.tensors[tensor].any()
        if model.pre_norm:
            moved = after.tensors[stream_name(stack, 1)] - after.tensors[stream_name(stack, 0)]
            others = [other for other in ("self", "ffn") if other != part]
            rest = sum(after.tensors[f"{stack}.0.{other}.sublayer_output"] for other in others)
            torch.testing.assert_close(moved, rest, atol=1e-5, rtol=0)


FLAT = {"vocab_size": tiny.VOCABULARY, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}


@pytest.mark.parametrize(
    "network",
    [
        pytest.param(lambda: transformers.OPTForCausalLM(transformers.OPTConfig(
            **FLAT, ffn_dim=40, max_position_embeddings=64, word_embed_proj_dim=32, pad_token_id=0
        )), id="rows and positions in one axis"),
        pytest.param(lambda: transformers.FalconForCausalLM(transformers.FalconConfig(**FLAT)), id="added in place"),
        pytest.param(lambda: tiny.network("llama").to(torch.bfloat16), id="half precision"),
    ],
)  # fmt: skip
def test_parts_that_a_layer_reshapes_or_adds_in_place_are_found(network):
    torch.manual_seed(0)
    model = open_model(network().eval(), reader=tiny.tokenizer())
    proof = model.stream_proof
    assert not isinstance(proof, CausalError)
    assert proof.skips
    result = model.patch("The quick brown fox", "The quick brown dog", LogitDifference(5, 9), "feed_forward_output")
    assert (result.check.nothing, result.check.effect_of_nothing) == (0, 0)
    assert result.check.everything < 1e-5


def test_sub_layers_are_those_of_their_kind():
    """Where both read the same stream, attention and feed-forward layer are not mistaken for each other."""
    (block, *_) = live("gpt-j").resumable.streams.places.stacks["decoder"]
    base = block.module
    assert block.sub_layers == (SubLayer("self", f"{base}.attn", f"{base}.attn"), SubLayer("ffn", f"{base}.mlp"))


def test_hooks_do_nothing_outside_of_causal_runs():
    opened = open_model(tiny.network("gpt2"), reader=tiny.tokenizer())
    before = opened.trace("The quick fox").logits
    assert opened.resumable.has_stream
    np.testing.assert_array_equal(opened.trace("The quick fox").logits, before)


def test_layers_that_share_modules_are_refused_and_heads_are_not():
    model = live("albert")
    metric_of = model.read_trace(model.trace("The quick [MASK]")).metric
    with pytest.raises(CausalError, match="not a list of modules that each run once.*methods on heads"):
        model.patch("The quick [MASK]", "The brown [MASK]", metric_of)
    assert isinstance(model.stream_proof, CausalError)
    result = model.patch("The quick [MASK]", "The quick [MASK]", metric_of, site="head_output")
    assert (result.effects == 0).all()
    assert result.check.everything is None


@pytest.mark.parametrize("name", ["lfm2", nightly("granite-hybrid"), nightly("laguna")])
def test_layers_of_different_attention_are_refused(name):
    with pytest.raises(CausalError, match="equally many heads in all layers"):
        ResumableModel(live(name))


class Scaled(nn.Module):
    """A feed-forward layer whose output is not all that its layer adds."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        return self.module(hidden)


def test_a_layer_that_multiplies_what_it_adds_is_refused():
    """As in networks with a multiplier of the residual connection: no module returns what is added."""
    network = tiny.network("llama")
    for layer in network.model.layers:
        layer.mlp = Scaled(layer.mlp)
        layer.register_forward_hook(lambda module, arguments, output: output * 1.5)
    model = open_model(network, reader=tiny.tokenizer())
    refusal = model.stream_proof
    assert isinstance(refusal, CausalError)
    assert "layer 0" in str(refusal)
    trace = model.trace("The quick fox")
    with pytest.raises(CausalError, match="layer 0"):
        model.logit_lens(trace)
    assert model.replace_heads(trace, pairs_among=0).nothing == 0
