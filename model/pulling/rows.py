"""Translate one sentence many times in a batch, with another number added to one score in each row."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from torch import Tensor

from ..decoding.drafted_rows import GeneratedRow, decode_merged_rows, decode_rows_in_steps
from ..networks.tap import Chain, Intervention, Tap
from ..networks.transformer import Transformer
from ..runtime.progress import InSteps
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
    """The translation of one row."""

    ids: tuple[int, ...]
    """Generated tokens, `</s>` included if it was reached."""
    text: str
    """The same as text."""
    chosen: str | None
    """The token that the pulled query chose, as it is shown; None where the query chooses none: in the encoder, or
    behind the end of the translation.
    """
    probability: float
    """Of that token."""
    margin: float
    """Its probability less that of the second most probable."""


def score_tap(kind: str, heads: Heads, rows: Sequence[PulledScore]) -> Tap:
    """Return a tap that adds each row's number to its score in these heads; a place that does not exist yet is left.

    A batch of one row becomes one of all rows.
    """

    def change(scores: Tensor, own: list[int]) -> Tensor:
        scores = scores.expand(len(rows), -1, -1, -1).clone()  # of one row, if all are the same so far
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


def translate_rows_in_steps(
    network: Transformer,
    tokenizer: Tokenizer,
    source_ids: Sequence[int],
    kind: str,
    heads: Heads,
    rows: Sequence[PulledScore],
    limit: int,
    before: Tap | None = None,
    draft: Sequence[int] = (),
    memory: Tensor | None = None,
) -> InSteps[list[PulledTranslation]]:
    """Translate greedily, every row of a batch with its own number added to its score.

    Args:
        source_ids: ends with `</s>`.
        limit: most tokens to generate.
        before: a tap that all rows pass first, such as that of earlier interventions. It must not let a query attend to
            later tokens.
        draft: a likely translation, which makes the work less and changes nothing.
        memory: the encoder's output under `before`, `(1, source, d_model)`, if the rows share it.
    """

    def tap_of(numbers: Sequence[int]) -> Tap:
        tap = score_tap(kind, heads, [rows[number] for number in numbers])
        return tap if before is None else Chain(before, tap)

    chooses = kind_of(kind).stack == "decoder"
    # a score of the decoder changes nothing before its query
    places = {row.query for row in rows}
    in_last_layer = all(layer == network.config.n_decoder_layers - 1 for layer, _ in heads)
    if chooses and in_last_layer and len(places) == 1:
        generated = decode_merged_rows(
            network,
            source_ids,
            score_tap(kind, heads, rows),
            len(rows),
            limit,
            draft,
            places.pop(),
            before,
            memory,
            is_last=kind == "cross",
        )
    else:
        shared = min(places) if chooses else None
        generated = yield from decode_rows_in_steps(
            network, source_ids, tap_of, len(rows), limit, draft, shared, before, memory
        )
    return [
        _describe(tokenizer, each, row.query if chooses and row.query < len(each.ids) else None)
        for row, each in zip(rows, generated, strict=True)
    ]


def _describe(tokenizer: Tokenizer, row: GeneratedRow, place: int | None) -> PulledTranslation:
    ids = tuple(row.ids)
    if place is None:
        return PulledTranslation(ids, tokenizer.decode(ids), None, math.nan, math.nan)
    first, second = row.chances[place]
    return PulledTranslation(ids, tokenizer.decode(ids), tokenizer.labels([ids[place]])[0], first, first - second)
