"""Labels for attention heads, computed from their maps by stated rules.

Every pattern is a set of cells (query, key). Its **score** for a head is the share of attention that falls on them:

    score = mean over queries q of  sum over keys k in pattern(q) of  a[q, k]

over the queries that have a choice (at least two keys are not masked) and for which the pattern has a key. It is in
[0, 1]. Its **chance** is the score of attention spread evenly over the keys that are not masked. Scores of
this form are what Clark et al. 2019 (section 3) average over a corpus and what TransformerLens's head detectors
measure; Voita et al. 2019 (section 5) call a head positional by where its largest weight is, which is stricter.

    previous, next, same   the key one before, one after, at the position of the query
    start, end             the first and the last key: `<s>`, or the first token, and `</s>`
    duplicate              other positions with the same token as the query (self-attention)
    aligned                source tokens that a word alignment links to the token being generated (cross-attention);
                           such heads are what Garg et al. 2019 train for and Chen et al. 2020 find
    aligned, read          the same for the token just read, which is the label of the row
    diffuse                not a set of cells: mean over queries of entropy(a[q]) / ln(number of keys not masked)

In cross-attention row t generates token t, so its position is t. For pictures the queries are the patches, and the
patterns are those of `picture_patterns`, and CLS.

A head of text gets the label of its largest score; a head of pictures, whose patterns differ much in size, that of its
largest ratio of score to chance. Only scores that meet a `LabelRule` count: at least `least`, and `times` times chance.
If none does, it is `diffuse` if that score is at least the rule's `spread`; else `mixed`.
"""

from dataclasses import dataclass

import numpy as np

from ..tracing.kinds import KINDS, AttentionKind
from ..tracing.trace import SentenceTrace
from .vision_analysis import distances

DIFFUSE, MIXED = "diffuse", "mixed"


@dataclass(frozen=True)
class LabelRule:
    """Conditions of a head's label."""

    least: float  # score of a pattern
    times: float  # ratio of the score to that of uniform attention
    spread: float  # score of `DIFFUSE`, if no pattern qualifies


TEXT, PICTURES = LabelRule(0.5, 2.0, 0.8), LabelRule(0.25, 1.5, 0.8)


@dataclass(frozen=True)
class HeadLabel:
    """A head's label and its score; for `mixed`, its largest score."""

    name: str
    pattern: str  # the pattern of the score; the same as `name` except for `mixed`
    score: float
    chance: float  # of that pattern


@dataclass(frozen=True, eq=False)
class HeadScores:
    """Scores of all heads of one kind."""

    # pattern -> `(layer, head)` float64 in [0, 1]; patterns without any query are left out
    scores: dict[str, np.ndarray]
    chance: dict[str, float]  # pattern -> the score of uniform attention

    @property
    def rule(self) -> LabelRule:
        """The rule of pictures or of text: only pictures have "same patch"."""
        return PICTURES if "same patch" in self.scores else TEXT

    def label(self, layer: int, head: int) -> HeadLabel:
        """Return the label of a head by the rule above."""
        scores, chance, rule = (
            {name: float(table[layer, head]) for name, table in self.scores.items()},
            self.chance,
            self.rule,
        )
        patterns = {name: score for name, score in scores.items() if name != DIFFUSE}
        qualified = [
            name for name, score in patterns.items() if score >= rule.least and score >= rule.times * chance[name]
        ]
        rank = (lambda name: scores[name] / chance[name]) if rule == PICTURES else scores.__getitem__
        if qualified:
            best = max(qualified, key=rank)
            return HeadLabel(best, best, patterns[best], chance[best])
        if scores.get(DIFFUSE, 0) >= rule.spread:
            return HeadLabel(DIFFUSE, DIFFUSE, scores[DIFFUSE], 1.0)
        best = max(patterns or scores, key=rank, default="")
        return HeadLabel(MIXED, best, scores.get(best, 0.0), chance.get(best, 0.0))


def text_scores(
    weights: np.ndarray,
    kind: AttentionKind,
    query_ids: tuple[int, ...],
    key_ids: tuple[int, ...],
    links: np.ndarray | None = None,
) -> HeadScores:
    """Score the translator's heads.

    Args:
        weights: `(layer, head, query, key)`.
        kind: which attention; the rest of the patterns follow from it.
        query_ids, key_ids: tokens on the axes.
        links: `(token, key)` bool, word alignment of the tokens that the queries of "cross" generate; None if unknown.
    """
    queries, keys = weights.shape[2:]
    rows, columns = np.arange(queries)[:, None], np.arange(keys)[None]
    allowed = columns <= rows if kind.causal else np.ones((queries, keys), dtype=bool)
    patterns = {
        "previous": columns == rows - 1,
        "next": columns == rows + 1,
        "same": columns == rows,
        "start": np.broadcast_to(columns == 0, (queries, keys)),
        "end": np.broadcast_to(columns == keys - 1, (queries, keys)),
    }
    if kind.causal:  # later keys are masked, and the last key exists for the last query only
        del patterns["next"], patterns["end"]
    if kind.square:
        patterns["duplicate"] = (np.array(query_ids)[:, None] == np.array(key_ids)[None]) & (rows != columns)
    elif links is not None:
        patterns["aligned"] = links
        patterns["aligned, read"] = np.concatenate([np.zeros((1, keys), dtype=bool), links[:-1]])
    return _score(weights, patterns, allowed)


def head_scores(trace: SentenceTrace, links: np.ndarray | None = None) -> dict[str, HeadScores]:
    """`text_scores` of every kind of attention that a trace has, by the kind's name."""
    return {
        name: text_scores(record.weights, KINDS[name], *trace.ids(name), links)
        for name, record in trace.records.items()
    }


def most_focused_head(weights: np.ndarray, scores: HeadScores, pattern: str) -> tuple[int, int] | None:
    """Return layer and head of the lowest mean entropy over the queries, among heads with a label.

    Args:
        weights: `(layer, head, query, key)`.
        scores: of these heads.
        pattern: name of the label. If no head has it, the head with its largest score is returned; None if it has no
            scores.
    """
    table = scores.scores.get(pattern)
    if table is None:
        return None
    labelled = [place for place in np.ndindex(table.shape) if scores.label(*place).name == pattern]
    if not labelled:
        layer, head = divmod(int(table.argmax()), table.shape[1])
        return layer, head
    mean = entropies(weights.astype(np.float64)).mean(axis=-1)  # (layer, head)
    return min(labelled, key=mean.__getitem__)


def vision_scores(attention: np.ndarray, grid: tuple[int, int], pixels: np.ndarray | None = None) -> HeadScores:
    """Score a ViT's heads, with the patches as queries.

    Args:
        attention: `(layer, head, 1 + patch, 1 + patch)`, CLS first; of a network without CLS `(layer, head, patch,
            patch)`, without a score for CLS.
        grid: rows and columns of patches.
        pixels: `(row, column, channel)` of the picture; None leaves out the scores of colour and detail.
    """
    patches = grid[0] * grid[1]
    leading = attention.shape[2] - patches
    among = picture_patterns(grid, pixels) | {"CLS": np.zeros((patches, patches), dtype=bool)}
    first = {name: np.full((patches, leading), name == "CLS") for name in among}
    patterns = {name: np.concatenate([first[name], cells], axis=1) for name, cells in among.items()}
    weights = attention[:, :, leading:]  # (layer, head, patch, 1 + patch)
    return _score(weights, patterns, np.ones(weights.shape[2:], dtype=bool))


def _score(weights: np.ndarray, patterns: dict[str, np.ndarray], allowed: np.ndarray) -> HeadScores:
    """Score patterns, each `(query, key)` bool, with the keys in `allowed` `(query, key)` bool not masked."""
    weights = weights.astype(np.float64)
    count = allowed.sum(axis=1)  # (query,)
    scores, chance = {}, {}
    for name, cells in patterns.items():
        cells = cells & allowed
        scored = (count > 1) & cells.any(axis=1)
        if scored.any():
            scores[name] = (weights * cells).sum(axis=-1)[..., scored].mean(axis=-1)  # (layer, head)
            chance[name] = float((cells.sum(axis=1) / count)[scored].mean())
    free = count > 1
    if free.any():
        relative = entropies(weights[:, :, free]) / np.log(count[free])  # (layer, head, query)
        scores[DIFFUSE] = relative.mean(axis=-1)  # (layer, head)
        chance[DIFFUSE] = 1.0
    return HeadScores({name: table.clip(0, 1) for name, table in scores.items()}, chance)


def entropies(weights: np.ndarray) -> np.ndarray:
    """Entropy of every query's weights in nats, `(layer, head, query)`, of float64 weights; 0 ln 0 is 0."""
    return -(weights * np.log(np.where(weights > 0, weights, 1))).sum(axis=-1)


# Patterns of attention in pictures: by distance, by direction, by colour, by detail.
#
# same patch the patch itself neighbours, nearby the up to eight around it; all others whose middles are at most `NEAR`
# patches away row, column the others of its row or column left, right, above, below those whose offset is largest in
# that direction similar colour the quarter of the others whose mean colour is nearest (distance in red, green, blue)
# detail the quarter of all in which brightness varies most (standard deviation), the same for every query

NEAR = 3.0
QUARTER = 0.25


def picture_patterns(grid: tuple[int, int], pixels: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """Compute pattern -> `(query patch, key patch)` bool.

    Args:
        grid: rows and columns of patches.
        pixels: `(row, column, channel)` of the picture, sides divisible by the grid; None leaves colour and detail out.
    """
    apart = distances(grid)  # (patch, patch)
    rows, columns = np.divmod(np.arange(len(apart)), grid[1])
    down, right = rows[None] - rows[:, None], columns[None] - columns[:, None]
    other = apart > 0
    patterns = {
        "same patch": ~other,
        "neighbours": other & (apart < 2),
        "nearby": other & (apart <= NEAR),
        "row": other & (down == 0),
        "column": other & (right == 0),
        "left": -right > np.abs(down),
        "right": right > np.abs(down),
        "above": -down > np.abs(right),
        "below": down > np.abs(right),
    }
    if pixels is None:
        return patterns
    size = pixels.shape[0] // grid[0], pixels.shape[1] // grid[1]
    blocks = pixels.astype(np.float64).reshape(grid[0], size[0], grid[1], size[1], -1).transpose(0, 2, 1, 3, 4)
    blocks = blocks.reshape(len(apart), size[0] * size[1], -1)  # (patch, pixel, channel)
    colours = blocks.mean(axis=1)
    unlike = np.linalg.norm(colours[:, None] - colours[None], axis=-1)
    np.fill_diagonal(unlike, np.inf)  # the patch itself is no other
    similar = np.zeros_like(other)
    np.put_along_axis(similar, unlike.argsort(axis=1, kind="stable")[:, : round(QUARTER * len(apart))], True, axis=1)
    varied = blocks.mean(axis=-1).std(axis=1)  # (patch,)
    detail = np.zeros_like(other)
    detail[:, (-varied).argsort(kind="stable")[: round(QUARTER * len(apart))]] = True
    return patterns | {"similar colour": similar, "detail": detail}
