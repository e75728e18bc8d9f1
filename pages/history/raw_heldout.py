"""Self-attention without projections over many held-out sentences: the shipped figures."""

import streamlit as st

from model import CheckpointError
from model.lessons.raw_attention_heldout import RawAttentionFigures
from model.translator import SHIPPED
from pages.history.raw_tables import NONE, stage_labels
from pages.shared.models import open_recurrent
from pages.shared.page_header import Request
from server.singleton import singleton
from views.html import bars, generated_tokens
from views.text import literal, prose
from views.text.catalogue import say, say_error
from views.text.numbers import percent, three_digits


@singleton
def _study(weights: tuple[str, str]) -> RawAttentionFigures:
    return RawAttentionFigures.read(SHIPPED, weights)


def render_heldout(request: Request, recurrent: str) -> None:
    """Show the figures over held-out sentences; the states of the network `recurrent` are among the stages."""
    st.header(say("history.raw.study", "Over many held-out sentences"), anchor=False)
    try:
        study = _study((request.service.model.weights_sha256, open_recurrent(recurrent).model.weights_sha256))
    except CheckpointError as error:
        st.warning(literal.with_code(say_error(error)))
        return
    exceeding, pairs = (sum(getattr(stage, name) for stage in study.stages) for name in ("exceeding", "pairs"))
    st.markdown(
        prose.block(
            "history_projections",
            "study",
            sentences=study.sentences,
            tokens=study.tokens,
            exceeding=exceeding,
            pairs=pairs,
            vocabulary=study.vocabulary,
            rows=study.vocabulary_tokens,
            unused=study.vocabulary_unused,
            vocabulary_pairs=study.vocabulary_pairs,
            wide=percent(study.vocabulary_wide / max(study.vocabulary_pairs, 1)),
            widest=round(study.vocabulary_widest),
        )
    )
    header = [
        say("history.raw.vectors", "Vectors"),
        say("history.raw.pair-count", "pairs"),
        say("history.raw.exceeding", "pairs with x_i \u00b7 x_j > x_i \u00b7 x_i"),
        say("history.raw.equal", "pairs of equal vectors"),
        say("history.raw.own", "weight on itself, x against x"),
        say("history.raw.own.trained", "weight on itself, trained heads"),
        say("history.raw.first.trained", "no token above itself, trained heads"),
    ]
    labels = stage_labels([stage.stage for stage in study.stages])
    rows: list[list[bars.Value]] = [
        [
            label,
            stage.pairs,
            stage.exceeding,
            stage.equal,
            stage.own["scaled"],
            NONE if stage.trained is None else three_digits(stage.trained),
            NONE if stage.trained_first is None else percent(stage.trained_first),
        ]
        for label, stage in zip(labels, study.stages, strict=True)
    ]
    st.html(bars.table(header, rows, say("history.raw.study.table", "Held-out sentences, stage by stage")))
    if study.examples:
        st.html(generated_tokens.label(say("history.raw.examples", "Pairs that were found")) + _examples_table(study))


def _examples_table(study: RawAttentionFigures) -> str:
    header = [
        say("history.raw.vectors", "Vectors"),
        say("history.raw.sentence", "sentence"),
        say("history.raw.i", "token i"),
        say("history.raw.j", "token j"),
        "x_i \u00b7 x_i",
        "x_i \u00b7 x_j",
    ]
    rows: list[list[bars.Value]] = [
        [
            stage_labels([stage])[0],
            bars.data_cell(sentence, "name"),
            *(bars.data_cell(literal.token(token), "token") for token in pair),
            own,
            other,
        ]
        for stage, sentence, *pair, own, other in study.examples
    ]
    return bars.table(header, rows, say("history.raw.examples", "Pairs that were found"))
