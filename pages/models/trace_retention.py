"""What a trace of an opened model keeps, and how each kind of attention in it was checked."""

from collections.abc import Mapping

import streamlit as st

from model import HubTrace
from model.hub import trace_limits
from model.hub.opened_model import OpenedModel
from pages.shared import files
from views.controls import widgets
from views.text import prose
from views.text.catalogue import say
from views.text.numbers import three_digits

CHOICE_BYTES = 100_000_000  # bytes of maps, from which on the reader chooses what is kept


def choose_retention(model: OpenedModel, text: str, options: Mapping[str, str]) -> str | int:
    """What to keep of a text's trace, as `model.trace` takes it; a long text lets the reader choose from the sizes."""
    maps, layers = model.count_weights(text, **options)
    sizes = trace_limits.retained_sizes(maps, layers)
    if sizes["all"] < CHOICE_BYTES:
        return "auto"
    called = {
        "all": say("models.keep.all", "everything"),
        "weights": say("models.keep.weights", "weights"),
        "layer": say("models.keep.layer", "one layer"),
    }
    fits = [what for what, size in sizes.items() if size <= trace_limits.LARGEST] or ["layer"]
    offered = {
        what: say("models.keep.size", "{what}, {size} MB", what=called[what], size=round(sizes[what] / 1e6))
        for what in fits
    }
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label, help = say("models.keep", "Keep of this long text"), " ".join(prose.block("models", "keep").split())
        what = widgets.select(label, offered, "keep", help=help, width=260)
        if what != "layer":
            return what
        numbers = [str(number + 1) for number in range(layers)]
        return int(widgets.select(say("layer", "Layer"), numbers, "kept", width=110)) - 1


def render(trace: HubTrace) -> None:
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
    files.folded_table(lambda: files.data_frame(rows, header), "models_checks", hide_index=True)
