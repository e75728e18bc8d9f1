"""From the CLS vector to the classes: last norm, linear layer, softmax (Dosovitskiy et al. 2021, equation 4)."""

from dataclasses import dataclass

import numpy as np
import torch

from ..classifier import VisionTrace
from ..networks.vision import VisionTransformer
from ..runtime.arrays import array, furthest


@dataclass(frozen=True, eq=False)
class Classification:
    """How one picture is answered; float64."""

    before: np.ndarray  # `(d_model,)` CLS behind the last layer
    after: np.ndarray  # `(d_model,)` y = LayerNorm of that, with gain and bias
    logits: np.ndarray  # `(class,)` W y + b
    powers: np.ndarray  # `(class,)` e to the logit minus the largest one, so that nothing overflows
    probabilities: np.ndarray  # `(class,)` each power as a share of their sum
    difference: float  # largest |difference| of `logits` to those that the network gave


@torch.inference_mode()
def recompute_classification(network: VisionTransformer, trace: VisionTrace) -> Classification:
    """The last steps of a picture's trace once more, in double precision with numpy."""
    before = trace.stream[-1, 0].astype(np.float64)
    weight, bias, gain, shift = (
        array(parameter).astype(np.float64)
        for parameter in (network.head.weight, network.head.bias, network.norm.weight, network.norm.bias)
    )
    after = (before - before.mean()) / np.sqrt(before.var() + network.norm.eps) * gain + shift
    logits = weight @ after + bias
    powers = np.exp(logits - logits.max())
    return Classification(before, after, logits, powers, powers / powers.sum(), furthest(logits, trace.logits))
