"""A translation under interventions: what is generated now, the pass over the old translation, and two checks."""

import math
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from ..decoding.tapped_decoding import greedy_with_tap_in_steps
from ..networks.loss_terms import score_target
from ..networks.transformer import Transformer
from ..runtime.arrays import largest_difference, softmax, to_array
from ..runtime.progress import InSteps
from ..text.tokenizer import Tokenizer
from ..tracing.head_interventions import OneHot, Scale, Shapes, Temperature
from ..tracing.interventions import HeadInterventions
from ..tracing.kinds import KINDS, attention_module
from ..tracing.trace import AttentionRecord, Trace, record_trace


@dataclass(frozen=True)
class InterventionCheck:
    """How far what the tap did is from the same done without a tap; both are 0 up to rounding."""

    # largest |difference| of any weight or head output from NumPy's in double precision, which starts from the recorded
    # queries, keys and values and follows the description of the interventions
    recomputed: float
    # largest |difference| of a logit from a network without a tap whose weights were edited instead: a head's columns
    # of W_O times the factor, its rows of W_Q divided by the temperature. None where something is done that no weights
    # can do.
    edited: float | None
    half: bool = False  # whether the network computes in half precision, so that the figures are larger


@dataclass(frozen=True, eq=False)
class InterventionResult:
    """What the translator does under interventions."""

    after: Trace  # the pass over the same target as before, see `Trace`. Its scores are those the softmax received.
    translation: str  # what greedy decoding generates now
    finished: bool  # False if it was cut off because it did not end
    check: InterventionCheck


def token_losses(trace: Trace) -> np.ndarray:
    """`(T,)` float64: -ln p of each token that should follow, in nats."""
    return score_target(trace.logits, trace.next_ids).terms.losses


def attention_shapes(trace: Trace) -> Shapes:
    """Layers, heads, queries and keys of every kind of attention, as `HeadInterventions.check` wants them."""
    return {kind: record.weights.shape for kind, record in trace.records.items()}


@torch.inference_mode()
def intervene_in_steps(
    network: Transformer, tokenizer: Tokenizer, trace: Trace, interventions: HeadInterventions
) -> InSteps[InterventionResult]:
    """Run a traced sentence again under interventions, fed the same target (teacher forcing).

    Raises:
        InterventionError: see `HeadInterventions.check`.
    """
    tap = interventions.tap(attention_shapes(trace))
    after = record_trace(network, tokenizer, trace.source_ids, trace.target_ids, trace.next_ids, tap)
    limit = min(2 * len(trace.source_ids) + 10, 128)
    generated = yield from greedy_with_tap_in_steps(
        network, trace.source_ids, tap, limit, trace.next_ids, looks_ahead=interventions.looks_ahead
    )
    inputs = [network.ids(side) for side in (trace.source_ids, trace.target_ids)]
    check = check_intervention(network, interventions, after.records, after.logits, lambda edited: edited(*inputs)[0])
    finished = bool(generated) and generated[-1] == tokenizer.eos_id
    return InterventionResult(after, tokenizer.decode(generated), finished, check)


@torch.inference_mode()
def check_intervention(
    network: nn.Module,
    interventions: HeadInterventions,
    records: Mapping[str, AttentionRecord],
    logits: np.ndarray,
    run: Callable[[nn.Module], Tensor],
) -> InterventionCheck:
    """Do the same without a tap and compare.

    Args:
        records: kind -> attention as it was recorded under the interventions.
        logits: of the same pass.
        run: the fused forward of a network on the same input, giving logits of the same shape.
    """
    recomputed = max(_difference(kind, record, interventions) for kind, record in records.items())
    if not all(isinstance(change, Scale | Temperature) for change in interventions.changes):
        return InterventionCheck(recomputed, None)
    return InterventionCheck(recomputed, largest_difference(to_array(run(edited_copy(network, interventions))), logits))


def edited_copy(network: nn.Module, interventions: HeadInterventions) -> nn.Module:
    """A network whose weights do what factors and temperatures do; it shares all other weights with `network`.

    Changes of other types are left out.
    """
    copy = deepcopy(network, {id(tensor): tensor for tensor in (*network.parameters(), *network.buffers())})
    for change in interventions.changes:
        for layer, head in change.heads:
            attention = attention_module(copy, KINDS[change.kind], layer)
            d_k = attention.output.weight.shape[1] // attention.n_heads
            own = slice(head * d_k, (head + 1) * d_k)
            if isinstance(change, Scale):
                weight = attention.output.weight.detach().clone()
                weight[:, own] *= change.factor
                attention.output.weight = nn.Parameter(weight, requires_grad=False)
            elif isinstance(change, Temperature):
                for name in ("weight", "bias"):
                    rows = getattr(attention.query, name).detach().clone()
                    rows[own] /= change.temperature
                    setattr(attention.query, name, nn.Parameter(rows, requires_grad=False))
    return copy


def _difference(kind: str, record: AttentionRecord, interventions: HeadInterventions) -> float:
    queries, keys, values = (part.astype(np.float64) for part in (record.queries, record.keys, record.values))
    scores = queries @ keys.swapaxes(-2, -1) / math.sqrt(queries.shape[-1])  # (layer, head, query, key)
    factor = np.ones(scores.shape[:2])
    own = [change for change in interventions.changes if change.kind == kind]
    for change in own:
        for place in change.heads:
            if isinstance(change, Temperature):
                scores[place] /= change.temperature
            elif isinstance(change, Scale):
                factor[place] *= change.factor
    touched = {place for change in own for place in change.heads}
    usual = interventions.allowed(kind, -1, -1, *scores.shape[2:])  # of a head that nothing is done to
    allowed = np.broadcast_to(usual, scores.shape).copy()
    for place in touched:
        allowed[place] = interventions.allowed(kind, *place, *scores.shape[2:])
    scores[~allowed] = -np.inf
    weights = softmax(scores)
    for change in own:
        if isinstance(change, OneHot):
            for place in change.heads:
                rows = change.rows(*scores.shape[2:])
                weights[place][rows] = np.eye(scores.shape[3])[change.key]
    outputs = weights @ values * factor[..., None, None]  # (layer, head, query, d_k)
    return max(largest_difference(weights, record.weights), largest_difference(outputs, record.outputs))
