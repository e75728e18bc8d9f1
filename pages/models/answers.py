"""The answer of an opened model: the next token, the token of a mask, a translation, or a class."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from model import HeadInterventions, HubTrace
from model.hub.opened_model import OpenedModel
from model.hub.opened_reading import MOST_GENERATED
from pages.shared import files
from pages.shared.service import Service
from views.controls import widgets
from views.html import generated_tokens
from views.text import literal, prose
from views.text.catalogue import say
from views.text.class_names import class_name
from views.text.numbers import percent, three_digits

BEST = 5  # number of candidates


@dataclass(frozen=True)
class GeneratedText:
    """What a model generates for an input."""

    text: str
    tokens: int  # at most so many are generated
    generate: Callable[[HeadInterventions], str]  # returns what it generates for the same input under interventions


def render(
    service: Service[OpenedModel], text: str, trace: HubTrace, *, fed: bool = False, language: str | None = None
) -> GeneratedText | None:
    """Render the answer of a model that reads text; return the generated text, if any.

    Args:
        fed: whether the target of the trace is the user's, not the model's own.
        language: that the decoder writes, where it has several.
    """
    model = service.model
    if model.task == "complete":
        return _render_continuation(service, text, trace)
    if model.task == "translate":
        return _render_translation(service, text, trace, fed, language)
    if model.task == "fill":
        _render_mask(model, trace)
    elif model.classes is not None:
        render_classes(trace)
    render_left_out(model)
    return None


def generate(
    service: Service[OpenedModel],
    text: str,
    tokens: int,
    plan: HeadInterventions | None = None,
    language: str | None = None,
) -> str:
    """Generate text, under interventions if there are any; computed once for each plan."""
    key = ("generated", text, tokens, "" if plan is None else plan.to_text(), language)
    return service.analysis_in_steps(key, lambda model: model.generate_in_steps(text, tokens, plan, language))


def render_classes(trace: HubTrace) -> None:
    """Render the most probable classes or labels of a classifier's trace, or its largest scores."""
    assert trace.classes is not None
    answers = trace.answers.reshape(-1)
    order = answers.argsort()[::-1][:BEST]
    best = [(class_name(trace.classes[place]), float(answers[place])) for place in order]
    if trace.form == "scores":
        rows = [(name, three_digits(score)) for name, score in best]
        header = [say("models.output", "output"), say("models.score", "score")]
        st.dataframe(files.data_frame(rows, header), hide_index=True, width="content")
        st.caption(prose.block("models", "scores"))
        return
    _render_candidates(say("models.class", "class"), best)
    if trace.form == "labels":
        st.caption(prose.block("models", "labels"))


def render_left_out(model: OpenedModel) -> None:
    """Render that a body alone was opened, which answers nothing."""
    if model.task != "encode":
        return
    if model.head is None:
        st.caption(prose.block("models", "no-head"))
    else:
        st.caption(prose.block("models", "head-left-out", head=literal.markdown(model.head)))


def render_generated(label: str, text: str) -> None:
    """Render generated text."""
    st.html(generated_tokens.label(label) + generated_tokens.sentence(text or "\u2014", ""))


def render_next(model: OpenedModel, trace: HubTrace) -> None:
    """Render the most probable tokens after the text of a trace."""
    _render_candidates(say("models.next", "next token"), model.top(trace, -1, BEST))


def _render_continuation(service: Service[OpenedModel], text: str, trace: HubTrace) -> GeneratedText:
    count = widgets.slider(say("models.tokens", "New tokens"), "n", 20, 1, 100)
    generated = generate(service, text, count)
    render_generated(say("models.continuation", "It goes on"), generated)
    render_next(service.model, trace)
    return GeneratedText(generated, count, lambda plan: generate(service, text, count, plan))


def _render_translation(
    service: Service[OpenedModel], text: str, trace: HubTrace, fed: bool, language: str | None
) -> GeneratedText:
    assert trace.source is not None and trace.target is not None
    count = max(len(trace.target.ids), min(MOST_GENERATED, 2 * len(trace.source.ids) + 10))
    if fed:
        generated = generate(service, text, count, language=language)
    else:
        generated = service.model.reader.decode(trace.target.ids[1:], skip_special_tokens=True)
    render_generated(say("models.generated", "Generated"), generated)
    return GeneratedText(generated, count, lambda plan: generate(service, text, count, plan, language))


def _render_mask(model: OpenedModel, trace: HubTrace) -> None:
    assert trace.source is not None
    mask = model.reader.mask_token
    places = [place for place, id_ in enumerate(trace.source.ids) if id_ == model.reader.mask_token_id]
    if not places:
        st.caption(prose.block("models", "mask", mask=literal.markdown(mask)))
    for number, place in enumerate(places, 1):
        heading = say("models.masked", "token {number} for the mask", number=number)
        _render_candidates(heading, model.top(trace, place, BEST))


def _render_candidates(heading: str, candidates: Sequence[tuple[str, float]]) -> None:
    rows = [(name, percent(probability)) for name, probability in candidates]
    st.dataframe(
        files.data_frame(rows, [heading, say("column.probability", "probability")]), hide_index=True, width="content"
    )
