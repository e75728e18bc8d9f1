"""From text to the input of the encoder's first layer, step by step."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from model.lessons.embedding import EmbeddingSteps, recompute_embedding
from pages.shared import checks, files
from pages.shared.charts import matrix_chart
from pages.shared.experiment import render_experiment
from pages.shared.page_header import Request
from pages.shared.texts import block, caption, fold_check
from views import map_labels
from views.controls import sentence_input, widgets
from views.figures.heatmap import ChartMatrix, symmetric
from views.html import bars, generated_tokens
from views.text import literal, terms
from views.text.catalogue import Message, Untranslated, say, say_count
from views.text.numbers import three_digits
from views.url_state import bound_settings

STEPS = {
    "tokens": Message("tokens.step.tokens", "1 Tokens"),
    "ids": Message("tokens.step.ids", "2 Ids"),
    "rows": Message("tokens.step.rows", "3 Embedding rows"),
    "scaled": Message("tokens.step.scaled", "4 \u00d7 \u221ad_model"),
    "positions": Message("tokens.step.positions", "5 + position"),
}
FOLLOW = Message("tokens.follow", "Follow one token")
FOLLOWED = 4  # dimensions written out as numbers


def render(request: Request) -> None:
    """Show one of the five steps."""
    tokenizer = request.service.model.tokenizer
    ids = tokenizer.encode_source(request.text)
    steps = request.service.lesson(("embedding", request.text), recompute_embedding, tokenizer, ids)
    strip = st.container()
    step = widgets.pick(say("step", "Step"), STEPS, "step")
    left, right = st.columns([3, 2], gap="large")
    right.markdown(block("tokens", step))
    with left:
        if step == "tokens":
            counts = {"characters": len(request.text), "tokens": len(steps.ids) - 1}
            label = block("tokens", "counted", **counts)
            st.html(generated_tokens.label(label))
            choose_token(steps.tokens)
        elif step == "ids":
            label = say_count(
                "tokens.ids",
                "Each token with its place in the vocabulary of {count} token",
                "Each token with its place in the vocabulary of {count} tokens",
                len(tokenizer),
            )
            st.html(generated_tokens.label(label))
            choose_token([f"{token} {id}" for token, id in zip(steps.tokens, steps.ids, strict=True)])
        else:
            render_vectors(steps, step)
    with right:
        if step not in ("tokens", "ids"):
            widgets.select(FOLLOW(), map_labels.token_options(steps.tokens), "piece")
        place = int(bound_settings.current_value("piece")) - 1
        render_token_steps(steps, place)
    with strip:
        render_strip(steps, place)
    row, position = (float(np.linalg.norm(each, axis=1).mean()) for each in (steps.scaled, steps.positions))
    result = {"row": row, "position": position} if step == "positions" else None
    render_experiment("tokens-step-by-step", {"step": "positions"}, result)
    fold_check("tokens", "steps-check", difference=checks.format_difference("embedding", steps.difference))
    render_files(steps)


def render_vectors(steps: EmbeddingSteps, step: str) -> None:
    """Show a matrix: a row for each token, a column for each dimension."""
    values, entry = {
        "rows": (steps.rows, say("tokens.entry.rows", "entry of the embedding row")),
        "scaled": (steps.scaled, say("tokens.entry.scaled", "entry after scaling")),
        "positions": (steps.embedded, say("tokens.entry.positions", "entry after adding the position")),
    }[step]
    high = symmetric(values)
    chart = ChartMatrix(values, *axis_titles(), entry, rows=map_labels.numbered(steps.tokens), low=-high, high=high)
    alt = say("tokens.vectors.alt", "Heatmap, {entry}; the table below has the same numbers.", entry=entry)
    matrix_chart(chart, "vectors", alt)
    lengths = {"rows": steps.rows, "scaled": steps.scaled, "positions": steps.positions}
    caption("tokens", "lengths", **{name: np.linalg.norm(each, axis=1).mean() for name, each in lengths.items()})


def choose_token(labels: Sequence[str]) -> None:
    """Choose a token among chips."""
    options = {
        str(place): Untranslated(literal.markdown(literal.token(label))) for place, label in enumerate(labels, 1)
    }
    widgets.chips(FOLLOW(), options, "piece")


def render_token_steps(steps: EmbeddingSteps, place: int) -> None:
    """Show one token's first numbers in all steps."""
    root = three_digits(float(np.sqrt(steps.rows.shape[1])))
    stages = (
        (say("tokens.follow.row", "row {number}", number=steps.ids[place]), steps.rows),
        (f"\u00d7 {root}", steps.scaled),
        (say("tokens.follow.position", "position {position}", position=place), steps.positions),
        (say("tokens.follow.sum", "sum"), steps.embedded),
        (say("tokens.follow.recorded", "input of the encoder"), steps.recorded),
    )
    rows: list[list[bars.Value]] = [
        [name, *(float(value) for value in array[place, :FOLLOWED])] for name, array in stages
    ]
    dimensions = say("tokens.follow.dimensions", "dimension 0 to {last}", last=FOLLOWED - 1)
    name = say("tokens.follow.table", "First numbers of token {place} in every step", place=place + 1)
    st.html(bars.table([dimensions, *map(str, range(FOLLOWED))], rows, name))


def render_strip(steps: EmbeddingSteps, place: int) -> None:
    """Show one token on its way: token, id, embedding row, scaled row, position, and their sum."""
    theme, top = sentence_input.theme(), float(np.abs(steps.embedded).max())
    vectors = (
        (say("tokens.strip.row", "\u2192 its row, \u00d7 \u221ad_model"), steps.scaled),
        (say("tokens.strip.wave", "+ the wave of position {position}", position=place), steps.positions),
        (say("tokens.strip.sum", "= input of the encoder"), steps.embedded),
    )
    header = [terms.TOKEN(), say("tokens.strip.id", "\u2192 its id"), *(title for title, _ in vectors)]
    cells: list[bars.Value] = [
        bars.data_cell(literal.token(steps.tokens[place]), "token", "en"),
        bars.data_cell(str(steps.ids[place]), "number"),
        *(bars.strip_cell(values[place], top, "encoder", theme, title) for title, values in vectors),
    ]
    st.html(
        bars.table(
            header, [cells], say("tokens.strip", "One token, from its text to the input of the encoder"), whole=True
        )
    )


def axis_titles() -> tuple[str, str]:
    """Return the titles of the rows and the columns of the vectors."""
    return say("column.token", "token"), say("axis.dimension", "dimension")


def render_files(steps: EmbeddingSteps) -> None:
    """Offer all steps as files, and the sum as a table."""
    labels, dimensions = map_labels.numbered(steps.tokens), list(map(str, range(steps.rows.shape[1])))
    rows = lambda: [[label, id, *row] for label, id, row in zip(labels, steps.ids, steps.embedded, strict=True)]  # noqa: E731
    names = ("tokens", "ids", "rows", "scaled", "positions", "embedded")
    with st.container(horizontal=True):
        header = [axis_titles()[0], say("column.id", "id"), *dimensions]
        files.csv(header, rows, "embedded", say("tokens.vectors.csv", "Input vectors as CSV"))
        arrays = {name: getattr(steps, name) for name in names}
        files.npz("embedding", arrays, say("tokens.steps.npz", "All steps as NPZ"))
    files.folded_table(lambda: files.data_frame(steps.embedded, dimensions, labels, " \\ ".join(axis_titles())))
