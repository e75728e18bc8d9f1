import numpy as np
import pytest
import torch

from model.networks.tap import Recorder
from model.tracing.trace import (
    ATTENTION_STEPS,
    LayerStacks,
    StackPlan,
    attention_stacks,
    layer_names,
    stream_stack,
)
from tests.model.networks import random_ids, tiny_network

SOURCE, TARGET = random_ids(1, 6), random_ids(1, 5, seed=2)


@torch.inference_mode()
def test_every_row_is_the_tensor_of_its_layer_bit_for_bit():
    network = tiny_network()
    names = (
        attention_stacks("encoder", "self", 2) | attention_stacks("decoder", "cross", 2) | stream_stack("decoder", 2)
    )
    stacks, recorder = LayerStacks(StackPlan.of(names)), Recorder()
    assert torch.equal(network(SOURCE, TARGET, stacks), network(SOURCE, TARGET, recorder))
    for step in ATTENTION_STEPS:
        for kind in ("encoder.self", "decoder.cross"):
            stack, name = kind.split(".")
            expected = [recorder.tensors[f"{stack}.{layer}.{name}.{step}"][0].numpy() for layer in range(2)]
            np.testing.assert_array_equal(stacks.array(f"{kind}.{step}"), np.stack(expected), strict=True)
    names = ("decoder.embedded", "decoder.0.residual", "decoder.1.residual")
    expected = np.stack([recorder.tensors[name][0].numpy() for name in names])
    np.testing.assert_array_equal(stacks.array("decoder.stream"), expected, strict=True)
    assert stacks.tensors == {}


def test_a_row_is_a_copy_and_the_tensor_passes_unchanged():
    stacks = LayerStacks(StackPlan.of({"a": ["a.1", "a.0"]}, ["referenced"]))
    first, second, referenced = torch.ones(1, 3), torch.full((1, 3), 2.0), torch.zeros(1, 2)
    assert stacks("a.0", first) is first
    first.zero_()  # as a network does that computes in place
    assert stacks("a.1", second) is second
    assert stacks("referenced", referenced) is referenced and stacks("other", referenced) is referenced
    np.testing.assert_array_equal(stacks.array("a"), np.array([[2, 2, 2], [1, 1, 1]], np.float32), strict=True)
    assert list(stacks.tensors) == ["referenced"] and stacks.tensors["referenced"] is referenced


def test_a_low_precision_becomes_float32():
    stacks = LayerStacks(StackPlan.of({"a": ["a.0"]}))
    stacks("a.0", torch.tensor([[1.5, -2.0]], dtype=torch.bfloat16))
    np.testing.assert_array_equal(stacks.array("a"), np.array([[1.5, -2]], np.float32), strict=True)


def test_a_layer_that_never_passed_is_reported_by_name():
    stacks = LayerStacks(StackPlan.of({"a": layer_names("stack", "self.scores", 3)}))
    stacks("stack.1.self.scores", torch.ones(1, 2))
    with pytest.raises(
        LookupError, match=r"^No tensor passed that is named stack.0.self.scores, stack.2.self.scores.$"
    ):
        stacks.array("a")
