"""Scores of an opened model's heads that need no text: on repeated ids at once, from all weights where it is quick."""

import streamlit as st

from model.causal.causal_error import CausalError
from model.causal.composition import CompositionScores, CopyingScores, composition_in_steps, copying_scores_in_steps
from model.causal.repeated_ids import RepeatedIdScores
from model.hub.opened_model import OpenedModel
from pages.shared.causes.asking import may_begin
from pages.shared.head_ranking.weight_scores import WeightScores
from pages.shared.service import Service
from pages.shared.texts import block
from views.text import literal
from views.text.catalogue import say, say_error

ASK_FROM = 5.0  # seconds
OPERATIONS = 2e10  # a second, on one core


def score_weights(service: Service[OpenedModel]) -> WeightScores:
    """Score all heads; what takes long is asked for, and what this model does not have is stated in a sentence."""
    if service.model.vision or service.model.text_refusal is not None:  # no ids to repeat
        return WeightScores()
    repeated = service.network_result(("repeated ids",), _score_repeated)
    if isinstance(repeated, CausalError):
        st.caption(literal.markdown(say_error(repeated)))
        return WeightScores()
    keys = ("copying scores",), ("composition",)
    known = all(service.analyses.get(key) is not None for key in keys)
    seconds = _count_operations(service.model) / OPERATIONS
    slot = may_begin(
        "matrices",
        seconds,
        ASK_FROM,
        known=known,
        question=block("models", "matrices-ask", seconds=round(seconds)),
        label=say("models.matrices.read", "Read the matrices"),
    )
    if slot is None:
        return WeightScores(repeated)
    copying: CopyingScores | CausalError = service.analysis_in_steps(keys[0], _score_copying)
    composed: CompositionScores | CausalError = service.analysis_in_steps(keys[1], _compose)
    slot.empty()
    reasons = {say_error(each) for each in (copying, composed) if isinstance(each, CausalError)}
    for reason in sorted(reasons):
        st.caption(literal.markdown(reason))
    return WeightScores(
        repeated,
        None if isinstance(copying, CausalError) else copying,
        None if isinstance(composed, CausalError) else composed,
    )


def _count_operations(model: OpenedModel) -> float:
    """Multiplications and additions that it takes to read all matrices by running layers on basis vectors."""
    config = model.config.get_text_config()
    width = float(getattr(config, "hidden_size", 0) or 0)
    return 8 * width * model.parameters


def _score_repeated(model: OpenedModel) -> RepeatedIdScores | CausalError:
    try:
        return model.head_scores()
    except CausalError as error:
        return error


def _score_copying(model: OpenedModel):
    try:
        return (yield from copying_scores_in_steps(model.resumable))
    except CausalError as error:
        return error


def _compose(model: OpenedModel):
    try:
        return (yield from composition_in_steps(model.resumable))
    except CausalError as error:
        return error
