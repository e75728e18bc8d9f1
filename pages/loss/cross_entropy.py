"""Cross-entropy of a target, a row for each token: the user's target, or typed probabilities."""

import math
import re
from dataclasses import dataclass

import streamlit as st

from model.networks.loss_terms import LossTerms, score_probabilities, score_target
from model.runtime.messages import UserError
from pages.shared import checks, files, tables
from pages.shared.charts import metrics
from pages.shared.code import render_program
from pages.shared.experiment import render_experiment, token_value
from pages.shared.page_header import BOTH, NOTHING, Read, Request
from pages.shared.target_input import choose_target
from pages.shared.texts import fold_check, paragraph
from views.controls import widgets
from views.html import decoding_steps, generated_tokens
from views.text import literal
from views.text.catalogue import Message, say, say_error
from views.text.numbers import grouped, percent
from views.url_state import bound_settings
from views.url_state.codecs import OneOf

# Typed tokens with their probabilities, and the logarithm of their losses.

# to compute by hand: the right tokens of "Je suis un etudiant" with possible probabilities
EXAMPLE = "Je 0.8; suis 0.6; un 0.7; \u00e9tudiant 0.5; </s> 0.9"
MOST, LONGEST = 40, 40  # tokens, and characters of one
# pairs as Python writes them: `("Je", 0.8)`, `["Je", 0.8]` or `"Je": 0.8`
_QUOTED = re.compile(r"""[\[({\s]*(?:"([^"\s]+)"|'([^'\s]+)')\s*[:,]?\s*([^\s\[\](){},;:"']+)[\])}\s]*(?:[,;]|$)""")


@dataclass(frozen=True)
class Logarithm:
    """The unit of a loss."""

    base: float  # of the logarithm
    sign: str  # as formulas have it, such as `log2`
    unit: Message  # its name

    @property
    def nats(self) -> float:
        """Nats per unit; a loss in nats is divided by this."""
        return math.log(self.base)


LOGARITHMS = {
    "e": Logarithm(math.e, "ln", Message("loss.unit.nats", "nats")),
    "2": Logarithm(2, "log\u2082", Message("loss.unit.bits", "bits")),
    "10": Logarithm(10, "log\u2081\u2080", Message("loss.unit.dits", "decimal digits")),
}
NATURAL = LOGARITHMS["e"]


def choose_logarithm() -> Logarithm:
    """Choose a logarithm."""
    signs = {
        id: say("loss.logarithm.option", "{log}: {unit}", log=logarithm.sign, unit=logarithm.unit())
        for id, logarithm in LOGARITHMS.items()
    }
    return LOGARITHMS[widgets.pick(say("loss.logarithm", "Logarithm"), signs, "log")]


def read_typed_tokens() -> tuple[tuple[str, float], ...] | None:
    """Return the typed tokens with their probabilities; None, with a warning on the page, if they are invalid."""
    typed = widgets.text(
        say("loss.typed", "Tokens, each with its probability; a semicolon between them"), "tokens", EXAMPLE
    )
    try:
        return parse_tokens(typed)
    except UserError as error:
        st.warning(literal.markdown(say_error(error)))
        return None


def parse_tokens(text: str) -> tuple[tuple[str, float], ...]:
    """Parse tokens with their probabilities, such as `Je 0.8; suis 0.6` or `[("Je", 0.8), ("suis", 0.6)]`.

    Raises:
        UserError: the text is not a list of such pairs.
    """
    pairs = _quoted_pairs(text) or [part.split() for part in re.split(r"[;\n]", text) if part.strip()]
    if not 1 <= len(pairs) <= MOST or any(len(pair) != 2 or len(pair[0]) > LONGEST for pair in pairs):
        raise UserError(
            "Type one to {most} tokens, each with its probability after a space, such as {example}.",
            most=MOST,
            example="Je 0.8; suis 0.6",
        )
    try:
        tokens = tuple((token, float(probability)) for token, probability in pairs)
    except ValueError:
        tokens = ()
    if not tokens or not all(0 < probability <= 1 for _, probability in tokens):
        raise UserError("A probability is a number above 0 and at most 1 with a decimal point, such as 0.8.")
    return tokens


def _quoted_pairs(text: str) -> list[list[str]]:
    """Split pairs in the notation of Python; empty if the text is not made of them alone."""
    pairs, end = [], 0
    while match := _QUOTED.match(text, end):  # not `finditer`, which would try every place of a long run of brackets
        pairs.append([match[1] or match[2], match[3]])
        end = match.end()
    return pairs if not re.sub(r"[\s\])},;]", "", text[end:]) else []


SCORED_LABELS = {
    "target": Message("loss.scored.target", "Your target"),
    "five": Message("loss.scored.five", "Given tokens"),
}


def reads() -> frozenset[Read]:
    """Return what the page's header asks for: nothing for typed tokens, which have no sentence."""
    return NOTHING if bound_settings.pending_value("scored", OneOf(tuple(SCORED_LABELS)), "target") == "five" else BOTH


def render(request: Request) -> None:
    """Show the table with its bars, and the sums below."""
    left, right = st.columns([3, 2], gap="large")
    vocabulary = request.service.model.config.vocabulary_size
    with left:
        is_typed = widgets.pick(say("loss.scored", "What is scored"), SCORED_LABELS, "scored") == "five"
        if is_typed:
            result = render_typed()
        else:
            render_target(request)
        if not is_typed or result:
            render_experiment("loss-tokens", {"scored": "five"}, result if is_typed else None)
    with right:
        if is_typed:
            paragraph("loss", "five-tokens")
        paragraph("loss", "token-by-token", vocabulary=grouped(vocabulary), uniform=math.log(vocabulary))


def render_typed() -> dict[str, object]:
    """Score typed tokens and probabilities; return the values of the experiment, empty if the text is invalid."""
    pairs = read_typed_tokens()
    logarithm = choose_logarithm()
    if pairs is None:
        return {}
    labels, probabilities = zip(*pairs, strict=True)
    scored = score_probabilities(probabilities)
    terms = scored.terms
    difference = checks.format_difference("typed losses", scored.difference)
    render_table(labels, terms, (), "check-typed", difference, logarithm)
    render_program(
        "loss", "typed", say("loss.typed.code", "These losses in PyTorch"), tokens=pairs, base=logarithm.base
    )
    costliest = int(terms.losses.argmax())
    result = {"token": token_value(labels[costliest]), "probability": float(terms.probabilities[costliest])}
    costs = {"loss": float(terms.losses[costliest]), "total": terms.total}
    return result | {name: cost / logarithm.nats for name, cost in costs.items()} | {"unit": logarithm.unit()}


def render_target(request: Request) -> None:
    """Score the user's target by the model."""
    trace = choose_target(request)
    if trace is None:
        return
    rows = (
        (say("forcing.row.reads", "decoder reads"), trace.target_tokens),
        (say("loss.row.right", "right token"), trace.next_tokens),
    )
    label = say("loss.fed", "What is scored, from what the decoder was fed at each position")
    st.html(
        generated_tokens.label(label) + decoding_steps.aligned_tokens(rows, say("loss.shifted", "Shifted target"), "fr")
    )
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
    """Show the sums, a row for each token, and the check.

    Args:
        ranks: empty for typed tokens.
        check: id of the text block with the check.
        difference: of the recomputation.
    """
    losses, sign = terms.losses / logarithm.nats, logarithm.sign
    totals = (
        (say("loss.sum", "Total: sum of -{log} p", log=sign), terms.total / logarithm.nats),
        (say("loss.mean", "Loss: their mean, {unit} per token", unit=logarithm.unit()), terms.mean / logarithm.nats),
        (say("loss.perplexity", "Perplexity"), terms.perplexity),
    )
    metrics(*((name, sum if sum < 1000 else grouped(round(sum))) for name, sum in totals))
    places, shares = range(1, len(labels) + 1), [percent(float(share)) for share in terms.shares]
    ranked = [tables.TableColumn(say("column.rank", "rank"), ranks, list(map(str, ranks)))] if ranks else []
    columns = [
        tables.TableColumn(say("column.position", "position"), places, list(map(str, places))),
        tables.token_column(say("column.token", "token"), labels, "fr"),
        tables.bar_column(say("column.probability", "probability"), terms.probabilities, 1),
        tables.meter_column(say("loss.column.loss", "\u2212{log} p", log=sign), losses, float(losses.max())),
        tables.TableColumn(say("loss.column.share", "share"), terms.shares, shares),
        *ranked,
        tables.TableColumn(say("loss.column.mean", "running mean"), terms.running_means / logarithm.nats),
    ]
    tables.render_table(columns, say("loss.table", "-ln p by token"))
    fold_check("loss", check, difference=difference)
    files.csv_and_table(*tables.header_and_rows(columns), "loss", key="loss_table")
