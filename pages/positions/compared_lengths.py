"""Held-out loss and BLEU by length of networks that differ in their positions, also beyond the lengths of training."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from model.lessons.network_comparison import BootstrapInterval
from model.lessons.positions_compared import PositionComparison, PositionLengths
from model.networks.config import PositionKind
from pages.positions.compared_networks import (
    LABELS,
    POSITIONS,
    ComparedNetworks,
    interval_cell,
    interval_values,
    render_absent,
)
from pages.shared import files
from pages.shared.charts import chart
from pages.shared.texts import caption, paragraph
from views.controls import sentence_input
from views.figures.intervals import IntervalSeries, intervals
from views.html import bars
from views.html.generated_tokens import chart_title, label
from views.text.catalogue import Message, say
from views.text.numbers import grouped, hardware, three_digits

LOSS = Message("positions-compared.loss", "\u2212ln p per token, nats")
BLEU = Message("column.bleu", "BLEU")
Figures = Mapping[str, BootstrapInterval | None]  # by kind of positions


def render(networks: ComparedNetworks) -> dict[str, object] | None:
    """Show both figures by length as charts and tables; return the values of the experiment's result."""
    study = networks.study()
    if study is None:
        return None
    render_absent("compared-unmeasured", study.kinds, tuple(networks.services))
    result = summary(study)
    finding = say(
        "positions-compared.finding",
        "On {length} tokens: {best} has the lowest loss, {best_loss} nats per token, {worst} the highest, {worst_loss}",
        length=result["length"],
        best=result["best"],
        best_loss=three_digits(result["best_loss"]),
        worst=result["worst"],
        worst_loss=three_digits(result["worst_loss"]),
    )
    st.html(chart_title(finding))
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
    return result


def summary(study: PositionComparison) -> dict[str, Any]:
    """The lowest and the highest loss on the longest sentences with enough pairs, and the same networks' before."""
    far, near = study.longest_claimed, study.longest_trained
    losses = {kind: interval.value for kind in study.kinds if (interval := far.loss[kind]) is not None}
    best, worst = min(losses, key=losses.__getitem__), max(losses, key=losses.__getitem__)
    before = {kind: interval.value for kind in (best, worst) if (interval := near.loss[kind]) is not None}
    return {
        "length": _span(far),
        "short": _span(near),
        "best": LABELS[best](),
        "worst": LABELS[worst](),
        "best_loss": losses[best],
        "worst_loss": losses[worst],
        "best_before": before[best],
        "worst_before": before[worst],
    }


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
    header = [POSITIONS(), *map(group_label, study.lengths)]
    rows = [[LABELS[kind](), *(interval_cell(group[kind]) for group in figures)] for kind in study.kinds]
    st.html(label(name) + bars.table(header, rows, name, whole=True, stacked=True))


def _render_seeds(study: PositionComparison) -> None:
    """Show means over seeds, or state that no network has several."""
    rows = [
        [_span(group), LABELS[kind](), mean.seeds, interval_cell(mean.mean), interval_cell(bleu.mean if bleu else None)]
        for group in study.lengths
        for kind in study.kinds
        if (mean := group.loss_over_seeds.get(kind))
        for bleu in [group.bleu_over_seeds.get(kind)]
    ]
    if not rows:
        paragraph("positions", "compared-one-seed")
        return
    paragraph("positions", "compared-seeds")
    header = [
        say("positions-compared.tokens", "English tokens"),
        POSITIONS(),
        say("positions-compared.column.seeds", "seeds"),
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
    ]


def csv_rows(study: PositionComparison) -> list[list]:
    """Return the rows of the file by length: both figures of every network and group, with all digits."""
    return [
        [LABELS[kind](), group.shortest, group.longest, group.sentences, group.pairs]
        + interval_values(group.loss[kind])
        + interval_values(group.bleu[kind])
        for kind in study.kinds
        for group in study.lengths
    ]
