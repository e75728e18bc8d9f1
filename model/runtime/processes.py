"""One process or several under torchrun, with one interface for the training loop."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

import torch
import torch.distributed as distributed
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from .device import choose_device

PATIENCE = timedelta(hours=2)  # the first process trains the tokenizer and evaluates while the others wait
PAUSE = 0.2  # seconds between two calls of `meanwhile`


class OtherProcessEndedError(ConnectionError):
    """Another process of the same run has ended."""

    def __init__(self) -> None:
        super().__init__("Another process has ended; start all of them again.")


@dataclass(frozen=True)
class ProcessGroup:
    """This process's rank among all processes; `world_size` is 1 without torchrun."""

    rank: int
    world_size: int
    device: torch.device

    @classmethod
    def join(cls, device: str = "auto", patience: timedelta = PATIENCE) -> "ProcessGroup":
        """Read torchrun's environment and connect: NCCL on GPUs, gloo on CPUs.

        Args:
            patience: timeout of a process that waits for another.

        Raises:
            ConnectionError: the processes cannot reach each other.
            ValueError: the environment is not that of torchrun.
        """
        world_size = _number("WORLD_SIZE", 1)
        chosen = choose_device(device)
        if world_size <= 1:
            return cls(0, 1, chosen)
        if chosen.type == "cuda":
            chosen = torch.device("cuda", _number("LOCAL_RANK"))
            torch.cuda.set_device(chosen)
        backend = "nccl" if chosen.type == "cuda" else "gloo"
        try:
            _connect(backend, patience)
        except RuntimeError as error:
            raise ConnectionError(
                f"The processes cannot reach each other; on several hosts name the network card between them in "
                f"{backend.upper()}_SOCKET_IFNAME."
            ) from error
        return cls(distributed.get_rank(), world_size, chosen)

    @property
    def leads(self) -> bool:
        """True in the one process that writes files and shows progress."""
        return self.rank == 0

    def wrap(self, module: nn.Module) -> nn.Module:
        """`module` itself, or in DDP, which averages the gradients over the processes."""
        if self.world_size == 1:
            return module
        return DistributedDataParallel(module, device_ids=[self.device] if self.device.type == "cuda" else None)

    def total(self, value: Tensor) -> Tensor:
        """Sum of `value` over all processes; does not change the argument."""
        value = value.detach().clone()
        if self.world_size > 1:
            distributed.all_reduce(value)
        return value

    def wait(self, meanwhile: Callable[[], object] = lambda: None) -> None:
        """Wait until every process calls this; calls `meanwhile` repeatedly.

        Raises:
            ConnectionError: a process has ended, on this host or on another.
        """
        if self.world_size == 1:
            return
        try:
            waiting = distributed.barrier(async_op=True)
            while not waiting.is_completed():
                meanwhile()
                time.sleep(PAUSE)
            waiting.wait()
        except RuntimeError as error:
            raise OtherProcessEndedError from error

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Within this context, another process that has ended is stated in a sentence.

        Raises:
            ConnectionError: in place of PyTorch's error.
        """
        try:
            yield
        except RuntimeError as error:
            if self.world_size > 1 and (isinstance(error, distributed.DistError) or "gloo" in str(error)):
                raise OtherProcessEndedError from error
            raise

    def leave(self) -> None:
        """Disconnect."""
        if self.world_size > 1:
            distributed.destroy_process_group()


def _number(name: str, default: int | None = None) -> int:
    """A number of torchrun's environment.

    Raises:
        ValueError: it is missing, or is no number.
    """
    text = os.environ.get(name, "" if default is None else str(default))
    if not text.isdecimal():
        raise ValueError(
            f"The environment variable {name} is {text!r} and no number; start with torchrun, which sets it, or "
            "without WORLD_SIZE for one process."
        )
    return int(text)


def _connect(backend: str, patience: timedelta) -> None:
    """Connect this process with the others, for which it waits; Ctrl+C ends the wait.

    PyTorch waits where Python handles no signal, so it does so in a thread, which ends with the process.
    """
    _number("RANK")
    failures: list[Exception] = []

    def connect() -> None:
        try:
            distributed.init_process_group(backend, timeout=patience)
        except Exception as error:
            failures.append(error)

    thread = threading.Thread(target=connect, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(PAUSE)
    if failures:
        raise failures[0]
