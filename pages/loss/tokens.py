"""Cross-entropy of a target, a row a token: the reader's target, or five given probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass

import streamlit as st

from model.networks.loss_terms import LossTerms, score_target, terms_of_probabilities
from pages.shared import checks, files
from pages.shared.charts import metrics
from pages.shared.opening import Request
from pages.shared.target import target
from pages.shared.texts import block, paragraph
from views.controls import widgets
from views.html import bars, steps, tokens
from views.text import literal
from views.text.catalogue import Message, say
from views.text.numbers import grouped

# A sum to do by hand: the right tokens of "Je suis un etudiant" and what a model might give them.
FIVE = (("Je", 0.8), ("suis", 0.6), ("un", 0.7), ("\u00e9tudiant", 0.5), ("</s>", 0.9))
HEADER = (
    Message("column.position", "position"),
    Message("column.token", "token"),
    Message("column.probability", "probability"),
    Message("loss.column.loss", "loss -ln p"),
    Message("loss.column.share", "share"),
    Message("column.rank", "rank"),
    Message("loss.column.mean", "running mean"),
)


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
        whose = {
            "target": say("loss.scored.target", "Your target"),
            "five": say("loss.scored.five", "Five given tokens"),
        }
        given = widgets.pick(say("loss.scored", "What is scored"), whose, "scored") == "five"
        scored = five() if given else typed(request)
    with right:
        if given:
            paragraph("loss", "five-tokens")
        paragraph("loss", "token-by-token", vocabulary=grouped(vocabulary), uniform=math.log(vocabulary))
    if scored is None:
        return
    with left:
        terms = scored.terms
        totals = (
            (say("loss.sum", "Sum of -ln p"), terms.total),
            (say("loss.mean", "Loss: their mean, nats per token"), terms.mean),
            (say("loss.perplexity", "Perplexity"), terms.perplexity),
        )
        metrics(*((name, sum if sum < 1000 else grouped(round(sum))) for name, sum in totals))
        header, rows = [column() for column in HEADER], table(scored)
        largest = float(terms.losses.max())
        st.html(bars.table(header, [dress(row, largest) for row in rows], say("loss.table", "Loss by token")))
        if scored.check:
            st.caption(scored.check)
        files.sheet(header, rows, "loss", key="loss_table")


def five() -> Scored:
    """The five given tokens."""
    labels, probabilities = zip(*FIVE, strict=True)
    return Scored(labels, terms_of_probabilities(probabilities), (None,) * len(labels))


def typed(request: Request) -> Scored | None:
    """The reader's target, scored by the model."""
    trace = target(request)
    if trace is None:
        return None
    rows = (
        (say("forcing.row.reads", "decoder reads"), trace.target_tokens),
        (say("loss.row.right", "right token"), trace.next_tokens),
    )
    label = say("loss.fed", "What is scored, from what the decoder was fed at each position")
    st.html(tokens.label(label) + steps.aligned(rows, say("loss.shifted", "Shifted target")))
    scored = score_target(trace.logits, trace.next_ids)
    ranks = tuple(row.rank for row in trace.predictions(1))
    check = block("loss", "check-loss", difference=checks.said("cross-entropy", scored.difference))
    return Scored(trace.next_tokens, scored.terms, ranks, check)


def table(scored: Scored) -> list[list]:
    """A row a token, with all digits."""
    terms = scored.terms
    arrays = (terms.probabilities, terms.losses, terms.shares, scored.ranks, terms.running_means)
    columns = (
        [value if value is None or isinstance(value, int) else float(value) for value in each] for each in arrays
    )
    labels = map(literal.token, scored.labels)
    return [list(row) for row in zip(range(1, len(scored.labels) + 1), labels, *columns, strict=True)]


def dress(row: list, largest: float) -> list:
    """A row for the page, with bars."""
    place, token, probability, loss, share, rank, mean = row
    return [
        str(place),
        steps.plain(token),
        bars.bar(probability, 1, "decoder"),
        steps.meter(loss, largest),
        steps.number(f"{100 * share:.1f} %"),
        "" if rank is None else str(rank),
        mean,
    ]
