"""The stage of the home page: one picture of the translation, which reacts to every choice in the browser."""

from functools import partial

import streamlit as st

from model import DecodingOptions, Trace
from pages.shared import opened_layer
from pages.shared.fragments import fragment
from pages.shared.last_answer import last_answer
from pages.shared.service import Service
from pages.translate import pulls, stage_files, typing
from pages.translate.candidates import shown_chances
from views.components import stage_examples
from views.components.opened_layer import LayerRequest, answer
from views.components.stage import Stage, StageRequest, stage, stage_choices
from views.controls import sentence_input
from views.text.catalogue import say
from views.viewer.attention_maps import from_trace

_REQUEST = "stage_request"  # in the session, from a callback to the run that follows
_OPENED = "stage_layer"  # the same, for a layer that is opened


@fragment
def render_stage(service: Service, trace: Trace, options: DecodingOptions) -> None:
    """Render the stage. Choosing another map runs only this fragment, which sends nothing new."""
    request: StageRequest | None = st.session_state.pop(_REQUEST, None)
    entered, (trace, typed) = trace, typing.typed_trace(service, trace, options)
    if trace is entered:
        state = pulls.answer_request(service, trace, request)
    else:
        state = pulls.StageState(None, typing.answer_pull(request), trace)
    maps = from_trace(trace, service.kinds)
    choices = stage_choices(maps)
    chosen = {choice.key: choice.in_component() for choice in choices}
    places = shown_chances(service, trace, options)
    decoding = sentence_input.Decoding(options.method, temperature=options.temperature, seed=options.seed)
    texts = trace.target_text, choices, chosen, stage_examples.proposed(trace.source_text)
    sentences = trace.source_text, entered.source_text
    opened = _opened_layer(service, trace, bool(state.pulled))
    content = Stage(maps, places, *texts, state.pulled, {**state.answer, **typed, **opened}, decoding, *sentences)
    on_type = partial(typing.remember, entered.source_text)
    callbacks = sentence_input.store_selection, _remember, on_type, _remember_opened
    stage(content, "stage", *callbacks)
    stage_files.render_files(service, trace, state.shown, state.plan, chosen)


def _remember(request: StageRequest) -> None:
    st.session_state[_REQUEST] = request


def _remember_opened(request: LayerRequest) -> None:
    st.session_state[_OPENED] = request


def _opened_layer(service: Service, trace: Trace, pulled: bool) -> dict[str, object]:
    """Return what the answer has of the layer that was opened last; under pulls, why it was not."""
    request: LayerRequest | None = st.session_state.pop(_OPENED, None)
    last = last_answer(_OPENED)
    if request is not None and pulled:
        reason = say("stage.layer.pulled", "Undo the pulls first: a layer is opened as the network computes it.")
        last["layer"] = answer(request.serial, reason, "", ())
    elif request is not None:
        last["layer"] = opened_layer.open_for(service, trace, request)
    return last
