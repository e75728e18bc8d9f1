"""Self-attention without W^Q and W^K: x against x, compared with the heads trained on the same vectors."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from numpy.typing import ArrayLike

from model import CheckpointError
from model.lessons.raw_attention import (
    FORMS,
    STATES,
    RawAttention,
    encoder_stages,
    encoder_states,
    self_weights,
    stage_names,
)
from model.lessons.raw_attention_heldout import RawAttentionFigures
from model.translator import SHIPPED
from pages.history import networks, raw_tables
from pages.history.raw_tables import NONE, stage_labels
from pages.shared import checks, files, stepper
from pages.shared.experiment import render_experiment
from pages.shared.models import open_recurrent
from pages.shared.page_header import Request
from pages.shared.texts import fold_check
from server.singleton import singleton
from views.components.step_view import (
    Axis,
    BarColumn,
    BarsPanel,
    Curve,
    CurvesPanel,
    FormulaPanel,
    HeatmapPanel,
    Numbers,
    StepView,
)
from views.controls import widgets
from views.html import bars, generated_tokens
from views.map_labels import MEAN
from views.text import literal, prose, terms
from views.text.catalogue import say, say_error
from views.text.numbers import percent, three_digits

STATES_NETWORK = "lstm-dot"  # its encoder states are the tutorials' bridge: its decoder attends to them by dot products


def render(request: Request) -> None:
    """Choose the form of the score; compare stage by stage."""
    forms = {
        "scaled": say("history.raw.scaled", "Divided by the root of the width"),
        "plain": say("history.raw.plain", "Plain dot product"),
        "cosine": say("history.raw.cosine", "Cosine"),
    }
    help = say(
        "history.raw.form.help",
        "Attention in the Transformer divides by the root of the width. The first attention used the plain "
        "product. The cosine ignores the lengths of the vectors.",
    )
    form = widgets.pick(say("history.raw.form", "Score of two vectors"), forms, "raw_score", help=help)
    trace = request.trace()
    stages = request.service.lesson(("raw attention", trace.source_ids), encoder_stages, trace)
    states = encoder_states(networks.trace_sentence(request, STATES_NETWORK))
    names = (*stage_names(len(stages)), STATES)
    attentions = dict(zip(names, (*stages, states), strict=True))
    stepper.render(_step_view(attentions, form, trace.source_tokens), "raw")
    st.markdown(prose.block("history_projections", "how-to-read"))
    _render_check(attentions, form)
    _render_cosine_experiment(attentions, form)
    raw_tables.render_stages(attentions, form)
    raw_tables.render_exceeding_pairs(attentions, trace.source_tokens)
    render_heldout(request, STATES_NETWORK)
    _render_files(attentions, trace.source_tokens)


def _step_view(attentions: dict[str, RawAttention], form: str, tokens: Sequence[str]) -> StepView:
    """Build the view of vectors x head x query, and of what the query attends to."""
    raw_attentions = list(attentions.values())
    heads = next(len(raw.heads) for raw in raw_attentions if raw.heads is not None)
    missing = np.full((heads + 1, len(tokens), len(tokens)), np.nan, dtype=np.float32)
    trained = np.stack([missing if raw.heads is None else with_mean(raw.heads) for raw in raw_attentions])
    weights = np.stack([raw.weights(form) for raw in raw_attentions])
    scores = np.stack([raw.scores(form) for raw in raw_attentions])
    others = np.where(np.eye(len(tokens), dtype=bool), -np.inf, scores).max(axis=2)  # S is at least 2: </s>
    stages, numbers = raw_tables.stage_labels(tuple(attentions)), list(map(str, range(1, heads + 1)))
    axes = (
        Axis("vectors", say("history.raw.vectors", "Vectors"), stages, ids=tuple(attentions), first=1),
        Axis("heads", terms.HEAD(), [terms.MEAN(), *numbers], ids=(MEAN, *numbers)),
        Axis("asking", terms.QUERY(), tokens, data_kind="token", language="en"),
        Axis("asked", terms.KEY(), tokens, slider=False, data_kind="token", language="en"),
    )
    pairs = ("vectors", "asking", "asked")
    raw, head = say("history.raw.map", "x against x"), say("history.raw.trained", "the trained head")
    products = say(
        "history.raw.products",
        "Token {asking#}, {asking}, as query: score with itself {own}, largest with another token {other}. Weight on "
        "itself {own_weight}, by the trained head {own_trained}.",
    )
    return StepView(
        axes,
        {
            "score": Numbers(scores, pairs),
            "raw": Numbers(weights, pairs),
            "trained": Numbers(trained, ("vectors", "heads", "asking", "asked")),
            "own": Numbers(self_weights(scores), pairs[:2]),
            "other": Numbers(others, pairs[:2]),
            "own_weight": Numbers(self_weights(weights), pairs[:2]),
            "own_trained": Numbers(self_weights(trained), ("vectors", "heads", "asking")),
            "mean": Numbers(self_weights(weights).mean(axis=1), ("vectors",)),
            "mean_trained": Numbers(self_weights(trained).mean(axis=2), ("vectors", "heads")),
        },
        (
            FormulaPanel(products),
            HeatmapPanel(raw, "raw", "asking", "asked", signed=False, top=1.0, wide=False),
            HeatmapPanel(head, "trained", "asking", "asked", signed=False, top=1.0, wide=False),
            BarsPanel(
                say("history.raw.row", "what the query attends to"),
                "asked",
                (
                    BarColumn(say("history.raw.score", "score"), "score"),
                    BarColumn(raw, "raw", top=1.0),
                    BarColumn(head, "trained", top=1.0),
                ),
                wide=True,
            ),
            CurvesPanel(
                say("history.raw.itself", "weight of a token on itself, mean over all tokens"),
                "vectors",
                (Curve(raw, "mean"), Curve(head, "mean_trained")),
                0.0,
                1.0,
                wide=True,
            ),
        ),
    )


def _render_cosine_experiment(attentions: dict[str, RawAttention], form: str) -> None:
    """Count the pairs in which a token scores another above itself: none by cosine; then the weights on itself."""
    result = {}
    if form == "cosine":
        cosines = [raw.scores("cosine") for raw in attentions.values()]
        above = sum(int((scores > np.diagonal(scores)[:, None] + 1e-12).sum()) for scores in cosines)
        means = {
            each: float(np.mean([self_weights(raw.weights(each)).mean() for raw in attentions.values()]))
            for each in ("cosine", "scaled")
        }
        result = {"above": above, "pairs": sum(scores.size for scores in cosines), **means}
    render_experiment("history-without-projections", {"raw_score": "cosine"}, result or None)


def _render_check(attentions: dict[str, RawAttention], form: str) -> None:
    """Check the weights against another kernel, and the pairs by another count."""
    recounted = sum(raw.recount_exceeding() for raw in attentions.values())
    pairs = sum(int(raw.exceeds.sum()) for raw in attentions.values())
    mutual = sum(int((raw.exceeds & raw.exceeds.T).sum()) for raw in attentions.values())
    difference = max(raw.difference(form) for raw in attentions.values())
    text = checks.format_difference("raw weights", difference)
    agrees = "check" if (recounted, mutual) == (pairs, 0) else "check-wrong"
    fold_check("history_projections", agrees, difference=text, pairs=pairs, again=recounted, both=mutual)


def _render_files(attentions: dict[str, RawAttention], tokens: Sequence[str]) -> None:
    arrays: dict[str, ArrayLike] = {"tokens": list(tokens)}
    for name, raw in attentions.items():
        arrays |= {f"{name} vectors": raw.vectors, f"{name} products": raw.products}
        arrays |= {f"{name} weights {form}": raw.weights(form) for form in FORMS}
        if raw.heads is not None:
            arrays[f"{name} trained"] = raw.heads
    arrays = {name.replace(" ", "_").replace("-", "_"): array for name, array in arrays.items()}
    files.npz("raw-attention", arrays)


def with_mean(heads: np.ndarray) -> np.ndarray:
    """Put the mean of the heads first: `(head, S, S)` -> `(head + 1, S, S)`."""
    return np.concatenate([heads.mean(axis=0, keepdims=True), heads])


# Self-attention without projections over many held-out sentences: the shipped figures.


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
