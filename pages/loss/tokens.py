"""Cross-entropy of a target, a row a token: the reader's target, or five given probabilities."""

import math

import streamlit as st

from model.networks.loss_terms import LossTerms, score_target, terms_of_probabilities
from pages.shared import checks, files, tables
from pages.shared.charts import metrics
from pages.shared.experiment import experiment, named
from pages.shared.opening import Request
from pages.shared.target import target
from pages.shared.texts import caption, paragraph
from views.controls import widgets
from views.html import steps, tokens
from views.text.catalogue import say
from views.text.numbers import grouped

# A sum to do by hand: the right tokens of "Je suis un etudiant" and what a model might give them.
FIVE = (("Je", 0.8), ("suis", 0.6), ("un", 0.7), ("\u00e9tudiant", 0.5), ("</s>", 0.9))


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
        if given:
            labels, probabilities = zip(*FIVE, strict=True)
            found = terms_of_probabilities(probabilities)
            table(labels, found, (None,) * len(labels))
            most = int(found.losses.argmax())
            result = {"token": named(labels[most]), "probability": float(found.probabilities[most])}
            result |= {"loss": float(found.losses[most]), "total": float(found.total)}
        else:
            of_target(request)
        experiment("loss-tokens", {"scored": "five"}, result if given else None)
    with right:
        if given:
            paragraph("loss", "five-tokens")
        paragraph("loss", "token-by-token", vocabulary=grouped(vocabulary), uniform=math.log(vocabulary))


def of_target(request: Request) -> None:
    """The reader's target, scored by the model."""
    trace = target(request)
    if trace is None:
        return
    rows = (
        (say("forcing.row.reads", "decoder reads"), trace.target_tokens),
        (say("loss.row.right", "right token"), trace.next_tokens),
    )
    label = say("loss.fed", "What is scored, from what the decoder was fed at each position")
    st.html(tokens.label(label) + steps.aligned(rows, say("loss.shifted", "Shifted target")))
    scored = score_target(trace.logits, trace.next_ids)
    ranks = tuple(row.rank for row in trace.predictions(1))
    table(trace.next_tokens, scored.terms, ranks, checks.said("cross-entropy", scored.difference))


def table(labels: tuple[str, ...], terms: LossTerms, ranks: tuple[int | None, ...], difference: str = "") -> None:
    """The sums, and a row a token; `difference` of the recomputation, where there is one."""
    totals = (
        (say("loss.sum", "Sum of -ln p"), terms.total),
        (say("loss.mean", "Loss: their mean, nats per token"), terms.mean),
        (say("loss.perplexity", "Perplexity"), terms.perplexity),
    )
    metrics(*((name, sum if sum < 1000 else grouped(round(sum))) for name, sum in totals))
    places, shares = range(1, len(labels) + 1), [f"{100 * share:.1f} %" for share in terms.shares]
    shown_ranks = ["" if rank is None else str(rank) for rank in ranks]
    columns = [
        tables.Column(say("column.position", "position"), places, list(map(str, places))),
        tables.token(say("column.token", "token"), labels),
        tables.bar(say("column.probability", "probability"), terms.probabilities, 1),
        tables.meter(say("loss.column.loss", "loss -ln p"), terms.losses, float(terms.losses.max())),
        tables.Column(say("loss.column.share", "share"), terms.shares, shares),
        tables.Column(say("column.rank", "rank"), ranks, shown_ranks),
        tables.Column(say("loss.column.mean", "running mean"), terms.running_means),
    ]
    tables.show(columns, say("loss.table", "Loss by token"))
    if difference:
        caption("loss", "check-loss", difference=difference)
    files.sheet(*tables.content(columns), "loss", key="loss_table")
