"""A network that no page knows: two stacks of unequal length, one head, scores by distance, its own check."""

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from model.tracing.kinds import AttentionKind
from model.tracing.trace import AttentionRecord, Verification

READING = AttentionKind("reading", "attention while reading", "note", "note", "reader", "self", score="distance")
ASKING = AttentionKind("asking", "attention while asking", "question", "note", "asker", "cross", score="distance")
WORDS = {"note": ("a", "note", "of", "five", "words"), "question": ("which", "three", "?")}
DEPTHS = {"reading": 2, "asking": 1}
WIDTH = 4


def softmax(scores: np.ndarray) -> np.ndarray:
    """Compute the softmax over the last axis."""
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


class DistanceRecord(AttentionRecord):
    """Attention whose scores are minus the squared distance, which differs from fused scaled dot products."""

    def verify(self) -> Verification:
        worst = 0.0
        for place in np.ndindex(self.weights.shape[:3]):
            layer, head, query = place
            apart = self.keys[layer, head].astype(float) - self.queries[place].astype(float)
            weights = softmax(-np.square(apart).sum(axis=1))
            worst = max(worst, float(np.abs(weights - self.weights[place]).max()))
        rows = self.weights.sum(axis=-1, dtype=np.float64)
        return Verification(worst, float(np.abs(rows - 1).max()), 0.0)


@dataclass(frozen=True, eq=False)
class DistanceTrace:
    records: dict[str, DistanceRecord]
    logits: np.ndarray

    def axes(self, kind: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        of = {"reading": READING, "asking": ASKING}[kind]
        return WORDS[of.queries], WORDS[of.keys]


class DistanceModel:
    """Reads a note, then asks it a question."""

    kinds = (READING, ASKING)
    capabilities = frozenset({"complete", "ablate"})
    card: dict = {}
    weights_sha256 = "d" * 64
    config = SimpleNamespace(to_dict=lambda: {"d_model": WIDTH})
    parameters = 60
    device_name = "CPU"

    def trace(self, seed: int = 0, *, without: tuple[str, int] | None = None) -> DistanceTrace:
        """All intermediate results; `seed` draws the vectors; the output of the kind and layer `without` is 0."""
        generator = np.random.default_rng(seed)
        streams = {side: generator.normal(size=(len(words), WIDTH)) for side, words in WORDS.items()}
        records = {}
        for kind in self.kinds:
            steps = []
            for layer in range(DEPTHS[kind.name]):
                matrices = np.random.default_rng(7 + layer).normal(size=(3, WIDTH, WIDTH)) / 2
                queries, keys, values = (
                    streams[side] @ matrix
                    for side, matrix in zip((kind.queries, *2 * [kind.keys]), matrices, strict=True)
                )
                scores = -np.square(queries[:, None] - keys[None]).sum(axis=-1)
                weights = softmax(scores)
                outputs = weights @ values * (without != (kind.name, layer))
                streams[kind.queries] = streams[kind.queries] + outputs
                steps.append((queries, keys, values, scores, weights, outputs))
            arrays = (np.stack(part)[:, None].astype(np.float32) for part in zip(*steps, strict=True))
            records[kind.name] = DistanceRecord(*arrays, None)
        return DistanceTrace(records, streams["question"])

    def score(self, trace: DistanceTrace) -> np.ndarray:
        """-ln p of the first of the four answers, for each word of the question."""
        return -np.log(softmax(trace.logits)[:, 0])

    def ablate(self, seed: int = 0) -> dict[str, np.ndarray]:
        """Kind -> `(layer, head)`, what leaving a head out adds to the score."""
        whole = self.score(self.trace(seed)).mean()
        return {
            kind.name: np.array(
                [
                    [self.score(self.trace(seed, without=(kind.name, layer))).mean() - whole]
                    for layer in range(DEPTHS[kind.name])
                ]
            )
            for kind in self.kinds
        }
