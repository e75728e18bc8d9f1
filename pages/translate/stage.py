"""The stage of the home page: one picture of the translation, which reacts to every choice in the browser."""

from functools import partial

from streamlit.delta_generator import DeltaGenerator

from model import DecodingOptions, Trace
from pages.shared import requests
from pages.shared.doubt import doubt_of_trace, note_html
from pages.shared.fragments import fragment
from pages.shared.opened_layer import open_requested
from pages.shared.page_header import pulled_translation_html, translation_html
from pages.shared.service import Service
from pages.translate import pulls, stage_files, typing
from pages.translate.candidates import shown_chances
from views.components import stage_examples
from views.components.requests import answers
from views.components.stage import Stage, stage, stage_choices
from views.controls import sentence_input
from views.viewer.attention_maps import from_trace

LAYERS = requests.Channel("stage_layer")


@fragment
def render_stage(
    service: Service, entered: Trace, options: DecodingOptions, line: DeltaGenerator, note: DeltaGenerator
) -> None:
    """Render the stage and its translation. Choosing another map runs only this fragment, which sends nothing new.

    Args:
        line, note: empty containers for the translation, and for what its underline means.
    """
    state = requests.state_token(entered.source_text, options)
    trace, typed = typing.follow_typing(service, entered, options, state)
    pulled = pulls.follow_requests(service, entered, trace, state)
    opened = LAYERS.answer(state, partial(open_requested, service, trace))
    changes = pulled.pulled if trace is entered else None
    _write_translation(service, trace, pulled.shown if changes else None, line, note)
    maps = from_trace(trace, service.kinds)
    choices = stage_choices(maps)
    chosen = {choice.key: choice.in_component() for choice in choices}
    answered = answers(
        state, pulled.plan.to_text() if changes else "", type=typed, ask=pulled.answers, layer=opened
    ) | ({"leftOut": pulled.left_out} if pulled.left_out else {})
    content = Stage(
        maps,
        shown_chances(service, trace, options),
        trace.target_text,
        choices,
        chosen,
        state,
        stage_examples.proposed(trace.source_text),
        changes,
        answered,
        sentence_input.Decoding(options.method, temperature=options.temperature, seed=options.seed),
        trace.source_text,
        entered.source_text,
    )
    receivers = pulls.CHANNEL.receive, typing.CHANNEL.receive, LAYERS.receive
    stage(content, "stage", sentence_input.store_selection, *receivers)
    stage_files.render_files(service, entered, pulled.shown, pulled.plan, chosen)


def _write_translation(
    service: Service, trace: Trace, pulled: Trace | None, line: DeltaGenerator, note: DeltaGenerator
) -> None:
    """Write the translation that is shown: of what is typed, or under pulls with the changed words marked."""
    if pulled is None:
        doubt = doubt_of_trace(service, trace)
        line.html(translation_html(doubt))
        explained = note_html(service, [doubt])
    else:
        line.html(pulled_translation_html(pulled.target_text, trace.target_text))
        explained = ""
    if explained:
        note.html(explained)
    else:
        note.empty()
