"""Leave-one-out: leave each source word out and measure how far the probabilities of the translation fall.

There are two ways, and neither is the only right one. "delete" removes the word's tokens from the source, so that later
tokens move up. "mask" masks them for every query, in the encoder's self-attention and in cross-attention, as padding is
masked. The target stays the same (teacher forcing).
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
    """The effect of leaving out each source word on each target token."""

    log_probabilities: np.ndarray  # `(T,)` ln p of each token with the whole source, in nats
    drops: np.ndarray  # `(T, source word)` how far that falls without the word; below 0 it grows
    unaltered_change: float  # largest |change| of a row of the batch from which nothing is left out; 0
    # largest |difference| of `drops` of one word from a run of that source outside of a batch, with explicit attention
    # and, if the word was deleted, without padding
    single_difference: float
    checked_word: int  # index of that word, the one with the largest drop


@torch.inference_mode()
def leave_one_out_in_steps(
    network: Transformer, trace: SentenceTrace, words: Sequence[Word], way: Way
) -> InSteps[LeaveOneOut]:
    """Leave out each word of the source, all in one batched forward pass (for long sentences in a few).

    Args:
        words: of the trace's source, at least two, as an empty source cannot be encoded.

    Raises:
        ValueError: there is no such way, or the source would become empty.
    """
    if way not in WAYS:
        raise ValueError(f"There is no way {way!r}; choose one of {', '.join(WAYS)}.")
    if len(words) < 2:
        raise ValueError("A source of one word is empty without it; give at least two.")
    rows = [None, None, *words]  # the first is the reference, the second shows that a row's index has no effect
    size = max(1, POSITIONS // len(trace.target_ids))
    batches: list[Tensor] = []
    for start in range(0, len(rows), size):
        variants = _variants(network, trace.source_ids, rows[start : start + size], way)
        batches.append(_log_probabilities(network, trace, *variants))
        yield Progress(min(start + size, len(rows)), len(rows))
    by_row = torch.cat(batches).double().cpu().numpy()  # (row, T)
    drops = by_row[0] - by_row[2:]  # (source word, T)
    checked = int(drops.max(axis=1).argmax())
    source, allowed = _variants(network, trace.source_ids, [words[checked]], way)
    single = _log_probabilities(network, trace, source, None if way == "delete" else allowed, identity_tap)  # (1, T)
    return LeaveOneOut(
        by_row[0],
        drops.T,
        largest_difference(by_row[1], by_row[0]),
        largest_difference(single[0].double().cpu().numpy(), by_row[2 + checked]),
        checked,
    )


leave_one_out = as_one_call(leave_one_out_in_steps)


def _variants(
    network: Transformer, source_ids: Sequence[int], left_out: Sequence[Word | None], way: Way
) -> tuple[Tensor, Tensor]:
    """Leave each of `left_out` out of the source: ids `(row, S)`, and keys that may be attended to `(row, 1, 1, S)`."""
    if way == "delete":
        ids = list(source_ids)
        sources = [ids if word is None else ids[: word.start] + ids[word.end :] for word in left_out]
        source = pad_batch(sources, network.config.pad_id).to(network.device)
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
    """Compute ln p of the target's tokens for each source, `(row, T)`."""
    target, right = (network.ids(ids).expand(len(source), -1) for ids in (trace.target_ids, trace.next_ids))
    memory = network.encode(source, allowed, tap)
    return -token_cross_entropy(network.project(network.decode(target, memory, allowed, tap)), right)
