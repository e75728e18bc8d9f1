"""Translate with gates of an LSTM held at fixed values: new translation, pass over the old one, two checks."""

import math
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace

import numpy as np
import torch

from ..decoding import search
from ..decoding.search import DecodingOptions
from ..decoding.tapped_decoding import GeneratedTokens
from ..networks.cells import GATES, RecurrentLayer
from ..networks.recurrent import RecurrentNetwork
from ..networks.recurrent_trace import CellRecord, RecurrentTrace, record_recurrent_trace
from ..runtime.progress import InSteps, Progress
from ..text.tokenizer import Tokenizer
from ..tracing.gate_interventions import GateInterventions, gated_layers
from .intervention_result import InterventionCheck, InterventionResult

CERTAIN = 200.0  # the sigmoid of it is exactly 1 in single precision, and that of its negative 0


@torch.inference_mode()
def hold_gates_in_steps(
    network: RecurrentNetwork, tokenizer: Tokenizer, trace: RecurrentTrace, interventions: GateInterventions
) -> InSteps[InterventionResult[RecurrentTrace]]:
    """Run a traced sentence again with gates held.

    Args:
        trace: the pass without held gates, with the same target (teacher forcing).

    Raises:
        InterventionError: see `GateInterventions.check`.
    """
    tap = interventions.tap(gated_layers(network.config))
    after = record_recurrent_trace(network, tokenizer, trace.source_ids, trace.target_ids, trace.next_ids, tap)
    after = replace(after, given=trace.given)
    limit = min(2 * len(trace.source_ids) + 10, 128)
    generated: list[int] = []
    probabilities = []
    for step in search.stream(network, list(trace.source_ids), DecodingOptions(max_length=limit), tap):
        generated = list(step.ids)
        probabilities.append(step.probability)
        yield Progress(len(generated), limit)
    recomputed = max(
        largest_cell_difference(
            cells_of_layer(after, layer), recompute_cells(network, after, layer, interventions.held(layer))
        )
        for layer in gated_layers(network.config)
    )
    edited = edited_copy(network, interventions)
    rerun = edited(network.ids(trace.source_ids), network.ids(trace.target_ids))[0].float().cpu().numpy()
    check = InterventionCheck(recomputed, float(np.abs(rerun - after.logits).max()))
    finished = bool(generated) and generated[-1] == tokenizer.eos_id
    tokens = GeneratedTokens(tuple(generated), tuple(probabilities))
    return InterventionResult(after, tokenizer.decode(generated), finished, check, tokens)


def cells_of_layer(trace: RecurrentTrace, layer: str) -> CellRecord:
    """Return the recorded cells of a layer, one of `gated_layers`."""
    stack, _, direction = layer.partition(".")
    return trace.encoder[direction] if stack == "encoder" else trace.decoder


@torch.inference_mode()
def recompute_cells(
    network: RecurrentNetwork, trace: RecurrentTrace, layer: str, fixed: Mapping[str, float] | None = None
) -> CellRecord:
    """Compute gates and states of an LSTM layer from its formulas, in double precision, without a tap.

    Args:
        trace: has the inputs of the cells; for the decoder, the start and the context vectors, too.
        fixed: gate, of `model.tracing.gate_interventions.GATES` -> the value it is held at.
    """
    encoding = layer != "decoder"
    recurrence = network.encoder if encoding else network.decoder
    direction = layer.partition(".")[2] or "forwards"
    inputs = trace.encoder_embedded if encoding else trace.decoder_embedded  # (step, inputs)
    if not encoding and network.config.alignment == "additive":
        inputs = np.concatenate([inputs, trace.records["cross"].outputs[0, 0]], axis=1)
    w, u, *biases = (part.double().cpu().numpy() for part in recurrence.weights(direction))
    hidden = np.zeros(recurrence.width) if encoding else trace.start_hidden.astype(np.float64)
    assert trace.start_cell is not None  # an LSTM's
    cell = np.zeros(recurrence.width) if encoding else trace.start_cell.astype(np.float64)
    quantities = {name: np.zeros((len(inputs), recurrence.width)) for name in ("hidden", *GATES, "cell")}
    positions = range(len(inputs))
    for position in reversed(positions) if direction == "backwards" else positions:
        summed = w @ inputs[position] + u @ hidden + sum(biases)
        sums = zip(GATES, np.split(summed, len(GATES)), strict=True)
        gates = {name: np.tanh(values) if name == "candidate" else _sigmoid(values) for name, values in sums}
        gates |= {f"{gate}_gate": np.full(recurrence.width, value) for gate, value in (fixed or {}).items()}
        cell = gates["forget_gate"] * cell + gates["input_gate"] * gates["candidate"]
        hidden = gates["output_gate"] * np.tanh(cell)
        for name, value in (gates | {"cell": cell, "hidden": hidden}).items():
            quantities[name][position] = value
    return CellRecord(**quantities)


def largest_cell_difference(first: CellRecord, second: CellRecord) -> float:
    """Largest difference of any gate or state at any step, as a share of the second where that is beyond 1."""
    pairs = zip(vars(first).values(), vars(second).values(), strict=True)
    return max(float((np.abs(one - other) / np.maximum(1, np.abs(other))).max()) for one, other in pairs)


def edited_copy(network: RecurrentNetwork, interventions: GateInterventions) -> RecurrentNetwork:
    """Copy a network with weights that hold the gates; it shares all parameters but those of cells with `network`.

    A held gate has no input, and its bias is the logit of the value.
    """
    of_cells = {id(tensor) for stack in (network.encoder, network.decoder) for tensor in stack.parameters()}
    shared = [tensor for tensor in network.parameters() if id(tensor) not in of_cells]
    copy = deepcopy(network, {id(tensor): tensor for tensor in shared})
    for layer in gated_layers(network.config):
        recurrence = copy.decoder if layer == "decoder" else copy.encoder
        for gate, value in interventions.held(layer).items():
            _hold(recurrence, layer.partition(".")[2] or "forwards", GATES.index(f"{gate}_gate"), value)
    return copy


def _hold(recurrence: RecurrentLayer, direction: str, gate: int, value: float) -> None:
    rows = slice(gate * recurrence.width, (gate + 1) * recurrence.width)
    logit = CERTAIN if value == 1 else -CERTAIN if value == 0 else math.log(value / (1 - value))
    for parameter, constant in zip(recurrence.weights(direction), (0.0, 0.0, logit, 0.0), strict=True):
        parameter[rows] = constant


def _sigmoid(values: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-values))
