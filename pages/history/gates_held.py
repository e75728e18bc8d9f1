"""A gate held open or shut: its effect on the translation and its loss."""

from collections.abc import Mapping

import streamlit as st

from model import GateInterventions, RecurrentTrace
from model.tracing.interventions import GATES, HeldGate
from pages.shared import checks, comparison_result
from pages.shared.comparison import compare_with_intervention
from pages.shared.page_header import Request
from pages.shared.service import Service
from pages.shared.texts import fold_check
from views.controls import widgets
from views.text import prose
from views.text.catalogue import Message, say

GATE_LABELS = {
    "forget": Message("history.order.forget", "Forget gate"),
    "input": Message("history.order.input", "Input gate"),
    "output": Message("history.order.output", "Output gate"),
}
FREE, SHUT, OPEN = "free", "shut", "open"
HELD_VALUES = {SHUT: 0.0, OPEN: 1.0}


def render_held_gates(
    request: Request, service: Service, trace: RecurrentTrace, layers: Mapping[str, tuple[str, str]]
) -> None:
    """Choose a gate and its value; compare both translations and -ln p of every token.

    At first no gate is held, so that the section opens without further passes.

    Args:
        layers: id -> the layer's name in the network, and its label.
    """
    st.header(say("history.hold", "Hold a gate"), anchor=False)
    st.markdown(prose.block("history", "hold"))
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        values = {
            FREE: say("history.hold.free", "Nowhere"),
            SHUT: say("history.hold.shut", "Shut, 0"),
            OPEN: say("history.hold.open", "Open, 1"),
        }
        value = widgets.pick(say("history.hold.value", "A gate is held"), values, "held")
        if value == FREE:
            return
        gates = {gate: GATE_LABELS[gate]() for gate in sorted(GATES, key=list(GATE_LABELS).index)}
        gate = widgets.pick(say("history.hold.gate", "Gate"), gates, "gate")
        layer = widgets.pick(
            say("history.hold.layer", "of"), {id: label for id, (_, label) in layers.items()}, "of", varies=True
        )
    interventions = GateInterventions((HeldGate(layers[layer][0], gate, HELD_VALUES[value]),))
    comparison = compare_with_intervention(service, request.text, trace, interventions)
    check = comparison.check
    assert check is not None and check.edited is not None  # an intervention on gates has both
    left, right = st.columns(2, gap="large")
    with left:
        comparison_result.render_translations(service, comparison)
        comparison_result.render_losses(comparison)
        held_difference = checks.format_difference("held gate", check.recomputed)
        edited_difference = checks.format_difference("gate in the weights", check.edited)
        fold_check("history", "hold-check", held=held_difference, edited=edited_difference)
    with right:
        comparison_result.render_token_losses(comparison)
