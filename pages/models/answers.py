"""What an opened model says: the next token, what stands behind a mask, a translation, or a class."""

from collections.abc import Sequence

import streamlit as st

from model import HubTrace
from model.hub.opened import OpenedModel
from pages.shared import files
from pages.shared.service import Service
from views.controls import widgets
from views.html import tokens
from views.text import literal, prose
from views.text.catalogue import say
from views.text.numbers import percent

BEST = 5  # candidates that are shown


def show(service: Service, text: str, trace: HubTrace) -> None:
    """The answer of a model that reads text."""
    model: OpenedModel = service.model
    if model.task == "complete":
        _continued(service, text, trace)
    elif model.task == "fill":
        _filled(model, trace)
    elif model.task == "translate":
        _said(say("models.generated", "Generated"), "".join(trace.target.labels[1:]).replace("\u2423", " ").strip())
    elif model.classes is not None:
        classes(trace)


def classes(trace: HubTrace) -> None:
    """The most probable classes."""
    order = trace.probabilities.reshape(-1).argsort()[::-1][:BEST]
    found = [(trace.classes[place], float(trace.probabilities.reshape(-1)[place])) for place in order]
    _candidates(say("models.class", "class"), found)


def _continued(service: Service, text: str, trace: HubTrace) -> None:
    count = widgets.slider(say("models.tokens", "New tokens"), "n", 20, 1, 100)
    made = service.analysis(("generated", text, count), lambda model: model.generate(text, count))
    _said(say("models.continuation", "It goes on"), made)
    _candidates(say("models.next", "next token"), service.model.top(trace, -1, BEST))


def _filled(model: OpenedModel, trace: HubTrace) -> None:
    mask = model.reader.mask_token
    places = [place for place, id_ in enumerate(trace.source.ids) if id_ == model.reader.mask_token_id]
    if not places:
        st.caption(prose.block("models", "mask", mask=literal.markdown(mask)))
    for number, place in enumerate(places, 1):
        heading = say("models.masked", "token {number} behind the mask", number=number)
        _candidates(heading, model.top(trace, place, BEST))


def _said(label: str, text: str) -> None:
    st.html(tokens.label(label) + tokens.sentence(text, ""))


def _candidates(heading: str, found: Sequence[tuple[str, float]]) -> None:
    rows = [(name, percent(probability)) for name, probability in found]
    st.dataframe(
        files.table(rows, [heading, say("column.probability", "probability")]), hide_index=True, width="content"
    )
