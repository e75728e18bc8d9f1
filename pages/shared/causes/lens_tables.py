"""What a network would say after each layer: a table over all positions, one position in full, and files."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from model.causal.logit_lens import LogitLens
from pages.shared import checks, files, tables
from pages.shared.texts import caption, fold_check, paragraph
from views import map_labels
from views.controls import widgets
from views.html import answer_cell
from views.text import literal, terms
from views.text.catalogue import say

MOST_ROWS = 64  # of the table on the page; its file has all


@dataclass(frozen=True, eq=False)
class LensLabels:
    """What the numbers of a lens stand for."""

    read: Sequence[str]  # labels of the positions
    following: Sequence[str] | None  # label of the token that follows each position; None of a classifier
    names: Callable[[list[int]], Sequence[str]]  # labels of tokens or classes, by their indices
    titles: tuple[str, str] | None = None  # of `read` and `following`; by default those of text that is read on
    language: str = ""  # of all tokens; empty where unknown

    @property
    def what(self) -> str:
        """What an answer is: "token", or the "name" of a class."""
        return "name" if self.following is None else "token"

    def written(self, answers: Sequence[str]) -> list[str]:
        """Answers in a file."""
        return list(answers) if self.following is None else list(map(literal.token, answers))


def layer_name(layer: int) -> str:
    """Name of a row of the residual stream."""
    return say("circuits.lens.layer", "layer {layer}", layer=layer) if layer else say("circuits.lens.input", "input")


def render_lens(lens: LogitLens, labels: LensLabels, half: bool | None = None) -> None:
    """Render all tables of a lens, its files and its check.

    Args:
        half: whether an opened model runs in half precision; None for a network of this project.
    """
    said = [labels.names(row.tolist()) for row in lens.top_ids[:, :, 0]]  # (layer, position)
    paragraph("circuits", "lens-table" if labels.following is not None else "lens-classes")
    titles = labels.titles or (say("circuits.lens.after", "read so far"), say("circuits.lens.next", "next token"))
    shown = slice(max(0, len(labels.read) - MOST_ROWS), None)
    if shown.start:
        caption("circuits", "lens-long", shown=MOST_ROWS, count=len(labels.read))
    columns = [tables.token_column(titles[0], labels.read[shown], labels.language)]
    if labels.following is not None:
        columns.append(tables.token_column(titles[1], labels.following[shown], labels.language))
    for layer, every in enumerate(said):
        answers, right = every[shown], lens.right_ids[shown]
        probabilities, ids = lens.top_probabilities[layer, shown, 0], lens.top_ids[layer, shown, 0]
        values = zip(answers, probabilities, ids, right, strict=True)
        cells = [
            answer_cell.answer_cell(name, float(p), id == asked, what=labels.what, language=labels.language)
            for name, p, id, asked in values
        ]
        columns.append(tables.TableColumn(layer_name(layer), labels.written(answers), cells))
    tables.render_table(columns, say("circuits.lens.table", "Most probable token, by layer and position"))
    render_position(lens, labels)
    with st.container(horizontal=True):
        header, rows = all_rows(lens, labels, said)
        files.csv(header, rows, "lens", say("circuits.csv.lens", "All layers as CSV"))
        files.npz("lens", lambda: lens_arrays(lens), say("circuits.npz.lens", "All layers as NPZ"))
    difference = checks.format_stream_difference("logit lens", lens.difference, half)
    fold_check("circuits", "lens-check", difference=difference)


def render_position(lens: LogitLens, labels: LensLabels) -> None:
    """Render one position in full: the most probable answers of every layer, and the rank of the right one."""
    options = map_labels.token_options(labels.read if labels.following is None else labels.following)
    label = say("circuits.lens.position", "Next token")
    if labels.following is None:
        label = say("circuits.lens.token", "Token")
    with st.container(width=300):
        place = int(widgets.select(label, options, "position")) - 1
    top = [labels.names(row.tolist()) for row in lens.top_ids[:, place]]
    columns = [
        tables.TableColumn(say("column.layer", "layer"), [layer_name(layer) for layer in range(len(top))]),
        tables.bar_column(say("circuits.lens.right", "its probability"), lens.probabilities[:, place], 1.0),
        tables.TableColumn(say("circuits.lens.rank", "its rank"), lens.ranks[:, place].tolist()),
        tables.bar_column(
            say("circuits.lens.divergence", "distance from the last layer, nats"),
            lens.divergence[:, place],
            float(lens.divergence[:, place].max()),
            "encoder",
        ),
    ]
    for rank in range(min(3, lens.top_ids.shape[2])):
        answers = [row[rank] for row in top]
        values = zip(answers, lens.top_probabilities[:, place, rank], lens.top_ids[:, place, rank], strict=True)
        right = lens.right_ids[place]
        cells = [
            answer_cell.answer_cell(name, float(p), id == right, what=labels.what, language=labels.language)
            for name, p, id in values
        ]
        title = say("circuits.lens.best", "{rank}. most probable", rank=rank + 1)
        columns.append(tables.TableColumn(title, labels.written(answers), cells))
    name = say("circuits.lens.one", "All layers at one position")
    tables.render_table(columns, name, label=name)


def all_rows(
    lens: LogitLens, labels: LensLabels, said: Sequence[Sequence[str]]
) -> tuple[list[str], list[list[object]]]:
    """All layers and positions as rows of a table, below a header; a class takes the next token's place."""
    header = [
        say("circuits.position", "position"),
        terms.TOKEN(),
        say("circuits.lens.next", "next token"),
        say("column.layer", "layer"),
        say("circuits.lens.says", "most probable"),
        terms.PROBABILITY(),
        say("circuits.lens.right.next", "probability of the next token"),
        say("circuits.lens.rank.next", "rank of the next token"),
        say("circuits.lens.divergence", "distance from the last layer, nats"),
    ]
    following = labels.following if labels.following is not None else labels.names(list(lens.right_ids))
    rows: list[list[object]] = []
    for place, (read, right) in enumerate(zip(labels.read, labels.written(following), strict=True)):
        for layer, answers in enumerate(said):
            numbers = (
                float(lens.top_probabilities[layer, place, 0]),
                float(lens.probabilities[layer, place]),
                int(lens.ranks[layer, place]),
                float(lens.divergence[layer, place]),
            )
            (answer,) = labels.written([answers[place]])
            rows.append([place + 1, literal.token(read), right, layer, answer, *numbers])
    return header, rows


def lens_arrays(lens: LogitLens) -> dict[str, np.ndarray]:
    """All tables of the result for `numpy.load`."""
    return {name: table.values for name, table in lens.tables.items()}
