"""What a trace of an opened model retains, and how each kind of attention in it was checked."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from model import HubTrace
from model.hub import trace_limits
from model.hub.opened_model import OpenedModel
from pages.shared import files
from views import map_labels
from views.controls import widgets
from views.kind_labels import any_model_kind
from views.text import prose
from views.text.catalogue import say
from views.text.numbers import three_digits

CHOICE_BYTES = 100_000_000  # bytes of maps from which the user chooses what is retained


def choose_retention(model: OpenedModel, text: str, options: Mapping[str, Any]) -> str | int:
    """Return what to retain of a text's trace, for `model.trace`; for a long text the user chooses."""
    maps, layers = model.count_weights(text, **options)
    sizes = trace_limits.retained_sizes(maps, layers)
    if sizes["all"] < CHOICE_BYTES:
        return "auto"
    labels = {
        "all": say("models.keep.all", "everything"),
        "weights": say("models.keep.weights", "weights"),
        "layer": say("models.keep.layer", "one layer"),
    }
    fits = [what for what, size in sizes.items() if size <= trace_limits.LARGEST] or ["layer"]
    offered = {
        what: say("models.keep.size", "{what}, {size} MB", what=labels[what], size=three_digits(sizes[what] / 1e6))
        for what in fits
    }
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label, help = say("models.keep", "Keep of this long text"), " ".join(prose.block("models", "keep").split())
        what = widgets.select(label, offered, "keep", help=help, width=260)
        if what != "layer":
            return what
        numbers = [map_labels.to_id(number) for number in range(layers)]
        return int(widgets.select(say("layer", "Layer"), numbers, "kept", width=110)) - 1


def render(trace: HubTrace) -> None:
    """Render a note where the trace is in half precision, and a table of the checks."""
    record = next(iter(trace.records.values()))
    if record.weights.dtype.itemsize == 2:
        st.caption(prose.block("models", "half-precision"))
    rows = [
        (any_model_kind(name).short(), record.by, three_digits(record.verification.max_difference))
        for name, record in trace.records.items()
    ]
    header = [
        say("models.column.kind", "attention"),
        say("models.column.by", "checked by"),
        say("models.column.difference", "largest difference"),
    ]
    files.folded_table(lambda: files.data_frame(rows, header), "models_checks", hide_index=True)
