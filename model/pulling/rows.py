"""Translate one sentence many times in a batch, with another number added to one score in each row."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from ..networks.tap import Chain, Intervention, Tap
from ..networks.transformer import CachedDecoder, Transformer
from ..text.tokenizer import Tokenizer
from ..tracing.head_interventions import Heads
from ..tracing.kinds import kind_of


@dataclass(frozen=True)
class PulledScore:
    """The score that a row changes, and by how much; places count from 0."""

    query: int
    key: int
    delta: float


@dataclass(frozen=True)
class PulledTranslation:
    """The translation of one row.

    Attributes:
        ids: generated tokens, `</s>` included if it was reached.
        text: the same as text.
        chosen: the token that the pulled query chose, as it is shown; None where the query chooses none: in the
            encoder, or behind the end of the translation.
        probability: of that token.
        margin: its probability less that of the second most probable.
    """

    ids: tuple[int, ...]
    text: str
    chosen: str | None
    probability: float
    margin: float


def score_tap(kind: str, heads: Heads, rows: Sequence[PulledScore]) -> Tap:
    """Return a tap that adds each row's number to its score in these heads; a place that does not exist yet is left."""

    def change(scores: Tensor, own: list[int]) -> Tensor:
        scores = scores.clone()
        queries, keys = scores.shape[2:]
        for number, row in enumerate(rows):
            if row.query < queries and row.key < keys:
                scores[number, own, row.query, row.key] += row.delta
        return scores

    changes: dict[str, Callable[[Tensor], Tensor]] = {
        f"{kind_of(kind).tap_name(layer)}.scores": partial(
            change, own=[head for other, head in heads if other == layer]
        )
        for layer in {layer for layer, _ in heads}
    }
    return Intervention(changes)


@torch.inference_mode()
def translate_rows(
    network: Transformer,
    tokenizer: Tokenizer,
    source_ids: Sequence[int],
    kind: str,
    heads: Heads,
    rows: Sequence[PulledScore],
    limit: int,
    before: Tap | None = None,
) -> list[PulledTranslation]:
    """Translate greedily, every row of a batch with its own number added to its score.

    Args:
        source_ids: ends with `</s>`.
        limit: most tokens to generate.
        before: a tap that all rows pass first, such as that of earlier interventions. It must not let a query attend to
            later tokens.
    """
    config, count = network.config, len(rows)
    tap = score_tap(kind, heads, rows)
    tap = tap if before is None else Chain(before, tap)
    memory = network.encode(network.ids(source_ids).expand(count, -1), None, tap)
    decoder = CachedDecoder(network, memory, None, tap)
    ids = torch.full((count,), config.bos_id, device=memory.device)
    generated: list[list[int]] = [[] for _ in rows]
    sure = [(0.0, math.nan)] * count  # probability and margin at the pulled query
    for position in range(limit):
        logits = decoder.step(ids)
        logits[:, list(config.never_generated)] = -torch.inf
        best = logits.softmax(dim=-1).topk(2, dim=-1)
        ids = best.indices[:, 0]
        ends = [bool(row) and row[-1] == config.eos_id for row in generated]
        for number, (token, (first, second)) in enumerate(zip(ids.tolist(), best.values.tolist(), strict=True)):
            if not ends[number]:
                generated[number].append(token)
                if position == rows[number].query:
                    sure[number] = (first, first - second)
        if all(row[-1] == config.eos_id for row in generated):
            break
    chooses = kind_of(kind).stack == "decoder"
    return [
        _describe(tokenizer, tuple(produced), row.query if chooses and row.query < len(produced) else None, known)
        for row, produced, known in zip(rows, generated, sure, strict=True)
    ]


def _describe(
    tokenizer: Tokenizer, ids: tuple[int, ...], place: int | None, known: tuple[float, float]
) -> PulledTranslation:
    if place is None:
        return PulledTranslation(ids, tokenizer.decode(ids), None, math.nan, math.nan)
    return PulledTranslation(ids, tokenizer.decode(ids), tokenizer.labels([ids[place]])[0], *known)
