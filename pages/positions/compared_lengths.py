"""Held-out loss and BLEU by length of networks that differ in their positions, also beyond the lengths of training."""

from collections.abc import Mapping, Sequence

import streamlit as st

from model.lessons.network_comparison import BootstrapInterval
from model.lessons.positions_compared import PositionComparison, PositionLengths
from model.networks.config import PositionKind
from pages.positions.compared_networks import (
    LABELS,
    POSITIONS,
    SEEDS,
    ComparedNetworks,
    extremes_text,
    interval_cell,
    interval_values,
    labels,
    render_absent,
    seed_count,
)
from pages.shared import files
from pages.shared.charts import chart
from pages.shared.texts import caption, paragraph
from views.controls import sentence_input
from views.figures.intervals import IntervalSeries, intervals
from views.html import bars
from views.html.generated_tokens import chart_title, label
from views.text.catalogue import Message, say
from views.text.numbers import grouped, hardware

LOSS = Message("positions-compared.loss", "\u2212ln p per token, nats")
BLEU = Message("column.bleu", "BLEU")
Figures = Mapping[str, BootstrapInterval | None]  # by kind of positions


def render_lengths(networks: ComparedNetworks) -> dict[str, object] | None:
    """Show both figures by length as charts and tables; return the values of the experiment's result."""
    study = networks.study()
    if study is None:
        return None
    render_absent("compared-unmeasured", study.kinds, tuple(networks.services))
    result = summary(study)
    st.html(chart_title(result["finding"]))
    loss_alt = say(
        "positions-compared.loss.alt",
        "Loss of every network by the number of English tokens; the table below has the same numbers.",
    )
    bleu_alt = say(
        "positions-compared.bleu.alt",
        "BLEU of every network by the number of English tokens; the table below has the same numbers.",
    )
    everywhere = [True] * len(study.lengths)
    _render_chart(study, LOSS(), [group.loss for group in study.lengths], everywhere, "positions_loss", loss_alt)
    claimed = [group.pairs >= study.fewest_pairs for group in study.lengths]
    _render_chart(study, BLEU(), [group.bleu for group in study.lengths], claimed, "positions_bleu", bleu_alt)
    counts = {"resamples": grouped(study.resamples), "fewest": grouped(study.fewest_pairs)}
    paragraph("positions", "compared-lengths", longest=study.longest_tokens, **counts)
    _render_table(
        study, [group.loss for group in study.lengths], say("positions-compared.loss.table", "Loss by length")
    )
    _render_table(
        study, [group.bleu for group in study.lengths], say("positions-compared.bleu.table", "BLEU by length")
    )
    _render_seeds(study)
    caption("positions", "compared-measured", hardware=hardware(study.hardware))
    rows = csv_rows(study)
    files.csv(csv_header(), rows, "positions-by-length", say("positions-compared.lengths.csv", "By length as CSV"))
    return {**result}


def summary(study: PositionComparison) -> dict[str, str]:
    """What is known of the order on the longest sentences with enough pairs, and on the longest ones in training."""
    groups = {"finding": study.longest_claimed, "before": study.longest_trained}
    orders = {name: (study.loss_extremes(group), _span(group)) for name, group in groups.items()}
    return {name: extremes_text(extremes, span) for name, (extremes, span) in orders.items() if extremes is not None}


def _span(group: PositionLengths) -> str:
    return say("history.lengths.span", "{shortest} to {longest}", shortest=group.shortest, longest=group.longest)


def group_label(group: PositionLengths) -> str:
    """Name a group by its lengths and its number of pairs."""
    return say(
        "positions-compared.group",
        "{lengths} (n\u00a0=\u00a0{count})",
        lengths=_span(group),
        count=grouped(group.pairs),
    )


def _render_chart(
    study: PositionComparison, title: str, figures: Sequence[Figures], firm: Sequence[bool], key: str, alt: str
) -> None:
    """Draw a figure of every network by length, with a line where the lengths of training end."""
    series = [_series(kind, [group[kind] for group in figures]) for kind in study.kinds]
    beyond = [place for place, group in enumerate(study.lengths) if group.shortest > study.longest_tokens]
    side = say("positions-compared.beyond", "longer than in training")
    figure = intervals(
        series,
        list(map(group_label, study.lengths)),
        firm,
        sentence_input.theme(),
        say("positions-compared.tokens", "English tokens"),
        title,
        (beyond[0], side) if beyond else None,
    )
    chart(figure, key, alt)


def _series(kind: PositionKind, bands: Sequence[BootstrapInterval | None]) -> IntervalSeries:
    values, lows, highs = (
        [None if band is None else getattr(band, part) for band in bands] for part in ("value", "low", "high")
    )
    return IntervalSeries(LABELS[kind](), values, lows, highs)


def _render_table(study: PositionComparison, figures: Sequence[Figures], name: str) -> None:
    """Show a figure of every network by length with its intervals, below its name."""
    header = [POSITIONS(), SEEDS(), *map(group_label, study.lengths)]
    rows = [
        [LABELS[kind](), seed_count(study, kind), *(interval_cell(group[kind]) for group in figures)]
        for kind in study.kinds
    ]
    st.html(label(name) + bars.table(header, rows, name, whole=True, stacked=True))


def _render_seeds(study: PositionComparison) -> None:
    """Name the kinds that were trained once, and show means over seeds of the others."""
    rows = [
        [_span(group), LABELS[kind](), mean.seeds, interval_cell(mean.mean), interval_cell(bleu.mean if bleu else None)]
        for group in study.lengths
        for kind in study.kinds
        if (mean := group.loss_over_seeds.get(kind))
        for bleu in [group.bleu_over_seeds.get(kind)]
    ]
    if study.trained_once:
        paragraph("positions", "compared-one-seed", names=labels(study.trained_once))
    if not rows:
        return
    paragraph("positions", "compared-seeds")
    header = [
        say("positions-compared.tokens", "English tokens"),
        POSITIONS(),
        SEEDS(),
        LOSS(),
        BLEU(),
    ]
    st.html(bars.table(header, rows, say("positions-compared.seeds", "Means over seeds"), whole=True, stacked=True))


def csv_header() -> list[str]:
    """Return the header of the file by length."""
    low, high = say("positions-compared.low", "2.5th percentile"), say("positions-compared.high", "97.5th percentile")
    return [
        POSITIONS(),
        say("positions-compared.shortest", "shortest, English tokens"),
        say("positions-compared.longest", "longest, English tokens"),
        say("history.lengths.sentences", "sentences"),
        say("positions-compared.pairs", "pairs"),
        *(title for figure in (LOSS(), BLEU()) for title in (figure, f"{figure}, {low}", f"{figure}, {high}")),
        SEEDS(),
    ]


def csv_rows(study: PositionComparison) -> list[list]:
    """Return the rows of the file by length: both figures of every network and group, with all digits."""
    return [
        [LABELS[kind](), group.shortest, group.longest, group.sentences, group.pairs]
        + interval_values(group.loss[kind])
        + interval_values(group.bleu[kind])
        + [study.seeds[kind]]
        for kind in study.kinds
        for group in study.lengths
    ]
