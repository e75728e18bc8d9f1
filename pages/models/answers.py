"""What an opened model says: the next token, what stands behind a mask, a translation, or a class."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from model import HeadInterventions, HubTrace
from model.hub.opened_model import MOST_GENERATED, OpenedModel
from pages.shared import files
from pages.shared.service import Service
from views.controls import widgets
from views.html import generated_tokens
from views.text import literal, prose
from views.text.catalogue import say
from views.text.numbers import percent

BEST = 5  # candidates that are shown


@dataclass(frozen=True)
class GeneratedText:
    """What a model generates for a text: at most so many new tokens."""

    text: str
    tokens: int


def render(service: Service, text: str, trace: HubTrace, *, fed: bool = False) -> GeneratedText | None:
    """The answer of a model that reads text; gives back what is generated, if anything is.

    Args:
        fed: whether the target of the trace is the reader's, and not the model's own.
    """
    model: OpenedModel = service.model
    if model.task == "complete":
        return _render_continuation(service, text, trace)
    if model.task == "translate":
        return _render_translation(service, text, trace, fed)
    if model.task == "fill":
        _render_mask(model, trace)
    elif model.classes is not None:
        render_classes(trace)
    return None


def generate(service: Service, text: str, tokens: int, plan: HeadInterventions | None = None) -> str:
    """What the model generates for a text, under interventions if there are any; computed once for each plan."""
    key = ("generated", text, tokens, "" if plan is None else plan.to_text())
    return service.analysis_in_steps(key, lambda model: model.generate_in_steps(text, tokens, plan))


def render_classes(trace: HubTrace) -> None:
    """The most probable classes."""
    order = trace.probabilities.reshape(-1).argsort()[::-1][:BEST]
    found = [(trace.classes[place], float(trace.probabilities.reshape(-1)[place])) for place in order]
    _render_candidates(say("models.class", "class"), found)


def render_generated(label: str, text: str) -> None:
    """What a model has generated."""
    st.html(generated_tokens.label(label) + generated_tokens.sentence(text or "\u2014", ""))


def _render_continuation(service: Service, text: str, trace: HubTrace) -> GeneratedText:
    count = widgets.slider(say("models.tokens", "New tokens"), "n", 20, 1, 100)
    made = generate(service, text, count)
    render_generated(say("models.continuation", "It goes on"), made)
    _render_candidates(say("models.next", "next token"), service.model.top(trace, -1, BEST))
    return GeneratedText(made, count)


def _render_translation(service: Service, text: str, trace: HubTrace, fed: bool) -> GeneratedText:
    source, target = (len(side.ids) for side in (trace.source, trace.target))
    count = max(target, min(MOST_GENERATED, 2 * source + 10))
    if fed:
        made = generate(service, text, count)
    else:
        made = service.model.reader.decode(trace.target.ids[1:], skip_special_tokens=True)
    render_generated(say("models.generated", "Generated"), made)
    return GeneratedText(made, count)


def _render_mask(model: OpenedModel, trace: HubTrace) -> None:
    mask = model.reader.mask_token
    places = [place for place, id_ in enumerate(trace.source.ids) if id_ == model.reader.mask_token_id]
    if not places:
        st.caption(prose.block("models", "mask", mask=literal.markdown(mask)))
    for number, place in enumerate(places, 1):
        heading = say("models.masked", "token {number} behind the mask", number=number)
        _render_candidates(heading, model.top(trace, place, BEST))


def _render_candidates(heading: str, found: Sequence[tuple[str, float]]) -> None:
    rows = [(name, percent(probability)) for name, probability in found]
    st.dataframe(
        files.data_frame(rows, [heading, say("column.probability", "probability")]), hide_index=True, width="content"
    )
