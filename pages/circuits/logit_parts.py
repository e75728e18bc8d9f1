"""The section *Logit attribution*: a logit as a sum over heads, feed-forward layers, embedding and biases."""

import streamlit as st

from model import Trace
from model.causal.logit_attribution import LogitAttribution
from pages.shared.causes.logit_bars import choose_view, render_logit_parts
from pages.shared.causes.text_pairs import quoted
from pages.shared.code import render_program, sentence
from pages.shared.page_header import Request, traced_translation_html
from pages.shared.texts import block
from views import map_labels
from views.controls import sentence_input, widgets
from views.text import literal
from views.text.catalogue import Untranslated, say


def render(request: Request) -> None:
    """Render the section."""
    trace = request.trace()
    st.html(traced_translation_html(request.service, trace))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        label, options = say("circuits.lens.position", "Next token"), map_labels.token_options(trace.next_tokens)
        place = int(widgets.select(label, options, "position", width=220)) - 1
        other = choose_other(trace, place)
        view = choose_view()
    attribution = attribute(request, trace, place, other)
    names = sentence_input.kind_names(request.service.kinds)
    render_logit_parts(attribution, names, view, _describe(trace, place, other))
    values = sentence(request) | {"position": place, "other": other}
    render_program("circuits", "logit", **values)


def choose_other(trace: Trace, place: int) -> int | None:
    """Render the choice of a token whose logit is subtracted; None for none."""
    following = trace.next_ids[place]
    rivals = [candidate for candidate in trace.predictions()[place].top if candidate.id != following]
    options: dict[str, str | Untranslated] = {"none": say("circuits.minus.nothing", "Nothing")}
    options |= {str(each.id): Untranslated(literal.visible(literal.token(each.token))) for each in rivals}
    chosen = widgets.select(say("circuits.minus", "Minus the logit of"), options, "minus", width=180)
    return None if chosen == "none" else int(chosen)


def attribute(request: Request, trace: Trace, place: int, other: int | None) -> LogitAttribution:
    """Split a logit of a trace; cached."""
    key = ("logit parts", trace.source_ids, trace.next_ids, place, other)
    return request.service.analysis(
        key, lambda model: model.logit_attribution(trace, trace.next_ids[place], other, place)
    )


def _describe(trace: Trace, place: int, other: int | None) -> str:
    token = quoted(trace.next_tokens[place])
    if other is None:
        return block("circuits", "logit-of", token=token)
    return block("circuits", "measured-difference", token=token, other=quoted(trace.tokenizer.labels([other])[0]))
