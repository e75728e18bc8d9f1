"""The picture classifier as its page uses it: loaded once a process, recent pictures kept.

A picture is known by the SHA-256 of its pixels as the model receives them. What is computed for the project's samples
is shared by all visitors; what is computed for a person's own picture is kept for that visit alone.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace

import streamlit as st
from PIL import Image

from model import CheckpointError, VisionClassifier, VisionTrace
from server.process_wide import process_wide
from server.recent import Recent, T, computing
from views.address import settings
from views.text import literal
from views.text.catalogue import say_error

RECENT_TRACES = 8  # about eight megabytes each
RECENT_ANALYSES = 128  # curves, relevance, changed probabilities: some kilobytes each


@dataclass
class VisionService:
    """The loaded classifier, its recent results, and the lock that lets one computation run at a time."""

    classifier: VisionClassifier
    computing: threading.Lock = field(default_factory=threading.Lock)
    traces: Recent = field(default_factory=lambda: Recent(RECENT_TRACES))
    analyses: Recent = field(default_factory=lambda: Recent(RECENT_ANALYSES))

    def trace(self, image: Image.Image) -> tuple[str, VisionTrace]:
        """Everything the network computes for a picture, and the key to ask `analysis` about it."""
        pixels = self.classifier.prepare(image)
        key = hashlib.sha256(pixels.tobytes()).hexdigest()
        return key, self.traces.get_or_compute(key, lambda: self.classifier.trace(pixels), self.computing)

    def analysis(self, key: Hashable, compute: Callable[[], T]) -> T:
        """What `compute` returns, from the recent results if it is there. `key` says what is computed, of what."""
        return self.analyses.get_or_compute(key, compute, self.computing)


@process_wide
def load_vision() -> VisionService:
    """The one classifier of this process.

    Raises:
        CheckpointError: its files are missing or damaged.
    """
    return VisionService(VisionClassifier.load(), computing())


def private(service: VisionService) -> VisionService:
    """The same classifier with results that belong to this visit and end with it."""
    kept = st.session_state.setdefault("own_results", (Recent(1), Recent(RECENT_ANALYSES)))
    return replace(service, traces=kept[0], analyses=kept[1])


def open_vision() -> VisionService:
    """The classifier; on a broken installation one sentence, and the page ends."""
    try:
        with st.skeleton(height=240):
            return load_vision()
    except CheckpointError as error:
        st.error(literal.with_code(say_error(error)))
        settings.stop()
