"""Attention to the first token by layer, and induction and copying scores of the heads of the single stack."""

import streamlit as st

from model.causal.causal_error import CausalError
from model.causal.repeated_ids import RepeatedIdScores, score_heads_on_text
from pages.decoding.stack_heads import HeadTable, StackRequest, render_head_maps
from pages.shared import checks, tables
from pages.shared.texts import fold_check, paragraph
from views.text import literal, terms
from views.text.catalogue import say, say_error
from views.text.numbers import three_digits

KIND = "decoder"


def render_scores(stack: StackRequest) -> None:
    """Show both."""
    measures = stack.measures()
    st.header(say("one-stack.sinks", "Attention to the first token"), anchor=False)
    paragraph("decoding", "stack-sinks", even=measures.even_first)
    layers = [str(layer + 1) for layer in range(len(measures.first))]
    columns = [
        tables.name_column(terms.LAYER(), layers, "number"),
        tables.bar_column(say("one-stack.sink", "this sentence, mean of heads"), measures.first.mean(axis=1), 1.0),
        tables.bar_column(say("one-stack.sink.most", "this sentence, largest head"), measures.first.max(axis=1), 1.0),
    ]
    if stack.study:
        heldout = stack.study.heads.first.mean(axis=1)
        columns.append(tables.bar_column(say("one-stack.sink.heldout", "held out, mean of heads"), heldout, 1.0))
    tables.render_table(columns, say("one-stack.sinks.table", "Attention to the first token by layer"))
    st.header(say("one-stack.induction", "Scores of induction and copying"), anchor=False)
    paragraph("decoding", "stack-scores")
    random = stack.language.network_result(("head scores",), lambda model: model.head_scores())
    copying = stack.language.network_result(("copying scores",), lambda model: model.copying_scores())
    repeated, scored = _score_text(stack), [("", random)]
    if repeated is not None:
        scored.append((say("one-stack.on-text", "this sentence twice"), repeated))
    maps = [HeadTable(say("one-stack.first.map", "attention to the first token"), measures.first)]
    names = {
        "induction": say("one-stack.score.induction", "induction"),
        "previous": say("one-stack.score.previous", "previous token"),
    }
    for score, name in names.items():
        for where, scores in scored:
            label = where or say("one-stack.on-random", "random ids twice")
            maps.append(HeadTable(f"{name}, {label}", scores.scores[KIND][score]))
    maps.append(HeadTable(say("one-stack.score.copying", "copying score"), copying[KIND], signed=True))
    render_head_maps(maps, "stack_scores", "one-stack-scores")
    induction = random.scores[KIND]["induction"]
    above = int((induction > random.chance[KIND]["induction"]).sum())
    largest = {"largest": three_digits(float(induction.max())), "above": above, "heads": induction.size}
    chance = {"chance": three_digits(random.chance[KIND]["induction"]), "length": random.length, "rows": random.rows}
    worst = max(scores.row_sum_error for _, scores in scored)
    paragraph("decoding", "stack-chance", **chance, **largest)
    rows, traces = checks.format_difference("row sums", worst), checks.format_difference("copying", copying.difference)
    fold_check("decoding", "check-stack-scores", rows=rows, difference=traces)


def _score_text(stack: StackRequest) -> RepeatedIdScores | None:
    """Score the heads on the English sentence twice; None where it is too short or too long, with the reason."""
    ids = list(stack.forced.source_ids[:-1])
    try:
        key = ("head scores on a text", tuple(ids))
        return stack.language.analysis(key, lambda model: score_heads_on_text(model.resumable, ids))
    except CausalError as error:
        st.info(literal.markdown(say_error(error)))
        return None
