"""Cross-entropy of a target, a row a token: the reader's target, or typed probabilities."""

import math

import streamlit as st

from model.networks.loss_terms import LossTerms, score_probabilities, score_target
from pages.loss.scored_tokens import NATURAL, Logarithm, choose_logarithm, read_typed_tokens
from pages.shared import checks, files, tables
from pages.shared.charts import metrics
from pages.shared.code import render_program
from pages.shared.experiment import render_experiment, token_value
from pages.shared.page_header import BOTH, NOTHING, Read, Request
from pages.shared.target_input import choose_target
from pages.shared.texts import caption, paragraph
from views.controls import widgets
from views.html import decoding_steps, generated_tokens
from views.text.catalogue import Message, say
from views.text.numbers import grouped
from views.url_state import bound_settings
from views.url_state.codecs import OneOf

SCORED_LABELS = {
    "target": Message("loss.scored.target", "Your target"),
    "five": Message("loss.scored.five", "Given tokens"),
}


def reads() -> frozenset[Read]:
    """Given tokens have no sentence."""
    return NOTHING if bound_settings.pending_value("scored", OneOf(tuple(SCORED_LABELS)), "target") == "five" else BOTH


def render(request: Request) -> None:
    """The table with its bars, and the sums below."""
    left, right = st.columns([3, 2], gap="large")
    vocabulary = request.service.model.config.vocabulary_size
    with left:
        given = widgets.pick(say("loss.scored", "What is scored"), SCORED_LABELS, "scored") == "five"
        if given:
            result = render_typed()
        else:
            render_target(request)
        if not given or result:
            render_experiment("loss-tokens", {"scored": "five"}, result if given else None)
    with right:
        if given:
            paragraph("loss", "five-tokens")
        paragraph("loss", "token-by-token", vocabulary=grouped(vocabulary), uniform=math.log(vocabulary))


def render_typed() -> dict[str, object]:
    """Tokens and probabilities that the reader types; what the experiment states of them, if they can be read."""
    pairs = read_typed_tokens()
    logarithm = choose_logarithm()
    if pairs is None:
        return {}
    labels, probabilities = zip(*pairs, strict=True)
    scored = score_probabilities(probabilities)
    found = scored.terms
    difference = checks.format_difference("typed losses", scored.difference)
    render_table(labels, found, (), "check-typed", difference, logarithm)
    render_program(
        "loss", "typed", say("loss.typed.code", "These losses in PyTorch"), tokens=pairs, base=logarithm.base
    )
    most = int(found.losses.argmax())
    result = {"token": token_value(labels[most]), "probability": float(found.probabilities[most])}
    costs = {"loss": float(found.losses[most]), "total": found.total}
    return result | {name: cost / logarithm.nats for name, cost in costs.items()} | {"unit": logarithm.unit()}


def render_target(request: Request) -> None:
    """The reader's target, scored by the model."""
    trace = choose_target(request)
    if trace is None:
        return
    rows = (
        (say("forcing.row.reads", "decoder reads"), trace.target_tokens),
        (say("loss.row.right", "right token"), trace.next_tokens),
    )
    label = say("loss.fed", "What is scored, from what the decoder was fed at each position")
    st.html(generated_tokens.label(label) + decoding_steps.aligned_tokens(rows, say("loss.shifted", "Shifted target")))
    scored = score_target(trace.logits, trace.next_ids)
    ranks = tuple(row.rank for row in trace.predictions(1))
    render_table(
        trace.next_tokens,
        scored.terms,
        ranks,
        "check-loss",
        checks.format_difference("cross-entropy", scored.difference),
    )


def render_table(
    labels: tuple[str, ...],
    terms: LossTerms,
    ranks: tuple[int, ...],
    check: str,
    difference: str,
    logarithm: Logarithm = NATURAL,
) -> None:
    """The sums, a row a token, and the check: its block, the recomputation's difference. Typed tokens have no rank."""
    losses, sign = terms.losses / logarithm.nats, logarithm.sign
    totals = (
        (say("loss.sum", "Sum of -{log} p", log=sign), terms.total / logarithm.nats),
        (say("loss.mean", "Loss: their mean, {unit} per token", unit=logarithm.unit()), terms.mean / logarithm.nats),
        (say("loss.perplexity", "Perplexity"), terms.perplexity),
    )
    metrics(*((name, sum if sum < 1000 else grouped(round(sum))) for name, sum in totals))
    places, shares = range(1, len(labels) + 1), [f"{100 * share:.1f} %" for share in terms.shares]
    ranked = [tables.TableColumn(say("column.rank", "rank"), ranks, list(map(str, ranks)))] if ranks else []
    columns = [
        tables.TableColumn(say("column.position", "position"), places, list(map(str, places))),
        tables.token_column(say("column.token", "token"), labels),
        tables.bar_column(say("column.probability", "probability"), terms.probabilities, 1),
        tables.meter_column(say("loss.column.loss", "loss -{log} p", log=sign), losses, float(losses.max())),
        tables.TableColumn(say("loss.column.share", "share"), terms.shares, shares),
        *ranked,
        tables.TableColumn(say("loss.column.mean", "running mean"), terms.running_means / logarithm.nats),
    ]
    tables.render_table(columns, say("loss.table", "Loss by token"))
    caption("loss", check, difference=difference)
    files.csv_and_table(*tables.header_and_rows(columns), "loss", key="loss_table")
