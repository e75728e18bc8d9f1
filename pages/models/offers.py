"""What is known of the models that may be opened, as a table."""

from collections.abc import Sequence

import streamlit as st

from model.hub.listing import Entry
from pages.shared import files
from views.text.catalogue import say, say_error
from views.text.numbers import grouped


def show_offers(known: Sequence[Entry], *, open_: bool) -> None:
    """Type, sizes and whether each fits; in a fold unless it is `open_`."""
    table = lambda: files.table([_row(model) for model in known], _header())  # noqa: E731
    if open_:
        st.dataframe(table(), hide_index=True)
    else:
        files.numbers(table, "models_table", hide_index=True)


def _header() -> list[str]:
    return [
        say("models.column.name", "model"),
        say("models.column.type", "type"),
        say("models.column.layers", "layers"),
        say("models.column.heads", "heads a layer"),
        say("models.column.parameters", "parameters"),
        say("models.column.size", "GB"),
        say("models.column.state", "can it be opened?"),
    ]


def _row(model: Entry) -> list[str]:
    state = say("models.fits", "yes") if model.problem is None else say_error(model.problem)
    return [
        model.name,
        model.type,
        " + ".join(map(str, model.layers)),
        str(model.heads or ""),
        grouped(model.parameters) if model.parameters else "",
        f"{model.bytes / 1e9:.2f}" if model.bytes else "",
        state,
    ]
