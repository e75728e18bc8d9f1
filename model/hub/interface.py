"""Our attention among those that `transformers` knows, and a run of a network with it."""

import functools
from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn

from .eager_attention import NAME, CallRecorder, attention, current_recorder
from .softmax_calls import SoftmaxCalls


@functools.cache
def register_attention() -> None:
    """Make our function known, with a mask that is always given: without one, a causal model would see the future."""
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import eager_mask

    def always(*arguments, allow_is_bidirectional_skip: bool = False, allow_is_causal_skip: bool = False, **options):
        return eager_mask(*arguments, **options)

    AttentionInterface.register(NAME, attention)
    AttentionMaskInterface.register(NAME, always)


def use_own_attention(network: nn.Module) -> bool:
    """Have a network call our function from now on; False where it has attention of its own that cannot be replaced."""
    register_attention()
    if not network._can_set_attn_implementation():
        return False
    network.set_attn_implementation(NAME)
    return network.config._attn_implementation == NAME


@contextmanager
def recording_calls(watch: CallRecorder, by_interface: bool) -> Iterator[CallRecorder]:
    """While this lasts, the attention of the network that this thread runs goes through `watch`."""
    token = current_recorder.set(watch)
    try:
        if by_interface:
            yield watch
        else:
            with SoftmaxCalls(watch):
                yield watch
    finally:
        current_recorder.reset(token)


@contextmanager
def attention_implementation(network: nn.Module, name: str) -> Iterator[None]:
    """While this lasts, a network computes attention in one of the library's own forms, "eager" say."""
    before = network.config._attn_implementation
    if before == name or not network._can_set_attn_implementation():
        yield
        return
    network.set_attn_implementation(name)
    try:
        yield
    finally:
        network.set_attn_implementation(before)
