"""Selects the hardware that runs the networks, and names it for people."""

import contextlib
import functools
import os
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

import torch
from torch import nn


def choose_device(name: str = "auto") -> torch.device:
    """Return CUDA, else MPS, else CPU for "auto"; any other name is used as it is.

    Raises:
        ValueError: the named device does not exist on this machine.
    """
    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        if torch.backends.mps.is_available():
            return torch.device("mps")
        return torch.device("cpu")
    try:
        device = torch.device(name)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError, TypeError) as error:
        raise ValueError(f"This machine has no device {name!r}; use auto or cpu.") from error
    return device


def device_name(device: torch.device) -> str:
    """ "CPU", "Apple GPU", or the name the CUDA driver gives."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return "Apple GPU" if device.type == "mps" else "CPU"


def describe_hardware(device: torch.device) -> str:
    """Return a line for a model card: the CPU or GPU, and the number of cores that this process may use."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines() if cpuinfo.is_file() else []
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    processor = next(names, platform.processor() or platform.machine())
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    cores = f"{count} cores of {processor}"
    return cores if device.type == "cpu" else f"{device_name(device)}, {cores}"


def set_threads(count: int) -> None:
    """Use `count` threads for each operation from now on, in every thread of this process."""
    torch.set_num_threads(count)
    with contextlib.suppress(RuntimeError):  # can be set only once, before the first computation
        torch.set_num_interop_threads(count)


# When the GPU runs out of memory: the network moves to the CPU, for good, and the computation is done there.

P = ParamSpec("P")
T = TypeVar("T")
Owner = TypeVar("Owner", bound="NetworkOwner")

# Messages about full memory in errors that are not `torch.OutOfMemoryError`: Apple's, and those of CUDA's libraries.
_FULL = ("MPS backend out of memory", "CUBLAS_STATUS_ALLOC_FAILED", "CUDA error: out of memory")


def ran_out_of_memory(error: RuntimeError) -> bool:
    """True if `error` reports that the memory of a GPU is full."""
    return isinstance(error, torch.OutOfMemoryError) or any(words in str(error) for words in _FULL)


class NetworkOwner:
    """Base class of objects that compute with one network, on a GPU as long as its memory suffices."""

    network: nn.Module
    """The network; it moves to the CPU when the GPU's memory is full."""
    left_device: str | None = None
    """Name of the device whose memory was full; None while the network has not moved."""

    def move_to_cpu(self) -> bool:
        """Move the network to the CPU; False if it moved before, so no GPU's memory is the cause, or is spread."""
        if self.left_device is not None or hasattr(self.network, "hf_device_map"):
            return False
        self.left_device = _move_to_cpu(self.network)
        return True


def place_on_device(network: nn.Module, device: torch.device) -> str | None:
    """Move `network` to `device`, or to the CPU if it does not fit; then return the name of the device it left."""
    try:
        network.to(device)
    except RuntimeError as error:
        if not ran_out_of_memory(error):
            raise
        return _move_to_cpu(network)
    return None


def _move_to_cpu(network: nn.Module) -> str:
    """Move `network` and return the name of the device it left."""
    left = device_of(network)
    name = device_name(left) if left.type != "cpu" else "the GPU"
    network.to("cpu")
    if torch.cuda.is_available():
        torch.cuda.empty_cache()  # so that other programs can have it
    return name


def with_fallback(owner: NetworkOwner, compute: Callable[[], T]) -> T:
    """Return what `compute` returns; if the GPU's memory does not suffice, compute once more on the CPU.

    `compute` must read the network's device when it is called. The caller ensures that no other thread computes with
    `owner` meanwhile.
    """
    try:
        return compute()
    except RuntimeError as error:
        if not ran_out_of_memory(error) or not owner.move_to_cpu():
            raise
    return compute()  # outside of the `except`, whose traceback would retain the tensors of the first attempt


def falls_back(method: Callable[Concatenate[Owner, P], T]) -> Callable[Concatenate[Owner, P], T]:
    """Wrap a method of a `NetworkOwner` in `with_fallback`."""

    @functools.wraps(method)
    def wrapped(self: Owner, *arguments: P.args, **options: P.kwargs) -> T:
        return with_fallback(self, lambda: method(self, *arguments, **options))

    return wrapped


def device_of(network: nn.Module) -> torch.device:
    """The device of the weights; of a network that is spread, that of its inputs, as weights on disk are "meta"."""
    devices = (parameter.device for parameter in network.parameters())
    return next((device for device in devices if device.type != "meta"), torch.device("cpu"))


def describe_device(owner: NetworkOwner) -> str:
    """The device's name for people, and why it is the CPU if the network had to leave another one."""
    name = device_name(device_of(owner.network))
    return f"{name}, because {owner.left_device} ran out of memory" if owner.left_device else name
