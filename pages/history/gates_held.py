"""A gate held open or shut: what happens to the translation and to the loss."""

from collections.abc import Mapping

import streamlit as st

from model import GateInterventions, RecurrentTrace
from model.tracing.gate_interventions import GATES, HeldGate
from pages.shared import checks, comparison_result
from pages.shared.comparison import compare_with_intervention
from pages.shared.page_header import Request
from pages.shared.service import Service
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


def render(request: Request, service: Service, trace: RecurrentTrace, layers: Mapping[str, tuple[str, str]]) -> None:
    """Choose a gate and where it is held; see both translations and the loss of every token.

    At first no gate is held: the part then opens without the passes under a held one.

    Args:
        layers: id -> the layer as the network calls it, and what it is called.
    """
    st.header(say("history.hold", "Hold a gate"), anchor=False)
    st.markdown(prose.block("history", "hold"))
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        how = {
            FREE: say("history.hold.free", "Nowhere"),
            SHUT: say("history.hold.shut", "Shut, 0"),
            OPEN: say("history.hold.open", "Open, 1"),
        }
        where = widgets.pick(say("history.hold.value", "A gate is held"), how, "held")
        if where == FREE:
            return
        gates = {gate: GATE_LABELS[gate]() for gate in sorted(GATES, key=list(GATE_LABELS).index)}
        gate = widgets.pick(say("history.hold.gate", "Gate"), gates, "gate")
        of = widgets.pick(
            say("history.hold.layer", "of"), {id: said for id, (_, said) in layers.items()}, "of", varies=True
        )
    plan = GateInterventions((HeldGate(layers[of][0], gate, HELD_VALUES[where]),))
    sides = compare_with_intervention(service, request.text, trace, plan)
    left, right = st.columns(2, gap="large")
    with left:
        comparison_result.render_translations(sides)
        held = checks.format_difference("held gate", sides.check.recomputed)
        edited = checks.format_difference("gate in the weights", sides.check.edited)
        st.caption(prose.block("history", "hold-check", held=held, edited=edited))
    with right:
        comparison_result.render_token_losses(sides)
