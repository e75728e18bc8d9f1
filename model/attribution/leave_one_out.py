"""Which source words does a translation need? Leave each out and measure how far probabilities fall.

There are two ways, and neither is the only right one. "delete" takes the word's tokens out of the source, so that the
tokens after them move up. "mask" leaves them where they are and masks them for every query, in the encoder's
self-attention and in cross-attention, as padding is masked. The target stays the same (teacher forcing).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from ..networks.losses import token_cross_entropy
from ..networks.masks import pad_batch, padding_mask
from ..networks.tap import Tap, identity_tap
from ..networks.transformer import Transformer
from ..runtime.arrays import largest_difference
from ..runtime.progress import InSteps, Progress, as_one_call
from ..text.words import Word
from ..tracing.trace import SentenceTrace

Way = Literal["delete", "mask"]
WAYS: tuple[Way, ...] = ("delete", "mask")
POSITIONS = 1024  # target positions of a batch: a few tenths of a second on one core


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """What leaving out each source word does to each target token."""

    log_probabilities: np.ndarray  # `(T,)` ln p of each token with the whole source, in nats
    drops: np.ndarray  # `(T, source word)` by how much that falls without the word; below 0 it grows
    nothing: float  # largest |change| of the row of the batch from which nothing is left out; 0
    # largest |difference| between `drops` of one word and a run of that source alone, with explicit attention and,
    # where the word was deleted, without padding
    alone: float
    checked: int  # which word that was: the one with the largest drop


@torch.inference_mode()
def leave_one_out_in_steps(
    network: Transformer, trace: SentenceTrace, words: Sequence[Word], way: Way
) -> InSteps[LeaveOneOut]:
    """Leave out each word of the source, all in one batched forward pass (for long sentences in a few).

    Args:
        words: of the trace's source, at least two: an empty source cannot be read.

    Raises:
        ValueError: no such way, or nothing would be left of the source.
    """
    if way not in WAYS:
        raise ValueError(f"There is no way {way!r}; choose one of {', '.join(WAYS)}.")
    if len(words) < 2:
        raise ValueError("A source of one word is empty without it; give at least two.")
    rows = [None, None, *words]  # the first is the reference, the second shows that a place in the batch does nothing
    size = max(1, POSITIONS // len(trace.target_ids))
    found: list[Tensor] = []
    for start in range(0, len(rows), size):
        variants = _variants(network, trace.source_ids, rows[start : start + size], way)
        found.append(_log_probabilities(network, trace, *variants))
        yield Progress(min(start + size, len(rows)), len(rows))
    everything = torch.cat(found).double().cpu().numpy()  # (row, T)
    drops = everything[0] - everything[2:]  # (source word, T)
    checked = int(drops.max(axis=1).argmax())
    source, allowed = _variants(network, trace.source_ids, [words[checked]], way)
    single = _log_probabilities(network, trace, source, None if way == "delete" else allowed, identity_tap)  # (1, T)
    return LeaveOneOut(
        everything[0],
        drops.T,
        largest_difference(everything[1], everything[0]),
        largest_difference(single[0].double().cpu().numpy(), everything[2 + checked]),
        checked,
    )


leave_one_out = as_one_call(leave_one_out_in_steps)


def _variants(
    network: Transformer, source_ids: Sequence[int], left_out: Sequence[Word | None], way: Way
) -> tuple[Tensor, Tensor]:
    """The source without each of `left_out`: ids `(row, S)` and the keys that may be attended to `(row, 1, 1, S)`."""
    if way == "delete":
        ids = list(source_ids)
        kept = [ids if word is None else ids[: word.start] + ids[word.end :] for word in left_out]
        source = pad_batch(kept, network.config.pad_id).to(network.device)
        return source, padding_mask(source, network.config.pad_id)
    source = network.ids(source_ids).expand(len(left_out), -1)
    allowed = torch.ones(source.shape, dtype=torch.bool, device=network.device)
    for row, word in enumerate(left_out):
        if word is not None:
            allowed[row, word.start : word.end] = False
    return source, allowed[:, None, None, :]


def _log_probabilities(
    network: Transformer, trace: SentenceTrace, source: Tensor, allowed: Tensor | None, tap: Tap | None = None
) -> Tensor:
    """`(row, T)` ln p of the target's tokens, for each source."""
    target, wanted = (network.ids(ids).expand(len(source), -1) for ids in (trace.target_ids, trace.next_ids))
    memory = network.encode(source, allowed, tap)
    return -token_cross_entropy(network.project(network.decode(target, memory, allowed, tap)), wanted)
