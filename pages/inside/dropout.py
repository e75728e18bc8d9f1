"""Dropout before one Add & Norm or inside the feed-forward network: several draws for the same token."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from model.lessons.dropout import HIDDEN, draw_dropout
from model.lessons.feed_forward import Stack
from model.lessons.residual import NORMS
from pages.shared import checks, code_values, files, tables
from pages.shared.code import render_program
from pages.shared.page_header import Request
from pages.shared.texts import caption, paragraph
from views.components.matrix_row import RowMatrix, matrix_row
from views.controls import widgets
from views.text.catalogue import Message, say
from views.text.numbers import percent

SUB_LAYERS = {  # labels, after the number of their layer
    "self": Message("inside.sub-layer.self", "{layer} self-attention"),
    "cross": Message("inside.sub-layer.cross", "{layer} cross-attention"),
    "ffn": Message("inside.sub-layer.ffn", "{layer} feed-forward"),
    HIDDEN: Message("inside.sub-layer.hidden", "{layer} feed-forward, inside"),
}
IDS = {"self": "self-attention", "cross": "cross-attention", "ffn": "feed-forward", HIDDEN: "feed-forward, inside"}
DRAWS = 8
LARGEST_RATE = 0.9


def render_dropout(
    request: Request, stack: Stack, sub_layers: Sequence[tuple[int, str]], position: int, token: str
) -> tuple[float, bool]:
    """Show the token's vector without dropout above those of `DRAWS` draws.

    Args:
        sub_layers: layer from 0, and step, of each to choose from.
        position: of the token, from 0.
        token: its name.

    Returns:
        The chosen p, and whether hidden units are dropped.
    """
    st.header(say("inside.dropout", "Dropout, in training"), anchor=False)
    trace, trained_rate = request.trace(), request.service.model.config.dropout
    paragraph("inside", "dropout", rate=trained_rate)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        options = {f"{layer + 1} {IDS[step]}": (layer, step) for layer, step in sub_layers}
        labels = {id: SUB_LAYERS[step](layer=layer + 1) for id, (layer, step) in options.items()}
        chosen = widgets.select(say("column.sub-layer", "sub-layer"), labels, "dropped", width=230)
        rate = widgets.decimal(
            say("inside.dropout.rate", "Dropout p"), "dropout", trained_rate, 0.0, LARGEST_RATE, 0.05
        )
        seed = int(widgets.number(say("inside.dropout.seed", "Draws from seed"), "draw", 1, 1, 9999))
    layer, step = options[chosen]
    at = (layer, step, position)
    key = ("dropout", trace.source_ids, trace.target_ids, stack, at, rate, seed)
    draws = request.service.lesson(key, draw_dropout, trace, stack, at, rate, DRAWS, seed)
    names = [say("inside.dropout.without", "none"), *map(str, range(1, DRAWS + 1))]
    rows = np.vstack([draws.without, draws.drawn])  # (1 + draw, d_model)
    title = say("inside.dropout.draws", "{token}, {step}: without and with dropout", token=token, step=labels[chosen])
    draw_title, dimension = say("inside.dropout.draw", "draw"), say("column.dimension", "dimension")
    item = RowMatrix(title, rows, stack, names, (), draw_title, dimension, wide=True)
    matrix_row([item], "dropped_rows")
    kept_counts = [int(mask.sum()) for mask in draws.kept]
    tables.render_table(
        [
            tables.TableColumn(draw_title, names[1:]),
            tables.TableColumn(say("inside.dropout.kept", "numbers kept"), kept_counts),
            tables.TableColumn(say("inside.dropout.cosine", "cosine with none"), draws.cosines.tolist()),
        ],
        title,
    )
    share = percent(sum(kept_counts) / draws.kept.size)
    caption(
        "inside",
        "check-dropout",
        share=share,
        mean=f"{draws.mean_cosine:.4f}",
        draws=DRAWS,
        difference=checks.format_difference("Add & Norm", draws.difference),
    )
    header = [draw_title, *map(str, range(1, rows.shape[1] + 1))]
    content = lambda: [[name, *map(float, row)] for name, row in zip(names, rows, strict=True)]  # noqa: E731
    files.csv(header, content, f"{stack}-dropout", say("inside.dropout.csv", "Draws as CSV"))
    inside = step == HIDDEN
    place: dict[str, object] = {"stack": stack, "layer": layer + 1, "position": position + 1}
    place |= {} if inside else {"norm": NORMS[step]}
    drawing = {"rate": rate, "draws": DRAWS, "seed": seed}
    title = say("inside.dropout.code", "Dropout in PyTorch")
    program = "dropout-inside" if inside else "dropout"
    render_program("inside", program, title, **code_values.sentence(request), **place, **drawing)
    return rate, inside
