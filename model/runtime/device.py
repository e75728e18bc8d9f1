"""Which hardware runs the networks, and its name for people."""

import contextlib
import os
import platform
from pathlib import Path

import torch


def choose_device(wanted: str = "auto") -> torch.device:
    """CUDA, else MPS, else CPU for "auto"; any other name is taken as it is.

    Raises:
        ValueError: the named device does not exist on this machine.
    """
    if wanted == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        if torch.backends.mps.is_available():
            return torch.device("mps")
        return torch.device("cpu")
    try:
        device = torch.device(wanted)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as error:
        raise ValueError(f"This machine has no device {wanted!r}; use auto or cpu.") from error
    return device


def device_name(device: torch.device) -> str:
    """ "CPU", "Apple GPU", or the name the CUDA driver gives."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return "Apple GPU" if device.type == "mps" else "CPU"


def describe_hardware(device: torch.device) -> str:
    """One line for a model card: the processor or GPU, and the number of cores that this process may use."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(errors="replace").splitlines() if cpuinfo.is_file() else []
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    processor = next(names, platform.processor() or platform.machine())
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    cores = f"{count} cores of {processor}"
    return cores if device.type == "cpu" else f"{device_name(device)}, {cores}"


def set_threads(count: int) -> None:
    """Compute with so many threads from now on, in every thread that computes; one operation at a time in each."""
    torch.set_num_threads(count)
    with contextlib.suppress(RuntimeError):  # can be set only once, before anything was computed
        torch.set_num_interop_threads(count)
