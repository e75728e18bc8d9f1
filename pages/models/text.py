"""An opened model of text: the text, and a second one where it takes two; its answer; and the chosen section."""

from typing import Any

import streamlit as st

from model import HubTrace
from model.hub.hub_trace import doubled_token
from model.hub.opened_model import OpenedModel
from pages.models import (
    answers,
    attention_labels,
    head_effects,
    text_attribution,
    text_causes,
    trace_retention,
    what_if,
)
from pages.shared.attention_viewer.explore import explore_tokens
from pages.shared.page_sections import pick_section
from pages.shared.service import Service
from views.controls import sentence_input, widgets
from views.text import literal
from views.text.catalogue import Untranslated, say


def render(service: Service[OpenedModel]) -> None:
    """Read the text, trace it, and render the chosen section.

    Raises:
        OpenError: the text cannot be used.
    """
    model = service.model
    pair, translates = model.takes_two_texts, model.has_decoder and not model.classifies_by_decoder
    columns = st.columns(2 if pair or translates else 1, gap="medium")
    with columns[0]:
        text = widgets.text(say("models.text", "Text"), "text", sentence_input.DEFAULT, varies=True)
    inputs = {"sentence": text}
    if pair:
        with columns[1]:
            inputs["second"] = widgets.text(say("models.second", "Second text, if there is one"), "second", "")
    elif translates:
        with columns[1]:
            label = say("models.target", "What the decoder is fed; empty for its own")
            if model.task != "translate":
                label = say("models.target.same", "What the decoder is fed; empty for the text itself")
            inputs["target"] = widgets.text(label, "target", "")
    if languages := {code: Untranslated(code) for code in model.languages.ids}:
        label = say("models.language", "Output language")
        first = model.languages.default or next(iter(languages))
        inputs["target_language"] = widgets.select(label, languages, "language", first, width=260)
    options: dict[str, Any] = {name: value for name, value in inputs.items() if name != "sentence" and value}
    keep = trace_retention.choose_retention(model, text, options)
    key = ("traced", *inputs.values(), keep)
    trace = service.traces.get_or_compute(key, lambda: model.trace(text, keep=keep, **options), service.computing)
    if token := doubled_token(model.reader, trace.source):
        note = say(
            "models.doubled-token",
            "The text begins with {token} twice: once in the text itself, and once as the tokenizer adds it. Delete it "
            "from the text to have it once.",
            token=literal.visible(literal.token(token)),
        )
        st.info(literal.markdown(note))
    generated = answers.render(service, text, trace, fed="target" in options, language=inputs.get("target_language"))
    sections = {"attention": say("models.part.attention", "Attention")}
    if not isinstance(trace.kept, int):  # the trace of one layer has no heads of the others
        if "ablate" in model.capabilities:
            sections["heads"] = say("models.part.heads", "Heads")
        sections["what-if"] = say("models.part.what-if", "What if")
        if text_attribution.available(model, trace):
            sections["attribution"] = say("models.part.attribution", "Attribution")
    if "ablate" in model.capabilities:
        sections["causes"] = say("models.part.causes", "Causes")
    section = pick_section(sections, "part", varies=True)
    if section == "heads":
        head_effects.render(service, trace, text, options, key)
    elif section == "causes":
        text_causes.render(service, trace, text, options, key)
    elif section == "attribution":
        text_attribution.render_attribution(service, trace, key)
    elif section == "what-if":
        what_if.render(service, trace, text, options, generated, key)
    else:
        _render_attention(model, trace, inputs)


def _render_attention(model: OpenedModel, trace: HubTrace, inputs: dict[str, str]) -> None:
    explore_tokens(*attention_labels.view_opened(model, trace, inputs), attention_labels.available_views(trace))
    trace_retention.render(trace)
