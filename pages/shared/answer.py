"""What is generated on both sides, and what each token of the target costs."""

from __future__ import annotations

import streamlit as st

from model.attribution.comparison import merged
from pages.shared import files
from pages.shared.cut_off import say_if_cut
from pages.shared.sides import Sides
from views import maps
from views.export import downloads
from views.html import bars, tokens
from views.text.catalogue import say
from views.text.numbers import three_digits


def translations(sides: Sides) -> None:
    """Both translations, one below the other, and the losses of both targets."""
    for name, text, finished in zip(sides.names, sides.translations, sides.finished, strict=True):
        if sides.check:
            label = say("compare.translation.greedy", "Greedy translation, {side}", side=name)
            cut = say("compare.translation.side", "The translation {side}", side=name)
        else:
            label = say("compare.translation", "Translation, {side}", side=name)
            cut = say("compare.translation.of", "The translation of {side}", side=name)
        st.html(tokens.label(label) + tokens.sentence(text or "\u2014", "fr"))
        say_if_cut(finished, cut)
    first, second = (float(losses.sum()) for losses in sides.losses)
    for column, label, value in zip(
        st.columns(3),
        (*(say("compare.loss", "Loss, {side}", side=name) for name in sides.names), say("compare.change", "Change")),
        (first, second, second - first),
        strict=True,
    ):
        column.metric(
            label, three_digits(value), help=say("compare.loss.help", "Sum of \u2212ln p over the target, in nats.")
        )


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
            name = say("compare.only", "{token} (only {side})", token=name, side=sides.names[one is None])
        values = [None if place is None else float(side[place]) for side, place in zip(losses, (one, two), strict=True)]
        change = None if None in values else values[1] - values[0]
        drawn = ["" if value is None else bars.bar(value, top, "decoder") for value in values]
        shown.append([bars.data(name, "token"), *drawn, "" if change is None else bars.bar(change, top, "difference")])
        table.append([name, *("" if value is None else value for value in (*values, change))])
    header = [
        say("column.token", "token"),
        *(say("compare.column.loss", "\u2212ln p, {side}", side=name) for name in sides.names),
        say("compare.column.change", "change"),
    ]
    described = say("compare.losses.table", "Loss of each token")
    label = say("compare.losses", "Loss of each token, in nats")
    st.html(tokens.label(label) + bars.table(header, shown, described))
    files.download(
        say("compare.losses.csv", "Losses as CSV"), lambda: downloads.table_csv(header, table), "compare-losses.csv"
    )
