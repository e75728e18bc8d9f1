"""Vision, positions: the learned position vectors, attention distances, and the answer without the patches' order."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from model import VisionTrace
from model.attribution.vision_analysis import (
    RowsAndColumns,
    attention_distance,
    check_similarity,
    position_similarity,
    rows_and_columns,
)
from model.lessons.inductive_bias import move_right
from pages.shared import checks, files, tables
from pages.shared.charts import ONLY_LARGER
from pages.shared.experiment import render_experiment
from pages.shared.fragments import fragment
from pages.shared.service import Service
from pages.shared.texts import block, caption, paragraph
from pages.vision.program import render_vision_program
from pages.vision.stated_answer import stated_class
from views import kind_labels, map_labels
from views.controls import sentence_input, widgets
from views.export import downloads
from views.figures import overlay, patch_positions
from views.html import class_bars
from views.text import glossary, literal
from views.text.catalogue import Message, say
from views.text.class_names import class_names
from views.text.numbers import percent
from views.url_state import bound_settings

PAGE = "vision_positions"
CHANGES = {
    "shuffle": Message("order.shuffled", "patches shuffled"),
    "no-positions": Message("order.without", "without position vectors"),
    "both": Message("order.both", "shuffled, without position vectors"),
}
PICTURES = {  # text alternatives of the picture next to the probabilities
    "shuffle": Message("order.picture.shuffled", "The picture, patches shuffled."),
    "no-positions": Message("order.picture.without", "The picture, without position vectors."),
    "both": Message("order.picture.both", "The picture, shuffled, without position vectors."),
}
OPTIONS = {
    "shuffle": Message("order.change.shuffle", "Shuffle"),
    "no-positions": Message("order.change.without", "No positions"),
    "both": Message("order.change.both", "Both"),
}
MOST = 999_999


@dataclass(frozen=True, eq=False)
class LearnedPositions:
    """The similarity of the position vectors, the same for every picture."""

    similarity: np.ndarray  # (patch, patch)
    places: RowsAndColumns
    difference: float  # of the independent recomputation

    @property
    def words(self) -> dict[str, object]:
        """The values of the text."""
        shares = ("strongest", "chance", "strongest_apart", "chance_apart")
        cosines = {"same": self.places.same, "elsewhere": self.places.elsewhere}
        return cosines | {name: percent(getattr(self.places, name)) for name in shares}


@dataclass(frozen=True, eq=False)
class AttentionDistances:
    """Attention distances, in pixels."""

    distances: np.ndarray  # (layer, head)
    uniform: float  # of uniform attention

    @property
    def words(self) -> dict[str, object]:
        """The values of the text; a local head's distance is below nine tenths of `uniform`."""
        low, high = self.distances.min(axis=1), self.distances.max(axis=1)  # (layer,)
        pixels = {"first_low": low[0], "first_high": high[0], "last_low": low[-1], "last_high": high[-1]}
        local = int((self.distances < 0.9 * self.uniform).sum())
        counts = {"local": local, "heads": self.distances.size, "layers": len(self.distances)}
        return pixels | counts | {"uniform": self.uniform}


def render_positions(service: Service, key: str, trace: VisionTrace) -> None:
    """Show the view; `key` is the picture's, from `Service.trace_picture`."""
    paragraph(PAGE)
    size = service.model.config.patch_size
    with st.skeleton(height=520):
        learned = service.network_lesson(("position similarity", trace.grid), _compute_learned, trace.grid)
        distances = service.analysis(("reach", key), lambda _: _compute_distances(trace, size))
    theme = sentence_input.theme()
    left, right = st.columns(2, gap="large")
    with left:
        st.header(say("vision.similarity", "Similarity of position vectors"), anchor=False)
        paragraph(PAGE, "similarity")
        figure = patch_positions.similarity(learned.similarity, trace.grid, theme)
        st.plotly_chart(figure, key="similarity", config=ONLY_LARGER, alt=_plain_text("learned", **learned.words))
        paragraph(PAGE, "learned", **learned.words)
    with right:
        st.header(say("vision.distances", "Attention distance"), anchor=False)
        paragraph(PAGE, "distance")
        figure = patch_positions.distances(distances.distances, distances.uniform, theme)
        st.plotly_chart(figure, key="distances", config=ONLY_LARGER, alt=_plain_text("heads", **distances.words))
        paragraph(PAGE, "heads", **distances.words)
    st.header(say("vision.order", "Without order"), anchor=False)
    render_order(service, key, trace, learned, distances)
    _render_files(trace, learned, distances)


def _compute_learned(network, grid: tuple[int, int]) -> LearnedPositions:
    similarity = position_similarity(network)
    return LearnedPositions(similarity, rows_and_columns(similarity, grid), check_similarity(network, similarity))


def _compute_distances(trace: VisionTrace, patch_size: int) -> AttentionDistances:
    everywhere = np.ones((1, 1, *trace.attention.shape[2:]), dtype=np.float32)
    return AttentionDistances(
        attention_distance(trace.attention, trace.grid, patch_size),
        attention_distance(everywhere, trace.grid, patch_size).item(),
    )


def _plain_text(id: str, **values: object) -> str:
    """Return a block as a text alternative, without Markdown's marks."""
    return glossary.plain_text(block(PAGE, id, **values))


def _render_files(trace: VisionTrace, learned: LearnedPositions, distances: AttentionDistances) -> None:
    layers, heads = distances.distances.shape
    header = [
        say("column.layer", "layer"),
        *(say("vision.column.head", "head {head}", head=head + 1) for head in range(heads)),
    ]
    rows = [(layer + 1, *map(float, distances.distances[layer])) for layer in range(layers)]
    names = map_labels.patch_names(trace.grid)
    arrays = {"similarity": learned.similarity, "distances": distances.distances}
    arrays |= {"grid": np.array(trace.grid), "patches": np.array(names)}
    similarity = lambda: downloads.matrix_csv(learned.similarity, names, names, kind_labels.PATCHES)  # noqa: E731
    with st.container(horizontal=True):
        files.csv(header, rows, "distances", say("vision.distances.csv", "Distances as CSV"))
        files.download(say("vision.similarity.csv", "Similarity as CSV"), similarity, "similarity.csv")
        files.npz("positions", arrays, say("vision.both.npz", "Both as NPZ"))
    files.folded_table(lambda: files.data_frame(rows, header), key="reach", hide_index=True)


@fragment
def render_order(
    service: Service, key: str, trace: VisionTrace, learned: LearnedPositions, distances: AttentionDistances
) -> None:
    """Choose a change; show the picture, the probabilities, and what a ViT has learned of positions."""
    paragraph(PAGE, "order")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        change = widgets.pick(say("order.change", "Change"), OPTIONS, "change")
        label, about = (
            say("order.number", "Shuffle number"),
            say("order.number.help", "Each number gives another order."),
        )
        seed = widgets.number(label, "shuffle", 1, 0, MOST, 1, width=150, help=about)
        shuffle = lambda: bound_settings.set_value("shuffle", (seed + 1) % MOST)  # noqa: E731
        st.button(say("order.again", "Shuffle again"), on_click=shuffle)
    order = np.random.default_rng(seed).permutation(trace.grid[0] * trace.grid[1])
    probabilities = service.analysis(("order", key, seed), order_probabilities, trace.pixels, order)
    plain, changed = probabilities["plain"], probabilities[change]
    size = service.model.config.patch_size
    pixels = trace.pixels if change == "no-positions" else overlay.rearranged(trace.pixels, order, size)
    left, right = st.columns([2, 3], gap="large")
    with left:
        enlarged = overlay.enlarged((255 * pixels).round().astype(np.uint8))
        st.image(enlarged, width="stretch", output_format="PNG", alt=PICTURES[change]())
    with right:
        st.html(class_bars.before_and_after(class_names(trace.classes), plain, changed, CHANGES[change]()))
        _render_moved(trace, plain, changed)
    with_positions = float(np.abs(probabilities["shuffle"] - plain).max())
    unordered = float(np.abs(probabilities["both"] - probabilities["no-positions"]).max())  # 0 up to rounding
    shuffled = {
        "with_positions": percent(with_positions),
        "without": checks.format_difference("shuffled patches", unordered),
    }
    render_experiment("vision-positions", {"change": "both"}, shuffled if change == "both" else None)
    without, similarity = (
        checks.format_difference("shuffled patches", unordered),
        checks.format_difference("cosines", learned.difference),
    )
    caption(PAGE, "check", without=without, with_positions=with_positions, similarity=similarity)
    columns = [
        tables.TableColumn(say("column.class", "class"), class_names(trace.classes)),
        tables.TableColumn(say("moves.before", "unchanged"), plain),
        *(tables.TableColumn(title(), probabilities[change]) for change, title in CHANGES.items()),
    ]
    label = say("vision.probabilities.csv", "Probabilities as CSV")
    files.csv_and_table(*tables.header_and_rows(columns), "probabilities", label, key="moved")
    words = {
        "name": literal.markdown(stated_class(trace, trace.answer)),
        "before": percent(float(plain[trace.answer])),
        "dropped": percent(float(probabilities["no-positions"][trace.answer])),
        "shift": percent(float(np.abs(probabilities["shifted"] - plain).max())),
    }
    many = _describe_moved(service.model.card)
    paragraph(PAGE, "inductive-bias", **learned.words, **distances.words, **words, many=many)
    render_vision_program(service, "positions", seed=seed)


def _describe_moved(card: dict) -> str:
    """Describe how much answers change over many pictures, from the model's card; empty if it has no such figures."""
    moved = card.get("evaluation", {}).get("moved")
    if not moved:
        return ""
    words = {"pictures": moved["pictures"], "median": percent(moved["median"])}
    return say("vision.moved.many", " (median of {pictures} validation pictures: {median})", **words)


def order_probabilities(model, pixels: np.ndarray, order: np.ndarray) -> dict[str, np.ndarray]:
    """Compute the probabilities of the unchanged picture, with each change, and shifted by a patch to the right."""
    size = model.config.patch_size
    return {
        "plain": model.rearranged(pixels),
        "shuffle": model.rearranged(pixels, order),
        "no-positions": model.rearranged(pixels, positions=False),
        "both": model.rearranged(pixels, order, positions=False),
        "shifted": model.probabilities(move_right(pixels, size)),
    }


def _render_moved(trace: VisionTrace, before: np.ndarray, after: np.ndarray) -> None:
    old, now = trace.answer, int(after.argmax())
    name, new = (literal.markdown(stated_class(trace, place, place)) for place in (old, now))
    id = "same-answer" if now == old else "new-answer"
    answer = block(PAGE, id, name=new, probability=percent(float(after[now])))
    shares = {"before": percent(float(before[old])), "after": percent(float(after[old]))}
    paragraph(PAGE, "moved", name=name, arrow="\u2192", answer=answer, **shares)
