"""The stage of the home page: one picture of the translation, which reacts to every choice in the browser."""

import streamlit as st

from model import Trace
from pages.shared.fragments import fragment
from pages.shared.service import Service
from pages.translate import pulls
from views.components.stage import Stage, StageRequest, stage, stage_choices
from views.controls import sentence_input
from views.viewer.attention_maps import from_trace

_REQUEST = "stage_request"  # in the session, from a callback to the run that follows


@fragment
def render_stage(service: Service, trace: Trace) -> None:
    """Render the stage. Choosing another map runs only this fragment, which sends nothing new."""
    request: StageRequest | None = st.session_state.pop(_REQUEST, None)
    state = pulls.answer_request(service, trace, request)
    maps = from_trace(trace, service.kinds)
    choices = stage_choices(maps)
    chosen = {choice.key: choice.in_component() for choice in choices}
    places = pulls.chances(trace)
    content = Stage(maps, places, trace.target_text, choices, chosen, pulls.examples(), state.pulled, state.answer)
    stage(content, key="stage", on_choose=sentence_input.store_selection, on_ask=_remember)


def _remember(request: StageRequest) -> None:
    st.session_state[_REQUEST] = request
