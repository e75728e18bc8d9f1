"""The page *Decoding*: a translation step by step, the choice of tokens, teacher forcing, beams, caches, one stack."""

from pages.decoding import beam_search, kv_cache, linear_softmax, one_stack, step, teacher_forcing
from pages.shared.page_header import SENTENCE
from pages.shared.page_sections import PageSection, render_sections
from views.text.catalogue import Message

PARTS = (
    PageSection("step-by-step", Message("decoding.part.step", "Step by step"), step.render),
    PageSection("linear-softmax", Message("decoding.part.linear", "Linear + softmax"), linear_softmax.render),
    PageSection("teacher-forcing", Message("decoding.part.forcing", "Teacher forcing"), teacher_forcing.render),
    PageSection("beam-search", Message("decoding.part.beam", "Beam search"), beam_search.render, reads=SENTENCE),
    PageSection("kv-cache", Message("decoding.part.cache", "KV cache"), kv_cache.render),
    PageSection("one-stack", Message("decoding.part.one-stack", "One stack or two"), one_stack.render),
)

render_sections("decoding", PARTS, "part")
