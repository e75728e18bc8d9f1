"""What is written on both sides, and what each token of the target costs."""

from __future__ import annotations

import streamlit as st

from model.attribution.comparison import merged
from pages.compare.sides import Sides
from pages.shared import files
from pages.shared.cut_off import say_if_cut
from views import maps
from views.export import downloads
from views.html import bars, tokens
from views.text.numbers import three_digits


def translations(sides: Sides) -> None:
    """Both translations, one below the other, and the losses of both targets."""
    how = "Greedy translation" if sides.check else "Translation"
    for name, text, finished in zip(sides.names, sides.translations, sides.finished, strict=True):
        st.html(tokens.label(f"{how}, {name}") + tokens.sentence(text or "\u2014", "fr"))
        say_if_cut(finished, f"The translation {name}" if sides.check else f"The translation of {name}")
    first, second = (float(losses.sum()) for losses in sides.losses)
    for column, label, value in zip(
        st.columns(3),
        (*(f"Loss, {name}" for name in sides.names), "Change"),
        (first, second, second - first),
        strict=True,
    ):
        column.metric(label, three_digits(value), help="Sum of \u2212ln p over the target, in nats.")


def token_losses(sides: Sides) -> None:
    """A row for each token of the target; tokens of only one side leave the other empty."""
    losses = sides.losses
    counts = [len(side) for side in losses]
    top = max(float(side.max()) for side in losses)
    labels = [maps.numbered(trace.next_tokens) for trace in (sides.first, sides.second)]
    shown, table = [], []
    for one, two in merged(sides.shared_targets(), *counts):
        name = labels[0][one] if one is not None else labels[1][two]
        if one is None or two is None:
            name += f" (only {sides.names[one is None]})"
        values = [None if place is None else float(side[place]) for side, place in zip(losses, (one, two), strict=True)]
        change = None if None in values else values[1] - values[0]
        drawn = ["" if value is None else bars.bar(value, top, "decoder") for value in values]
        shown.append([name, *drawn, "" if change is None else bars.bar(change, top, "difference")])
        table.append([name, *("" if value is None else value for value in (*values, change))])
    header = ["piece", *(f"\u2212ln p, {name}" for name in sides.names), "change"]
    st.html(tokens.label("Loss of each piece, in nats") + bars.table(header, shown, "Loss of each piece"))
    files.download("Losses as CSV", lambda: downloads.table_csv(header, table), "compare-losses.csv")
