"""Every head of encoder self-attention, masked decoder self-attention and cross-attention."""

from __future__ import annotations

from pages.shared.attention_viewer.explore import explore_text
from pages.shared.opening import opening, translated
from pages.shared.texts import block, how_to_read


def main() -> None:
    """Read the inputs, trace, show."""
    request = opening("attention")
    if not request.accepted:
        return
    trace = request.trace()
    translated(trace)
    explore_text(request, trace)
    how_to_read(block("attention", "rows-columns-kinds"), block("attention", "what-to-look-for"))


main()
