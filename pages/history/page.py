"""What came before the Transformer: recurrent networks, gates, one vector, and the first attention."""

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
from pages.shared.page_sections import Part, show_parts
from views.text.catalogue import Message

PARTS = (
    Part("one-word", Message("history.part.one-word", "One word at a time"), one_word.show, reads=SENTENCE),
    Part("forgetting", Message("history.part.forgetting", "What is forgotten"), forgetting.show, reads=SENTENCE),
    Part("gates", Message("history.part.gates", "Gates"), gates.show),
    Part("one-vector", Message("history.part.one-vector", "One vector for all"), one_vector.show),
    Part("attention-over-states", Message("history.part.attention", "Attention over states"), alignment.show),
    Part(
        "without-projections",
        Message("history.part.without-projections", "Without W^Q and W^K"),
        without_projections.show,
        reads=SENTENCE,
    ),
    Part("recurrence", Message("history.part.recurrence", "Why drop recurrence"), recurrence.show),
    Part("ladder", Message("history.part.ladder", "The ladder"), bleu_by_network.show, reads=NOTHING),
)

show_parts("history", PARTS, "part")
networks.load_beside()
forgetting.compute_ahead()
gates.compute_ahead()
