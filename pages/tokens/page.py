"""How text becomes vectors: tokens, ids, embedding rows, scale and position; spellings, contexts, order, sizes."""

from __future__ import annotations

from pages.shared.parts import show_parts
from pages.tokens import contexts, embedding, sizes, vocabulary, word_order
from views.html import bars

PARTS = {
    "Step by step": embedding.show,
    "Neighbours": vocabulary.neighbours,
    "Spelling": vocabulary.spelling,
    "One word, many contexts": contexts.show,
    "Word order": word_order.show,
    "Sizes": sizes.show,
}

show_parts("tokens", PARTS, "part", bars.STYLE)
