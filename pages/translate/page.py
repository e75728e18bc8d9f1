"""Home: what this program is, a sentence translated with a live map of it; then all that the model considered."""

import time

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model import DecodingOptions, Step, Trace
from model.networks.recurrent_config import RecurrentConfig
from pages.history import networks
from pages.shared import checks, files
from pages.shared.fragments import fragment
from pages.shared.page_header import Request, render_header, translation_html
from pages.shared.service import Service
from pages.shared.texts import block, caption, how_to_read, paragraph
from pages.translate import home
from views import navigation
from views.components.inline_svg import inline_svg
from views.controls import widgets
from views.html import generated_tokens
from views.svg.architecture import TransformerSizes, architecture
from views.svg.recurrent_architecture import RecurrentSizes, recurrent_architecture
from views.text import literal, prose, terms
from views.text.catalogue import say, say_count
from views.url_state import bound_settings

FRAME_SECONDS = 0.04  # a screen needs no more than 25 pictures a second while tokens arrive
TRANSFORMER = "transformer"


@fragment
def render_diagram(service: Service) -> None:
    """The loaded model, or one of the networks that were trained on the same sentences before it."""
    called = {TRANSFORMER: networks.TRANSFORMER()} | networks.options()
    chosen = widgets.pick(say("translate.diagram", "Which network"), called, "diagram", hidden=True)
    links = navigation.page_titles(), bound_settings.shared_query()
    if chosen == TRANSFORMER:
        drawn, about = (
            architecture(TransformerSizes(**_sizes(service.model.config, TransformerSizes)), *links),
            "diagram",
        )
    else:
        sizes = RecurrentSizes(**_sizes(RecurrentConfig.preset(chosen), RecurrentSizes))
        drawn, about = recurrent_architecture(sizes, *links), "diagram-before"
    inline_svg(drawn, key="architecture")
    st.caption(prose.block("translate", about))


def _sizes(config: object, sizes: type) -> dict[str, object]:
    return {name: getattr(config, name) for name in sizes.__dataclass_fields__}


def stream_translation(request: Request, sentence: DeltaGenerator) -> list[Step]:
    """The translation as it grows. Returns its steps."""
    service, text, options = request.service, request.text, request.options
    steps = service.cached_steps(text, options)
    if steps is None:
        steps = []
        shown_at = 0.0
        for step in service.stream(text, options):
            steps.append(step)
            if time.monotonic() - shown_at > FRAME_SECONDS or step.finished:
                sentence.html(translation_html(step.text))
                shown_at = time.monotonic()
    sentence.html(translation_html(steps[-1].text))
    return steps


def render_tokens(options: DecodingOptions, steps: list[Step], trace: Trace) -> None:
    """What was considered at each place."""
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
        # what was streamed, from cached keys and values, against one pass over the finished translation
        difference = max(abs(step.probability - row.probability) for step, row in zip(steps, rows, strict=True))
        caption("translate", "check", difference=checks.format_difference("step by step", difference))
    render_table(rows)


@fragment
def render_table(rows) -> None:
    """The same as a table and a file."""
    header = [say("column.position", "position"), terms.TOKEN(), terms.PROBABILITY(), say("column.rank", "rank")]
    for place in range(1, 6):
        header.append(say("translate.token", "token {place}", place=place))
        header.append(say("translate.probability", "probability {place}", place=place))
    table = [
        [place, row.token, row.probability, row.rank, *(value for c in row.top for value in (c.token, c.probability))]
        for place, row in enumerate(rows, 1)
    ]
    labelled = [[literal.token(cell) if isinstance(cell, str) else cell for cell in line] for line in table]
    files.csv(header, labelled, "translation", say("translate.csv", "Download as CSV"))
    height = "content" if len(rows) < 12 else 420
    files.folded_table(lambda: files.data_frame(labelled, header), hide_index=True, height=height)


def render() -> None:
    """Read the inputs, translate, show; below it the architecture, and how to read the page."""
    beginning, sentence, mapped, options = home.render_layout()
    with beginning:
        request = render_header("translate", options=options)
    if request.accepted:
        steps = stream_translation(request, sentence)
        trace = request.trace()
        with mapped:
            home.render_map(trace)
        render_tokens(request.options, steps, trace)
    picture, words = st.columns([3, 2], gap="large")
    with picture:
        st.header(say("translate.model", "The model, a map of this program"), anchor=False)
        render_diagram(request.service)
    with words:
        how_to_read(block("translate", "how-to-read-it"))


render()
