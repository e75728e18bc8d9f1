"""How a translation comes to be: step by step, from vector to token, forced or free, and in a beam."""

from pages.decoding import beam_search, linear_softmax, step, teacher_forcing
from pages.shared.page_header import SENTENCE
from pages.shared.page_sections import PageSection, render_sections
from views.text.catalogue import Message

PARTS = (
    PageSection("step-by-step", Message("decoding.part.step", "Step by step"), step.render),
    PageSection("linear-softmax", Message("decoding.part.linear", "Linear + softmax"), linear_softmax.render),
    PageSection("teacher-forcing", Message("decoding.part.forcing", "Teacher forcing"), teacher_forcing.render),
    PageSection("beam-search", Message("decoding.part.beam", "Beam search"), beam_search.render, reads=SENTENCE),
)

render_sections("decoding", PARTS, "part")
