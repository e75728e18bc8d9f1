"""Every head of encoder self-attention, masked decoder self-attention and cross-attention."""

from __future__ import annotations

from model import Trace
from pages.shared.attention_viewer.explore import explore_text
from pages.shared.opening import Request, on_translation
from pages.shared.texts import block, how_to_read


def show(request: Request, trace: Trace) -> None:
    """The attention viewer."""
    explore_text(request, trace)
    how_to_read(block("attention", "rows-columns-kinds"), block("attention", "what-to-look-for"))


on_translation("attention", show)
