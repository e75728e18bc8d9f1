"""A table of the models that may be opened."""

from collections.abc import Sequence

import streamlit as st

from model.hub.checkpoint_summary import CheckpointSummary
from pages.shared import files
from pages.shared.texts import paragraph
from views.text.catalogue import say, say_error
from views.text.numbers import grouped

KINDS = ("decoders", "masked", "pairs", "pictures")  # blocks of the page's text


def render_introduction() -> None:
    """Render which kinds of models can be opened and what the page shows of each; shown while no model is open."""
    st.header(say("models.can-be-opened", "What can be opened"), anchor=False)
    for column, kind in zip(st.columns(len(KINDS), gap="large"), KINDS, strict=True):
        with column:
            paragraph("models", kind)
    paragraph("models", "every-model")


def render_models(known: Sequence[CheckpointSummary], *, open_: bool) -> None:
    """Render type, sizes and whether each model fits; in a fold unless `open_`."""
    table = lambda: files.data_frame([_row(model) for model in known], _header())  # noqa: E731
    if open_:
        st.dataframe(table(), hide_index=True)
    else:
        files.folded_table(table, "models_table", hide_index=True)


def _header() -> list[str]:
    return [
        say("models.column.name", "model"),
        say("models.column.state", "can it be opened?"),
        say("models.column.type", "type"),
        say("models.column.layers", "layers"),
        say("models.column.heads", "heads a layer"),
        say("models.column.parameters", "parameters"),
        say("models.column.size", "size"),
    ]


def _row(model: CheckpointSummary) -> list[str]:
    state = say("models.fits", "yes") if model.problem is None else say_error(model.problem)
    return [
        model.name,
        state,
        model.type,
        " + ".join(map(str, model.layers)),
        str(model.heads or ""),
        grouped(model.parameters) if model.parameters else "",
        _size(model.bytes) if model.bytes else "",
    ]


def _size(count: int) -> str:
    return f"{count / 1e9:.2f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"
