"""Cross-entropy of a target, a row a token: the reader's target, or five given probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from model.networks.loss_terms import LossTerms, score_target, terms_of_probabilities
from pages.shared import checks, files
from pages.shared.opening import Request
from pages.shared.target import target
from views.controls import widgets
from views.export import downloads
from views.html import bars, steps, tokens
from views.text import literal, prose
from views.text.numbers import grouped, three_digits

WHOSE = ("Your target", "Five given pieces")
# A sum to do by hand: the right tokens of "Je suis un etudiant" and what a model might give them.
FIVE = (("Je", 0.8), ("suis", 0.6), ("un", 0.7), ("\u00e9tudiant", 0.5), ("</s>", 0.9))
HEADER = ["position", "piece", "probability", "loss -ln p", "share", "rank", "running mean"]


@dataclass(frozen=True)
class Scored:
    """What the table shows, and how it was checked."""

    labels: tuple[str, ...]
    terms: LossTerms
    ranks: tuple[int | None, ...]
    check: str = ""


def show(request: Request) -> None:
    """The table with its bars, and the sums below."""
    left, right = st.columns([3, 2], gap="large")
    vocabulary = request.service.model.config.vocabulary_size
    with left:
        given = widgets.pick("What is scored", WHOSE, "scored") == WHOSE[1]
        scored = five() if given else typed(request)
    with right:
        if given:
            st.markdown(prose.block("loss", "Tutorial"))
        st.markdown(
            prose.block("loss", "Piece by piece")
            .replace("{vocabulary}", grouped(vocabulary))
            .replace("{uniform}", three_digits(math.log(vocabulary)))
        )
    if scored is None:
        return
    with left:
        terms = scored.terms
        totals = (
            ("Sum of -ln p", terms.total),
            ("Loss: their mean, nats a piece", terms.mean),
            ("Perplexity", terms.perplexity),
        )
        for column, (name, value) in zip(st.columns(3), totals, strict=True):
            column.metric(name, three_digits(value) if value < 1000 else grouped(round(value)))
        st.html(bars.table(HEADER, [dress(scored, place) for place in range(len(scored.labels))], "Loss by piece"))
        if scored.check:
            st.caption(scored.check)
        rows = table(scored)
        files.download("CSV", lambda: downloads.table_csv(HEADER, rows), "loss.csv")
        files.numbers(lambda: pd.DataFrame(rows, columns=HEADER), "loss_table", hide_index=True)


def five() -> Scored:
    """The five given tokens."""
    labels, probabilities = zip(*FIVE, strict=True)
    return Scored(labels, terms_of_probabilities(probabilities), (None,) * len(labels))


def typed(request: Request) -> Scored | None:
    """The reader's target, scored by the model."""
    trace = target(request)
    if trace is None:
        return None
    st.html(
        tokens.label("What is scored, from what the decoder was fed at each position")
        + steps.aligned((("decoder reads", trace.target_tokens), ("right piece", trace.next_tokens)), "Shifted target")
    )
    scored = score_target(trace.logits, trace.next_ids)
    ranks = tuple(row.rank for row in trace.predictions(1))
    check = prose.block("loss", "Proof of the loss").format(difference=checks.said("cross-entropy", scored.difference))
    return Scored(trace.next_tokens, scored.terms, ranks, check)


def dress(scored: Scored, place: int) -> list:
    """A row for the page, with bars."""
    terms, rank = scored.terms, scored.ranks[place]
    return [
        str(place + 1),
        steps.plain(scored.labels[place]),
        bars.bar(float(terms.probabilities[place]), 1, "decoder"),
        steps.meter(float(terms.losses[place]), float(terms.losses.max())),
        steps.number(f"{100 * terms.shares[place]:.1f} %"),
        "" if rank is None else str(rank),
        float(terms.running_means[place]),
    ]


def table(scored: Scored) -> list[list]:
    """The same for files, with all digits."""
    terms = scored.terms
    return [
        [
            place + 1,
            literal.token(label),
            float(terms.probabilities[place]),
            float(terms.losses[place]),
            float(terms.shares[place]),
            scored.ranks[place],
            float(terms.running_means[place]),
        ]
        for place, label in enumerate(scored.labels)
    ]
