"""Notebook sections of a causal result: every table as a map, what was measured, and the files that can be saved."""

import dataclasses
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..components import linked_heatmaps
from ..components.linked_heatmaps import LinkedHeatmaps, MapSet
from ..components.matrix_row import RowMatrix
from ..components.notebook_page import DownloadFile, NotebookSection
from ..controls.widgets import Choice
from ..export.downloads import table_csv
from ..text.catalogue import Message, Untranslated, say
from ..text.numbers import three_digits

CSV_NUMBERS = 20_000
HUES = ("encoder", "decoder", "cross", "vision")
SHARES = ("probability", "share")  # units of numbers that are not signed where none is below 0
_NAMED = ("part", "first", "second")  # axes whose labels are names of parts, not tokens or numbers


class ShownTable(Protocol):
    """See `model.causal.result_tables.Table`."""

    values: np.ndarray
    axes: tuple[Any, ...]
    unit: str

    def columns(self) -> Mapping[str, np.ndarray]: ...


@dataclass(frozen=True)
class TableMap:
    """A table as rows and columns."""

    values: np.ndarray
    # `rows`, `columns`: labels; several axes that share a side are joined, as in "2.3" for layer 2, head 3
    rows: list[str]
    columns: list[str]
    titles: tuple[str, str]  # what the rows and columns are


def as_map(table: ShownTable) -> TableMap:
    """A table of any number of axes: the first half of them are rows; one axis is a single row."""
    sizes = table.values.shape
    split = len(sizes) // 2 if len(sizes) != 3 else 2  # layer and head by position
    sides = table.axes[:split], table.axes[split:]
    rows, columns = (_labels(side) for side in sides)
    titles = [" ".join(in_words(axis.name) for axis in side) for side in sides]
    return TableMap(table.values.reshape(len(rows), len(columns)), rows, columns, (titles[0], titles[1]))


def _labels(axes: tuple[Any, ...]) -> list[str]:
    labels = [""]
    for axis in axes:
        own = [in_words(label) if axis.name in _NAMED else str(label) for label in axis.labels]
        labels = [f"{first}.{one}" if first else one for first in labels for one in own]
    return labels


def heatmaps(tables: Mapping[str, ShownTable]) -> LinkedHeatmaps:
    """The tables as maps, one at a time, with a choice among several."""
    sets = {}
    for name, table in tables.items():
        each = as_map(table)
        signed = table.unit not in SHARES or bool((each.values < 0).any())
        values = np.where(np.isnan(each.values), -np.inf, each.values)
        title = f"{in_words(name)} ({in_words(table.unit)})"
        hue = next((hue for hue in HUES if name.startswith(hue)), "decoder")
        item = RowMatrix(
            title, values, hue, each.rows, each.columns, *each.titles, signed=signed, masked=("", UNDEFINED())
        )
        sets[name] = MapSet([item], "", ())
    choices = []
    if len(sets) > 1:
        options = {name: Untranslated(in_words(name)) for name in sets}
        choices = [Choice(say("show.table", "Table"), options, "kind")]
    return LinkedHeatmaps(sets, (), choices, {choice.key: choice.first for choice in choices})


def result_sections(result: Any, tables: Mapping[str, ShownTable]) -> list[NotebookSection]:
    """What was measured, and the maps."""
    snapshot = linked_heatmaps.snapshot(heatmaps(tables))
    return [NotebookSection(measured(result), snapshot)]


def result_files(tables: Mapping[str, ShownTable]) -> list[DownloadFile]:
    """All tables as NPZ, and each as CSV where they are not too large for a page."""
    content = io.BytesIO()
    arrays = {name: table.values for name, table in tables.items()}
    np.savez_compressed(content, **arrays)  # type: ignore[arg-type]  # NumPy's stub knows only `allow_pickle`
    npz = say("show.tables.npz", "All tables as NPZ")
    files = [DownloadFile(npz, "tables.npz", "application/octet-stream", content.getvalue())]
    for name, table in tables.items() if sum(each.values.size for each in tables.values()) <= CSV_NUMBERS else ():
        columns = table.columns()
        rows = list(zip(*(column.tolist() for column in columns.values()), strict=True))
        label = say("show.table.csv", "{table} as CSV", table=in_words(name))
        files.append(DownloadFile(label, f"{name}.csv", "text/csv", table_csv(list(columns), rows)))
    return files


# What a causal result measured, in sentences with its numbers and its check. Results are read by their attributes.

SENTENCES = {  # class of a result -> what its tables are, and its check
    "ActivationPatching": Message(
        "show.result.patching",
        "Each cell is the metric after the {site} ({part}) was replaced there by that of the other run. "
        "Unchanged it is {receiver} {unit}, in the other run {donor}. Check: with nothing replaced no logit "
        "differs by more than {check_nothing} of the largest one; batches of different size differ by "
        "{check_drift}.",
    ),
    "PathPatching": Message(
        "show.result.paths",
        "Each cell is the metric after one edge carries what it carries in the other run; feed-forward "
        "layers are {feed_forward}. Unchanged it is {receiver} {unit}, in the other run {donor}. Check: the "
        "strongest edges, run one by one, differ by at most {check_recomputed}.",
    ),
    "LogitLens": Message(
        "show.result.lens",
        "Each row is what the network would answer after that layer. Check: the last row differs from the "
        "network's own logits by at most {difference} of the largest one.",
    ),
    "LogitAttribution": Message(
        "show.result.logit",
        "Each cell is the share of one part in the logit of token {index} at position {position}, {logit}. "
        "Embedding {embedding} and position {positional} are the rest, with the biases. Check: all shares "
        "together miss the logit by {remainder}.",
    ),
    "RepeatedIdScores": Message(
        "show.result.repeated",
        "Each cell is the mean score of a head over {rows} rows of {length} random tokens that are repeated. "
        "Check: the weights of a query sum to 1 within {row_sum_error}.",
    ),
    "HeadAblation": Message(
        "show.result.ablation",
        "Each cell is the change of the metric when a head's output is replaced ({replacement}); with all "
        "heads it is {reference} {unit}. Check: a head replaced by its own output changes it by at most "
        "{nothing}.",
    ),
    "IntegratedGradients": Message(
        "show.result.gradients",
        "Each cell is the share of an input in the change of the metric from {baseline} {unit} at the "
        "baseline to {value}, by {points} points. Check: all shares together miss that change by {gap}.",
    ),
    "CompositionScores": Message(
        "show.result.composition",
        "Each cell is how far the weights by which a later head reads fit those by which an earlier one writes; "
        "random matrices give {chance}. Check: the strongest scores differ from the product of the whole matrices by "
        "at most {difference}.",
    ),
    "CopyingScores": Message(
        "show.result.copying",
        "Each cell is the copying score of a head, \u22121 to 1: above 0 if attending to a token raises its own logit "
        "on average over all tokens, below 0 if it lowers it. Check: the sums of eigenvalues miss the traces of the "
        "whole circuits by at most {difference} of their size.",
    ),
}
EVERYTHING = Message(
    "show.result.everything",
    "With everything replaced, the result differs from the other run by at most {check_everything} of its largest "
    "logit.",
)
NOT_COPIED = Message(
    "show.result.not-copied",
    "Cross-attention is left out: its values come from the encoder's output, not from embeddings of tokens.",
)
LOGIT_DIFFERENCE = Message(
    "show.result.logits",
    "Each cell is the share of one part in the logit of token {index} minus that of token {other} at "
    "position {position}, {logit}. Embedding {embedding} and position {positional} are the rest, with "
    "the biases. Check: all shares together miss the difference by {remainder}.",
)


def measured(result: Any) -> str:
    """What a result measured, with every number that it states besides its tables, its check included, in sentences."""
    values = {name: _written(value) for name, value in _numbers(result).items()}
    name = type(result).__name__
    sentences = [SENTENCES[name]] if name in SENTENCES else []
    if name == "ActivationPatching" and result.check.everything is not None:
        sentences.append(EVERYTHING)
    if name == "CopyingScores" and result.left_out:
        sentences.append(NOT_COPIED)
    if name == "LogitAttribution" and result.other is not None:
        sentences = [LOGIT_DIFFERENCE]
    return " ".join(sentence(**values) for sentence in sentences)


def _numbers(result: Any) -> dict[str, object]:
    """Numbers and names of a result, those of its check with "check_" before their names, and the metric's unit."""
    fields = {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}
    check = fields.pop("check", None)
    if dataclasses.is_dataclass(check):
        fields |= {f"check_{field.name}": getattr(check, field.name) for field in dataclasses.fields(check)}
    fields |= {name: getattr(result, name) for name in ("gap", "remainder") if hasattr(result, name)}
    fields["unit"] = getattr(fields.get("metric"), "unit", "")
    plain = {name: value for name, value in fields.items() if isinstance(value, str | int | float)}
    return {name: value for name, value in plain.items() if not isinstance(value, bool)}


def _written(value: object) -> object:
    return three_digits(value) if isinstance(value, float) else in_words(value) if isinstance(value, str) else value


# Names of the tables, axes, units and settings of causal results, in words of the user's language.

TITLES = {  # class of a result -> its name
    "ActivationPatching": Message("result.title.patching", "Activation patching"),
    "PathPatching": Message("result.title.paths", "Path patching"),
    "LogitLens": Message("result.title.lens", "Logit lens"),
    "LogitAttribution": Message("result.title.logit", "Logit attribution"),
    "RepeatedIdScores": Message("result.title.repeated", "Repeated id scores"),
    "HeadAblation": Message("result.title.ablation", "Head ablation"),
    "IntegratedGradients": Message("result.title.gradients", "Integrated gradients"),
    "CompositionScores": Message("result.title.composition", "Composition scores"),
    "CopyingScores": Message("result.title.copying", "Copying scores"),
}
UNDEFINED = Message("result.undefined", "not defined")
_MESSAGES = (
    Message("result.attention-output", "attention output"),
    Message("result.attention-weights", "attention weights"),
    Message("result.biases", "biases of"),
    Message("result.cell-state", "cell state"),
    Message("result.column", "column"),
    Message("result.context-vector", "context vector"),
    Message("result.copying-score", "copying score"),
    Message("result.cross", "cross"),
    Message("result.decoder", "decoder"),
    Message("result.divergence", "divergence"),
    Message("result.duplicate", "duplicate"),
    Message("result.effect", "effect"),
    Message("result.embedding", "embedding"),
    Message("result.encoder", "encoder"),
    Message("result.feed-forward", "feed forward"),
    Message("result.feed-forward-output", "feed forward output"),
    Message("result.first", "first"),
    Message("result.frozen", "frozen"),
    Message("result.head", "head"),
    Message("result.head-output", "head output"),
    Message("result.hidden-state", "hidden state"),
    Message("result.id", "id"),
    Message("result.induction", "induction"),
    Message("result.interactions", "interactions"),
    Message("result.keys", "keys"),
    Message("result.layer", "layer"),
    Message("result.logits", "logits"),
    Message("result.mean", "mean"),
    Message("result.metric", "metric"),
    Message("result.nats", "nats"),
    Message("result.pairs", "pairs"),
    Message("result.part", "part"),
    Message("result.pixels", "pixels"),
    Message("result.position", "position"),
    Message("result.previous", "previous"),
    Message("result.probability", "probability"),
    Message("result.queries", "queries"),
    Message("result.rank", "rank"),
    Message("result.receiver", "receiver"),
    Message("result.recomputed", "recomputed"),
    Message("result.remainder", "remainder"),
    Message("result.resample", "resample"),
    Message("result.residual", "residual"),
    Message("result.rest", "rest"),
    Message("result.restored", "restored"),
    Message("result.row", "row"),
    Message("result.second", "second"),
    Message("result.sender", "sender"),
    Message("result.share", "share"),
    Message("result.standard-error", "standard error"),
    Message("result.state", "state"),
    Message("result.to-logits", "to logits"),
    Message("result.top", "top"),
    Message("result.values", "values"),
    Message("result.vision", "vision"),
    Message("result.zero", "zero"),
)
_WORDS = {message.english: message for message in _MESSAGES}
_LONGEST = max(len(english.split(" ")) for english in _WORDS)


def result_title(result: object) -> str:
    """The name of a result's class, such as "Activation patching"; of an unknown class its name in words."""
    name = type(result).__name__
    if name in TITLES:
        return TITLES[name]()
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name).strip().capitalize()


def in_words(name: str) -> str:
    """An identifier such as `encoder_standard_error` in words: the longest known runs of its words are translated.

    What is no word of a result stays as it is, such as numbers and names of classes.
    """
    words, written = name.replace("_", " ").split(" "), []
    while words:
        sizes = range(min(_LONGEST, len(words)), 0, -1)
        size = next((size for size in sizes if " ".join(words[:size]) in _WORDS), 1)
        run, words = " ".join(words[:size]), words[size:]
        written.append(_WORDS[run]() if run in _WORDS else run)
    return " ".join(written)
