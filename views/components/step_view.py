"""Numbers that follow sliders in the browser, with no trip to the server: heatmaps, curves, tables of bars, formulas.

How to use it: name the axes, give every array the names of its dimensions, and say which panels show what.

    tokens = Axis("token", "Token", ("the", "cat"), said="token")
    units = Axis("unit", "Unit", size=448)
    view = StepView(
        axes=(tokens, units),
        numbers={"h": Numbers(hidden, ("token", "unit"))},  # (2, 448)
        panels=(
            HeatmapPanel("hidden states", "h", rows="token", columns="unit"),
            CurvesPanel("one unit", along="token", curves=(Curve("h", "h"),)),
            FormulaPanel("unit {unit} at {token}: {h}"),
        ),
    )

An axis with `slider` gets one. A panel draws the dimensions that it names; in all others it follows the sliders, so
that `CurvesPanel` above draws the chosen unit over all tokens, and `{h}` is one number. A drawn axis that has a slider shows
its place and can be clicked. What depends on a slider in another way than by its place in an array, such as a softmax
with a temperature, the browser computes by a rule in `step_view.rules.js`. `pages.shared.stepper.render` mounts it and
keeps its places in the address.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np

from .. import palette
from ..controls import sentence_input
from ..text.catalogue import Message
from . import component

_MOUNT = component.Component("step_view", "step-view")
WORDS = {
    "at": Message("step-view.at", "{title} {place} of {count}"),
    "back": Message("step-view.back", "{title}: one back"),
    "forward": Message("step-view.forward", "{title}: one forward"),
    "map": Message("step-view.map", "{name}: {rows} down, {columns} across. The table below has the same numbers."),
    "chart": Message("step-view.chart", "{name} over {along}. The table below has the same numbers."),
}


@dataclass(frozen=True, eq=False)
class Axis:
    """What a dimension counts.

    Attributes:
        id: in `Numbers.dims`, in formulas and, with a slider, in the address.
        title: what one step of it is called, such as "Token".
        labels: of its places, which may come from a person; empty where places are only counted.
        size: how many places there are where they have no labels.
        slider: whether the reader moves along it.
        said: "token", "number" or "name" where the labels are not the page's words.
        ids: what the address says for each place; numbers from 1 where empty.
        first: the place that is shown until a reader chooses.
        beside: its labels stand beside what is drawn along it.
        values: the numbers that its places stand for, see `number_axis`.
    """

    id: str
    title: str
    labels: Sequence[str] = ()
    size: int = 0
    slider: bool = True
    said: str = ""
    ids: Sequence[str] = ()
    first: int = 0
    beside: bool = True
    values: Sequence[float] = ()

    @property
    def count(self) -> int:
        """How many places it has."""
        return len(self.labels) or self.size


def number_axis(id: str, title: str, values: Sequence[float], first: float) -> Axis:
    """A slider over numbers: they are its labels, and what the address says; `first` is one of them."""
    said = [f"{value:.12g}" for value in values]
    return Axis(id, title, said, said="number", ids=said, first=list(values).index(first), values=values)


@dataclass(frozen=True, eq=False)
class Numbers:
    """An array and the ids of its dimensions' axes; drawn as float32. Where it is NaN there is nothing to show.

    With `whole` they are counts and have no decimals.
    """

    values: np.ndarray
    dims: tuple[str, ...] = ()
    whole: bool = False


@dataclass(frozen=True)
class HeatmapPanel:
    """Two dimensions of an array as colours.

    Attributes:
        name: stands above it.
        numbers: key of the array.
        rows, columns: ids of the axes that are drawn.
        kind: decides the hue.
        signed: colours for both signs; otherwise 0 is the lightest.
        top: the number with the deepest colour; the largest of the whole array where None.
        wide: it takes the whole width.
    """

    name: str
    numbers: str
    rows: str
    columns: str
    kind: str = "encoder"
    signed: bool = True
    top: float | None = None
    wide: bool = True


@dataclass(frozen=True)
class Curve:
    """One line of `CurvesPanel`: what it is called and the key of its array."""

    name: str
    numbers: str


@dataclass(frozen=True)
class CurvesPanel:
    """Arrays as lines over one axis; `low` and `high` are the ends of the scale, the arrays' own where None.

    With `log` the scale is logarithmic, and what is 0 or less is not drawn. With `own` the scale is that of the lines
    that are drawn at the moment, not that of the whole arrays.
    """

    name: str
    along: str
    curves: tuple[Curve, ...]
    low: float | None = None
    high: float | None = None
    log: bool = False
    own: bool = False
    wide: bool = False


@dataclass(frozen=True)
class BarColumn:
    """A column of `BarsPanel`.

    Attributes:
        name: stands above it.
        numbers: key of the array.
        kind: decides the hue.
        top: the number of the longest bar; the largest of the array where None.
        signed: bars grow from the middle; where None, if a number is below 0.
        bar: whether there are bars beside the numbers.
        nothing: what it says where there is no number.
    """

    name: str
    numbers: str
    kind: str = "encoder"
    top: float | None = None
    signed: bool | None = None
    bar: bool = True
    nothing: str = ""


@dataclass(frozen=True)
class BarsPanel:
    """A table with a row for every place of one axis: its label, and of each array a bar with the number.

    `taken` is a row whose label stands out in the decoder's hue.
    """

    name: str
    along: str
    columns: tuple[BarColumn, ...]
    wide: bool = False
    taken: int | None = None


@dataclass(frozen=True)
class FormulaPanel:
    """A line of text with places in braces: `{key of an array}` or `{id of an axis}`, whose label or number it says.

    `{id#}` is the number of an axis's place, from 1, where its label would stand otherwise.
    """

    text: str
    wide: bool = True


StepPanel = HeatmapPanel | CurvesPanel | BarsPanel | FormulaPanel
_SCRIPT_NAMES = {HeatmapPanel: "heatmap", CurvesPanel: "curves", BarsPanel: "bars", FormulaPanel: "formula"}
Places = dict[str, int]  # id of an axis -> place, from 0


@dataclass(frozen=True, eq=False)
class StepView:
    """Everything that is shown; see the module.

    Attributes:
        rule: what the browser computes while a slider is dragged, by its name in `step_view.rules.js`. Where the
            sliders stand as in `at`, the numbers that it names are those that are given here, the server's.

    Raises:
        ValueError: an array's shape does not fit its axes, or a panel names what is not there.
    """

    axes: tuple[Axis, ...]
    numbers: Mapping[str, Numbers]
    panels: tuple[StepPanel, ...]
    rule: str = ""
    at: Places = field(default_factory=dict)

    def __post_init__(self) -> None:
        sizes = {axis.id: axis.count for axis in self.axes}
        for key, array in self.numbers.items():
            if np.shape(array.values) != tuple(sizes[dim] for dim in array.dims):
                raise ValueError(f"{key} is {np.shape(array.values)}, its axes {array.dims} are not.")
        sliders = {axis.id for axis in self.axes if axis.slider}
        for panel in self.panels:
            for key, drawn in _drawn_arrays(panel):
                missing = {*drawn} - {*self.numbers[key].dims}
                followed = {*self.numbers[key].dims} - {*drawn}
                if missing or followed - sliders:
                    raise ValueError(f"{panel.name} cannot draw {key} along {drawn}: it has {self.numbers[key].dims}.")

    def first(self) -> Places:
        """Where the sliders begin."""
        return {axis.id: axis.first for axis in self.axes if axis.slider}

    def valid(self, sent: object) -> Places | None:
        """What the browser or an address says of the sliders, or None if it cannot be: both can say anything."""
        sliders = {axis.id: axis.count for axis in self.axes if axis.slider}
        if not isinstance(sent, dict) or set(sent) != set(sliders):
            return None
        if not all(type(place) is int and 0 <= place < sliders[name] for name, place in sent.items()):
            return None
        return dict(sent)


def payload(view: StepView, theme: palette.Theme) -> bytes:
    """The bytes that `step_view.js` reads: float32 arrays one after another."""
    header = {
        "axes": [
            {
                "id": axis.id,
                "title": axis.title,
                "labels": component.labels(axis.labels),
                "count": axis.count,
                "slider": axis.slider,
                "said": axis.said,
                "beside": axis.beside,
                "values": list(axis.values),
            }
            for axis in view.axes
        ],
        "numbers": {key: list(array.dims) for key, array in view.numbers.items()},
        "whole": [key for key, array in view.numbers.items() if array.whole],
        "rule": view.rule,
        "at": view.at,
        "panels": [_panel_header(panel, view) for panel in view.panels],
        "styles": {name: [palette.head_style(place, name) for place in range(8)] for name in ("light", "dark")},
        "theme": theme,
        "words": component.translated(WORDS),
    }
    return component.pack(header, *(np.asarray(array.values, dtype="<f4") for array in view.numbers.values()))


def step_view(view: StepView, places: Places, key: str, on_change: Callable[[Places], None]) -> None:
    """Mount it.

    Args:
        places: where the sliders stand.
        on_change: called with where they stand, a moment after a reader last moved one.
    """
    _MOUNT(key, payload(view, sentence_input.theme()), places, places=(view.valid, on_change))


def _drawn_arrays(panel: StepPanel) -> list[tuple[str, tuple[str, ...]]]:
    """Keys of the arrays that a panel draws, each with the axes that it draws it along."""
    if isinstance(panel, HeatmapPanel):
        return [(panel.numbers, (panel.rows, panel.columns))]
    if isinstance(panel, CurvesPanel):
        return [(curve.numbers, (panel.along,)) for curve in panel.curves]
    if isinstance(panel, BarsPanel):
        return [(column.numbers, (panel.along,)) for column in panel.columns]
    return []


def _panel_header(panel: StepPanel, view: StepView) -> dict:
    """A panel as the script reads it."""
    described = asdict(panel) | {"is": _SCRIPT_NAMES[type(panel)]}
    arrays = [np.asarray(view.numbers[key].values) for key, _ in _drawn_arrays(panel)]
    if isinstance(panel, HeatmapPanel):
        described["top"] = _largest(arrays[0], panel.top)
        described["scales"] = component.scales(panel.kind, panel.signed)
    elif isinstance(panel, CurvesPanel):
        drawn = np.concatenate([array.ravel() for array in arrays])
        drawn = drawn[drawn > 0] if panel.log else drawn[~np.isnan(drawn)]
        low, high = (float(drawn.min()), float(drawn.max())) if drawn.size else (1.0, 1.0)
        described["low"] = low if panel.low is None else panel.low
        described["high"] = high if panel.high is None else panel.high
    elif isinstance(panel, BarsPanel):
        for column, array, told in zip(panel.columns, arrays, described["columns"], strict=True):
            told |= {
                "top": _largest(array, column.top) if column.bar else 1.0,
                "hues": palette.signed_hues(column.kind),
            }
            told["signed"] = bool((array < 0).any()) if column.signed is None else column.signed
        described["hue"] = palette.HUES["decoder"]
    return described


def _largest(values: np.ndarray, top: float | None) -> float:
    return (float(np.nanmax(np.abs(values))) if top is None else top) or 1.0
