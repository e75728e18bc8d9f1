"""The residual stream through Add & Norm: input, output and sum of each sub-layer (sections 3.1 and 5.4)."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..networks.transformer import Transformer
from ..runtime.arrays import largest_difference
from ..tracing.trace import Trace, record_tensors
from .feed_forward import Stack

NORMS = {"self": "self_norm", "cross": "cross_norm", "ffn": "feed_forward_norm"}


@dataclass(frozen=True, eq=False)
class AddAndNorm:
    """One sub-layer and its Add & Norm, as numbers for each position; every array is `(position,)` float64.

    Norms are Euclidean lengths of vectors of d_model numbers; means and variances are over those numbers.
    """

    layer: int  # from 0
    step: str  # "self", "cross" or "ffn"
    # lengths of the stream x, of the sub-layer's output, of their sum, and of the stream after the norm
    before: np.ndarray
    sublayer_output: np.ndarray
    added: np.ndarray
    after: np.ndarray
    cosine: np.ndarray  # between x and the sub-layer's output: negative where the sub-layer reduces the stream
    # of the sum, before the norm
    added_mean: np.ndarray
    added_variance: np.ndarray
    # of the normalised sum, before gain and bias: 0 and 1
    normal_mean: np.ndarray
    normal_variance: np.ndarray
    # after gain and bias
    after_mean: np.ndarray
    after_variance: np.ndarray
    difference: float  # largest |difference| of the normalised stream from a recomputation in double precision

    @property
    def share(self) -> np.ndarray:
        """`(position,)` length of the sub-layer's output divided by that of the stream it is added to."""
        return self.sublayer_output / self.before


@torch.inference_mode()
def recompute_add_and_norms(network: Transformer, trace: Trace, stack: Stack) -> list[AddAndNorm]:
    """Record and recompute every Add & Norm of a stack, first layer first."""
    steps = ("self", "ffn") if stack == "encoder" else ("self", "cross", "ffn")
    layers = getattr(network, stack)
    steps_recorded = [f"{step}.{name}" for step in steps for name in ("sublayer_output", "normalised")]
    names = [f"{stack}.{layer}.{name}" for layer in range(len(layers)) for name in steps_recorded]
    tensors = record_tensors(network, trace, stack, [f"{stack}.embedded", *names])
    before = _array(tensors[f"{stack}.embedded"])
    sub_layers = []
    for layer, module in enumerate(layers):
        for step in steps:
            sublayer_output, after = (
                _array(tensors[f"{stack}.{layer}.{step}.{name}"]) for name in ("sublayer_output", "normalised")
            )
            norm = getattr(module, NORMS[step]).norm
            added = before + sublayer_output  # (position, d_model)
            mean, variance = added.mean(axis=1, keepdims=True), added.var(axis=1, keepdims=True)
            normal = (added - mean) / np.sqrt(variance + norm.eps)
            own = normal * _array(norm.weight) + _array(norm.bias)
            length, output_length = (np.linalg.norm(stream, axis=1) for stream in (before, sublayer_output))
            sub_layers.append(
                AddAndNorm(
                    layer,
                    step,
                    before=length,
                    sublayer_output=output_length,
                    added=np.linalg.norm(added, axis=1),
                    after=np.linalg.norm(after, axis=1),
                    cosine=(before * sublayer_output).sum(axis=1) / (length * output_length),
                    added_mean=added.mean(axis=1),
                    added_variance=added.var(axis=1),
                    normal_mean=normal.mean(axis=1),
                    normal_variance=normal.var(axis=1),
                    after_mean=after.mean(axis=1),
                    after_variance=after.var(axis=1),
                    difference=largest_difference(own, after),
                )
            )
            before = after
    return sub_layers


def _array(tensor: Tensor) -> np.ndarray:
    """The only sentence of a batch, or a parameter, as float64."""
    array = tensor.detach().float().cpu().numpy().astype(np.float64)
    return array[0] if array.ndim == 3 else array
