"""How long one forward pass takes, recurrent networks beside the Transformer, at several lengths.

Source and target have the same number of tokens and both are given, as in training: a recurrence waits for itself at
every token, the Transformer at none. Each pass runs in the form that is used where nobody looks inside: fused layers.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from ..networks.tap import untouched
from ..runtime.checkpoint import CheckpointError, read_json
from ..runtime.device import hardware
from ..runtime.fallback import device_of
from ..runtime.progress import InSteps, Progress, in_one_go
from ..translator import SentenceTranslator

LENGTHS = (8, 16, 32, 64, 128, 256)  # tokens of the source, and as many of the target
CHECKED = 32  # tokens of the passes whose logits are compared
ROUNDS = 5
WARM_UP = 1  # uncounted rounds before them
FILE = "forward_times.json"  # beside the recurrent networks: measured before shipping


@dataclass(frozen=True)
class NetworkTimes:
    """One network's figures; a time for each length, in milliseconds.

    Attributes:
        lowest, median: over the rounds; work of others on the same machine slows the median more than the lowest.
        difference: largest |difference| of the logits to those of the form whose every step can be looked at.
        weights_sha256: of the weights that were timed.
    """

    lowest: tuple[float, ...]
    median: tuple[float, ...]
    difference: float
    weights_sha256: str


@dataclass(frozen=True)
class ForwardTimes:
    """What was measured, and on what.

    Attributes:
        networks: name -> its times.
        lengths: tokens of source and of target.
        rounds: how often each pass was timed.
        hardware: the processor, or the GPU and the processor.
        threads: how many the processor's operations were shared among.
        torch: version of PyTorch.
    """

    networks: dict[str, NetworkTimes]
    lengths: tuple[int, ...]
    rounds: int
    hardware: str
    threads: int
    torch: str

    def growth(self, name: str) -> float:
        """How many times as long the longest pass takes as the shortest."""
        return self.networks[name].lowest[-1] / self.networks[name].lowest[0]

    def to_dict(self) -> dict:
        """Everything, for JSON."""
        return asdict(self)

    @classmethod
    def read(cls, folder: Path) -> ForwardTimes:
        """The figures that ship.

        Raises:
            CheckpointError: the file is missing or is not what `to_dict` gives.
        """
        found = read_json(folder / FILE)
        try:
            networks = {
                name: NetworkTimes(
                    tuple(times["lowest"]), tuple(times["median"]), times["difference"], times["weights_sha256"]
                )
                for name, times in found["networks"].items()
            }
            given = {name: found[name] for name in ("rounds", "hardware", "threads", "torch")}
            return cls(networks, tuple(found["lengths"]), **given)
        except (KeyError, TypeError, AttributeError) as error:
            raise CheckpointError(
                "{file} holds no times of forward passes: restore it from the project.", file=FILE
            ) from error


def forward_times_in_steps(
    models: Mapping[str, SentenceTranslator], lengths: Sequence[int] = LENGTHS, rounds: int = ROUNDS
) -> InSteps[ForwardTimes]:
    """Time every network at every length; they take turns, so that a slow moment meets all of them alike.

    Args:
        models: by name; all on one device.
    """
    networks = {name: model.network for name, model in models.items()}
    everything = list(networks.items())
    passes = (WARM_UP + rounds) * len(lengths) * len(everything)
    total, done = passes + len(everything), 0
    differences = {}
    for name, network in everything:
        differences[name] = _difference(network)
        done += 1
        yield Progress(done, total)
    times: dict[tuple[str, int], list[float]] = {(name, length): [] for name in networks for length in lengths}
    for number in range(WARM_UP + rounds):
        for length in lengths:
            for name, network in everything:
                taken = _time_pass(network, *_ids(network, length))
                if number >= WARM_UP:
                    times[name, length].append(taken)
                done += 1
                yield Progress(done, total)
    found = {
        name: NetworkTimes(
            tuple(round(min(times[name, length]), 3) for length in lengths),
            tuple(round(statistics.median(times[name, length]), 3) for length in lengths),
            differences[name],
            models[name].weights_sha256,
        )
        for name in networks
    }
    where = hardware(device_of(everything[0][1]))
    return ForwardTimes(found, tuple(lengths), rounds, where, torch.get_num_threads(), torch.__version__)


forward_times = in_one_go(forward_times_in_steps)


@torch.inference_mode()
def _time_pass(network: nn.Module, source: Tensor, target: Tensor) -> float:
    """Milliseconds of one pass, to the end of what a GPU still has to do."""
    _finish(source.device)
    started = time.perf_counter()
    network(source, target)
    _finish(source.device)
    return 1000 * (time.perf_counter() - started)


@torch.inference_mode()
def _difference(network: nn.Module) -> float:
    source, target = _ids(network, min(CHECKED, network.config.max_positions))
    return float((network(source, target) - network(source, target, untouched)).abs().max())


def _ids(network: nn.Module, length: int) -> tuple[Tensor, Tensor]:
    """Tokens drawn at random, the same ones for every network with the same vocabulary: `(1, length)` each."""
    generator = torch.Generator().manual_seed(length)
    first, last = network.config.eos_id + 1, network.config.vocabulary_size
    drawn = (torch.randint(first, last, (1, length), generator=generator) for _ in range(2))
    source, target = (ids.to(device_of(network)) for ids in drawn)
    return source, target


def _finish(device: torch.device) -> None:
    """Wait for what a GPU has been given; it returns before it is done."""
    if device.type != "cpu":
        torch.accelerator.synchronize(device)
