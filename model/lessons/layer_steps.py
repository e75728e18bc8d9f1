"""Attention of one head in seven steps, each recomputed from the weights (section 3.2)."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from ..networks.attention import MultiHeadAttention
from ..networks.transformer import Transformer
from ..runtime.arrays import largest_difference, softmax, to_array
from ..tracing.kinds import KINDS, attention_module
from ..tracing.trace import ATTENTION_STEPS, Trace, record_tensors

STEPS = ("projections", "products", "scores", "masked", "weights", "output", "sublayer_output")


@dataclass(frozen=True, eq=False)
class LayerInputs:
    """Inputs and output of one attention sub-layer, as recorded; float32."""

    query_input: np.ndarray  # `(query, d_model)` the stream of the queries
    key_input: np.ndarray  # `(key, d_model)` the stream of the keys; the same array as `query_input` in self-attention
    sublayer_output: np.ndarray  # `(query, d_model)` added to the residual stream


@dataclass(frozen=True, eq=False)
class OneQuery:
    """One query against all keys."""

    products: np.ndarray  # `(key,)` q . k
    scores: np.ndarray  # `(key,)` q . k / sqrt(d_k), minus infinity where masked
    weights: np.ndarray  # `(key,)` their softmax
    weighted: np.ndarray  # `(key, d_k)` each value times its weight
    mean: np.ndarray  # `(d_k,)` the sum of `weighted`: the weighted mean of the values
    difference: float  # largest |difference| between `mean` and the recorded head output


class Projection(NamedTuple):
    """A linear map: x `weight` + `bias`, the weight as `(in, out)`."""

    weight: np.ndarray
    bias: np.ndarray

    @classmethod
    def of(cls, linear: nn.Linear, part: slice = slice(None)) -> "Projection":
        """The columns `part` of what `linear` computes."""
        return cls(to_array(linear.weight[part]).T, to_array(linear.bias[part]))


@dataclass(frozen=True, eq=False)
class AttentionSteps:
    """One head of one layer: every matrix from X to the sub-layer's output.

    Everything but the weight matrices is as the network computed it, float32; `differences` compares each step with a
    recomputation in double precision that starts from `inputs` and the weights alone.
    """

    inputs: LayerInputs  # X, and the sub-layer's output
    projections: dict[str, Projection]  # "query", "key", "value": this head's `(d_model, d_k)`; "output": all of W_O
    queries: np.ndarray  # `(query, d_k)`
    keys: np.ndarray  # `(key, d_k)`
    values: np.ndarray  # `(key, d_k)`
    products: np.ndarray  # `(query, key)` Q K^T, the recorded scores times sqrt(d_k)
    scores: np.ndarray  # `(query, key)` divided by sqrt(d_k), before the mask
    allowed: np.ndarray | None  # `(query, key)` bool, or None where nothing is masked
    weights: np.ndarray  # `(query, key)`
    output: np.ndarray  # `(query, d_k)`, this head's
    concatenated: np.ndarray  # `(query, d_model)` the outputs of all heads side by side
    differences: dict[str, float]  # step of `STEPS` -> largest |difference|

    @property
    def masked_scores(self) -> np.ndarray:
        """`(query, key)`: the scores with minus infinity where masked."""
        return self.scores if self.allowed is None else np.where(self.allowed, self.scores, np.float32(-np.inf))

    def one_query(self, place: int) -> OneQuery:
        """The row of query `place`, from its vector to the weighted mean of the values, in double precision."""
        products = self.keys.astype(np.float64) @ self.queries[place]
        scores = products / math.sqrt(self.queries.shape[1])
        if self.allowed is not None:
            scores = np.where(self.allowed[place], scores, -np.inf)
        weights = softmax(scores)
        weighted = weights[:, None] * self.values
        mean = weighted.sum(axis=0)
        return OneQuery(products, scores, weights, weighted, mean, largest_difference(mean, self.output[place]))


@torch.inference_mode()
def record_layer_inputs(network: Transformer, trace: Trace, kind: str, layer: int) -> LayerInputs:
    """Record inputs and output of the attention of `kind` in `layer` (from 0).

    A trace contains the residual stream between layers only, so the network runs once more on the same tokens.
    """
    attention = KINDS[kind]
    names = [f"{attention.tap_name(layer)}.sublayer_output", f"decoder.{layer}.self.normalised"]
    tensors = record_tensors(network, trace, attention.stack, names)
    sublayer_output = to_array(tensors[names[0]][0])
    if attention.square:
        stream = (trace.encoder_stream if attention.stack == "encoder" else trace.decoder_stream)[layer]
        return LayerInputs(stream, stream, sublayer_output)
    return LayerInputs(to_array(tensors[names[1]][0]), trace.encoder_stream[-1], sublayer_output)


def recompute_attention(
    network: Transformer, trace: Trace, inputs: LayerInputs, kind: str, layer: int, head: int
) -> AttentionSteps:
    """Recompute the steps of one head; `inputs` is from `record_layer_inputs` for the same kind and layer."""
    module, record = attention_module(network, KINDS[kind], layer), trace.records[kind]
    own, own_output = _recompute(module, inputs, record.allowed)
    recorded_steps = {step: getattr(record, step)[layer, head] for step in ATTENTION_STEPS}
    distances = {step: largest_difference(own[step][head], recorded_steps[step]) for step in ATTENTION_STEPS}
    d_k = record.queries.shape[-1]
    part = slice(head * d_k, (head + 1) * d_k)
    products = recorded_steps["scores"] * np.float32(math.sqrt(d_k))
    visible = slice(None) if record.allowed is None else record.allowed
    differences = {
        "projections": max(distances[step] for step in ("queries", "keys", "values")),
        "products": largest_difference(own["scores"][head] * math.sqrt(d_k), products),
        "scores": distances["scores"],
        "masked": largest_difference(own["scores"][head][visible], recorded_steps["scores"][visible]),
        "weights": distances["weights"],
        "output": distances["outputs"],
        "sublayer_output": largest_difference(own_output, inputs.sublayer_output),
    }
    projections = {name: Projection.of(getattr(module, name), part) for name in ("query", "key", "value")}
    return AttentionSteps(
        inputs=inputs,
        projections={**projections, "output": Projection.of(module.output)},
        products=products,
        allowed=record.allowed,
        output=recorded_steps.pop("outputs"),
        concatenated=record.outputs[layer].transpose(1, 0, 2).reshape(len(inputs.query_input), -1),  # (query, d_model)
        differences=differences,
        **recorded_steps,
    )


def _recompute(
    module: MultiHeadAttention, inputs: LayerInputs, allowed: np.ndarray | None
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """`ATTENTION_STEPS` of all heads, the first axis, and the sub-layer's output: in float64 and nothing but numpy."""

    def heads(linear: nn.Linear, stream: np.ndarray) -> np.ndarray:
        projected = _linear(linear, stream)  # (position, d_model)
        return np.stack(np.split(projected, module.n_heads, axis=1))  # (head, position, d_k)

    queries = heads(module.query, inputs.query_input)
    keys, values = heads(module.key, inputs.key_input), heads(module.value, inputs.key_input)
    scores = queries @ keys.transpose(0, 2, 1) / math.sqrt(queries.shape[-1])  # (head, query, key)
    weights = softmax(scores if allowed is None else np.where(allowed, scores, -np.inf))
    outputs = weights @ values  # (head, query, d_k)
    steps = dict(zip(ATTENTION_STEPS, (queries, keys, values, scores, weights, outputs), strict=True))
    return steps, _linear(module.output, np.concatenate(list(outputs), axis=1))


def _linear(linear: nn.Linear, stream: np.ndarray) -> np.ndarray:
    weight, bias = Projection.of(linear)
    return stream.astype(np.float64) @ weight.astype(np.float64) + bias
