"""The encoding as a table and as curves, and the wavelength of each dimension."""

import numpy as np
import streamlit as st

from model.lessons import far_positions
from model.networks.positional import BASE
from model.networks.positional import wavelengths as wavelengths_of
from pages.positions.encoding_settings import FORMS, LARGEST, choose_settings
from pages.shared import checks, files
from pages.shared.charts import curves, matrix_chart
from pages.shared.experiment import render_experiment
from pages.shared.page_header import Request
from pages.shared.texts import block, caption, fold_check, paragraph
from views.controls import widgets
from views.figures.heatmap import ChartMatrix
from views.figures.line_chart import ChartLine
from views.html import bars
from views.text.catalogue import Message, say
from views.text.numbers import grouped, three_digits

MOST_BASE = 1_000_000
MOST_WRITTEN, MOST_ROWS = 8, 32  # columns and rows of a table whose numbers are written out
WAVES = (  # labels of the curves of a pair of dimensions
    Message("positions.curve.sine", "dimension {dimension}, sine"),
    Message("positions.curve.cosine", "dimension {dimension}, cosine"),
)


def render_table(request: Request) -> None:
    """Show position x dimension, and two columns of it as curves."""
    encoding = choose_settings(request)
    axes, value = (say("axis.position", "position"), say("axis.dimension", "dimension")), say("value", "value")
    cells = {
        "encoding": say("positions.cells.encoding", "Sines and cosines"),
        "angles": say("positions.cells.angles", "Their angles"),
    }
    angles = widgets.pick(say("positions.cells", "Cells of the table"), cells, "cells") == "angles"
    left, right = st.columns(2, gap="large")
    with right:
        column = widgets.slider(say("positions.dimension", "Dimension to draw"), "column", 8, 0, encoding.d_model - 1)
        partner = column ^ 1  # the other dimension of its pair
        places = np.arange(encoding.length)
        series = [
            ChartLine(WAVES[n % 2](dimension=n), places, encoding.table[:, n], n % 2) for n in sorted((column, partner))
        ]
        alt = say("positions.curve.alt", "The chosen dimension and its partner over the positions.")
        curves(series, axes[0], value, "curve", alt, y_range=(-1.05, 1.05), short=True)
        wavelength, partner_wavelength = (
            _position_count(encoding.wavelengths[dimension]) for dimension in (column, partner)
        )
        caption("positions", "turns", column=column, turn=wavelength, partner=partner, other=partner_wavelength)
    with left:
        alt = say("positions.table.alt", "Heatmap of the encoding; the table below has the same numbers.")
        matrix = encoding.angles if angles else encoding.table
        title = say("positions.angle", "angle") if angles else value
        low, high = (0.0, float(matrix.max())) if angles else (-1.0, 1.0)
        written = encoding.d_model <= MOST_WRITTEN
        matrix_chart(ChartMatrix(matrix, *axes, title, low=low, high=high, written=written), "encoding", alt)
        if angles:
            last = encoding.length - 1
            caption("positions", "angles", last=last, angle=encoding.angles[last, -1])
    result = (
        {"length": encoding.length, "largest": float(np.abs(encoding.table).max())}
        if encoding.length == LARGEST
        else None
    )
    render_experiment("positions-table", {"length": LARGEST}, result, length=LARGEST)
    if written and encoding.length <= MOST_ROWS:
        _render_digits(matrix, axes)
    paragraph("positions", "table" if encoding.form == "paper" else "table-column")
    trained = request.service.model.config
    if encoding.form == "paper" and encoding.d_model == trained.d_model:
        recorded = request.service.lesson("position table", lambda network: network.positions.cpu().numpy())
        difference = float(np.abs(recorded[: encoding.length] - encoding.table).max())
        fold_check("positions", "table-check", difference=checks.format_difference("sinusoid table", difference))
    else:
        caption("positions", "no-table-check", d_model=trained.d_model)
    header = [axes[0], *map(str, range(encoding.d_model))]
    with st.container(horizontal=True):
        rows = lambda: [[place, *row] for place, row in enumerate(encoding.table.tolist())]  # noqa: E731
        files.csv(header, rows, encoding.name, say("positions.csv", "Encoding as CSV"))
        arrays = {"encoding": encoding.table, "angles": encoding.angles}
        files.npz(encoding.name, arrays, say("positions.npz", "Encoding as NPZ"))
    plain = st.column_config.NumberColumn(format="plain")  # all digits
    files.folded_table(
        lambda: files.data_frame(matrix, header[1:], corner=header[0]), column_config=dict.fromkeys(header[1:], plain)
    )


def _render_digits(matrix: np.ndarray, axes: tuple[str, str]) -> None:
    """Show a small table with all digits, as Python prints them."""
    header = [f"{axes[0]} \\ {axes[1]}", *map(str, range(matrix.shape[1]))]
    rows: list[list[bars.Value]] = [
        [str(place), *(bars.data_cell(repr(number), "number") for number in row)]
        for place, row in enumerate(matrix.tolist())
    ]
    st.html(bars.table(header, rows, say("positions.digits", "The same with all digits"), whole=True))


def render_wavelengths(request: Request) -> None:
    """Show the positions per period of each dimension."""
    encoding = choose_settings(request)
    dimensions, own = np.arange(encoding.d_model), encoding.wavelengths
    base = int(
        widgets.number(say("positions.base", "Base instead of 10,000"), "base", int(BASE), 2, MOST_BASE, width=230)
    )
    paper, column = (wavelengths_of(encoding.d_model, form).numpy() for form in FORMS)
    typed = wavelengths_of(encoding.d_model, encoding.form, base).numpy()
    far = far_positions.measure_far_positions(typed)
    paper_far = far if base == BASE else far_positions.measure_far_positions(own)
    left, right = st.columns([3, 2], gap="large")
    title = say("axis.dimension", "dimension")
    with left:
        series = [
            ChartLine(FORMS["paper"](), dimensions, paper, 0),
            ChartLine(FORMS["column"](), dimensions, column, 4, dash="dot"),
        ]
        if base != BASE:
            series.append(
                ChartLine(
                    say("positions.base.line", "base {base}", base=grouped(base)), dimensions, typed, 1, dash="dash"
                )
            )
        y = say("positions.wavelength", "wavelength in positions")
        finding = say(
            "positions.wavelengths.finding",
            "{form}: {seen} of {all} dimensions turn at least once within {length} positions; the slowest needs "
            "{longest}",
            form=FORMS[encoding.form](),
            seen=int((own <= encoding.length).sum()),
            all=encoding.d_model,
            length=encoding.length,
            longest=_position_count(own.max()),
        )
        alt = block("positions", "wavelengths-alt")
        curves(series, title, y, "wavelengths", alt, finding, log_y=True, direct=True)
    with right:
        paragraph("positions", "wavelengths")
        paragraph(
            "positions",
            "wavelengths-range",
            shortest=_position_count(own[0]),
            longest=_position_count(own[-1]),
            last=encoding.d_model - 1,
            length=encoding.length,
            seen=int((own <= encoding.length).sum()),
            all=encoding.d_model,
        )
        paragraph(
            "positions",
            "base",
            base=grouped(base),
            longest=_position_count(typed[-1]),
            paper=_position_count(own[-1]),
            different=len(np.unique(typed)),
            pairs=len(np.unique(own)),
            last=grouped(far_positions.LAST),
            apart=far_positions.APART,
            far=far.largest,
            paper_far=paper_far.largest,
            half=_nearest_alike(far),
            paper_half=_nearest_alike(paper_far),
        )
    counts = {"length": encoding.length, "seen": int((own <= encoding.length).sum()), "all": encoding.d_model}
    result = counts if encoding.length == LARGEST else None
    render_experiment("positions-wavelengths", {"length": LARGEST}, result, length=LARGEST)
    # check: the table's second position is the sine or cosine of one step's angle, of at most 1
    angles = np.where(dimensions % 2, np.arccos(encoding.table[1]), np.arcsin(encoding.table[1]))
    difference = float(np.abs(2 * np.pi / angles / own - 1).max())
    fold_check("positions", "wavelengths-check", difference=checks.format_difference("wavelengths", difference))
    header = [
        title,
        say("positions.wavelength.paper", "wavelength, paper"),
        say("positions.wavelength.column", "wavelength, column index"),
        say("positions.wavelength.base", "wavelength, base {base}", base=base),
    ]
    rows = list(zip(*(each.tolist() for each in (dimensions, paper, column, typed)), strict=True))
    files.csv_and_table(header, rows, "wavelengths", say("positions.wavelengths.csv", "Wavelengths as CSV"))


def _nearest_alike(far: far_positions.FarPositions) -> str:
    """Format the last distance up to which the mean cosine is one half or more."""
    return grouped((far_positions.LAST + 1 if far.half is None else far.half) - 1)


def _position_count(wavelength: float) -> str:
    """Format a number of positions, small or large."""
    return three_digits(float(wavelength)) if wavelength < 1000 else grouped(round(float(wavelength)))
