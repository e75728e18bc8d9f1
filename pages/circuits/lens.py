"""The section *Lens*: what the network would say if it stopped after each layer (nostalgebraist 2020)."""

import streamlit as st

from model import Trace
from model.causal.logit_lens import LogitLens
from pages.shared.causes.lens_tables import LensLabels, render_lens
from pages.shared.code import render_program, sentence
from pages.shared.page_header import Request, traced_translation_html


def read_lens(request: Request, trace: Trace) -> LogitLens:
    """Read out all layers of a trace; cached."""
    key = ("logit lens", trace.source_ids, trace.next_ids)
    return request.service.analysis(key, lambda model: model.logit_lens(trace))


def render(request: Request) -> None:
    """Render the section."""
    trace = request.trace()
    st.html(traced_translation_html(request.service, trace))
    labels = LensLabels(trace.target_tokens, trace.next_tokens, request.service.model.tokenizer.labels, language="fr")
    render_lens(read_lens(request, trace), labels)
    render_program("circuits", "lens", **sentence(request))
