"""Check one call of attention against a second computation made in another way."""

import torch
import torch.nn.functional as F
from torch import Tensor

from ..tracing.head_interventions import OneHot, Pull, Scale, Temperature
from ..tracing.interventions import HeadInterventions
from ..tracing.kinds import AttentionKind
from ..tracing.trace import Verification
from .eager_attention import AttentionCall, repeat_kv

FUSED = "fused"  # scaled_dot_product_attention, with bias, mask and sinks
DOUBLE = "double"  # in double precision, from queries and keys, with the interventions as they are described
EAGER = "eager"  # the model's own eager implementation


def check_call(
    call: AttentionCall,
    own: Tensor | None,
    kind: AttentionKind,
    layer: int,
    interventions: HeadInterventions | None,
) -> tuple[str, Verification]:
    """Compare recorded weights and outputs with a second computation; returns which one and the differences.

    Args:
        own: weights `(1, H, Q, K)` that the model reports itself, where its softmax is watched.
        layer: from 0.
        interventions: those that were active in the call, if any.
    """
    outputs: Tensor | None
    if interventions is not None and interventions.changes:
        by, (weights, outputs) = DOUBLE, in_double(call, kind, layer, interventions)
    elif own is not None:
        by, weights, outputs = EAGER, own.to(call.weights.device), None
    elif call.softcap is not None or call.queries is None or call.keys is None or call.values is None:
        by, (weights, outputs) = DOUBLE, in_double(call, kind, layer, HeadInterventions())
    else:
        by, (weights, outputs) = FUSED, fused(call)
    difference = _distance(weights, call.weights)
    if outputs is not None and call.outputs is not None:
        difference = max(difference, _distance(outputs, call.outputs))
    recorded_sums, sums = (table.sum(dim=-1, dtype=torch.float64) for table in (call.weights, weights))
    masked = 0.0 if call.mask is None or by == DOUBLE else _masked_weight(call.weights, call.mask)
    return by, Verification(difference, _distance(recorded_sums, sums), masked)


def fused(call: AttentionCall) -> tuple[Tensor, Tensor]:
    """Weights `(1, H, Q, K)` and outputs `(1, H, Q, d_v)` by PyTorch's fused attention.

    A sink becomes one more key: a score of its own, and a value of zeros.
    """
    assert call.queries is not None and call.keys is not None and call.values is not None
    queries = call.queries.float()
    keys, values = repeat_kv(call.keys, call.queries).float(), repeat_kv(call.values, call.queries).float()
    added = call.mask  # stays bool without a bias: the kernel accepts it
    if call.bias is not None:
        added = call.bias.float()
        if call.mask is not None:
            added = added.masked_fill(~call.mask, -torch.inf)
    identity = torch.eye(keys.shape[2], device=queries.device).expand(*keys.shape[:2], -1, -1)
    if call.sinks is not None:
        if added is None or added.dtype == torch.bool:
            added = torch.zeros(call.weights.shape, device=queries.device)
            added = added if call.mask is None else added.masked_fill(~call.mask, -torch.inf)
        added = added.expand(call.weights.shape)
        column = call.sinks.float().reshape(1, -1, 1, 1).expand(*added.shape[:-1], 1)
        added = torch.cat([added, column], dim=-1)
        keys, values, identity = (F.pad(part, (0, 0, 0, 1)) for part in (keys, values, identity))
    weights, outputs = (
        F.scaled_dot_product_attention(queries, keys, applied, attn_mask=added, scale=call.scaling)
        for applied in (identity, values)
    )
    return weights, outputs


def in_double(
    call: AttentionCall, kind: AttentionKind, layer: int, interventions: HeadInterventions
) -> tuple[Tensor, Tensor | None]:
    """Weights and outputs in double precision under interventions.

    Computed from the recorded scores where the queries, or how their products become scores, are not known.
    """
    if call.scaling is not None and call.queries is not None and call.keys is not None:
        scores = call.queries.double() @ repeat_kv(call.keys, call.queries).double().transpose(-2, -1) * call.scaling
        if call.softcap is not None:
            scores = torch.tanh(scores / call.softcap) * call.softcap
        if call.bias is not None:
            scores = scores + call.bias.double()
    else:
        scores = call.original_scores.double()
    hidden = torch.zeros(scores.shape, dtype=torch.bool, device=scores.device)
    if call.original_mask is not None:
        hidden |= ~call.original_mask
    own = [change for change in interventions.changes if change.kind == kind.name]
    factor = torch.ones(scores.shape[1], device=scores.device, dtype=torch.float64)
    for head in {head for change in own for head in change.in_layer(layer)}:
        hidden[:, head] = _hidden(call, kind, layer, head, interventions)
    for change in own:
        heads = change.in_layer(layer)
        if isinstance(change, Temperature):
            scores[:, heads] /= change.temperature
        elif isinstance(change, Pull):
            scores[:, heads, change.query, change.key] += change.delta
        elif isinstance(change, Scale):
            factor[heads] *= change.factor
    scores = scores.masked_fill(hidden, -torch.inf)
    if call.sinks is not None:
        column = call.sinks.double().reshape(1, -1, 1, 1).expand(*scores.shape[:-1], 1)
        weights = torch.cat([scores, column], dim=-1).softmax(dim=-1)[..., :-1]
    else:
        weights = scores.softmax(dim=-1)
    for change in own:
        if isinstance(change, OneHot):
            rows = change.rows(*scores.shape[2:])
            for head in change.in_layer(layer):
                weights[:, head, rows] = torch.eye(scores.shape[3], dtype=torch.float64)[change.key].to(weights.device)
    if call.values is None:
        return weights, None
    return weights, weights @ repeat_kv(call.values, weights).double() * factor[:, None, None]


def _hidden(
    call: AttentionCall, kind: AttentionKind, layer: int, head: int, interventions: HeadInterventions
) -> Tensor:
    """`(query, key)` bool: the keys hidden from a head that interventions change.

    They follow from the description of the interventions and, unless these remove the mask, from the model's own mask.
    """
    queries, keys = call.weights.shape[2:]
    visible = torch.from_numpy(interventions.allowed(kind.name, layer, head, queries, keys).copy())
    own = [change for change in interventions.changes if change.kind == kind.name and head in change.in_layer(layer)]
    hidden = ~visible.to(call.weights.device)
    if call.original_mask is not None and not any(change.step == "mask" for change in own):
        mask = call.original_mask[0]
        hidden = hidden | ~mask[min(head, mask.shape[0] - 1)]
    return hidden


def _distance(first: Tensor, second: Tensor) -> float:
    """Largest |difference|; numbers of one precision are subtracted in it, which is exact where they are close."""
    if first.dtype != second.dtype:
        first, second = first.double(), second.double()
    return float((first - second).abs_().max())


def _masked_weight(weights: Tensor, mask: Tensor) -> float:
    """Largest weight on a masked key; where all heads share a mask, the largest weight over heads is taken first."""
    if mask.ndim == 4 and mask.shape[1] == 1:
        weights = weights.amax(dim=1, keepdim=True)
    return float(weights.masked_fill(mask, 0).max())
