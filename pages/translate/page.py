"""Home: a sentence goes in, its translation comes out token by token, with what else the model considered."""

from __future__ import annotations

import time

import streamlit as st

from model import DecodingOptions
from pages.shared import checks, files
from pages.shared.opening import Request, opening
from pages.shared.runs import fragment
from pages.shared.service import Service
from views import frame
from views.address import settings
from views.components.drawing_view import drawing_view
from views.export import downloads
from views.html import tokens
from views.svg.architecture import Sizes, architecture
from views.text import literal, prose

FRAME_SECONDS = 0.04  # a screen needs no more than 25 pictures a second while tokens arrive


def main() -> None:
    """Read the inputs, translate, show."""
    request = opening("translate", examples=True)
    if request.accepted:
        translation(request)
    model_diagram(request.service)


def translation(request: Request) -> None:
    """The translation as it grows, then what was considered at each place."""
    service, text, options = request.service, request.text, request.options
    st.subheader("Translation", anchor=False)
    written, produced = st.empty(), st.empty()
    steps = service.known(text, options)
    if steps is None:
        steps = []
        shown_at = 0.0
        for step in service.stream(text, options):
            steps.append(step)
            if time.monotonic() - shown_at > FRAME_SECONDS or step.finished:
                written.html(tokens.sentence(step.text, "fr"))
                shown_at = time.monotonic()
    written.html(tokens.sentence(steps[-1].text, "fr"))
    trace = request.trace()
    rows = trace.predictions(5)
    with produced.container():
        st.html(
            tokens.label(f"What the encoder reads: {len(trace.source_tokens)} pieces")
            + tokens.chips(trace.source_tokens, "encoder")
            + tokens.label(f"What the decoder writes: {len(rows)} pieces, each with the probability it had")
            + tokens.chips(trace.next_tokens, "decoder", [row.probability for row in rows])
            + tokens.label("At each place, the five pieces that were most probable; the one taken is orange")
            + tokens.cards(rows)
        )
        check_line(steps, rows, options)
        numbers(rows)


def check_line(steps, rows, options: DecodingOptions) -> None:
    """What was streamed, token by token from cached keys and values, against one pass over the finished translation."""
    if options.method == "beam":
        st.caption(prose.block("translate", "Proof for beam"))
        return
    difference = max(abs(step.probability - row.probability) for step, row in zip(steps, rows, strict=True))
    st.caption(prose.block("translate", "Proof").format(difference=checks.said("step by step", difference)))


@fragment
def numbers(rows) -> None:
    """The same as a table and a file."""
    header = ["position", "piece", "probability", "rank"]
    header += [f"{word} {place}" for place in range(1, 6) for word in ("piece", "probability")]
    table = [
        [place, row.token, row.probability, row.rank, *(value for c in row.top for value in (c.token, c.probability))]
        for place, row in enumerate(rows, 1)
    ]
    labelled = [[literal.token(cell) if isinstance(cell, str) else cell for cell in line] for line in table]
    height = "content" if len(rows) < 12 else 420
    files.download("Download as CSV", lambda: downloads.table_csv(header, labelled), "translation.csv")
    files.numbers(lambda: files.table(labelled, header), hide_index=True, height=height)


def model_diagram(service: Service) -> None:
    """The architecture with the loaded model's sizes, and how to read the page."""
    picture, words = st.columns([3, 2], gap="large")
    config = service.model.config
    sizes = Sizes(**{name: getattr(config, name) for name in Sizes.__dataclass_fields__})
    with picture:
        st.subheader("The model", anchor=False)
        drawing_view(architecture(sizes, frame.titles(), settings.shared()), key="architecture")
        st.caption(prose.block("translate", "Diagram"))
    with words:
        st.subheader("How to read it", anchor=False)
        st.markdown(prose.block("translate", "How to read it"))


main()
