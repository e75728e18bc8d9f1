"""Splitting one projection or projecting for each head: the worked shapes, equal results, counted operations."""

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from model.lessons.heads import compute_head_forms, step_shapes
from model.networks.attention import MultiHeadAttention
from model.networks.masks import causal_mask


def shapes(*sizes: int, **options: int) -> dict[str, tuple[int, ...]]:
    return {step.step: step.shape for step in step_shapes(*sizes, **options)}


def test_the_worked_example():
    assert list(shapes(10, 20, 512, 8).items()) == [
        ("ids", (10, 20)),
        ("embedding table", (100, 512)),
        ("embedded", (10, 20, 512)),
        ("positions", (20, 512)),
        ("with positions", (10, 20, 512)),
        ("w_q", (512, 512)),
        ("w_k", (512, 512)),
        ("w_v", (512, 512)),
        ("of one head", (512, 64)),
        ("queries, projected", (10, 20, 512)),
        ("split into heads", (10, 20, 8, 64)),
        ("heads first", (10, 8, 20, 64)),
        ("scores", (10, 8, 20, 20)),
        ("weights \u00d7 values", (10, 8, 20, 64)),
        ("heads back", (10, 20, 8, 64)),
        ("heads joined", (10, 20, 512)),
        ("w_0", (512, 512)),
        ("output", (10, 20, 512)),
    ]


def test_cross_attention_has_as_many_scores_as_pairs():
    crossed = shapes(1, 19, 256, 8, keys=17)
    assert crossed["scores"] == (1, 8, 19, 17)
    assert [crossed[name] for name in ("weights \u00d7 values", "heads joined", "output")] == [
        (1, 8, 19, 32),
        (1, 19, 256),
        (1, 19, 256),
    ]


def test_values_may_have_another_width_than_queries_and_keys():
    wide = shapes(128, 20, 512, 8, d_v=48, vocabulary=8000)
    assert (wide["embedding table"], wide["w_k"], wide["w_v"], wide["w_0"]) == (
        (8000, 512),
        (512, 512),
        (512, 384),
        (384, 512),
    )
    names = ("scores", "weights \u00d7 values", "heads back", "heads joined", "output")
    back = [(128, 8, 20, 20), (128, 8, 20, 48), (128, 20, 8, 48), (128, 20, 384), (128, 20, 512)]
    assert [wide[name] for name in names] == back


@pytest.mark.parametrize("heads", [1, 4, 16, 64])
def test_values_have_the_width_of_keys_unless_another_is_asked_for(heads):
    sizes = shapes(1, 5, 512, heads)
    assert sizes["weights \u00d7 values"] == (1, heads, 5, 512 // heads)
    assert sizes["heads joined"] == (1, 5, 512) and sizes["w_0"] == (512, 512)


def test_a_width_that_does_not_divide_is_refused():
    with pytest.raises(ValueError, match="not divisible"):
        step_shapes(1, 2, 10, 3)


@pytest.fixture
def module():
    torch.manual_seed(0)
    return MultiHeadAttention(32, 4).eval().requires_grad_(False)


@pytest.fixture
def streams():
    noise = np.random.default_rng(0)
    return noise.normal(size=(7, 32)).astype(np.float32), noise.normal(size=(5, 32)).astype(np.float32)


def test_split_and_small_heads_have_equal_outputs_weights_and_operations(module, streams):
    forms = compute_head_forms(module, *streams, None)
    assert forms.differences["small"] < 1e-5
    assert forms.split.parameters == forms.small.parameters == sum(p.numel() for p in module.parameters())
    assert forms.split.flops == forms.small.flops
    assert forms.split.products == 4 + 2 * 4
    assert forms.small.products == 1 + 5 * 4
    assert forms.shapes == {"split": (32, 32), "small": (32, 8), "full": (32, 32), "one": (32, 32)}


def test_full_heads_have_n_times_the_weights_and_equal_outputs(module, streams):
    forms = compute_head_forms(module, *streams, None)
    # per head three maps 32 x 32, and one 4 * 32 x 32 for all; biases likewise
    assert forms.full.parameters == 4 * 3 * (32 * 32 + 32) + (4 * 32 * 32 + 32)
    assert forms.differences["full"] < 1e-5 < 1e-4 < forms.differences["full_scaled"]


def test_a_single_full_head_costs_as_much_as_the_split_one(module, streams):
    forms = compute_head_forms(module, *streams, None)
    assert forms.one.parameters == forms.split.parameters
    assert forms.one.flops == forms.split.flops
    assert forms.differences["one"] > 1e-3
    query, key = (torch.from_numpy(array)[None] for array in streams)
    weights = {name: getattr(module, name) for name in ("query", "key", "value", "output")}
    attended = torch.nn.functional.scaled_dot_product_attention(
        weights["query"](query), weights["key"](key), weights["value"](key)
    )
    split = module(query, module.project_memory(key), None, lambda name, tensor: tensor)
    difference = (weights["output"](attended) - split).abs().max()
    assert forms.differences["one"] == pytest.approx(float(difference), rel=1e-3)


def test_counts_of_operations_equal_torchs(module, streams):
    queries, memory = (torch.from_numpy(array)[None] for array in streams)
    with FlopCounterMode(display=False) as counter:
        module(queries, module.project_memory(memory), None, lambda name, tensor: tensor)
    assert compute_head_forms(module, *streams, None).split.flops == counter.get_total_flops()


@pytest.mark.parametrize("part", ["query", "key", "value", "output"])
def test_a_masked_sub_layer_depends_on_every_weight_in_both_forms(module, streams, part):
    """A form that leaves a weight out differs from the others."""
    queries, _ = streams
    allowed = causal_mask(7)[0, 0].numpy()
    getattr(module, part).weight.mul_(torch.linspace(-2, 2, 32)[:, None])
    differences = compute_head_forms(module, queries, queries, allowed).differences
    assert differences["small"] < 1e-4 and differences["full"] < 1e-4
