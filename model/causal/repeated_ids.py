"""Head scores on repeated random ids: induction, previous token, duplicate token (Olsson et al. 2022).

The input is a row of random ids, each at most once, and the same row again. From the second half, a head can attend

    induction      to the token after the earlier occurrence of this token ("prefix matching": it predicts what follows)
    duplicate      to the earlier occurrence of this token
    previous       to the token before (scored over both halves)

A score is the attention on that one key, averaged over queries and over several random rows; it is in [0, 1]. Random
ids have no meaning, so a high score shows what a head does with any tokens ("In-context Learning and Induction Heads",
section on head activation evaluators), not what it does in a sentence. `chance` is the score of uniform attention.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from ..networks.tap import Recorder
from ..tracing.kinds import AttentionKind
from .causal_error import CausalError
from .result_tables import CausalResult, Table, TableAxis
from .resumable import ResumableNetwork

SCORES = ("induction", "previous", "duplicate")
LENGTH, ROWS = 25, 8


@dataclass(frozen=True, eq=False, repr=False)
class RepeatedIdScores(CausalResult):
    """Scores of every head that attends within one sequence."""

    scores: dict[str, dict[str, np.ndarray]]
    """Kind of attention -> score -> `(layer, head)` float64 in [0, 1]."""
    standard_errors: dict[str, dict[str, np.ndarray]]
    """The same of the means over rows; NaN for a single row."""
    chance: dict[str, dict[str, float]]
    """Kind of attention -> score -> that of uniform attention over all keys that are not masked."""
    length: int
    rows: int
    """`length`, `rows`: of the random ids before they are repeated; how many rows."""
    row_sum_error: float
    """Largest distance of a query's weights from summing to 1."""

    @property
    def tables(self) -> dict[str, Table]:
        return {
            f"{kind}_{name}": Table(
                values, (TableAxis.counted("layer", len(values)), TableAxis.counted("head", values.shape[1])), "share"
            )
            for kind, scores in self.scores.items()
            for name, values in scores.items()
        }


@torch.inference_mode()
def score_heads(
    resumable: ResumableNetwork, *, length: int = LENGTH, rows: int = ROWS, seed: int = 0
) -> RepeatedIdScores:
    """Score the heads of self-attention on repeated random ids.

    Args:
        length: random ids before they are repeated, at least 2.
        rows: how many random rows, at least 2.
        seed: of the ids.

    Raises:
        CausalError: the network reads no tokens, its vocabulary or its positions are too few, or a number is too small.
    """
    resumable.ordinary_ids()  # refuses what reads no tokens
    if length < 2 or rows < 2:
        raise CausalError(
            "These scores need at least 2 ids and 2 rows, not {length} and {rows}.", length=length, rows=rows
        )
    return _score(resumable, draw_repeated(resumable, length, rows, seed))


@torch.inference_mode()
def score_heads_on_text(resumable: ResumableNetwork, ids: Sequence[int]) -> RepeatedIdScores:
    """Score the heads of self-attention on a text that is followed by itself.

    Unlike random ids, a token may occur twice in it, and grammar predicts much of what follows; a score states what a
    head does, not why. There is one row, so no standard error.

    Args:
        ids: of the text, without special tokens.

    Raises:
        CausalError: the network reads no tokens, or the text has fewer than 2 ids or too many.
    """
    _, most = resumable.ordinary_ids()
    if not 2 <= len(ids) <= most:
        raise CausalError(
            "A text that is repeated needs 2 to {most} tokens here; this one has {count}.", most=most, count=len(ids)
        )
    return _score(resumable, torch.tensor([[*ids, *ids]], device=resumable.device))


def _score(resumable: ResumableNetwork, ids: torch.Tensor) -> RepeatedIdScores:
    """Score the heads on rows that repeat, `(row, 2 x length)`."""
    rows, length = len(ids), ids.shape[1] // 2
    scores, errors, chance, worst = {}, {}, {}, 0.0
    inputs, offsets = resumable.with_ids(ids)
    kinds = [kind for kind in resumable.kinds if kind.square]
    recorder = Recorder({name for kind in kinds for name in _names(resumable, kind)})
    resumable.run(inputs, recorder)
    for kind in kinds:
        weights = torch.stack([recorder.tensors[name] for name in _names(resumable, kind)], dim=1).double()
        worst = max(worst, float((weights.sum(dim=-1) - 1).abs().max()))  # (row, layer, head, query, key)
        tables = {name: _read(weights, name, length, offsets[kind.stack]).cpu().numpy() for name in SCORES}
        scores[kind.name] = {name: table.mean(axis=0) for name, table in tables.items()}
        errors[kind.name] = {name: _standard_error(table) for name, table in tables.items()}
        count = weights.shape[-1]
        even = torch.ones(1, 1, 1, count, count, dtype=torch.float64)
        even = even.tril() if kind.causal else even
        even = even / even.sum(dim=-1, keepdim=True)
        chance[kind.name] = {name: float(_read(even, name, length, offsets[kind.stack])) for name in SCORES}
    return RepeatedIdScores(scores, errors, chance, length, rows, worst)


def draw_repeated(resumable: ResumableNetwork, length: int, rows: int, seed: int) -> torch.Tensor:
    """Random ids `(row, 2 x length)`, the second half equal to the first; no special token, none twice in a half.

    Raises:
        CausalError: the vocabulary or the positions are too few.
    """
    ordinary, most = resumable.ordinary_ids()
    if length > most:
        raise CausalError(
            "{length} {length:id|ids} cannot be repeated here; choose at most {most}.", length=length, most=most
        )
    generator = torch.Generator().manual_seed(seed)
    halves = torch.stack([ordinary[torch.randperm(len(ordinary), generator=generator)[:length]] for _ in range(rows)])
    return torch.cat([halves, halves], dim=1).to(resumable.device)


def _standard_error(table: np.ndarray) -> np.ndarray:
    """Of the mean over rows, `(row, layer, head)` -> `(layer, head)`; NaN for one row."""
    rows = len(table)
    return table.std(axis=0, ddof=1) / math.sqrt(rows) if rows > 1 else np.full(table.shape[1:], np.nan)


def _names(resumable: ResumableNetwork, kind: AttentionKind) -> list[str]:
    return [f"{kind.tap_name(layer)}.weights" for layer in range(resumable.stacks[kind.stack])]


def _read(weights: torch.Tensor, name: str, length: int, offset: int) -> torch.Tensor:
    """Mean weight on the key of a score: `(row, layer, head, query, key)` -> `(row, layer, head)`."""
    first = offset + 1 if name == "previous" else offset + length
    queries = torch.arange(first, offset + 2 * length)
    back = {"induction": length - 1, "previous": 1, "duplicate": length}[name]
    return weights[..., queries, queries - back].mean(dim=-1)
