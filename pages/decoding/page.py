"""How a translation comes to be: step by step, from vector to token, forced or free, and in a beam."""

from __future__ import annotations

from pages.decoding import beam_search, linear_softmax, step, teacher_forcing
from pages.shared.parts import show_parts
from views.html import bars, steps

PARTS = {
    "Step by step": step.show,
    "Linear + softmax": linear_softmax.show,
    "Teacher forcing": teacher_forcing.show,
    "Beam search": beam_search.show,
}

show_parts("decoding", PARTS, "part", bars.STYLE + steps.STYLE)
