"""Logit lens: what the network would answer if it stopped after a layer (nostalgebraist 2020).

Every row of the residual stream is read out as the last one is. A pre-norm network applies its last norm to it; in a
post-norm network each row is normalised by its own layer, so none is added (Vaswani et al. 2017, section 3.1).

What it cannot show: a layer may store information in directions that only later layers read; then its row reads out
as something else, although the answer is there.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from ..runtime.progress import InSteps, Progress, as_one_call
from .causal_error import CausalError
from .metrics import PROJECTED
from .result_tables import CausalResult, Table, TableAxis
from .resumable import Inputs, ResumableNetwork, stream_name

TOP = 5


@dataclass(frozen=True, eq=False, repr=False)
class LogitLens(CausalResult):
    """The answer after every row of the stream and at every position; R rows, P positions."""

    positions: tuple[str, ...]
    """Labels of the positions; of a ViT CLS and the patches."""
    top_ids: np.ndarray
    top_probabilities: np.ndarray
    """`top_ids`, `top_probabilities`: `(R, P, top)`, the most probable tokens or classes, most probable first."""
    right_ids: tuple[int, ...]
    """`(P,)`, the token or class whose probability is stated."""
    probabilities: np.ndarray
    ranks: np.ndarray
    """`probabilities`, `ranks`: `(R, P)` of `right_ids`; rank 1 is the most probable."""
    divergence: np.ndarray
    """`(R, P)`, Kullback-Leibler divergence of a row's probabilities from those of the last row, in nats."""
    difference: float
    """Largest |difference| of a logit of the last row from the network's own, as a share of its largest logit; 0 up to
    rounding.
    """

    @property
    def tables(self) -> dict[str, Table]:
        axes = (TableAxis.counted("layer", len(self.ranks), 0), TableAxis("position", self.positions))
        ranked = (*axes, TableAxis.counted("rank", self.top_ids.shape[2]))
        return {
            "probability": Table(self.probabilities, axes, "probability"),
            "rank": Table(self.ranks.astype(np.float64), axes, "rank"),
            "divergence": Table(self.divergence, axes, "nats"),
            "top_id": Table(self.top_ids.astype(np.float64), ranked, "id"),
            "top_probability": Table(self.top_probabilities, ranked, "probability"),
        }


@torch.inference_mode()
def logit_lens_in_steps(
    resumable: ResumableNetwork, inputs: Inputs, right_ids: Sequence[int], labels: Sequence[str], top: int | None = None
) -> InSteps[LogitLens]:
    """Read out every row of the output stack's stream.

    Args:
        inputs: one input, with a batch of one.
        right_ids: for each position the token that follows, or the class that is asked for.
        labels: of the positions.
        top: how many answers are listed; by default five, or all where there are fewer.

    Raises:
        CausalError: `top` is out of range, or there are not as many right tokens and labels as positions.
    """
    top = min(TOP, resumable.columns) if top is None else top
    if not 1 <= top <= resumable.columns:
        raise CausalError(
            "{top} {top:answer|answers} cannot be listed; choose a number from 1 to {most}.",
            top=top,
            most=resumable.columns,
        )
    stack = resumable.output_stack
    resumable.check_tensor(stream_name(stack, 0))
    run = resumable.record(inputs)
    length = resumable.lengths(inputs)[stack]
    if not len(right_ids) == len(labels) == length:
        raise CausalError(
            "There {length:is|are} {length} {length:position|positions}; give a token and a label for each, not "
            "{ids} and {labels}.",
            length=length,
            ids=len(right_ids),
            labels=len(labels),
        )
    right = torch.tensor(list(right_ids), device=run.hidden.device)
    if not bool(((right >= 0) & (right < resumable.columns)).all()):
        raise CausalError(
            "A token or class that is asked for does not exist; there are {count}.", count=resumable.columns
        )
    rows = [run.tensors[stream_name(stack, row)][0] for row in range(resumable.stacks[stack] + 1)]
    step = max(1, PROJECTED // resumable.columns)
    parts = []
    for start in range(0, length, step):
        part = slice(start, start + step)
        parts.append(_read_positions(resumable, [row[part] for row in rows], right[part], top))
        yield Progress(min(start + step, length), length)
    # (row, position, ...) each
    ids, values, probabilities, ranks, divergence = (np.concatenate(part, axis=1) for part in zip(*parts, strict=True))
    difference = _difference(resumable, run.hidden[0], rows[-1][resumable.answering()], step)
    return LogitLens(tuple(labels), ids, values, tuple(right_ids), probabilities, ranks, divergence, difference)


logit_lens = as_one_call(logit_lens_in_steps)


def _difference(resumable: ResumableNetwork, hidden: torch.Tensor, last: torch.Tensor, step: int) -> float:
    """Largest |difference| of a logit of the last row from the network's own, as a share of its largest logit."""
    apart = largest = 0.0
    for own, row in zip(hidden.split(step), last.split(step), strict=True):
        logits = resumable.logits(own)
        apart = max(apart, float((logits - resumable.logits(resumable.read_out(row))).abs().max()))
        largest = max(largest, float(logits.abs().max()))
    return apart / (largest or 1.0)


def _read_positions(
    resumable: ResumableNetwork, rows: Sequence[torch.Tensor], right: torch.Tensor, top: int
) -> tuple[np.ndarray, ...]:
    """Read out all rows `(position, d_model)` at some positions: `(row, position, ...)` each."""
    final = _log_probabilities(resumable, rows[-1])
    read = [_read_row(_log_probabilities(resumable, row), final, right, top) for row in rows[:-1]]
    read.append(_read_row(final, final, right, top))
    return tuple(np.stack(part) for part in zip(*read, strict=True))


def _log_probabilities(resumable: ResumableNetwork, stream: torch.Tensor) -> torch.Tensor:
    """`(position, d_model)` -> ln p `(position, column)` float64."""
    return resumable.logits(resumable.read_out(stream)).double().log_softmax(dim=-1)


def _read_row(row: torch.Tensor, final: torch.Tensor, right: torch.Tensor, top: int) -> tuple[np.ndarray, ...]:
    """Top ids and probabilities, probability and rank of the right token, and divergence, of one row."""
    best = row.topk(top, dim=-1)
    own = row.gather(1, right[:, None])  # (position, 1)
    ranks = 1 + (row > own).sum(dim=-1)
    divergence = (row.exp() * (row - final)).sum(dim=-1).clamp(min=0)
    parts = (best.indices, best.values.exp(), own[:, 0].exp(), ranks, divergence)
    return tuple(part.cpu().numpy() for part in parts)
