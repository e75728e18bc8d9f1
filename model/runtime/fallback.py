"""When the GPU runs out of memory: the network moves to the CPU, for good, and the computation is done there."""

import functools
from collections.abc import Callable
from typing import Protocol, TypeVar

import torch
from torch import nn

from .device import device_name

T = TypeVar("T")

_LEFT = "left_device"  # attribute of a network that moved: the name of the device it left
# What drivers say of full memory in errors that are not `torch.OutOfMemoryError`: Apple's, and CUDA's libraries.
_SAID = ("MPS backend out of memory", "CUBLAS_STATUS_ALLOC_FAILED", "CUDA error: out of memory")


def ran_out_of_memory(error: RuntimeError) -> bool:
    """True if `error` says that the memory of a GPU is full."""
    return isinstance(error, torch.OutOfMemoryError) or any(words in str(error) for words in _SAID)


def move_to_cpu(network: nn.Module) -> bool:
    """Move `network` in place; False if it moved before, so that no memory of a GPU can be to blame, or is spread."""
    if hasattr(network, _LEFT) or hasattr(network, "hf_device_map"):
        return False
    left = device_of(network)
    setattr(network, _LEFT, device_name(left) if left.type != "cpu" else "the GPU")
    network.to("cpu")
    if torch.cuda.is_available():
        torch.cuda.empty_cache()  # so that other programs can have it
    return True


class HasNetwork(Protocol):
    """A `Translator`, a `VisionClassifier`."""

    network: nn.Module


def with_fallback(owner: HasNetwork, compute: Callable[[], T]) -> T:
    """What `compute` returns; where the GPU's memory does not suffice for it, computed once more on the CPU.

    `compute` must read the network's device when it is called. The caller sees to it that no other thread computes
    with `owner` meanwhile.
    """
    try:
        return compute()
    except RuntimeError as error:
        if not ran_out_of_memory(error) or not move_to_cpu(owner.network):
            raise
    return compute()  # out of the `except`, whose traceback would keep the tensors of the first attempt


def falls_back(method: Callable[..., T]) -> Callable[..., T]:
    """`with_fallback` around a method of an object that has a `network`."""

    @functools.wraps(method)
    def wrapped(self, *arguments, **options):
        return with_fallback(self, lambda: method(self, *arguments, **options))

    return wrapped


def place(network: nn.Module, device: torch.device) -> nn.Module:
    """`network` on `device`, or on the CPU if it does not fit."""
    try:
        return network.to(device)
    except RuntimeError as error:
        if not ran_out_of_memory(error) or not move_to_cpu(network):
            raise
    return network


def device_of(network: nn.Module) -> torch.device:
    """Where the weights are; of a network that is spread, where it takes its inputs, for weights on disk are "meta"."""
    places = (parameter.device for parameter in network.parameters())
    return next((place for place in places if place.type != "meta"), torch.device("cpu"))


def where_it_runs(network: nn.Module) -> str:
    """The device's name for people, and why it is the CPU if the network had to leave another one."""
    name = device_name(device_of(network))
    left = getattr(network, _LEFT, None)
    return f"{name}, because {left} ran out of memory" if left else name
