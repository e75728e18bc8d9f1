"""The encoding as a table and as curves, and how long its waves are, dimension by dimension."""

import numpy as np
import streamlit as st

from model.networks.positional import BASE
from model.networks.positional import wavelengths as wavelengths_of
from pages.positions.encoding_settings import FORMS, LARGEST, choose_settings
from pages.shared import checks, files
from pages.shared.charts import curves, matrix_chart
from pages.shared.experiment import render_experiment
from pages.shared.page_header import Request
from pages.shared.texts import block, caption, paragraph
from views.controls import widgets
from views.figures.heatmap import ChartMatrix
from views.figures.line_chart import ChartLine
from views.text.catalogue import Message, say
from views.text.numbers import grouped, three_digits

MOST_BASE = 1_000_000
WAVES = (  # what the curves of a pair of dimensions are called
    Message("positions.curve.sine", "dimension {dimension}, sine"),
    Message("positions.curve.cosine", "dimension {dimension}, cosine"),
)


def render_table(request: Request) -> None:
    """Position x dimension, and two columns of it as curves."""
    chosen = choose_settings(request)
    axes, value = (say("axis.position", "position"), say("axis.dimension", "dimension")), say("value", "value")
    cells = {
        "encoding": say("positions.cells.encoding", "Sines and cosines"),
        "angles": say("positions.cells.angles", "Angles before them"),
    }
    angles = widgets.pick(say("positions.cells", "Cells of the table"), cells, "cells") == "angles"
    left, right = st.columns(2, gap="large")
    with right:
        column = widgets.slider(say("positions.dimension", "Dimension to draw"), "column", 8, 0, chosen.d_model - 1)
        partner = column ^ 1  # the other one of its pair
        places = np.arange(chosen.length)
        drawn = [
            ChartLine(WAVES[n % 2](dimension=n), places, chosen.table[:, n], n % 2) for n in sorted((column, partner))
        ]
        alt = say("positions.curve.alt", "The chosen dimension and its partner over the positions.")
        curves(drawn, axes[0], value, "curve", alt, y_range=(-1.05, 1.05), short=True)
        turn, other = (_position_count(chosen.wavelengths[dimension]) for dimension in (column, partner))
        caption("positions", "turns", column=column, turn=turn, partner=partner, other=other)
    with left:
        alt = say("positions.table.alt", "Heatmap of the encoding; the table below has the same numbers.")
        shown = chosen.angles if angles else chosen.table
        matrix_chart(ChartMatrix(shown, *axes, say("positions.angle", "angle") if angles else value), "encoding", alt)
        if angles:
            last = chosen.length - 1
            caption("positions", "angles", last=last, angle=chosen.angles[last, -1])
    found = (
        {"length": chosen.length, "largest": float(np.abs(chosen.table).max())} if chosen.length == LARGEST else None
    )
    render_experiment("positions-table", {"length": LARGEST}, found, length=LARGEST)
    paragraph("positions", "table")
    trained = request.service.model.config
    if chosen.form == "paper" and chosen.d_model == trained.d_model:
        inside = request.service.lesson("position table", lambda network: network.positions.cpu().numpy())
        difference = float(np.abs(inside[: chosen.length] - chosen.table).max())
        caption("positions", "table-check", difference=checks.format_difference("sinusoid table", difference))
    else:
        caption("positions", "no-table-check", d_model=trained.d_model)
    header = [axes[0], *map(str, range(chosen.d_model))]
    with st.container(horizontal=True):
        rows = lambda: [[place, *row] for place, row in enumerate(chosen.table.tolist())]  # noqa: E731
        files.csv(header, rows, chosen.name, say("positions.csv", "Encoding as CSV"))
        arrays = {"encoding": chosen.table, "angles": chosen.angles}
        files.npz(chosen.name, arrays, say("positions.npz", "Encoding as NPZ"))
    files.folded_table(lambda: files.data_frame(shown, header[1:], corner=header[0]))


def render_wavelengths(request: Request) -> None:
    """Positions a period takes, dimension by dimension."""
    chosen = choose_settings(request)
    dimensions, mine = np.arange(chosen.d_model), chosen.wavelengths
    base = int(
        widgets.number(say("positions.base", "Base instead of 10,000"), "base", int(BASE), 2, MOST_BASE, width=230)
    )
    paper, column = (wavelengths_of(chosen.d_model, form).numpy() for form in FORMS)
    tried = wavelengths_of(chosen.d_model, chosen.form, base).numpy()
    left, right = st.columns([3, 2], gap="large")
    title = say("axis.dimension", "dimension")
    with left:
        drawn = [
            ChartLine(FORMS["paper"](), dimensions, paper, 0),
            ChartLine(FORMS["column"](), dimensions, column, 4, dash="dot"),
        ]
        if base != BASE:
            drawn.append(
                ChartLine(
                    say("positions.base.line", "base {base}", base=grouped(base)), dimensions, tried, 1, dash="dash"
                )
            )
        y = say("positions.wavelength", "wavelength in positions")
        curves(drawn, title, y, "wavelengths", block("positions", "wavelengths-alt"), log_y=True)
    with right:
        paragraph("positions", "wavelengths")
        paragraph(
            "positions",
            "wavelengths-range",
            shortest=_position_count(mine[0]),
            longest=_position_count(mine[-1]),
            last=chosen.d_model - 1,
            length=chosen.length,
            seen=int((mine <= chosen.length).sum()),
            all=chosen.d_model,
        )
        paragraph(
            "positions",
            "base",
            base=grouped(base),
            longest=_position_count(tried[-1]),
            paper=_position_count(mine[-1]),
            different=len(np.unique(tried)),
            pairs=len(np.unique(mine)),
        )
    turned = {"length": chosen.length, "seen": int((mine <= chosen.length).sum()), "all": chosen.d_model}
    found = turned if chosen.length == LARGEST else None
    render_experiment("positions-wavelengths", {"length": LARGEST}, found, length=LARGEST)
    # the wavelengths that the table's second position gives away: sin or cos of one step's angle, of at most 1
    angles = np.where(dimensions % 2, np.arccos(chosen.table[1]), np.arcsin(chosen.table[1]))
    apart = float(np.abs(2 * np.pi / angles / mine - 1).max())
    caption("positions", "wavelengths-check", difference=checks.format_difference("wavelengths", apart))
    header = [
        title,
        say("positions.wavelength.paper", "wavelength, paper"),
        say("positions.wavelength.column", "wavelength, column index"),
        say("positions.wavelength.base", "wavelength, base {base}", base=base),
    ]
    rows = list(zip(*(each.tolist() for each in (dimensions, paper, column, tried)), strict=True))
    files.csv_and_table(header, rows, "wavelengths", say("positions.wavelengths.csv", "Wavelengths as CSV"))


def _position_count(wavelength: float) -> str:
    """A number of positions in digits, however large."""
    return three_digits(float(wavelength)) if wavelength < 1000 else grouped(round(float(wavelength)))
