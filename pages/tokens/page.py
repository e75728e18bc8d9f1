"""How text becomes vectors: tokens, ids, embedding rows, scale and position; spellings, contexts, order, sizes."""

from pages.shared.page_header import DECODING, NOTHING, SENTENCE
from pages.shared.page_sections import Part, show_parts
from pages.tokens import contexts, dimensions, embedding, neighbours, sizes, spelling, word_order
from views.text.catalogue import Message

PARTS = (
    Part("step-by-step", Message("tokens.part.step-by-step", "Step by step"), embedding.show, reads=SENTENCE),
    Part("neighbours", Message("tokens.part.neighbours", "Neighbours"), neighbours.show, reads=SENTENCE),
    Part("dimensions", Message("tokens.part.dimensions", "Single dimensions"), dimensions.show, reads=NOTHING),
    Part("spelling", Message("tokens.part.spelling", "Spelling"), spelling.show, reads=NOTHING),
    Part("contexts", Message("tokens.part.contexts", "One word, many contexts"), contexts.show, reads=NOTHING),
    Part("word-order", Message("tokens.part.word-order", "Word order"), word_order.show, reads=DECODING),
    Part("sizes", Message("tokens.part.sizes", "Sizes"), sizes.show, ("other-names",), reads=NOTHING),
)

show_parts("tokens", PARTS, "part")
