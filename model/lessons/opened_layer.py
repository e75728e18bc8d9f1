"""One place of one layer, from its input to the layer's output, as the numbers of seven stations (sections 3.1-3.3)."""

from dataclasses import dataclass
from typing import cast

import numpy as np

from ..networks.transformer import Transformer
from ..tracing.kinds import KINDS
from ..tracing.trace import Trace
from .feed_forward import Stack
from .layer_steps import record_layer_inputs
from .residual import AddAndNorm, recompute_add_and_norms


@dataclass(frozen=True, eq=False)
class OpenedLayer:
    """One query of one head, then the rest of its layer. Lengths are Euclidean, of d_model or d_k numbers."""

    input: float  # length of the vector that enters the attention
    query: float  # length of q
    keys: np.ndarray  # `(key,)` lengths of k
    values: np.ndarray  # `(key,)` lengths of v
    scores: np.ndarray  # `(key,)` q . k / sqrt(d_k), minus infinity where masked
    weights: np.ndarray  # `(key,)`
    mean: float  # length of the weighted mean of the values, the head's output
    # the residual stream: its length before, what is added, and after the norm; of attention, then of the feed-forward
    attention: tuple[float, float, float]
    feed_forward: tuple[float, float, float]
    fired: int  # hidden units above 0
    units: int  # of the feed-forward layer
    sizes: tuple[int, int]  # d_model and d_k


def open_layer(network: Transformer, trace: Trace, kind: str, layer: int, head: int, place: int) -> OpenedLayer:
    """Collect the numbers of query `place` in one head; all indices from 0.

    Attention is as it was recorded; the streams around it are of one more run on the same tokens.
    """
    attention, record = KINDS[kind], trace.records[kind]
    stack = cast(Stack, attention.stack)
    entering = record_layer_inputs(network, trace, kind, layer).query_input[place]  # (d_model,)
    norms = {each.step: each for each in recompute_add_and_norms(network, trace, stack) if each.layer == layer}
    hidden = (trace.encoder_hidden if stack == "encoder" else trace.decoder_hidden)[layer, place]  # (d_ff,)
    scores = record.scores[layer, head, place]  # (key,)
    if record.allowed is not None:
        scores = np.where(record.allowed[place], scores, -np.inf)
    return OpenedLayer(
        input=_length(entering),
        query=_length(record.queries[layer, head, place]),
        keys=np.linalg.norm(record.keys[layer, head].astype(np.float64), axis=1),
        values=np.linalg.norm(record.values[layer, head].astype(np.float64), axis=1),
        scores=scores,
        weights=record.weights[layer, head, place],
        mean=_length(record.outputs[layer, head, place]),
        attention=_stream(norms["cross" if kind == "cross" else "self"], place),
        feed_forward=_stream(norms["ffn"], place),
        fired=int((hidden > 0).sum()),
        units=len(hidden),
        sizes=(len(entering), record.queries.shape[-1]),
    )


def _length(vector: np.ndarray) -> float:
    return float(np.linalg.norm(vector.astype(np.float64)))


def _stream(norm: AddAndNorm, place: int) -> tuple[float, float, float]:
    return float(norm.before[place]), float(norm.sublayer_output[place]), float(norm.after[place])
