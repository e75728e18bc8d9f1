"""One process or several under torchrun, with one interface for the training loop."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import torch
import torch.distributed as distributed
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from .device import choose_device

PATIENCE = timedelta(hours=2)  # the first process trains the tokenizer and evaluates while the others wait
PAUSE = 0.2  # seconds between two calls of `meanwhile`


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
        """
        world_size = int(os.environ.get("WORLD_SIZE", "1"))
        chosen = choose_device(device)
        if world_size == 1:
            return cls(0, 1, chosen)
        if chosen.type == "cuda":
            chosen = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
            torch.cuda.set_device(chosen)
        backend = "nccl" if chosen.type == "cuda" else "gloo"
        try:
            distributed.init_process_group(backend, timeout=patience)
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
            raise ConnectionError("Another process has ended; start all of them again.") from error

    def leave(self) -> None:
        """Disconnect."""
        if self.world_size > 1:
            distributed.destroy_process_group()
