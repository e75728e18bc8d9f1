"""Selects the hardware that runs the networks, and names it for people."""

import contextlib
import os
import platform
from pathlib import Path

import torch


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
