"""Translate with gates of an LSTM held at fixed values: new translation, pass over the old one, two checks."""

import math
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from ..decoding import search
from ..decoding.search import DecodingOptions
from ..decoding.tapped_decoding import GeneratedTokens
from ..networks.cells import GATES
from ..networks.recurrent import RecurrentNetwork
from ..networks.recurrent_trace import CellRecord, RecurrentTrace, record_recurrent_trace
from ..runtime.progress import InSteps, Progress
from ..text.tokenizer import Tokenizer
from ..tracing.interventions import GateInterventions, gated_layers
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
        fixed: gate, of `model.tracing.interventions.GATES` -> the value it is held at.
    """
    encoding = layer != "decoder"
    recurrence = network.encoder if encoding else network.decoder
    direction = layer.partition(".")[2] or "forwards"
    inputs = torch.from_numpy(trace.encoder_embedded if encoding else trace.decoder_embedded)  # (step, inputs)
    if not encoding and network.config.alignment == "additive":
        inputs = torch.cat([inputs, torch.from_numpy(trace.records["cross"].outputs[0, 0])], dim=1)
    weights = [part.to("cpu", torch.float64, copy=True) for part in recurrence.weights(direction)]
    for gate, value in (fixed or {}).items():
        _hold(weights, GATES.index(f"{gate}_gate"), torch.tensor(value, dtype=torch.float64).logit().item())
    assert trace.start_cell is not None  # an LSTM's
    start = [np.zeros(recurrence.width)] * 2 if encoding else [trace.start_hidden, trace.start_cell]
    h, c = (torch.from_numpy(state).double() for state in start)
    # program: gates
    w, u, b_w, b_u = weights
    if direction == "backwards":
        inputs = inputs.flip(0)
    steps = []
    for x in inputs.double():
        i, f, g, o = (w @ x + b_w + u @ h + b_u).chunk(4)  # (units,) each
        i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
        c = f * c + i * g
        h = o * c.tanh()
        steps.append(torch.stack([i, f, g, o, c, h]))
    input_gate, forget_gate, candidate, output_gate, cell, hidden = torch.stack(steps, dim=1)  # (step, units) each
    # end of program
    quantities = (hidden, input_gate, forget_gate, candidate, output_gate, cell)
    return CellRecord(*((part.flip(0) if direction == "backwards" else part).numpy() for part in quantities))


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
            logit = CERTAIN if value == 1 else -CERTAIN if value == 0 else math.log(value / (1 - value))
            _hold(recurrence.weights(layer.partition(".")[2] or "forwards"), GATES.index(f"{gate}_gate"), logit)
    return copy


def _hold(weights: Sequence[Tensor], gate: int, logit: float) -> None:
    """Give a gate no input, and a bias whose sigmoid is the value at which it is held."""
    rows = slice(gate * weights[1].shape[1], (gate + 1) * weights[1].shape[1])
    for parameter, constant in zip(weights, (0.0, 0.0, logit, 0.0), strict=True):
        parameter[rows] = constant
