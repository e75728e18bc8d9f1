"""What came before the Transformer: recurrent networks, gates, one vector, and the first attention."""

from __future__ import annotations

from pages.history import one_word, recurrence, without_projections
from pages.shared.parts import Part, show_parts
from views.html import bars
from views.text.catalogue import Message

PARTS = (
    Part("one-word", Message("history.part.one-word", "One word at a time"), one_word.show),
    Part(
        "without-projections",
        Message("history.part.without-projections", "Without W^Q and W^K"),
        without_projections.show,
    ),
    Part("recurrence", Message("history.part.recurrence", "Why drop recurrence"), recurrence.show),
)

show_parts("history", PARTS, "part", bars.STYLE)
