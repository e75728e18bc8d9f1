"""The page *Tokens*: tokens, ids, embedding rows, scale and position; spellings, contexts, order, sizes."""

from pages.shared.page_header import DECODING, NOTHING, SENTENCE
from pages.shared.page_sections import PageSection, render_sections
from pages.tokens import contexts, dimensions, embedding, neighbours, sizes, spelling, word_order
from views.text.catalogue import Message

PARTS = (
    PageSection("step-by-step", Message("tokens.part.step-by-step", "Step by step"), embedding.render, reads=SENTENCE),
    PageSection("neighbours", Message("tokens.part.neighbours", "Neighbours"), neighbours.render, reads=SENTENCE),
    PageSection("dimensions", Message("tokens.part.dimensions", "Single dimensions"), dimensions.render, reads=NOTHING),
    PageSection("spelling", Message("tokens.part.spelling", "Spelling"), spelling.render, reads=NOTHING),
    PageSection("contexts", Message("tokens.part.contexts", "One word, many contexts"), contexts.render, reads=NOTHING),
    PageSection("word-order", Message("tokens.part.word-order", "Word order"), word_order.render, reads=DECODING),
    PageSection("sizes", Message("tokens.part.sizes", "Sizes"), sizes.render, ("other-names",), reads=NOTHING),
)

render_sections("tokens", PARTS, "part")
