"""Multi-head attention of one head taken apart into seven steps, each recomputed from the weights (section 3.2)."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from model.networks.attention import MultiHeadAttention
from model.networks.tap import Recorder
from model.networks.transformer import Transformer
from model.runtime.arrays import array, furthest, softmax
from model.tracing.kinds import KINDS, attention_module
from model.tracing.trace import Trace

STEPS = ("projections", "products", "scores", "masked", "weights", "output", "sublayer_output")


@dataclass(frozen=True, eq=False)
class LayerInputs:
    """What goes into one attention sub-layer and its output, as recorded; float32."""

    query_input: np.ndarray  # `(query, d_model)` the stream of the queries
    key_input: np.ndarray  # `(key, d_model)` the stream of the keys; the same array as `query_input` in self-attention
    sublayer_output: np.ndarray  # `(query, d_model)` what the sub-layer adds to the residual stream


@dataclass(frozen=True, eq=False)
class OneQuery:
    """One query against all keys."""

    products: np.ndarray  # `(key,)` q . k.
    scores: np.ndarray  # `(key,)` q . k / sqrt(d_k), minus infinity where masked.
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
        return cls(array(linear.weight[part]).T, array(linear.bias[part]))


@dataclass(frozen=True, eq=False)
class AttentionSteps:
    """One head of one layer, every matrix on the way from X to the sub-layer's output.

    Everything but the weight matrices is what the network computed, float32; `differences` compares each step with a
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
        """`(query, key)`: the scores with minus infinity where the mask forbids a look."""
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
        return OneQuery(products, scores, weights, weighted, mean, furthest(mean, self.output[place]))


@torch.inference_mode()
def layer_inputs(network: Transformer, trace: Trace, kind: str, layer: int) -> LayerInputs:
    """Record what goes into the attention of `kind` in `layer` (from 0), and its output.

    The trace holds the residual stream between layers only, so the network runs once more on the same tokens.
    """
    of = KINDS[kind]
    names = [f"{of.tap_name(layer)}.sublayer_output", f"decoder.{layer}.self.normalised"]
    recorder = Recorder(set(names))
    memory = network.encode(network.ids(trace.source_ids), None, recorder)
    if of.stack == "decoder":
        network.decode(network.ids(trace.target_ids), memory, None, recorder)
    sublayer_output = array(recorder.tensors[names[0]][0])
    if of.square:
        stream = (trace.encoder_stream if of.stack == "encoder" else trace.decoder_stream)[layer]
        return LayerInputs(stream, stream, sublayer_output)
    return LayerInputs(array(recorder.tensors[names[1]][0]), trace.encoder_stream[-1], sublayer_output)


def attention_steps(
    network: Transformer, trace: Trace, inputs: LayerInputs, kind: str, layer: int, head: int
) -> AttentionSteps:
    """Take one head apart.

    Args:
        inputs: what `layer_inputs` returned for the same kind and layer.
        layer, head: from 0.
    """
    module, record = attention_module(network, KINDS[kind], layer), trace.records[kind]
    own = _Recomputed.of(module, inputs, record.allowed)
    d_k = record.queries.shape[-1]
    part = slice(head * d_k, (head + 1) * d_k)
    scores = record.scores[layer, head]
    concatenated = record.outputs[layer].transpose(1, 0, 2).reshape(len(inputs.query_input), -1)  # (query, d_model)
    products = scores * np.float32(math.sqrt(d_k))
    masked = scores if record.allowed is None else scores[record.allowed]
    own_masked = own.scores[head] if record.allowed is None else own.scores[head][record.allowed]
    projected = zip((own.queries, own.keys, own.values), (record.queries, record.keys, record.values), strict=True)
    differences = {
        "projections": max(furthest(mine[head], seen[layer, head]) for mine, seen in projected),
        "products": furthest(own.scores[head] * math.sqrt(d_k), products),
        "scores": furthest(own.scores[head], scores),
        "masked": furthest(own_masked, masked),
        "weights": furthest(own.weights[head], record.weights[layer, head]),
        "output": furthest(own.outputs[head], record.outputs[layer, head]),
        "sublayer_output": furthest(own.sublayer_output, inputs.sublayer_output),
    }
    return AttentionSteps(
        inputs=inputs,
        projections={
            "query": Projection.of(module.query, part),
            "key": Projection.of(module.key, part),
            "value": Projection.of(module.value, part),
            "output": Projection.of(module.output),
        },
        queries=record.queries[layer, head],
        keys=record.keys[layer, head],
        values=record.values[layer, head],
        products=products,
        scores=scores,
        allowed=record.allowed,
        weights=record.weights[layer, head],
        output=record.outputs[layer, head],
        concatenated=concatenated,
        differences=differences,
    )


@dataclass(frozen=True, eq=False)
class _Recomputed:
    """The whole sub-layer in double precision and nothing but numpy; first axis is the head."""

    queries: np.ndarray
    keys: np.ndarray
    values: np.ndarray
    scores: np.ndarray
    weights: np.ndarray
    outputs: np.ndarray
    sublayer_output: np.ndarray

    @classmethod
    def of(cls, module: MultiHeadAttention, inputs: LayerInputs, allowed: np.ndarray | None) -> "_Recomputed":
        def heads(linear: nn.Linear, stream: np.ndarray) -> np.ndarray:
            projected = _linear(linear, stream)  # (position, d_model)
            return np.stack(np.split(projected, module.n_heads, axis=1))  # (head, position, d_k)

        queries = heads(module.query, inputs.query_input)
        keys, values = heads(module.key, inputs.key_input), heads(module.value, inputs.key_input)
        scores = queries @ keys.transpose(0, 2, 1) / math.sqrt(queries.shape[-1])  # (head, query, key)
        weights = softmax(scores if allowed is None else np.where(allowed, scores, -np.inf))
        outputs = weights @ values  # (head, query, d_k)
        sublayer_output = _linear(module.output, np.concatenate(list(outputs), axis=1))
        return cls(queries, keys, values, scores, weights, outputs, sublayer_output)


def _linear(linear: nn.Linear, stream: np.ndarray) -> np.ndarray:
    weight, bias = Projection.of(linear)
    return stream.astype(np.float64) @ weight.astype(np.float64) + bias
