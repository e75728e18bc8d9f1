"""What came before the Transformer: recurrent networks, gates, one vector, and the first attention."""

from __future__ import annotations

from pages.history import forgetting, gates, one_word
from pages.shared.parts import Part, show_parts
from views.html import bars, steps
from views.text.catalogue import Message

PARTS = (
    Part("one-word", Message("history.part.one-word", "One word at a time"), one_word.show),
    Part("forgetting", Message("history.part.forgetting", "What is forgotten"), forgetting.show),
    Part("gates", Message("history.part.gates", "Gates"), gates.show),
)

show_parts("history", PARTS, "part", bars.STYLE + steps.STYLE)
