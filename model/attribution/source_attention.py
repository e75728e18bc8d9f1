"""Attribution to source tokens from the translator's attention maps, of one layer and of all.

These are four interpretations of the same maps; none of them tests whether the result would change. See
`model.attribution.source_gradients` for one that uses gradients, and `model.attribution.leave_one_out` for the test.
"""

from dataclasses import dataclass

import numpy as np
import torch

from ..networks.transformer import Transformer
from ..runtime.arrays import largest_difference
from ..tracing.trace import Trace
from .rollout import residual_steps, rollout


def cross_attention_means(trace: Trace) -> tuple[np.ndarray, np.ndarray]:
    """Average cross-attention over heads: of the last layer, and of all layers; `(T, S)` float64 each."""
    over_heads = trace.cross_attention.astype(np.float64).mean(axis=1)  # (layer, T, S)
    return over_heads[-1], over_heads.mean(axis=0)


@torch.inference_mode()
def value_weighted(network: Transformer, trace: Trace) -> np.ndarray:
    """Length of the vector that each source token adds through cross-attention (Kobayashi et al. 2020, section 3).

    A weight has no effect if the value that it weighs is short. For each layer the length of the sum over heads of
    weight x value x W_O is taken, and averaged over layers, `(T, S)` float64. W_O's bias belongs to no source token.
    """
    record = trace.records["cross"]
    total = np.zeros(record.weights.shape[2:])
    for layer, weights, values in zip(network.decoder, record.weights, record.values, strict=True):
        matrix = layer.cross_attention.output.weight  # (d_model, d_model), its columns by head
        by_head = matrix.unflatten(1, (len(values), -1)).transpose(0, 1)  # (head, d_model, d_k)
        vectors = torch.from_numpy(values).to(matrix) @ by_head.transpose(1, 2)  # (head, S, d_model)
        added = torch.einsum("hts,hsd->tsd", torch.from_numpy(weights).to(matrix), vectors)  # (T, S, d_model)
        total += added.norm(dim=-1).double().cpu().numpy()
    return total / len(record.weights)


@dataclass(frozen=True, eq=False)
class SourceRollout:
    """Attention rollout through encoder, decoder and cross-attention."""

    source: np.ndarray  # `(T, S)` share of each decoder position that comes from each source token
    target: np.ndarray  # `(T, T)` share that comes from the target tokens generated before

    @property
    def row_sum_error(self) -> float:
        """Largest distance of a position's shares, of both kinds together, from 1."""
        return float(np.abs(self.source.sum(axis=1) + self.target.sum(axis=1) - 1).max())


def source_rollout(trace: Trace) -> SourceRollout:
    """Attention rollout (Abnar and Zuidema 2020, section 3), carried over to an encoder with a decoder.

    The paper has one stack, in which a layer passes on one half of its attention and one half of its input. The same
    is done here for every sub-layer: the encoder's rollout gives the shares of source tokens in its outputs; each
    decoder position starts as its own token; masked self-attention mixes positions, half and half; cross-attention then
    takes one half from its input and the other from the encoder's outputs. Feed-forward layers do not mix positions.
    """
    memory = rollout(trace.encoder_attention)[-1]  # (S, S)
    cross = trace.cross_attention.astype(np.float64).mean(axis=1)  # (layer, T, S)
    cross = cross / cross.sum(axis=-1, keepdims=True)
    source, target = np.zeros(cross.shape[1:]), np.eye(cross.shape[1])
    for own, attended in zip(residual_steps(trace.decoder_attention), cross, strict=True):
        source, target = own @ source, own @ target
        source, target = (source + attended @ memory) / 2, target / 2
    return SourceRollout(source, target)


def check_source_rollout(trace: Trace, computed: SourceRollout) -> float:
    """Largest |difference| of `computed` from a backward pass: each position's share is distributed layer by layer.

    No product of matrices is accumulated: one row at a time passes through decoder and encoder.
    """
    encoder, decoder, cross = (
        torch.from_numpy(trace.attention(kind)).double().mean(dim=1) for kind in ("encoder", "decoder", "cross")
    )
    encoder, decoder, cross = (fused / fused.sum(dim=-1, keepdim=True) for fused in (encoder, decoder, cross))
    worst = 0.0
    for position in range(len(trace.target_ids)):
        here = torch.zeros(len(trace.target_ids), dtype=torch.float64)
        here[position] = 1
        there = torch.zeros(len(trace.source_ids), dtype=torch.float64)
        for layer in range(len(cross) - 1, -1, -1):
            there += here @ cross[layer] / 2
            here = here / 2
            here = (here + here @ decoder[layer]) / 2
        for layer in range(len(encoder) - 1, -1, -1):
            there = (there + there @ encoder[layer]) / 2
        pairs = (there, computed.source[position]), (here, computed.target[position])
        worst = max(worst, *(largest_difference(shares.numpy(), row) for shares, row in pairs))
    return worst
