"""From the CLS vector to the classes: last norm, linear layer, softmax.

Dosovitskiy et al. 2021, equation 4 in section 3.1.
"""

from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import torch

from ..classifier import VisionTrace
from ..networks.vision import VisionTransformer
from ..runtime.arrays import largest_difference, to_array


@dataclass(frozen=True, eq=False)
class Classification:
    """The last steps from a picture to its classes; float64."""

    difference: float  # largest |difference| of `logits` to those of the network
    before: np.ndarray  # `(d_model,)` CLS after the last layer
    after: np.ndarray  # `(d_model,)` y = LayerNorm of that, with gain and bias
    logits: np.ndarray  # `(class,)` W y + b
    powers: np.ndarray  # `(class,)` e to the logit minus the largest one, so that nothing overflows
    probabilities: np.ndarray  # `(class,)` each power as a share of their sum


@torch.inference_mode()
def recompute_classification(network: VisionTransformer, trace: VisionTrace) -> Classification:
    """Recompute the last steps of a picture's trace in double precision."""
    norm, head = deepcopy(network.norm).cpu().double(), deepcopy(network.head).cpu().double()
    # program: classification
    before = torch.from_numpy(trace.stream[-1, 0]).double()  # (d_model,), CLS after the last layer
    normal = (before - before.mean()) / (before.var(correction=0) + norm.eps).sqrt()
    after = normal * norm.weight + norm.bias
    logits = head.weight @ after + head.bias  # (class,)
    powers = (logits - logits.max()).exp()
    probabilities = powers / powers.sum()
    # end of program
    difference = largest_difference(logits.numpy(), trace.logits)
    return Classification(difference, *(each.numpy() for each in (before, after, logits, powers, probabilities)))


@torch.inference_mode()
def read_cls(network: VisionTransformer, trace: VisionTrace) -> np.ndarray:
    """Read CLS after every layer by the last norm and the output layer (nostalgebraist 2020).

    Returns:
        `(layer, class)` float32 probabilities; those after the last layer are the network's own up to rounding.
    """
    after = torch.from_numpy(trace.stream[1:, 0]).to(network.head.weight.device)  # (layer, d_model)
    return to_array(network.head(network.norm(after)).double().softmax(dim=-1))
