"""A translation by an LSTM whose gates are held: what is generated now, the pass over the old one, and two checks."""

import math
from collections.abc import Mapping
from copy import deepcopy

import numpy as np
import torch

from ..decoding import search
from ..decoding.search import DecodingOptions
from ..networks.cells import GATES, RecurrentLayer
from ..networks.recurrent import RecurrentNetwork
from ..networks.recurrent_trace import CellRecord, RecurrentTrace, record_recurrent_trace
from ..runtime.progress import InSteps, Progress
from ..text.tokenizer import Tokenizer
from ..tracing.gate_interventions import GateInterventions, gated_layers
from .intervention_result import InterventionCheck, InterventionResult

CERTAIN = 200.0  # as the sum that a gate squashes: in single precision it is then exactly 1, or with a minus 0


@torch.inference_mode()
def hold_gates_in_steps(
    network: RecurrentNetwork, tokenizer: Tokenizer, trace: RecurrentTrace, interventions: GateInterventions
) -> InSteps[InterventionResult]:
    """Run a traced sentence again with gates held.

    Args:
        trace: the pass without that; it is fed the same target again (teacher forcing).

    Raises:
        InterventionError: see `GateInterventions.check`.
    """
    tap = interventions.tap(gated_layers(network.config))
    ids = [list(ids) for ids in (trace.source_ids, trace.target_ids, trace.next_ids)]
    after = record_recurrent_trace(network, tokenizer, *ids, tap)
    limit = min(2 * len(trace.source_ids) + 10, 128)
    generated: list[int] = []
    for step in search.stream(network, ids[0], DecodingOptions(max_length=limit), tap):
        generated = list(step.ids)
        yield Progress(len(generated), limit)
    recomputed = max(
        largest_cell_difference(
            cells_of_layer(after, layer), recompute_cells(network, after, layer, interventions.held(layer))
        )
        for layer in gated_layers(network.config)
    )
    rerun = edited_copy(network, interventions)(*map(network.ids, ids[:2]))[0].float().cpu().numpy()
    check = InterventionCheck(recomputed, float(np.abs(rerun - after.logits).max()))
    finished = bool(generated) and generated[-1] == tokenizer.eos_id
    return InterventionResult(after, tokenizer.decode(generated), finished, check)


def cells_of_layer(trace: RecurrentTrace, layer: str) -> CellRecord:
    """What was recorded of a layer, of `gated_layers`."""
    stack, _, direction = layer.partition(".")
    return trace.encoder[direction] if stack == "encoder" else trace.decoder


@torch.inference_mode()
def recompute_cells(
    network: RecurrentNetwork, trace: RecurrentTrace, layer: str, held: Mapping[str, float] | None = None
) -> CellRecord:
    """Gates and states of an LSTM layer from its formulas, in double precision, without a tap.

    Args:
        trace: whose inputs the cells read; for the decoder, whose start and context vectors, too.
        held: gate, of `model.tracing.gate_interventions.GATES` -> the value it is held at.
    """
    encoding = layer != "decoder"
    recurrence = network.encoder if encoding else network.decoder
    direction = layer.partition(".")[2] or "forwards"
    inputs = trace.encoder_embedded if encoding else trace.decoder_embedded  # (step, inputs)
    if not encoding and network.config.alignment == "additive":
        inputs = np.concatenate([inputs, trace.records["cross"].outputs[0, 0]], axis=1)
    w, u, *biases = (part.double().cpu().numpy() for part in recurrence.weights(direction))
    hidden = np.zeros(recurrence.width) if encoding else trace.start_hidden.astype(np.float64)
    cell = np.zeros(recurrence.width) if encoding else trace.start_cell.astype(np.float64)
    found: dict[str, list[np.ndarray]] = {name: [None] * len(inputs) for name in ("hidden", *GATES, "cell")}
    places = range(len(inputs))
    for place in reversed(places) if direction == "backwards" else places:
        summed = w @ inputs[place] + u @ hidden + sum(biases)
        gates = dict(zip(GATES, np.split(summed, len(GATES)), strict=True))
        gates = {name: np.tanh(part) if name == "candidate" else _sigmoid(part) for name, part in gates.items()}
        gates |= {f"{gate}_gate": np.full(recurrence.width, value) for gate, value in (held or {}).items()}
        cell = gates["forget_gate"] * cell + gates["input_gate"] * gates["candidate"]
        hidden = gates["output_gate"] * np.tanh(cell)
        for name, value in (gates | {"cell": cell, "hidden": hidden}).items():
            found[name][place] = value
    return CellRecord(**{name: np.stack(rows) for name, rows in found.items()})


def largest_cell_difference(first: CellRecord, second: CellRecord) -> float:
    """Of any gate or state at any step; where the second is beyond 1, as cell states can be, as a share of it."""
    pairs = zip(vars(first).values(), vars(second).values(), strict=True)
    return max(float((np.abs(one - other) / np.maximum(1, np.abs(other))).max()) for one, other in pairs)


def edited_copy(network: RecurrentNetwork, interventions: GateInterventions) -> RecurrentNetwork:
    """A network whose weights hold the gates; it shares what is no cell's with `network`.

    A held gate reads nothing, and its bias is the logit of the value.
    """
    cells_own = {id(tensor) for stack in (network.encoder, network.decoder) for tensor in stack.parameters()}
    shared = [tensor for tensor in network.parameters() if id(tensor) not in cells_own]
    copy = deepcopy(network, {id(tensor): tensor for tensor in shared})
    for layer in gated_layers(network.config):
        recurrence = copy.decoder if layer == "decoder" else copy.encoder
        for gate, value in interventions.held(layer).items():
            _hold(recurrence, layer.partition(".")[2] or "forwards", GATES.index(f"{gate}_gate"), value)
    return copy


def _hold(recurrence: RecurrentLayer, direction: str, gate: int, value: float) -> None:
    own = slice(gate * recurrence.width, (gate + 1) * recurrence.width)
    logit = CERTAIN if value == 1 else -CERTAIN if value == 0 else math.log(value / (1 - value))
    for part, held in zip(recurrence.weights(direction), (0.0, 0.0, logit, 0.0), strict=True):
        part[own] = held


def _sigmoid(values: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-values))
