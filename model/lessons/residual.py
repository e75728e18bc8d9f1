"""The residual stream through Add & Norm: input, output and sum of each sub-layer (sections 3.1 and 5.4)."""

from dataclasses import dataclass

import numpy as np
import torch

from ..networks.transformer import Transformer
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
    difference: float  # largest |difference| of the normalised stream from a recomputation in double precision
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

    @property
    def share(self) -> np.ndarray:
        """`(position,)` length of the sub-layer's output divided by that of the stream it is added to."""
        return self.sublayer_output / self.before


@torch.inference_mode()
def recompute_add_and_norms(network: Transformer, trace: Trace, stack: Stack) -> list[AddAndNorm]:
    """Record and recompute every Add & Norm of a stack, first layer first."""
    steps = ("self", "ffn") if stack == "encoder" else ("self", "cross", "ffn")
    places = [(layer, step) for layer in range(len(getattr(network, stack))) for step in steps]
    names = [f"{stack}.{layer}.{step}.{name}" for layer, step in places for name in ("sublayer_output", "normalised")]
    recorded = record_tensors(network, trace, stack, [f"{stack}.embedded", *names])
    tensors = {name: tensor.cpu() for name, tensor in recorded.items()}
    # program: add-norm
    normalised = [name for name in tensors if name.startswith(stack) and name.endswith(".normalised")]
    x, eps = tensors[f"{stack}.embedded"][0].double(), getattr(network, stack)[0].self_norm.norm.eps
    sub_layers = []  # in each, all (position, d_model): input, output, their sum, this normalised, after gain and bias
    for name in normalised:  # such as encoder.0.self.normalised
        output = tensors[name.replace("normalised", "sublayer_output")][0].double()
        added = x + output
        variance, mean = torch.var_mean(added, dim=-1, correction=0, keepdim=True)
        normal, after = (added - mean) / (variance + eps).sqrt(), tensors[name][0].double()
        sub_layers.append(torch.stack([x, output, added, normal, after]))
        x = after
    streams = torch.stack(sub_layers)
    lengths, means, variances = streams.norm(dim=-1), streams.mean(dim=-1), streams.var(dim=-1, correction=0)
    cosines = torch.cosine_similarity(streams[:, 0], streams[:, 1], dim=-1)  # (sub-layer, position)
    # end of program
    recomputed = []
    for place, (layer, step) in enumerate(places):
        norm = getattr(getattr(network, stack)[layer], NORMS[step]).norm
        *_, normal, after = streams[place]  # (position, d_model)
        moments = torch.stack([means[place], variances[place]], dim=1)[2:].flatten(0, 1)  # (6, position)
        numbers = torch.cat([lengths[place, [0, 1, 2, 4]], cosines[place, None], moments]).numpy()
        difference = float((normal * norm.weight.cpu() + norm.bias.cpu() - after).abs().max())
        recomputed.append(AddAndNorm(layer, step, difference, *numbers))
    return recomputed
