"""How text becomes vectors: tokens, ids, embedding rows, scale and position; spellings, contexts, order, sizes."""

from __future__ import annotations

from pages.shared.parts import Part, show_parts
from pages.tokens import contexts, embedding, neighbours, sizes, spelling, word_order
from views.html import bars
from views.text.catalogue import Message

PARTS = (
    Part("step-by-step", Message("tokens.part.step-by-step", "Step by step"), embedding.show),
    Part("neighbours", Message("tokens.part.neighbours", "Neighbours"), neighbours.show),
    Part("spelling", Message("tokens.part.spelling", "Spelling"), spelling.show),
    Part("contexts", Message("tokens.part.contexts", "One word, many contexts"), contexts.show),
    Part("word-order", Message("tokens.part.word-order", "Word order"), word_order.show),
    Part("sizes", Message("tokens.part.sizes", "Sizes"), sizes.show),
)

show_parts("tokens", PARTS, "part", bars.STYLE)
