"""Time one forward pass of the recurrent networks and of the Transformer at several lengths.

Source and target have the same number of tokens and both are inputs, as in training: a recurrence needs its result for
the token before, the Transformer does not. Passes run without a tap, in fused layers.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor

from ..networks.interfaces import TranslationNetwork
from ..networks.tap import identity_tap
from ..runtime.checkpoint import CheckpointError, read_json
from ..runtime.device import describe_hardware, device_of
from ..runtime.progress import InSteps, Progress, as_one_call
from ..translator import SentenceTranslator

LENGTHS = (8, 16, 32, 64, 128, 256)  # tokens of the source, and as many of the target
CHECKED = 32  # tokens of the passes whose logits are compared
ROUNDS = 5
WARM_UP = 1  # uncounted rounds before them
FILE = "forward_times.json"  # in the folder of the recurrent networks


@dataclass(frozen=True)
class NetworkTimes:
    """Times of one network, one for each length, in milliseconds."""

    # `lowest`, `median`: over the rounds; other load on the machine raises the median more than the lowest
    lowest: tuple[float, ...]
    median: tuple[float, ...]
    difference: float  # largest |difference| of the logits to those of the tapped implementation
    weights_sha256: str  # hash of the timed weights


@dataclass(frozen=True)
class ForwardTimes:
    """Times of all networks, and the hardware they were measured on."""

    networks: dict[str, NetworkTimes]  # name -> its times
    lengths: tuple[int, ...]  # tokens of source and of target
    rounds: int  # number of times each pass was timed
    hardware: str  # the processor, or the GPU and the processor
    threads: int  # number that the processor's operations were spread over
    torch: str  # version of PyTorch

    def growth(self, name: str) -> float:
        """Ratio of the longest pass's time to the shortest's."""
        return self.networks[name].lowest[-1] / self.networks[name].lowest[0]

    def to_dict(self) -> dict:
        """Everything, for JSON."""
        return asdict(self)

    @classmethod
    def read(cls, folder: Path) -> ForwardTimes:
        """Read the shipped figures.

        Raises:
            CheckpointError: the file is missing or is not what `to_dict` gives.
        """
        content = read_json(folder / FILE)
        try:
            networks = {
                name: NetworkTimes(
                    tuple(times["lowest"]), tuple(times["median"]), times["difference"], times["weights_sha256"]
                )
                for name, times in content["networks"].items()
            }
            facts = {name: content[name] for name in ("rounds", "hardware", "threads", "torch")}
            return cls(networks, tuple(content["lengths"]), **facts)
        except (KeyError, TypeError, AttributeError) as error:
            raise CheckpointError(
                "{file} contains no times of forward passes: restore it from the project.", file=FILE
            ) from error


def forward_times_in_steps(
    models: Mapping[str, SentenceTranslator], lengths: Sequence[int] = LENGTHS, rounds: int = ROUNDS
) -> InSteps[ForwardTimes]:
    """Time every network at every length, alternating between networks so that other load affects all of them alike.

    Args:
        models: by name; all on one device.
    """
    networks = {name: model.network for name, model in models.items()}
    passes = (WARM_UP + rounds) * len(lengths) * len(networks)
    total, done = passes + len(networks), 0
    differences = {}
    for name, network in networks.items():
        differences[name] = _difference(network)
        done += 1
        yield Progress(done, total)
    times: dict[tuple[str, int], list[float]] = {(name, length): [] for name in networks for length in lengths}
    for number in range(WARM_UP + rounds):
        for length in lengths:
            for name, network in networks.items():
                elapsed = _time_pass(network, *_ids(network, length))
                if number >= WARM_UP:
                    times[name, length].append(elapsed)
                done += 1
                yield Progress(done, total)
    figures = {
        name: NetworkTimes(
            tuple(min(times[name, length]) for length in lengths),
            tuple(statistics.median(times[name, length]) for length in lengths),
            differences[name],
            models[name].weights_sha256,
        )
        for name in networks
    }
    hardware = describe_hardware(device_of(next(iter(networks.values()))))
    return ForwardTimes(figures, tuple(lengths), rounds, hardware, torch.get_num_threads(), torch.__version__)


forward_times = as_one_call(forward_times_in_steps)


@torch.inference_mode()
def _time_pass(network: TranslationNetwork, source: Tensor, target: Tensor) -> float:
    """Milliseconds of one pass, including pending work of a GPU."""
    _finish(source.device)
    started = time.perf_counter()
    network(source, target)
    _finish(source.device)
    return 1000 * (time.perf_counter() - started)


@torch.inference_mode()
def _difference(network: TranslationNetwork) -> float:
    source, target = _ids(network, min(CHECKED, network.config.max_positions))
    return float((network(source, target) - network(source, target, identity_tap)).abs().max())


def _ids(network: TranslationNetwork, length: int) -> tuple[Tensor, Tensor]:
    """Random tokens, equal for all networks with the same vocabulary: `(1, length)` each."""
    generator = torch.Generator().manual_seed(length)
    first, last = network.config.eos_id + 1, network.embedding.num_embeddings
    drawn = (torch.randint(first, last, (1, length), generator=generator) for _ in range(2))
    source, target = (ids.to(device_of(network)) for ids in drawn)
    return source, target


def _finish(device: torch.device) -> None:
    """Wait for pending work of a GPU, whose calls return before they are done."""
    if device.type != "cpu":
        torch.accelerator.synchronize(device)
