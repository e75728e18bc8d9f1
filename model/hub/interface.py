"""Register our attention with `transformers`, and run a network with it."""

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .eager_attention import NAME, CallRecorder, attention, current_recorder
from .library_version import Config, Network
from .softmax_calls import SoftmaxCalls


@functools.cache
def register_attention() -> None:
    """Register our function with a mask that is never skipped: without one, a causal model would see later tokens."""
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import eager_mask

    def unskipped_mask(
        *arguments: Any, allow_is_bidirectional_skip: bool = False, allow_is_causal_skip: bool = False, **options: Any
    ) -> Any:
        return eager_mask(*arguments, **options)

    AttentionInterface.register(NAME, attention)
    AttentionMaskInterface.register(NAME, unskipped_mask)


def use_own_attention(network: Network) -> bool:
    """Make a network call our function from now on; False where its own attention cannot be replaced."""
    register_attention()
    if not network._can_set_attn_implementation():
        return False
    set_implementation(network, NAME)
    return network.config._attn_implementation == NAME


def set_implementation(network: Network, name: str) -> None:
    """Set the implementation of attention of a network and of the networks inside it.

    Some versions of the library, such as 5.19, leave out those inside whose configuration is a copy, as T5's stacks.
    """
    network.set_attn_implementation(name)
    for module in network.modules():
        own: Any = getattr(module, "config", None)
        is_copy = type(own) is type(network.config) and own is not network.config
        if is_copy and hasattr(module, "set_attn_implementation") and own._attn_implementation != name:
            module.set_attn_implementation(name)


def configs_of(network: Network) -> list[Config]:
    """The configuration of a network and those of the networks inside it, of which some have a copy."""
    from transformers import PretrainedConfig

    configs = (getattr(module, "config", None) for module in network.modules())
    return list({id(config): config for config in configs if isinstance(config, PretrainedConfig)}.values())


def has_eager_form(network: Network) -> bool:
    """Whether a network reports its attention: it can be set to the eager form, or was built with it."""
    return network._can_set_attn_implementation() or network.config._attn_implementation == "eager"


def in_eager_form(network: Network) -> Network:
    """A network in its eager form, also where it has no way to be set to it.

    Some choose the form when they are built: they are built anew around the same tensors. Others look at the setting
    whenever they run.
    """
    if has_eager_form(network):
        return network
    network.config.update({"_attn_implementation": "eager"})
    try:
        rebuilt = type(network)(network.config)
        rebuilt.load_state_dict(network.state_dict(keep_vars=True), assign=True)
    except (TypeError, ValueError, RuntimeError, AttributeError):  # a class of the user's, which needs more than sizes
        return network
    return rebuilt


@contextmanager
def recording_calls(recorder: CallRecorder, by_interface: bool, rows: int = 1) -> Iterator[CallRecorder]:
    """Within this context, `recorder` records the attention of the network that this thread runs on `rows` inputs."""
    token = current_recorder.set(recorder)
    try:
        if by_interface:
            yield recorder
        else:
            with SoftmaxCalls(recorder, rows):
                yield recorder
    finally:
        current_recorder.reset(token)


@contextmanager
def attention_implementation(network: Network, name: str) -> Iterator[None]:
    """Within this context, a network uses one of the library's own implementations of attention, such as "eager"."""
    before = network.config._attn_implementation
    if not network._can_set_attn_implementation():
        yield
        return
    set_implementation(network, name)
    try:
        yield
    finally:
        set_implementation(network, before)
