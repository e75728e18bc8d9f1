"""What the views of the single stack share: its inputs, maps of layers by heads, and their tables."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from model import LanguageModel, Trace
from model.lessons.one_stack import HeadMeasures, following_ids, sum_heads
from model.lessons.one_stack_heldout import OneStackStudy
from model.text.word_alignment import find_links
from model.tracing.language_trace import LanguageTrace
from pages.shared import files
from pages.shared.models import load_alignment
from pages.shared.page_header import Request
from pages.shared.service import Service
from views import map_labels
from views.components.matrix_row import RowMatrix, matrix_row
from views.text import terms
from views.text.catalogue import say


@dataclass(frozen=True, eq=False)
class StackRequest:
    """The inputs of a view of the single stack."""

    request: Request  # of the page
    language: Service[LanguageModel]  # the service of the decoder-only network
    trace: Trace  # of the translator
    forced: LanguageTrace  # of the decoder-only network, on the translator's translation
    study: OneStackStudy | None  # figures over held-out sentences; None where they cannot be read

    @property
    def key(self) -> tuple[object, ...]:
        """Identifies the sentence pair among results."""
        return self.forced.source_ids, self.forced.next_ids

    def links(self) -> np.ndarray | None:
        """Statistical links of the pair, `(T, S)` bool; None where the translator has none."""
        model = self.request.service.model
        table = load_alignment(model.folder, model.card.get("tokenizer_sha256", ""))
        return None if table is None else find_links(table, self.forced.source_ids, following_ids(self.forced))

    def measures(self) -> HeadMeasures:
        """What every head does on this pair."""
        return self.language.analysis(("one stack", *self.key), lambda _: sum_heads(self.forced, self.links()).measures)


@dataclass(frozen=True, eq=False)
class HeadTable:
    """A measure of every head."""

    name: str  # above its map, and of its column
    values: np.ndarray  # `(layer, head)`; NaN where there is none
    top: float | None = 1.0  # the number with the deepest colour
    signed: bool = False  # whether it can be negative


def render_head_maps(tables: Sequence[HeadTable], key: str, file: str) -> None:
    """Render maps of layers by heads, with their files and a table."""
    layers, heads = tables[0].values.shape
    rows = [say("one-stack.layer", "layer {layer}", layer=layer + 1) for layer in range(layers)]
    columns = [say("one-stack.head", "head {head}", head=head + 1) for head in range(heads)]
    items = [
        RowMatrix(
            table.name,
            table.values,
            "decoder",
            rows,
            columns,
            terms.LAYER(),
            terms.HEAD(),
            signed=table.signed,
            top=table.top,
        )
        for table in tables
    ]
    matrix_row(items, key, per_row=2)
    header = [terms.LAYER(), terms.HEAD(), *(table.name for table in tables)]
    numbers = [
        [layer + 1, head + 1, *(_number(table.values[layer, head]) for table in tables)]
        for layer in range(layers)
        for head in range(heads)
    ]
    with st.container(horizontal=True):
        files.matrices(items, say("one-stack.heads", "Heads of the single stack"), file, say("one-stack.maps", "Maps"))
        files.csv(header, numbers, file, say("one-stack.heads.csv", "Heads as CSV"))
    files.folded_table(lambda: files.data_frame(numbers, header), f"{key}_table", hide_index=True)


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def place_values(place: tuple[int, int]) -> dict[str, object]:
    """Return layer and head as values of a text, from 1."""
    return {"layer": place[0] + 1, "head": place[1] + 1}


def describe(place: tuple[int, int]) -> str:
    """Name a head: `layer 3, head 2`."""
    return map_labels.describe(*map(map_labels.to_id, place))
