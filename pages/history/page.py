"""The page *Before the Transformer*: recurrent networks, gates, one vector, and the first attention."""

from pages.history import (
    alignment,
    bleu_by_network,
    forgetting,
    gates,
    networks,
    one_vector,
    one_word,
    recurrence,
    without_projections,
)
from pages.shared.page_header import NOTHING, SENTENCE
from pages.shared.page_sections import PageSection, render_sections
from views.text.catalogue import Message

PARTS = (
    PageSection("one-word", Message("history.part.one-word", "One word at a time"), one_word.render, reads=SENTENCE),
    PageSection(
        "forgetting", Message("history.part.forgetting", "What is forgotten"), forgetting.render, reads=SENTENCE
    ),
    PageSection("gates", Message("history.part.gates", "Gates"), gates.render),
    PageSection("one-vector", Message("history.part.one-vector", "One vector for all"), one_vector.render),
    PageSection("attention-over-states", Message("history.part.attention", "Attention over states"), alignment.render),
    PageSection(
        "without-projections",
        Message("history.part.without-projections", "Without W^Q and W^K"),
        without_projections.render,
        reads=SENTENCE,
    ),
    PageSection("recurrence", Message("history.part.recurrence", "Why drop recurrence"), recurrence.render),
    PageSection("ladder", Message("history.part.ladder", "Networks compared"), bleu_by_network.render, reads=NOTHING),
)

render_sections("history", PARTS, "part")
networks.load_in_background()
forgetting.prefetch_gradients()
gates.prefetch_trace()
