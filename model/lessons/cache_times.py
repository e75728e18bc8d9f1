"""Time the next token of a decoder-only network at several lengths, with cached keys and values and without."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor

from ..language_model import LanguageModel
from ..networks.decoder_only import CachedSequence, DecoderOnlyTransformer
from ..runtime.checkpoint import read_measured
from ..runtime.device import describe_hardware, device_of
from ..runtime.progress import InSteps, Progress, as_one_call

LENGTHS = (16, 32, 64, 128, 256)  # positions, that of the newest token included
ROUNDS = 5
WARM_UP = 1  # uncounted rounds before them
FILE = "cache_times.json"  # in the folder of the network


@dataclass(frozen=True)
class CacheTimes:
    """Milliseconds until the logits of the next token, and the machine."""

    lengths: tuple[int, ...]  # positions so far
    # `cached`, `uncached`: lowest of the rounds at each length, with the cache and without
    cached: tuple[float, ...]
    uncached: tuple[float, ...]
    # `cached_median`, `uncached_median`: their medians; other load raises these more
    cached_median: tuple[float, ...]
    uncached_median: tuple[float, ...]
    rounds: int  # number of times each was timed
    hardware: str  # the processor, or the GPU and the processor
    threads: int  # number that the processor's operations were spread over
    torch: str  # version of PyTorch
    weights_sha256: str  # hash of the timed weights

    def to_dict(self) -> dict:
        """Everything, for JSON."""
        return asdict(self)

    @classmethod
    def read(cls, folder: Path, weights_sha256: str) -> CacheTimes:
        """Read the shipped figures.

        Raises:
            CheckpointError: the file is missing, damaged, or of other weights.
        """
        return read_measured(folder, FILE, weights_sha256, "cache-times", _read)


def _read(content: dict) -> CacheTimes:
    lists = ("lengths", "cached", "uncached", "cached_median", "uncached_median")
    times = CacheTimes(**content | {name: tuple(content[name]) for name in lists})
    if len({len(getattr(times, name)) for name in lists}) > 1:
        raise ValueError("The lists have different lengths.")
    return times


def cache_times_in_steps(
    model: LanguageModel, lengths: Sequence[int] = LENGTHS, rounds: int = ROUNDS
) -> InSteps[CacheTimes]:
    """Time both ways at every length, alternating, so that other load affects both alike.

    Args:
        lengths: from 2 up; those beyond the positions of the network are left out.
    """
    network = model.network
    lengths = [length for length in lengths if length <= network.config.max_positions]
    times: dict[tuple[int, bool], list[float]] = {
        (length, cached): [] for length in lengths for cached in (True, False)
    }
    total = (WARM_UP + rounds) * len(lengths)
    for number in range(WARM_UP + rounds):
        for place, length in enumerate(lengths):
            for cached in (True, False):
                elapsed = _time_token(network, length, cached)
                if number >= WARM_UP:
                    times[length, cached].append(elapsed)
            yield Progress(number * len(lengths) + place + 1, total)

    def figures(of: Callable[[list[float]], float], cached: bool) -> tuple[float, ...]:
        return tuple(of(times[length, cached]) for length in lengths)

    return CacheTimes(
        tuple(lengths),
        figures(min, True),
        figures(min, False),
        figures(statistics.median, True),
        figures(statistics.median, False),
        rounds,
        describe_hardware(device_of(network)),
        torch.get_num_threads(),
        torch.__version__,
        model.weights_sha256,
    )


cache_times = as_one_call(cache_times_in_steps)


@torch.inference_mode()
def _time_token(network: DecoderOnlyTransformer, length: int, cached: bool) -> float:
    """Milliseconds until the logits after `length` random tokens; those of the cache are read before."""
    ids = _ids(network, length)
    decoder = None
    if cached:
        decoder = CachedSequence(network, ids[:, :-1])
        decoder.step(ids[:, -1])  # the logits after the prompt
    _finish(ids.device)
    started = time.perf_counter()
    if decoder is not None:
        decoder.step(ids[:, -1])
    else:
        network.project(network.states(ids)[:, -1])
    _finish(ids.device)
    return 1000 * (time.perf_counter() - started)


def _ids(network: DecoderOnlyTransformer, length: int) -> Tensor:
    """Random tokens, `(1, length)`."""
    generator = torch.Generator().manual_seed(length)
    first, last = network.config.eos_id + 1, network.config.vocabulary_size
    return torch.randint(first, last, (1, length), generator=generator).to(device_of(network))


def _finish(device: torch.device) -> None:
    """Wait for pending work of a GPU, whose calls return before they are done."""
    if device.type != "cpu":
        torch.accelerator.synchronize(device)
