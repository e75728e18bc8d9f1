"""The stage for a recurrent network: its alignment as ribbons between two sentences, without pulls."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import map_labels, palette
from ..controls import sentence_input
from ..viewer.payload import SentArray, pack
from . import component, stage

_MOUNT = component.Component("alignment_stage", "stage-root")
_NAMES = ("english", "french", "englishName", "frenchName", "attends", "attended", "other", "masked", "corner")
WORDS = {name: stage.WORDS[name] for name in (*_NAMES, "held", "freed", "table")}


@dataclass(frozen=True, eq=False)
class AlignmentStage:
    """What is drawn."""

    title: str  # of the map
    # `english`, `french`: tokens; the French ones in the order in which they were chosen
    english: Sequence[str]
    french: Sequence[str]
    start: str  # the decoder's first input
    weights: np.ndarray  # `(french, english)`; rows sum to 1


def payload(content: AlignmentStage, theme: palette.Theme) -> bytes:
    """The bytes that `web/src/views/alignment_stage.ts` reads."""
    header = {
        "theme": theme,
        "words": component.translated(WORDS),
        "title": content.title,
        "meaning": f"{stage.MEANINGS['cross']()} {stage.WORDS['barIsOne']()}",
        "english": component.labels(content.english),
        "french": component.labels(content.french),
        "rowName": map_labels.ROW_NAME,
        "start": component.labels([content.start])[0],
        "kinds": {kind: {"scales": component.scales(kind)} for kind in ("encoder", "cross", "decoder")},
    }
    return pack(header, {"cross": SentArray(content.weights, "float24")})


def alignment_stage(content: AlignmentStage, key: str) -> None:
    """Mount the stage of an alignment."""
    _MOUNT(key, payload(content, sentence_input.theme()))
