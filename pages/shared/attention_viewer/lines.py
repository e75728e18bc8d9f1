"""Attention as lines between tokens: any heads of any layers at once."""

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.shared import files
from pages.shared.attention_viewer import downsampled
from pages.shared.attention_viewer.export import SavedView, render_export, view_link
from pages.shared.attention_viewer.provenance import ViewedAttention, WordGrouping, prepare, select_layer
from pages.shared.texts import caption, paragraph
from views import attention_maps
from views.components.attention_lines import (
    AttentionLines,
    LinesOfKinds,
    LinesView,
    WordLines,
    attention_lines,
    from_address,
    lines_of_kinds,
    snapshot,
    to_address,
)
from views.controls import sentence_input, widgets
from views.controls.widgets import Choice
from views.export import downloads
from views.text import literal, terms
from views.text.catalogue import say
from views.url_state import bound_settings

ADDRESS = "lines"  # what is chosen, in the address bar
FIRST = LinesView((0,), (0,))


def render(
    subjects: Mapping[str, ViewedAttention], words: Mapping[str, WordGrouping], choices: Sequence[Choice]
) -> ViewedAttention:
    """The lines, among whose kinds and tokens the browser chooses, and what is drawn of them as numbers.

    Arguments and result as of `overview.show`.
    """
    few = not downsampled.is_large(subjects)
    if few:
        chosen = {choice.key: choice.in_component() for choice in choices}
    else:
        with st.container(horizontal=True, gap="medium"):
            chosen = {choice.key: choice.pick() for choice in choices}
    name = chosen.get("kind", next(iter(subjects)))
    subject = prepare(subjects[name], words.get(name), chosen)
    if downsampled.is_large({"": subject}):  # the browser draws one layer of many
        layers = subject.layers[:-1]
        label = say("layer", "Layer")
        subject = select_layer(subject, layers.index(widgets.select(label, layers, "layer", width=110)))
    view = _stored_view(subject.attention.shape)
    lines = _lines(subject, view)
    paragraph("attention_viewer", "lines")
    if few:
        whole = {name: WordLines(*each.axes, each.kind) for name, each in words.items()}
        special = frozenset().union(*(each.special for each in subjects.values()))
        kinds = {name: _lines(each, view) for name, each in subjects.items()}
        shown = LinesOfKinds(kinds, whole, special, choices, chosen, view)
        lines_of_kinds(shown, key="attention_lines", on_choose=sentence_input.store_selection, on_change=_store_view)
    else:
        attention_lines(lines, key="lines_of_one_kind", on_change=_store_view)
    _render_files(subject, view)
    _render_export(subject, view, lines)
    return subject


def _lines(subject: ViewedAttention, view: LinesView) -> AttentionLines:
    return AttentionLines(subject.attention, subject.queries, subject.keys, subject.kind, view, subject.first + 1)


def _render_files(subject: ViewedAttention, view: LinesView) -> None:
    """How many lines are drawn, and their files."""
    attention = subject.attention
    chosen = attention[list(view.layers)][:, list(view.heads)]  # (chosen layers, chosen heads, query, key)
    drawn = attention_maps.strongest_keys(chosen, view.mass)
    open_cells = (
        (~attention_maps.causal_mask(*attention.shape[2:], subject.kind.causal)).sum()
        * chosen.shape[0]
        * chosen.shape[1]
    )
    caption("attention_viewer", "drawn-lines", drawn=int(drawn.sum()), all=int(open_cells))
    name = f"{subject.kind.name}-lines"
    with st.container(horizontal=True):
        files.download(say("lines.csv", "Lines as CSV"), lambda: _line_csv(subject, view), f"{name}.csv")
        files.npz(name, lambda: _line_arrays(subject, view), say("lines.npz", "Lines as NPZ"))
    if chosen.size:
        index, columns = subject.kind.names(subject.queries), subject.kind.names(subject.keys)
        mean, corner = chosen.mean(axis=(0, 1)), subject.kind.corner
        files.folded_table(lambda: files.data_frame(mean, columns, index, corner), key="lines_table")


def _stored_view(shape: tuple[int, int, int, int]) -> LinesView:
    """What this visit or the link chose, where it fits the attention; else the first head of the first layer."""
    view = from_address(bound_settings.stored_text(ADDRESS), shape) or FIRST
    _store_view(view)
    return view


def _store_view(view: LinesView) -> None:
    bound_settings.store_text(ADDRESS, "" if view == FIRST else to_address(view))


def _render_export(subject: ViewedAttention, view: LinesView, lines: AttentionLines) -> None:
    chosen = {
        "look": "lines",
        "layers": [subject.first + layer + 1 for layer in view.layers],
        "heads": [head + 1 for head in view.heads],
        "mass": view.mass,
    }
    arrays = lambda: downloads.arrays_npz(_line_arrays(subject, view))  # noqa: E731
    drawn = {"attention.npz": arrays, "lines.csv": lambda: _line_csv(subject, view)}
    about = say("lines.csv.about", "every line that is drawn; attention.npz marks the same cells as drawn.")
    said = {"lines.csv": about}
    scale = "own" if subject.kind.places else "shared"
    view_of = SavedView(
        subject, chosen, view_link(subject), scale, "file-of-lines", lambda: snapshot(lines), drawn, said
    )
    render_export(view_of, pictures=False)


def _line_csv(subject: ViewedAttention, view: LinesView) -> bytes:
    """A row a line, layer by layer: counted from 1, with the tokens and the weight."""
    queries, keys = ([literal.token(name) for name in names] for names in (subject.queries, subject.keys))
    lines = []
    for layer in view.layers:
        for head in view.heads:
            weights = subject.attention[layer, head]  # (query, key)
            for query, key in zip(*attention_maps.strongest_keys(weights, view.mass).nonzero(), strict=True):
                place = (subject.first + layer + 1, head + 1, query + 1, queries[query], key + 1, keys[key])
                lines.append((*place, float(weights[query, key])))
    if subject.kind.places:
        sides = subject.kind.queries(), subject.kind.keys()
    else:
        sides = say("column.query-token", "query token"), say("column.key-token", "key token")
    place = say("column.layer", "layer"), say("column.head", "head")
    header = [*place, terms.QUERY(), sides[0], terms.KEY(), sides[1], terms.WEIGHT()]
    return downloads.table_csv(header, lines)


def _line_arrays(subject: ViewedAttention, view: LinesView) -> dict[str, object]:
    """All weights, and which of them are drawn."""
    drawn = attention_maps.strongest_keys(subject.attention, view.mass)
    for axis, numbers in enumerate((view.layers, view.heads)):
        for number in set(range(drawn.shape[axis])) - set(numbers):
            drawn[(slice(None),) * axis + (number,)] = False
    labels = {"query_tokens": list(subject.queries), "key_tokens": list(subject.keys)}
    return {"attention": subject.attention, "drawn": drawn, **labels, "kind": subject.kind.name}
