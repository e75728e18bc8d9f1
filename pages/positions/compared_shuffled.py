"""What networks that differ in their positions lose when tokens exchange them, on held-out sentences and on the user's.

Tokens stay in their places, and so does the decoder's mask.
"""

import streamlit as st

from model.lessons.position_effects import STACKS, PositionLosses, position_losses_in_steps
from model.lessons.positions_compared import Extremes, PositionComparison
from model.networks.config import PositionKind
from pages.positions.compared_networks import (
    LABELS,
    NO_NUMBER,
    POSITIONS,
    SEEDS,
    ComparedNetworks,
    interval_text,
    interval_values,
    labels,
    render_absent,
    seed_count,
    with_values,
)
from pages.positions.effects import STACK_LABELS
from pages.shared import checks, files
from pages.shared.texts import caption, fold_check, paragraph
from views.controls import widgets
from views.html import bars
from views.html.generated_tokens import chart_title
from views.text.catalogue import say
from views.text.numbers import grouped, hardware, three_digits


def render_shuffled(networks: ComparedNetworks) -> None:
    """Show the increase of the loss over held-out sentences, then that on the user's sentence."""
    paragraph("positions", "compared-shuffled")
    study = networks.study()
    if study is not None:
        render_absent("compared-unmeasured", study.kinds, tuple(networks.services))
        _render_heldout(study)
    _render_own(networks)


def _render_heldout(study: PositionComparison) -> None:
    """Show a table with bars: a row for each network, a column for each stack."""
    st.html(chart_title(_finding(study.shuffled_extremes("both"))))
    header = [POSITIONS(), SEEDS(), *(STACK_LABELS[where]() for where in STACKS)]
    largest = max(abs(interval.value) for of in study.shuffled.values() for interval in of.values())
    cells: list[list[bars.Value]] = []
    for kind in study.kinds:
        figures = [study.shuffled[kind][where] for where in STACKS]
        cells.append(
            [
                *(LABELS[kind](), seed_count(study, kind)),
                *(bars.bar_cell(each.value, largest, "decoder", interval_text(each)) for each in figures),
            ]
        )
    name = say("positions-compared.shuffled.table", "Increase of the loss with shuffled positions, held out")
    st.html(bars.table(header, cells, name, whole=True))
    counts = {"sentences": grouped(study.shuffled_sentences), "resamples": grouped(study.resamples)}
    caption("positions", "compared-shuffled-read", **counts, hardware=hardware(study.hardware))
    if study.trained_once:
        caption("positions", "compared-one-seed", names=labels(study.trained_once))
    low, high = say("positions-compared.low", "2.5th percentile"), say("positions-compared.high", "97.5th percentile")
    titles = [
        POSITIONS(),
        *(f"{title}{part}" for title in header[2:] for part in ("", f", {low}", f", {high}")),
    ]
    rows = [
        [LABELS[kind](), *(value for where in STACKS for value in interval_values(study.shuffled[kind][where]))]
        for kind in study.kinds
    ]
    files.csv(titles, rows, "positions-shuffled", say("positions-compared.shuffled.csv", "Held out as CSV"))


def _finding(extremes: Extremes) -> str:
    """State which kinds lose most and least, or that no order is known, and why."""
    values = {kind: three_digits(value) for kind, value in extremes.values.items()}
    if extremes.lowest:
        return say(
            "positions-compared.shuffled.order",
            "With shuffled positions in both stacks the loss, in nats per token, rises most with {most} and least with "
            "{least}",
            most=with_values(extremes.highest, values),
            least=with_values(extremes.lowest, values),
        )
    ordered = sorted(extremes.values, key=extremes.values.__getitem__)
    return say(
        "positions-compared.shuffled.no-order",
        "With shuffled positions in both stacks the loss rises by {low} to {high} nats per token; seeds of one kind "
        "are missing or differ as much, so no order is stated",
        low=values[ordered[0]],
        high=values[ordered[-1]],
    )


def _render_own(networks: ComparedNetworks) -> None:
    """Show the same for the user's sentence, in an order that the user chooses."""
    st.header(say("positions-compared.own", "Your sentence"), anchor=False)
    seed = widgets.number(say("positions.shuffle", "Shuffle number"), "shuffle", 0, 0, 9999)
    losses = {kind: _own_losses(networks, kind, seed) for kind in networks.traces}
    if not losses:
        return
    increases = {
        kind: [each.mean(where, "shuffled") - each.mean(where, "kept") for where in STACKS]
        for kind, each in losses.items()
    }
    largest = max(abs(increase) for row in increases.values() for increase in row)
    header = [
        POSITIONS(),
        say("positions-compared.column.kept", "\u2212ln p per token, as trained"),
        *(STACK_LABELS[where]() for where in STACKS),
    ]
    cells: list[list[bars.Value]] = []
    rows: list[list] = []
    for kind in networks.services:
        if kind not in losses:
            cells.append([LABELS[kind](), *[NO_NUMBER] * (1 + len(STACKS))])
            rows.append([LABELS[kind](), *[""] * (1 + len(STACKS))])
            continue
        kept = losses[kind].mean("both", "kept")
        rows.append([LABELS[kind](), kept, *increases[kind]])
        cells.append(
            [LABELS[kind](), kept, *(bars.bar_cell(increase, largest, "decoder") for increase in increases[kind])]
        )
    name = say("positions-compared.own.table", "Increase of the loss with shuffled positions, your sentence")
    st.html(bars.table(header, cells, name, whole=True))
    difference = max(each.difference for each in losses.values())
    put_back = checks.format_difference("positions put back", difference)
    fold_check("positions", "compared-shuffled-check", difference=put_back)
    files.csv(header, rows, "positions-shuffled-own", say("positions-compared.own.csv", "Your sentence as CSV"))


def _own_losses(networks: ComparedNetworks, kind: PositionKind, seed: int) -> PositionLosses:
    """Losses of the reference under changed positions, computed once for each order."""
    trace, service = networks.traces[kind], networks.services[kind]
    source, following = list(trace.source_ids), list(trace.next_ids)
    key = ("position losses", tuple(source), tuple(following), seed, 0)
    return service.lesson_in_steps(key, position_losses_in_steps, source, following, seed, 0)
