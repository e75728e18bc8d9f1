"""How a translation comes to be: step by step, from vector to token, forced or free, and in a beam."""

from pages.decoding import beam_search, linear_softmax, step, teacher_forcing
from pages.shared.page_header import SENTENCE
from pages.shared.page_sections import Part, show_parts
from views.text.catalogue import Message

PARTS = (
    Part("step-by-step", Message("decoding.part.step", "Step by step"), step.show),
    Part("linear-softmax", Message("decoding.part.linear", "Linear + softmax"), linear_softmax.show),
    Part("teacher-forcing", Message("decoding.part.forcing", "Teacher forcing"), teacher_forcing.show),
    Part("beam-search", Message("decoding.part.beam", "Beam search"), beam_search.show, reads=SENTENCE),
)

show_parts("decoding", PARTS, "part")
