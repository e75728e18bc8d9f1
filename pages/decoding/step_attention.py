"""What a step of decoding attends to: the stage, which holds its place, and the numbers of its row."""

from collections.abc import Mapping
from functools import partial

import numpy as np
import streamlit as st

from model import Trace
from pages.shared import checks, files, requests
from pages.shared.opened_layer import open_requested
from pages.shared.page_header import Request
from pages.shared.texts import block, fold_check, paragraph
from pages.translate.candidates import shown_chances
from views import kind_labels, map_labels
from views.components.decoding_stage import HEAD, LAYER, STEP, decoding_stage, step_choices
from views.components.requests import answers
from views.components.stage import Stage
from views.controls import sentence_input
from views.export import downloads
from views.html import decoding_steps, generated_tokens
from views.text.catalogue import say
from views.url_state import bound_settings
from views.viewer.attention_maps import from_trace

OPENED = requests.Channel("step_layer")


def render_attention(request: Request, trace: Trace, step: int) -> None:
    """Show the stage with the place of `step`, from 1, and below it every weight of its row in a fold."""
    with st.container(key="step-attention"):
        st.header(say("decoding.attention", "What this step attends to"), anchor=False)
    maps, options = from_trace(trace, request.service.kinds), request.options
    choices = step_choices(maps)
    layer, head = (choice.in_component() for choice in choices[:2])
    chosen = {LAYER: layer, HEAD: head, STEP: str(step)}
    decoding = sentence_input.Decoding(options.method, temperature=options.temperature, seed=options.seed)
    places = shown_chances(request.service, trace, options)
    state = requests.state_token(trace.source_text, options)
    opened = OPENED.answer(state, partial(open_requested, request.service, trace))
    content = Stage(
        maps,
        places,
        trace.target_text,
        choices,
        chosen,
        state,
        answer=answers(state, layer=opened),
        decoding=decoding,
        sentence=trace.source_text,
        entered=trace.source_text,
    )
    decoding_stage(content, "decoding_stage", partial(_store, step), OPENED.receive)
    row = maps["cross"].mean(*maps["cross"].place(layer, head))[step - 1]  # (source,)
    _render_numbers(trace, step, row, map_labels.describe(layer, head))
    paragraph("decoding", "attention")


def _store(step: int, selection: Mapping[str, str]) -> None:
    """Store what was chosen on the stage; `step` is the one of the last run."""
    sentence_input.store_selection({name: selection[name] for name in (LAYER, HEAD)})
    if selection[STEP] != str(step):
        bound_settings.set_value(STEP, int(selection[STEP]))


def _render_numbers(trace: Trace, step: int, weights: np.ndarray, place: str) -> None:
    """Render the tokens around the step and its weights `(source,)` as a strip, a check and a file."""
    with st.expander(say("decoding.attention.numbers", "The tokens and weights of this step, in numbers")):
        render_tokens(trace, step, announced=False)  # the stage announces it
        label = generated_tokens.label(block("decoding", "attention-of-the-step", step=step, place=place))
        st.html(label + decoding_steps.weighted_tokens(trace.source_tokens, weights.tolist()))
        axes = (trace.next_tokens[step - 1 : step], trace.source_tokens, kind_labels.KINDS["cross"])
        name = f"cross-attention-step-{step}.csv"
        csv = say("decoding.attention.csv", "Attention as CSV")
        files.download(csv, lambda: downloads.matrix_csv(weights[None], *axes), name)
    difference = checks.format_difference("attention", trace.verification["cross"].max_difference)
    fold_check("decoding", "check-attention", total=weights.sum(dtype=np.float64), difference=difference)


def render_tokens(trace: Trace, step: int, announced: bool = True) -> None:
    """Render what the decoder has read, the token that it generates in a step, and the later ones."""
    label = generated_tokens.label(block("decoding", "tokens-of-the-step"))
    fed, generated, later = trace.target_tokens[:step], trace.next_tokens[step - 1], trace.next_tokens[step:]
    st.html(label + decoding_steps.token_strip(fed, generated, later, announced))
