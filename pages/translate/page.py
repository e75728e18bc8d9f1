"""The home page: introduction, a translated sentence on the stage, and the candidates at every position."""

import time
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model import DecodingOptions, Step, Trace
from model.networks.recurrent_config import RecurrentConfig
from model.tracing.trace import Prediction
from pages.history import networks
from pages.shared import checks, files
from pages.shared.fragments import fragment
from pages.shared.page_header import Request, render_header, translation_html
from pages.shared.service import Service
from pages.shared.texts import block, caption, fold_check, how_to_read, paragraph
from pages.translate import home
from pages.translate.stage import render_stage
from views import navigation
from views.components.inline_svg import inline_svg
from views.controls import widgets
from views.html import generated_tokens
from views.svg.architecture import TransformerSizes, architecture
from views.svg.recurrent_architecture import RecurrentSizes, recurrent_architecture
from views.text import literal, prose, terms
from views.text.catalogue import say, say_count
from views.url_state import bound_settings

FRAME_SECONDS = 0.04  # at most 25 updates a second while tokens arrive
TRANSFORMER = "transformer"


@fragment
def render_diagram(service: Service) -> None:
    """Render a diagram of the loaded model, or of an earlier network that was trained on the same sentences."""
    labels = {TRANSFORMER: networks.TRANSFORMER()} | networks.options()
    chosen = widgets.pick(say("translate.diagram", "Which network"), labels, "diagram", hidden=True)
    links = navigation.page_titles(), bound_settings.shared_query()
    if chosen == TRANSFORMER:
        sizes = TransformerSizes(**_sizes(service.model.config, TransformerSizes))
        svg, text = architecture(sizes, *links), "diagram"
    else:
        recurrent_sizes = RecurrentSizes(**_sizes(RecurrentConfig.preset(chosen), RecurrentSizes))
        svg, text = recurrent_architecture(recurrent_sizes, *links), "diagram-before"
    inline_svg(svg, key="architecture")
    st.caption(prose.block("translate", text))


def _sizes(config: object, sizes: type[TransformerSizes] | type[RecurrentSizes]) -> dict[str, Any]:
    return {field.name: getattr(config, field.name) for field in fields(sizes)}


def stream_translation(request: Request, slot: DeltaGenerator) -> Sequence[Step]:
    """Render the translation as it grows, which the stage writes again; return its steps."""
    service, text, options = request.service, request.text, request.options
    steps = list(service.cached_steps(text, options) or ())
    if not steps:
        rendered_at = 0.0
        for step in service.stream(text, options):
            steps.append(step)
            if time.monotonic() - rendered_at > FRAME_SECONDS or step.finished:
                slot.html(translation_html(step.text))
                rendered_at = time.monotonic()
    return steps


def render_tokens(options: DecodingOptions, steps: Sequence[Step], trace: Trace) -> None:
    """Render the candidates at each position."""
    st.header(say("translate.tokens", "Token by token"), anchor=False)
    paragraph("translate", "token-by-token")
    rows = trace.predictions(5)
    read = say_count(
        "translate.read",
        "The encoder reads {count} token",
        "The encoder reads {count} tokens",
        len(trace.source_tokens),
    )
    generated = say_count(
        "translate.generated",
        "The decoder generates {count} token, with its probability",
        "The decoder generates {count} tokens, each with its probability",
        len(rows),
    )
    rivals = say("translate.rivals", "At each place the five most probable tokens; the one that was taken is orange")
    st.html(
        generated_tokens.label(read)
        + generated_tokens.chips(trace.source_tokens, "encoder")
        + generated_tokens.label(generated)
        + generated_tokens.chips(trace.next_tokens, "decoder", [row.probability for row in rows])
        + generated_tokens.label(rivals)
        + generated_tokens.cards(rows)
    )
    if options.method == "beam":
        caption("translate", "check-for-beam")
    else:
        # the streamed steps, from cached keys and values, against one pass over the finished translation
        difference = max(abs(step.probability - row.probability) for step, row in zip(steps, rows, strict=True))
        fold_check("translate", "check", difference=checks.format_difference("step by step", difference))
    render_table(rows, trace.source_text)


@fragment
def render_table(rows: Sequence[Prediction], sentence: str) -> None:
    """Render the same as a table and a download."""
    header = [say("column.position", "position"), terms.TOKEN(), terms.PROBABILITY(), say("column.rank", "rank")]
    for place in range(1, 6):
        header.append(say("translate.token", "token {place}", place=place))
        header.append(say("translate.probability", "probability {place}", place=place))
    table = [
        [place, row.token, row.probability, row.rank, *(value for c in row.top for value in (c.token, c.probability))]
        for place, row in enumerate(rows, 1)
    ]
    labelled = [[literal.token(cell) if isinstance(cell, str) else cell for cell in line] for line in table]
    st.html(generated_tokens.note_of_entered(sentence))
    files.csv(header, labelled, "translation", say("translate.csv", "Download as CSV"))
    height = "content" if len(rows) < 12 else 420
    files.folded_table(lambda: files.data_frame(labelled, header), hide_index=True, height=height)


def render() -> None:
    """Render the inputs and the translation; below them the architecture, and how to read the page."""
    layout = home.render_layout()
    with layout.header:
        request = render_header("translate", options=layout.options)
    if request.accepted:
        steps = stream_translation(request, layout.translation)
        trace = request.trace()
        note = layout.options.empty()
        with layout.stage:
            render_stage(request.service, trace, request.options, layout.translation, note)
        render_tokens(request.options, steps, trace)
    picture, words = st.columns([3, 2], gap="large")
    with picture:
        st.header(say("translate.model", "The model, a map of this program"), anchor=False)
        render_diagram(request.service)
    with words:
        how_to_read(block("translate", "how-to-read-it"))


render()
