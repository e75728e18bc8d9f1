"""Vision, positions: what the position vectors have learned, attention distances, and what happens without order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from model import VisionTrace
from model.attribution.analysis import (
    RowsAndColumns,
    attention_distance,
    check_similarity,
    position_similarity,
    rows_and_columns,
)
from pages.shared import checks, files
from pages.shared.service import Service
from pages.shared.texts import block, paragraph
from pages.vision.order import PAGE, order_matters
from views import maps
from views.controls import inputs
from views.export import downloads
from views.figures import patch_positions
from views.text.catalogue import say
from views.text.numbers import percent, three_digits


@dataclass(frozen=True, eq=False)
class Learned:
    """What the position vectors say, whatever the picture."""

    similarity: np.ndarray  # (patch, patch)
    places: RowsAndColumns
    difference: float  # of the independent recomputation


@dataclass(frozen=True, eq=False)
class Reach:
    """Attention distances, in pixels."""

    distances: np.ndarray  # (layer, head)
    uniform: float  # of uniform attention

    @property
    def local(self) -> int:
        """Heads whose distance is below nine tenths of `uniform`."""
        return int((self.distances < 0.9 * self.uniform).sum())


def positions(service: Service, key: str, trace: VisionTrace) -> None:
    """The view; `key` is the picture's, as `Service.trace_picture` gives it."""
    paragraph(PAGE)
    size = service.model.config.patch_size
    with st.skeleton(height=520):
        learned = service.lesson(("position similarity",), _learned, trace.grid)
        reach = service.analysis(("reach", key), lambda _: _reach(trace, size))
    theme, still = inputs.theme(), {"displayModeBar": False}
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader(say("vision.similarity", "Similarity of position vectors"), anchor=False)
        paragraph(PAGE, "similarity")
        figure = patch_positions.similarity(learned.similarity, trace.grid, theme)
        st.plotly_chart(figure, key="similarity", config=still, alt=_plain("learned", **_places(learned)))
        paragraph(PAGE, "learned", **_places(learned))
    with right:
        st.subheader(say("vision.distances", "Attention distance"), anchor=False)
        paragraph(PAGE, "distance")
        figure = patch_positions.distances(reach.distances, reach.uniform, theme)
        st.plotly_chart(figure, key="distances", config=still, alt=_plain("heads", **_heads(reach)))
        paragraph(PAGE, "heads", **_heads(reach))
    st.subheader(say("vision.order", "Without order"), anchor=False)
    check = checks.said("cosines", learned.difference)
    order_matters(service, key, trace, {**_places(learned), **_heads(reach)}, check)
    _files(trace, learned, reach)


def _learned(network, grid: tuple[int, int]) -> Learned:
    similarity = position_similarity(network)
    return Learned(similarity, rows_and_columns(similarity, grid), check_similarity(network, similarity))


def _reach(trace: VisionTrace, patch_size: int) -> Reach:
    everywhere = np.ones((1, 1, *trace.attention.shape[2:]), dtype=np.float32)
    return Reach(
        attention_distance(trace.attention, trace.grid, patch_size),
        attention_distance(everywhere, trace.grid, patch_size).item(),
    )


def _places(learned: Learned) -> dict[str, str]:
    places = learned.places
    shares = ("strongest", "chance", "strongest_apart", "chance_apart")
    cosines = {name: three_digits(getattr(places, name)) for name in ("same", "elsewhere")}
    return cosines | {name: percent(getattr(places, name)) for name in shares}


def _heads(reach: Reach) -> dict[str, str]:
    low, high = reach.distances.min(axis=1), reach.distances.max(axis=1)  # (layer,)
    pixels = {"first_low": low[0], "first_high": high[0], "last_low": low[-1], "last_high": high[-1]}
    words = {name: three_digits(float(value)) for name, value in pixels.items()}
    counts = {"local": str(reach.local), "heads": str(reach.distances.size), "layers": str(len(reach.distances))}
    return words | counts | {"uniform": three_digits(reach.uniform)}


def _plain(id: str, **values: str) -> str:
    """A block as a text alternative, without Markdown's marks."""
    return block(PAGE, id, **values).replace("*", "").replace("\n", " ")


def _files(trace: VisionTrace, learned: Learned, reach: Reach) -> None:
    layers, heads = reach.distances.shape
    header = [
        say("column.layer", "layer"),
        *(say("vision.column.head", "head {head}", head=head + 1) for head in range(heads)),
    ]
    rows = [(layer + 1, *map(float, reach.distances[layer])) for layer in range(layers)]
    names = maps.patch_names(trace.grid)
    arrays = {"similarity": learned.similarity, "distances": reach.distances}
    arrays |= {"grid": np.array(trace.grid), "patches": np.array(names)}
    similarity = lambda: downloads.matrix_csv(learned.similarity, names, names, maps.PATCHES)  # noqa: E731
    with st.container(horizontal=True):
        files.csv(header, rows, "distances", say("vision.distances.csv", "Distances as CSV"))
        files.download(say("vision.similarity.csv", "Similarity as CSV"), similarity, "similarity.csv")
        files.npz("positions", arrays, say("vision.both.npz", "Both as NPZ"))
    files.numbers(lambda: files.table(rows, header), key="reach", hide_index=True)
