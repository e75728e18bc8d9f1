"""Numbers that follow sliders in the browser, without the server: heatmaps, curves, tables of bars, formulas.

How to use it: name the axes, give every array the names of its dimensions, and define the panels that show them.

    tokens = Axis("token", "Token", ("the", "cat"), data_kind="token")
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
that `CurvesPanel` above draws the selected unit over all tokens, and `{h}` is one number. A drawn axis that has a
slider shows its position and can be clicked. What depends on a slider other than as an index into an array, such as a
softmax with a temperature, the browser computes by a rule in `web/src/views/step_view/content.ts`.
`pages.shared.stepper.render` mounts the view and stores its positions in the URL.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np

from .. import palette
from ..controls import sentence_input
from ..text.catalogue import Message
from ..viewer.payload import pack
from . import component

_MOUNT = component.Component("step_view", "step-view")
WORDS = {
    "at": Message("step-view.at", "{title} {place} of {count}"),
    "back": Message("step-view.back", "{title}: one back"),
    "forward": Message("step-view.forward", "{title}: one forward"),
    "map": Message("step-view.map", "{name}: {rows} down, {columns} across. The table below has the same numbers."),
    "chart": Message("step-view.chart", "{name} over {along}. The table below has the same numbers."),
    "unread": Message("step-view.unread", "not read yet"),
}


@dataclass(frozen=True, eq=False)
class Axis:
    """A dimension of arrays, and its slider."""

    id: str  # in `Numbers.dims`, in formulas and, with a slider, in the address
    title: str  # name of one step, such as "Token"
    labels: Sequence[str] = ()  # of its positions, which may be a user's text; empty if positions are only numbered
    size: int = 0  # the number of positions if they have no labels
    slider: bool = True  # whether it has a slider
    data_kind: str = ""  # "token", "number" or "name" if the labels are data and not translated messages
    language: str = ""  # code of the language that its tokens are of; the page's if empty
    ids: Sequence[str] = ()  # values of the positions in the URL; numbers from 1 if empty
    first: int = 0  # the position of the slider until the user moves it
    show_labels: bool = True  # its labels are written next to what is drawn along it
    values: Sequence[float] = ()  # numbers that its positions represent, see `number_axis`

    @property
    def count(self) -> int:
        """The number of positions."""
        return len(self.labels) or self.size


def number_axis(id: str, title: str, values: Sequence[float], first: float) -> Axis:
    """An axis with a slider over numbers, which are its labels and its values in the URL; `first` is one of them."""
    labels = [f"{value:.12g}" for value in values]
    return Axis(id, title, labels, data_kind="number", ids=labels, first=list(values).index(first), values=values)


@dataclass(frozen=True, eq=False)
class Numbers:
    """An array and the ids of its dimensions' axes; drawn as float32. NaN is not shown.

    With `whole` the numbers are counts, without decimals.
    """

    values: np.ndarray
    dims: tuple[str, ...] = ()
    whole: bool = False


@dataclass(frozen=True)
class HeatmapPanel:
    """Two dimensions of an array as colours."""

    name: str  # written above it
    numbers: str  # key of the array
    # `rows`, `columns`: ids of the axes that are drawn
    rows: str
    columns: str
    kind: str = "encoder"  # decides the hue
    signed: bool = True  # colours for both signs; otherwise 0 is the lightest
    top: float | None = None  # the number with the deepest colour; the largest of the whole array if None
    wide: bool = True  # it takes the whole width
    grows: bool = False  # rows after the position of their slider are blank
    most: int = 0  # the number of columns that are drawn, the first of the axis; 0 for all
    finding: str = ""  # what it shows, as its title instead of the name, with placeholders as in `FormulaPanel`


@dataclass(frozen=True)
class RibbonPanel:
    """Numbers from 0 as a ribbon along an axis with a slider: as wide as the number, and filled up to the slider.

    `top` is the number of the widest ribbon, by default the largest of the array; `kind` decides the hue.
    """

    name: str
    along: str
    numbers: str
    kind: str = "encoder"
    top: float | None = None
    wide: bool = True


@dataclass(frozen=True)
class Curve:
    """One line of `CurvesPanel`: its name and the key of its array."""

    name: str
    numbers: str


@dataclass(frozen=True)
class CurvesPanel:
    """Arrays as lines over one axis; `low` and `high` are the ends of the scale, by default those of the arrays.

    With `log` the scale is logarithmic, and numbers up to 0 are not drawn. With `own` the scale is that of the lines
    that are drawn at the moment. `finding` is the title, as in `HeatmapPanel`; the name, with the unit, is below it.
    """

    name: str
    along: str
    curves: tuple[Curve, ...]
    low: float | None = None
    high: float | None = None
    log: bool = False
    own: bool = False
    wide: bool = False
    finding: str = ""


@dataclass(frozen=True)
class BarColumn:
    """A column of `BarsPanel`."""

    name: str  # written above it
    numbers: str  # key of the array
    kind: str = "encoder"  # decides the hue
    top: float | None = None  # the number of the longest bar; the largest of the array if None
    signed: bool | None = None  # bars start in the middle; if None, they do if a number is below 0
    bar: bool = True  # whether there are bars next to the numbers
    nothing: str = ""  # text instead of NaN


@dataclass(frozen=True)
class BarsPanel:
    """A table with a row for every position of one axis: its label, and for each array a bar with the number.

    `taken` is a row whose label is highlighted in the decoder's hue.
    """

    name: str
    along: str
    columns: tuple[BarColumn, ...]
    wide: bool = False
    taken: int | None = None


@dataclass(frozen=True)
class FormulaPanel:
    """A line of text with placeholders: `{key of an array}` for its number, `{id of an axis}` for its label.

    `{id#}` is an axis's position as a number from 1, instead of its label.
    """

    text: str
    wide: bool = True


StepPanel = HeatmapPanel | RibbonPanel | CurvesPanel | BarsPanel | FormulaPanel
_SCRIPT_NAMES = {
    HeatmapPanel: "heatmap",
    RibbonPanel: "ribbon",
    CurvesPanel: "curves",
    BarsPanel: "bars",
    FormulaPanel: "formula",
}
SliderPositions = dict[str, int]  # id of an axis -> position of its slider, from 0


@dataclass(frozen=True, eq=False)
class StepView:
    """Axes, arrays and panels of a view; see the module.

    Raises:
        ValueError: an array's shape does not fit its axes, or a panel cannot draw an array along the axes it names.
    """

    axes: tuple[Axis, ...]
    numbers: Mapping[str, Numbers]
    panels: tuple[StepPanel, ...]
    # name in `web/src/views/step_view/content.ts` of what the browser computes while a slider is dragged
    rule: str = ""
    # positions of the sliders for which `numbers` contains the results of the rule, computed by the server
    at: SliderPositions = field(default_factory=dict)

    def __post_init__(self) -> None:
        sizes = {axis.id: axis.count for axis in self.axes}
        for key, array in self.numbers.items():
            if np.shape(array.values) != tuple(sizes[dim] for dim in array.dims):
                raise ValueError(f"{key} is {np.shape(array.values)}, its axes {array.dims} are not.")
        sliders = {axis.id for axis in self.axes if axis.slider}
        for panel in self.panels:
            for key, along in _drawn_arrays(panel):
                dims = {*self.numbers[key].dims}
                if {*along} - dims or dims - {*along} - sliders:
                    name = panel.text if isinstance(panel, FormulaPanel) else panel.name
                    raise ValueError(f"{name} cannot draw {key} along {along}: it has {self.numbers[key].dims}.")

    def first(self) -> SliderPositions:
        """Initial positions of the sliders."""
        return {axis.id: axis.first for axis in self.axes if axis.slider}

    def valid(self, sent: object) -> SliderPositions | None:
        """The sliders' positions that a browser sent or a URL contains; None if they are invalid."""
        sliders = {axis.id: axis.count for axis in self.axes if axis.slider}
        if not isinstance(sent, dict) or set(sent) != set(sliders):
            return None
        return dict(sent) if all(component.is_index(place, sliders[name]) for name, place in sent.items()) else None


def payload(view: StepView, theme: palette.Theme) -> bytes:
    """The bytes that `web/src/views/step_view/content.ts` reads; the arrays are float32."""
    header = {
        "axes": [
            {
                "id": axis.id,
                "title": axis.title,
                "labels": component.labels(axis.labels),
                "count": axis.count,
                "slider": axis.slider,
                "said": f"{axis.data_kind} {axis.language}".strip(),
                "beside": axis.show_labels,
                "values": list(axis.values),
            }
            for axis in view.axes
        ],
        "numbers": {key: list(array.dims) for key, array in view.numbers.items()},
        "whole": [key for key, array in view.numbers.items() if array.whole],
        "rule": view.rule,
        "at": view.at,
        "panels": [_panel_header(panel, view) for panel in view.panels],
        "styles": {
            "light": [palette.head_style(line, "light") for line in range(8)],
            "dark": [palette.head_style(line, "dark") for line in range(8)],
        },
        "theme": theme,
        "words": component.translated(WORDS),
    }
    return pack(header, {key: np.asarray(array.values, np.float32) for key, array in view.numbers.items()})


def step_view(view: StepView, places: SliderPositions, key: str, on_change: Callable[[SliderPositions], None]) -> None:
    """Mount it; `on_change` is called with the sliders' positions, half a second after the user last moved one."""
    _MOUNT(key, payload(view, sentence_input.theme()), places, places=(view.valid, on_change))


def _drawn_arrays(panel: StepPanel) -> list[tuple[str, tuple[str, ...]]]:
    """Keys of the arrays that a panel draws, each with the axes along which it draws it."""
    if isinstance(panel, HeatmapPanel):
        return [(panel.numbers, (panel.rows, panel.columns))]
    if isinstance(panel, RibbonPanel):
        return [(panel.numbers, (panel.along,))]
    if isinstance(panel, CurvesPanel):
        return [(curve.numbers, (panel.along,)) for curve in panel.curves]
    if isinstance(panel, BarsPanel):
        return [(column.numbers, (panel.along,)) for column in panel.columns]
    return []


def _panel_header(panel: StepPanel, view: StepView) -> dict[str, object]:
    """A panel as the script reads it."""
    header = asdict(panel) | {"is": _SCRIPT_NAMES[type(panel)]}
    arrays = [np.asarray(view.numbers[key].values) for key, _ in _drawn_arrays(panel)]
    if isinstance(panel, HeatmapPanel):
        header["top"] = _largest(arrays[0], panel.top)
        header["scales"] = component.scales(panel.kind, panel.signed)
    elif isinstance(panel, RibbonPanel):
        header |= {"top": _largest(arrays[0], panel.top), "hue": palette.HUES[panel.kind]}
    elif isinstance(panel, CurvesPanel):
        numbers = np.concatenate([array.ravel() for array in arrays])
        numbers = numbers[numbers > 0] if panel.log else numbers[~np.isnan(numbers)]
        low, high = (float(numbers.min()), float(numbers.max())) if numbers.size else (1.0, 1.0)
        header["low"] = low if panel.low is None else panel.low
        header["high"] = high if panel.high is None else panel.high
    elif isinstance(panel, BarsPanel):
        for column, array, fields in zip(panel.columns, arrays, header["columns"], strict=True):
            top = _largest(array, column.top) if column.bar else 1.0
            fields |= {"top": top, "hues": palette.signed_hues(column.kind)}
            fields["signed"] = bool((array < 0).any()) if column.signed is None else column.signed
        header["hue"] = palette.HUES["decoder"]
    return header


def _largest(values: np.ndarray, top: float | None) -> float:
    return (float(np.nanmax(np.abs(values))) if top is None else top) or 1.0
