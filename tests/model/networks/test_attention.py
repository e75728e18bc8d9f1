import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from model.networks.attention import KeyValue, MultiHeadAttention, scaled_dot_product
from model.networks.masks import causal_mask
from model.networks.tap import Recorder


def qkv(queries=5, keys=7, d_k=8, seed=0):
    generator = torch.Generator().manual_seed(seed)
    query = torch.randn(2, 3, queries, d_k, generator=generator)
    kv = KeyValue(*(torch.randn(2, 3, keys, d_k, generator=generator) for _ in range(2)))
    return query, kv


@given(st.integers(1, 12), st.integers(1, 12), st.sampled_from([2, 8, 32]), st.integers(0, 1000))
def test_explicit_and_fused_forms_agree_to_1e_5(queries, keys, d_k, seed):
    query, kv = qkv(queries, keys, d_k, seed)
    allowed = torch.rand(2, 1, queries, keys, generator=torch.Generator().manual_seed(seed)) > 0.4
    allowed[..., 0] = True  # every query has one key
    for mask in (None, allowed):
        fused = scaled_dot_product(query, kv, mask, None, "a")
        explicit = scaled_dot_product(query, kv, mask, Recorder(), "a")
        assert (fused - explicit).abs().max() < 1e-5


def test_each_step_is_the_papers():
    query, kv = qkv()
    recorder = Recorder()
    allowed = torch.ones(5, 7, dtype=torch.bool).tril(2)[None, None]
    outputs = scaled_dot_product(query, kv, allowed, recorder, "a")
    scores = torch.einsum("bhqd,bhkd->bhqk", query, kv.keys) / math.sqrt(8)
    torch.testing.assert_close(recorder.tensors["a.scores"], scores)
    weights = torch.where(allowed, scores, -torch.inf).softmax(-1)
    torch.testing.assert_close(recorder.tensors["a.weights"], weights)
    torch.testing.assert_close(outputs, torch.einsum("bhqk,bhkd->bhqd", weights, kv.values))
    assert set(recorder.tensors) == {"a.scores", "a.mask", "a.weights", "a.outputs"}


def test_rows_sum_to_one_and_masked_keys_have_no_weight():
    query, kv = qkv(9, 9)
    recorder = Recorder()
    scaled_dot_product(100 * query, kv, causal_mask(9), recorder, "a")
    weights = recorder.tensors["a.weights"]
    assert (weights.sum(-1) - 1).abs().max() < 1e-5
    assert (weights[..., ~causal_mask(9)[0, 0]] == 0).all()


@pytest.mark.parametrize("d_k", [2, 100])
def test_the_variance_of_a_dot_product_is_d_k_and_scaling_makes_it_1(d_k):
    generator = torch.Generator().manual_seed(3)
    query, kv = (torch.randn(1, 1, 700, d_k, generator=generator) for _ in range(2))
    recorder = Recorder()
    scaled_dot_product(query, KeyValue(kv, kv), None, recorder, "a")
    scores = recorder.tensors["a.scores"]
    assert (scores * math.sqrt(d_k)).var().item() == pytest.approx(d_k, rel=0.1)
    assert scores.var().item() == pytest.approx(1, rel=0.1)


def test_multi_head_attention_equals_torchs_with_the_same_weights():
    torch.manual_seed(0)
    ours = MultiHeadAttention(32, 4)
    theirs = torch.nn.MultiheadAttention(32, 4, batch_first=True)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([ours.query.weight, ours.key.weight, ours.value.weight]))
        theirs.in_proj_bias.copy_(torch.cat([ours.query.bias, ours.key.bias, ours.value.bias]))
        theirs.out_proj.load_state_dict(ours.output.state_dict())
    stream, memory = torch.randn(3, 6, 32), torch.randn(3, 9, 32)
    recorder = Recorder()
    mine = ours(stream, ours.project_memory(memory), None, recorder, "a")
    expected, weights = theirs(stream, memory, memory, average_attn_weights=False)
    torch.testing.assert_close(mine, expected, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(recorder.tensors["a.weights"], weights, atol=1e-6, rtol=1e-5)


def test_the_shapes_of_the_worked_example():
    attention = MultiHeadAttention(512, 8)
    stream = torch.zeros(10, 20, 512)
    recorder = Recorder()
    assert attention.split_heads(stream).shape == (10, 8, 20, 64)
    assert attention(stream, attention.project_memory(stream), None, recorder, "a").shape == (10, 20, 512)
    assert recorder.tensors["a.scores"].shape == (10, 8, 20, 20)
    assert recorder.tensors["a.outputs"].shape == (10, 8, 20, 64)
