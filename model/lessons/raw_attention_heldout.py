"""Shipped figures of attention without projections, over held-out sentences and over the whole vocabulary."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from ..runtime.checkpoint import read_measured
from .raw_attention import FORMS

FILE = "raw_attention.json"  # in the folder of the Transformer's weights


@dataclass(frozen=True)
class StageFigures:
    """Figures of one stage over all sentences; see `model.lessons.raw_attention.encoder_stages`."""

    stage: str  # "embedding", "layer-1", ..., "output", or "lstm" for the states of a recurrent encoder
    pairs: int  # number of ordered pairs of different positions
    exceeding: int  # number of these with x_i . x_j > x_i . x_i.
    equal: int  # number of these with equal vectors
    own: dict[str, float]  # form of the score -> mean weight of a token on itself
    # mean weight of a token on itself in the trained heads that read these vectors; None where none does
    trained: float | None
    # share of tokens, over all those heads, that give no other token more weight than themselves
    trained_first: float | None


@dataclass(frozen=True)
class RawAttentionFigures:
    """Figures of all stages."""

    weights_sha256: tuple[str, str]  # of the Transformer and of the recurrent network
    # `sentences`, `tokens`: their numbers
    sentences: int
    tokens: int
    stages: tuple[StageFigures, ...]
    # a few exceeding pairs: stage, sentence, both tokens, x_i . x_i, x_i . x_j.
    examples: tuple[tuple[str, str, str, str, float, float], ...]
    vocabulary: int  # rows of the Transformer's embedding table
    vocabulary_tokens: int  # number of rows with a larger product with some other row than with themselves
    vocabulary_unused: int  # number of these that are bytes or special tokens
    vocabulary_pairs: int  # number of pairs of such a row and one with which it has the larger product
    vocabulary_wide: int  # number of these pairs with an angle above 45 degrees
    vocabulary_widest: float  # the largest angle of such a pair, in degrees

    def to_dict(self) -> dict:
        """Everything, for JSON."""
        return asdict(self)

    @classmethod
    def read(cls, folder: Path, weights: tuple[str, str]) -> RawAttentionFigures:
        """Read the figures of these weights from the folder of the Transformer.

        Raises:
            CheckpointError: the file is missing, damaged, or of other weights.
        """
        return read_measured(folder, FILE, list(weights), "raw-attention", cls._from_json)

    @classmethod
    def _from_json(cls, content: dict) -> RawAttentionFigures:
        stages = tuple(StageFigures(**stage) for stage in content["stages"])
        if any(set(stage.own) != set(FORMS) for stage in stages):
            raise KeyError("own")
        lists = {name: tuple(content[name]) for name in ("examples", "weights_sha256")}
        lists["examples"] = tuple(map(tuple, lists["examples"]))
        return cls(**{**content, **lists, "stages": stages})
