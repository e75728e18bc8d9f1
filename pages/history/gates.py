"""The gates of an LSTM for every token, one unit of them as curves, and the effect of holding a gate."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import streamlit as st

from model import DecodingOptions
from model.lessons.recurrence_gates import OPEN, SHUT, GateActivations, read_gates
from model.tracing.interventions import GATES, gated_layers
from pages.history import gates_held, networks
from pages.shared import checks, files, stepper
from pages.shared.experiment import render_experiment
from pages.shared.models import load_recurrent, open_recurrent
from pages.shared.page_header import Request
from pages.shared.texts import fold_check
from server.prefetch import prefetcher
from views.components.matrix_row import RowMatrix
from views.components.step_view import Axis, Curve, CurvesPanel, FormulaPanel, HeatmapPanel, Numbers, StepView
from views.controls import widgets
from views.kind_labels import OF_STACK
from views.text import literal, prose
from views.text.catalogue import Message, say
from views.text.numbers import percent, three_digits
from views.url_state import bound_settings
from views.url_state.codecs import OneOf

LSTMS = ("lstm-vector", "lstm-additive", "lstm-dot")
QUANTITY_LABELS = {
    "input_gate": Message("history.gate.input", "input gate i"),
    "forget_gate": Message("history.gate.forget", "forget gate f"),
    "output_gate": Message("history.gate.output", "output gate o"),
    "candidate": Message("history.gate.candidate", "candidate g"),
    "cell": Message("history.gate.cell", "cell state c"),
    "hidden": Message("history.gate.hidden", "hidden state h"),
}
LAYER_LABELS = {
    "encoder.forwards": Message("history.layer.forwards", "Encoder, forwards"),
    "encoder.backwards": Message("history.layer.backwards", "Encoder, backwards"),
    "decoder": Message("history.layer.decoder", "Decoder"),
}
ORDER_LABELS = {
    "forget": Message("history.order.forget", "Forget gate"),
    "input": Message("history.order.input", "Input gate"),
    "output": Message("history.order.output", "Output gate"),
    "number": Message("history.order.number", "Number"),
}


def render(request: Request) -> None:
    """Choose a network and a layer, step through its tokens and units, hold a gate."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        name = widgets.select(say("history.network", "Network"), networks.options(LSTMS), "network", width=260)
        service = open_recurrent(name)
        layers = {layer.replace(".", "-"): layer for layer in gated_layers(service.model.config)}
        labels = {id: LAYER_LABELS[layer]() for id, layer in layers.items()}
        layer = layers[widgets.pick(say("history.layer", "Cells of"), labels, "cells", varies=True)]
        order = widgets.pick(
            say("history.order", "Units, the most open first, by"),
            {id: label() for id, label in ORDER_LABELS.items()},
            "order",
        )
    trace = networks.trace_sentence(request, name)
    activations = service.lesson(("gates", trace.source_ids, trace.next_ids, layer), read_gates, trace, layer)
    language = OF_STACK[layer.partition(".")[0]]
    stepper.render(_step_view(activations, order, language), f"gates_{name}_{layer}")
    st.markdown(prose.block("history", "gates"))
    means = {gate: three_digits(float(getattr(activations.record, f"{gate}_gate").mean())) for gate in GATES}
    st.markdown(prose.block("history", "copying", open=OPEN, shut=SHUT, share=percent(activations.copying), **means))
    fold_check("history", "gates-check", difference=checks.format_difference("gates", activations.difference))
    unit = int(activations.order("input")[0])
    opened = {gate: float(getattr(activations.record, f"{gate}_gate")[:, unit].mean()) for gate in ("input", "forget")}
    result = {"unit": unit + 1, **opened} if order == "input" else None
    render_experiment("history-gates", {"order": "input"}, result)
    _render_files(activations, f"{name}-{layer.replace('.', '-')}", language)
    gates_held.render_held_gates(request, service, trace, {id: (layer, labels[id]) for id, layer in layers.items()})


def prefetch_trace() -> None:
    """Translate the sentence with the initially chosen network while another section is open."""
    text, name = networks.upcoming_text(), bound_settings.pending_value("network", OneOf(LSTMS), LSTMS[0])

    def begin() -> Iterator[object]:
        yield load_recurrent(name).trace(text, DecodingOptions())

    prefetcher().submit(begin)


def _step_view(activations: GateActivations, order: str, language: str) -> StepView:
    units = activations.order(order)
    numbers = tuple(str(unit + 1) for unit in units)
    axes = (
        Axis(
            "token",
            say("stepper.label", "Step"),
            activations.tokens,
            data_kind="token",
            language=language,
            first=len(activations.tokens) // 2,
        ),
        Axis("unit", say("history.unit", "Unit"), numbers, data_kind="number", ids=numbers, show_labels=False),
    )
    both = ("token", "unit")
    record = {name: Numbers(array[:, units], both) for name, array in vars(activations.record).items()}
    sum_text = say(
        "history.gates.sum",
        "Step {token#}, {token}, unit {unit}: c_t = f c_t\u22121 + i g = {forget_gate} \u00b7 {before} + {input_gate} "
        "\u00b7 {candidate} = {cell}; h_t = o tanh(c_t) = {output_gate} \u00b7 tanh({cell}) = {hidden}",
    )
    copy_text = say(
        "history.gates.copy",
        "To copy c_t to the end, every later step would need f = 1 and i = 0. With the forget gates as they are, "
        "{left} of it is left at the last step.",
    )
    cell = say("history.gates.cell", "cell state c; the largest 2 % share the last colour")
    assert activations.record.cell is not None  # an LSTM has one
    states_by_step = np.abs(activations.record.cell[:, units])
    top = float(np.quantile(states_by_step, 0.98))
    maps = [
        HeatmapPanel(
            QUANTITY_LABELS[gate](),
            gate,
            *both,
            signed=False,
            top=1.0,
            wide=False,
            finding=_open_share(activations, gate),
        )
        for gate in ("forget_gate", "input_gate", "output_gate")
    ]
    gates_finding = say(
        "history.gates.finding",
        "Unit {unit}: the forget gate is {mean_forget} on average, and {left} of the state at {token} is left at the "
        "end",
    )
    states_finding = say(
        "history.states.finding", "Unit {unit}: |c| is largest at step {peak}, {most}; at {token} it is {size}"
    )
    gates = tuple(Curve(QUANTITY_LABELS[gate](), gate) for gate in ("forget_gate", "input_gate", "output_gate"))
    states = tuple(Curve(QUANTITY_LABELS[state](), state) for state in ("cell", "candidate", "hidden"))
    return StepView(
        axes,
        record
        | {
            "before": Numbers(activations.before[:, units], both),
            "left": Numbers(activations.remaining[:, units], both),
            "mean_forget": Numbers(record["forget_gate"].values.mean(axis=0), ("unit",)),
            "size": Numbers(states_by_step, both),
            "most": Numbers(states_by_step.max(axis=0), ("unit",)),
            "peak": Numbers(states_by_step.argmax(axis=0) + 1, ("unit",), whole=True),
        },
        (
            FormulaPanel(sum_text),
            FormulaPanel(copy_text),
            CurvesPanel(
                say("history.gates.opening", "opening of each gate, 0 shut, 1 open"),
                "token",
                gates,
                0.0,
                1.0,
                finding=gates_finding,
            ),
            CurvesPanel(
                say("history.gates.values", "values of its states"), "token", states, own=True, finding=states_finding
            ),
            *maps,
            HeatmapPanel(cell, "cell", *both, top=top, wide=False),
        ),
    )


def _open_share(activations: GateActivations, gate: str) -> str:
    """The title of a gate's map: how much of it is open and shut."""
    values = getattr(activations.record, gate)
    return say(
        "history.gates.shares",
        "{gate}: over {open} in {open_share} of the cells, below {shut} in {shut_share}",
        gate=QUANTITY_LABELS[gate](),
        open=OPEN,
        shut=SHUT,
        open_share=percent(float((values > OPEN).mean())),
        shut_share=percent(float((values < SHUT).mean())),
    )


def _render_files(activations: GateActivations, name: str, language: str) -> None:
    """Offer every gate and state as files, step by step, in the order of the units' numbers."""
    token, quantity = say("column.token", "token"), say("history.quantity", "quantity")
    step_labels = [literal.token(token) for token in activations.tokens]
    record = vars(activations.record)
    title = say("history.gates.title", "Gates and states")
    labelled: Any = {"rows": activations.tokens, "languages": (language, "")}

    def matrices() -> list[RowMatrix]:
        gates = ("forget_gate", "input_gate", "output_gate")
        gate_matrices = [
            RowMatrix(QUANTITY_LABELS[gate](), record[gate], **labelled, signed=False, top=1.0) for gate in gates
        ]
        return [*gate_matrices, RowMatrix(QUANTITY_LABELS["cell"](), record["cell"], **labelled)]

    header = [quantity, say("column.step", "step"), token, *map(str, range(1, activations.before.shape[1] + 1))]
    rows = [
        [QUANTITY_LABELS[key](), step + 1, step_labels[step], *values]
        for key, array in record.items()
        for step, values in enumerate(array.tolist())
    ]
    with st.container(horizontal=True):
        files.matrices(matrices(), title, f"gates-{name}")
        files.csv(header, rows, f"gates-{name}")
        arrays = record | {"left": activations.remaining, "tokens": list(activations.tokens)}
        files.npz(f"gates-{name}", arrays)
    labels = [f"{key} {label}" for key, _, label, *_ in rows]
    files.folded_table(lambda: files.data_frame([row[3:] for row in rows], header[3:], labels, quantity), "gates_table")
