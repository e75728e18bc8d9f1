"""From the CLS vector to the classes: last norm, linear layer, softmax.

Dosovitskiy et al. 2021, equation 4 in section 3.1.
"""

from dataclasses import dataclass

import numpy as np
import torch

from ..classifier import VisionTrace
from ..networks.vision import VisionTransformer
from ..runtime.arrays import largest_difference, to_array


@dataclass(frozen=True, eq=False)
class Classification:
    """The last steps from a picture to its classes; float64."""

    before: np.ndarray  # `(d_model,)` CLS after the last layer
    after: np.ndarray  # `(d_model,)` y = LayerNorm of that, with gain and bias
    logits: np.ndarray  # `(class,)` W y + b
    powers: np.ndarray  # `(class,)` e to the logit minus the largest one, so that nothing overflows
    probabilities: np.ndarray  # `(class,)` each power as a share of their sum
    difference: float  # largest |difference| of `logits` to those of the network


@torch.inference_mode()
def recompute_classification(network: VisionTransformer, trace: VisionTrace) -> Classification:
    """Recompute the last steps of a picture's trace in double precision with numpy."""
    before = trace.stream[-1, 0].astype(np.float64)
    weight, bias, gain, shift = (
        to_array(parameter).astype(np.float64)
        for parameter in (network.head.weight, network.head.bias, network.norm.weight, network.norm.bias)
    )
    after = (before - before.mean()) / np.sqrt(before.var() + network.norm.eps) * gain + shift
    logits = weight @ after + bias
    powers = np.exp(logits - logits.max())
    return Classification(
        before, after, logits, powers, powers / powers.sum(), largest_difference(logits, trace.logits)
    )


@torch.inference_mode()
def read_cls(network: VisionTransformer, trace: VisionTrace) -> np.ndarray:
    """Read CLS after every layer by the last norm and the output layer (nostalgebraist 2020).

    Returns:
        `(layer, class)` float32 probabilities; those after the last layer are the network's own up to rounding.
    """
    after = torch.from_numpy(trace.stream[1:, 0]).to(network.head.weight.device)  # (layer, d_model)
    return to_array(network.head(network.norm(after)).double().softmax(dim=-1))
