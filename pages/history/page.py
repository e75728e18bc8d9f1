"""What came before the Transformer: recurrent networks, gates, one vector, and the first attention."""

from __future__ import annotations

from pages.history import (
    alignment,
    forgetting,
    gates,
    ladder,
    one_vector,
    one_word,
    recurrence,
    without_projections,
)
from pages.shared.parts import Part, show_parts
from views.html import bars, steps
from views.text.catalogue import Message

PARTS = (
    Part("one-word", Message("history.part.one-word", "One word at a time"), one_word.show),
    Part("forgetting", Message("history.part.forgetting", "What is forgotten"), forgetting.show),
    Part("gates", Message("history.part.gates", "Gates"), gates.show),
    Part("one-vector", Message("history.part.one-vector", "One vector for all"), one_vector.show),
    Part("attention-over-states", Message("history.part.attention", "Attention over states"), alignment.show),
    Part(
        "without-projections",
        Message("history.part.without-projections", "Without W^Q and W^K"),
        without_projections.show,
    ),
    Part("recurrence", Message("history.part.recurrence", "Why drop recurrence"), recurrence.show),
    Part("ladder", Message("history.part.ladder", "The ladder"), ladder.show),
)

show_parts("history", PARTS, "part", bars.STYLE + steps.STYLE)
