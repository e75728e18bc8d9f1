"""What a trace of an opened model keeps, and how each kind of attention in it was checked."""

import streamlit as st

from model import HubTrace
from pages.shared import files
from views.text import prose
from views.text.catalogue import say
from views.text.numbers import three_digits


def show(trace: HubTrace) -> None:
    """Where not everything was kept, or not in full precision, the page says so."""
    record = next(iter(trace.records.values()))
    if record.weights.dtype.itemsize == 2:
        st.caption(prose.block("models", "half-precision"))
    checked = trace.records.items()
    rows = [(name, found.by, three_digits(found.verification.max_difference)) for name, found in checked]
    header = [
        say("models.column.kind", "attention"),
        say("models.column.by", "checked by"),
        say("models.column.difference", "largest difference"),
    ]
    files.numbers(lambda: files.table(rows, header), "models_checks", hide_index=True)
