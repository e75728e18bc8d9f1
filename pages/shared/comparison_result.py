"""Render a comparison: translations, their losses token by token, and the change of every head's attention."""

import numpy as np
import streamlit as st

from model.attribution.trace_comparison import merge_sequences, pair_sequences
from pages.shared import differences, files, pull_sentences, tables
from pages.shared.charts import metrics
from pages.shared.comparison import TraceComparison
from pages.shared.doubt import render_note
from pages.shared.page_header import render_translation
from pages.shared.pulling import PullFacts
from pages.shared.service import Service, kinds_by_name
from pages.shared.texts import warn_if_cut_off
from views import map_labels
from views.html import aligned_tokens, generated_tokens
from views.text import literal, terms
from views.text.catalogue import say, say_count
from views.text.numbers import three_digits


def render_difference(comparison: TraceComparison) -> None:
    """Render both translations word by word, one above the other, with the words that differ marked."""
    first, second = (translation.text.split() for translation in comparison.translations)
    columns = pair_sequences(first, second)
    differing = sum(one is None or two is None or first[one] != second[two] for one, two in columns)
    line = say_count(
        "compare.words",
        "{differing} of {count} word differs",
        "{differing} of {count} words differ",
        len(columns),
        differing=differing,
    )
    st.header(say("compare.words.title", "Word by word"), anchor=False)
    st.html(generated_tokens.label(line if differing else say("compare.words.none", "No word differs")))
    nothing = say("compare.words.nothing", "no word")
    st.html(aligned_tokens.aligned_tokens(first, second, columns, comparison.names, nothing, "fr"))


def render_translations(service: Service, comparison: TraceComparison) -> None:
    """Render both translations, one below the other."""
    notices = ("before", "after") if comparison.check else ("of", "of")
    sides = zip(comparison.names, comparison.translations, comparison.finished, notices, strict=True)
    for name, text, finished, notice in sides:
        label = say("compare.translation", "Translation, {side}", side=name)
        if comparison.check:
            label = say("compare.translation.greedy", "Greedy translation, {side}", side=name)
        render_translation(text, label)
        warn_if_cut_off(finished, notice, side=name)
    render_note(service, comparison.translations)


def render_losses(comparison: TraceComparison) -> None:
    """Render the loss and the total of both targets."""
    first, second = (float(losses.mean()) for losses in comparison.losses)
    names = (
        *(say("compare.loss", "Loss, {side}", side=name) for name in comparison.names),
        say("compare.change", "Change"),
    )
    help = say("compare.loss.help", "Mean of \u2212ln p over the tokens of the target, in nats.")
    metrics(*zip(names, (first, second, second - first), strict=True), help=help)
    totals = map(_total, comparison.names, comparison.losses)
    st.caption("; ".join((say("compare.unit", "In nats per token"), *totals)))


def render_pulls(facts: PullFacts) -> None:
    """Render what must be stated about pulled weights: each pull, that it is forced, and the control of the last."""
    for line in facts.pulls:
        st.caption(literal.markdown(line))
    st.markdown(literal.markdown(" ".join(facts.control or (pull_sentences.forced(len(facts.pulls)),))))
    if facts.problem:
        st.caption(literal.markdown(facts.problem))


def _total(name: str, losses: np.ndarray) -> str:
    """State the sum over the target of a side."""
    return say_count(
        "compare.total",
        "total, {side}: {total} nats in {count} token",
        "total, {side}: {total} nats in {count} tokens",
        len(losses),
        side=name,
        total=three_digits(float(losses.sum())),
    )


def render_token_losses(comparison: TraceComparison) -> None:
    """Render a table with a row for each target token; a token of only one side has no -ln p on the other."""
    losses = comparison.losses
    labels = [map_labels.numbered(trace.next_tokens) for trace in (comparison.first, comparison.second)]
    names: list[str] = []
    first: list[float | None] = []
    second: list[float | None] = []
    change: list[float | None] = []
    for one, two in merge_sequences(comparison.shared_targets(), len(losses[0]), len(losses[1])):
        before = None if one is None else float(losses[0][one])
        after = None if two is None else float(losses[1][two])
        name = labels[0][one] if one is not None else labels[1][two] if two is not None else ""
        if one is None or two is None:
            name = say("compare.only", "{token} (only {side})", token=name, side=comparison.names[one is None])
        names.append(name)
        first.append(before)
        second.append(after)
        change.append(None if before is None or after is None else after - before)
    top = max(float(side.max()) for side in losses)
    columns = [
        tables.name_column(terms.TOKEN(), names, language="fr"),
        *(
            tables.bar_column(say("compare.column.loss", "\u2212ln p, {side}, nats", side=side), values, top)
            for side, values in zip(comparison.names, (first, second), strict=True)
        ),
        tables.bar_column(say("compare.column.change", "change, nats"), change, top, "difference"),
    ]
    label = say("compare.losses", "\u2212ln p of each token, in nats")
    tables.render_table(columns, say("compare.losses.table", "\u2212ln p of each token"), label=label)
    label, notes = say("compare.losses.csv", "\u2212ln p as CSV"), comparison.captions
    files.csv(*tables.header_and_rows(columns), "compare-losses", label, notes)


def render_one_head(comparison: TraceComparison) -> None:
    """Render both maps and the difference of a chosen head; by default the mean over the last layer's heads."""
    kind, layer, head = differences.most_moved_head(comparison.moved)
    most_moved = {"kind": kind, "layer": map_labels.to_id(layer), "head": map_labels.to_id(head)}

    maps = {name: comparison.maps(each) for name, each in kinds_by_name(comparison.kinds.values()).items()}
    shortcut = say("compare.open", "Open the head that moved most"), most_moved
    differences.render(maps, "pair", "compare", list(maps)[-1], [shortcut])
