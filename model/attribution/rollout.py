"""Attribution from attention maps: rollout, gradient-weighted relevance, and the plain gradient.

The attention of one layer describes the mixing in that layer, not the effect on the result. These methods follow it
through all layers; `model.attribution.faithfulness` measures how faithful each is to the model.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from ..networks.tap import Recorder
from ..networks.vision import VisionTransformer
from ..runtime.arrays import largest_difference, to_array
from ..tracing.trace import layer_names

Fusion = Literal["mean", "max", "min"]
FUSIONS: tuple[Fusion, ...] = ("mean", "max", "min")
METHODS = ("CLS attention", "rollout", "gradient relevance", "raw gradient")
INTEGRATED = "integrated gradients"  # a fifth method, which takes longer: `model.causal.integrated_gradients`


def rollout(attention: np.ndarray, fusion: Fusion = "mean") -> np.ndarray:
    """Attention rollout (Abnar and Zuidema 2020, section 3): the share of each input at each position.

    Heads are fused, rows normalised, the residual connection added as one half of the identity, and the layers
    multiplied from the first to the last.

    Args:
        attention: `(layer, head, position, position)`, rows sum to 1.
        fusion: how heads become one map. Abnar and Zuidema take the mean. So do Chefer et al.: of gradient x weight in
            their relevance (2021, equation 5), and of the weights in the rollout that their programs compare with. The
            maximum and the minimum are those of Gildenblat's program vit-explain (2020).

    Returns:
        `(layer, position, position)` float64: the product up to and including each layer. Every row sums to 1.

    Raises:
        ValueError: unknown fusion.
    """
    steps = residual_steps(attention, fusion)
    product, products = np.eye(steps.shape[-1]), []
    for step in steps:
        product = step @ product
        products.append(product)
    return np.stack(products)


def residual_steps(attention: np.ndarray, fusion: Fusion = "mean") -> np.ndarray:
    """Compute rollout's matrix of each layer: half its attention, heads fused and rows normalised, half the identity.

    Arguments as for `rollout`.

    Returns:
        `(layer, position, position)` float64; every row sums to 1.

    Raises:
        ValueError: unknown fusion.
    """
    if fusion not in FUSIONS:
        raise ValueError(f"There is no fusion {fusion!r}; choose one of {', '.join(FUSIONS)}.")
    fused = getattr(attention.astype(np.float64), fusion)(axis=1)  # (layer, position, position)
    rows = fused.sum(axis=-1, keepdims=True)
    # The minimum over heads can be 0 in a whole row; such a query passes on only its own content.
    identity = np.eye(fused.shape[-1])
    normalised = np.divide(fused, rows, out=np.broadcast_to(identity, fused.shape).copy(), where=rows > 0)
    return (normalised + identity) / 2


@dataclass(frozen=True)
class RolloutCheck:
    """Differences of a rollout from an independent computation; both are 0 up to rounding."""

    row_sum_error: float  # largest distance of a row, in any layer, from summing to 1
    # largest |difference| of one position's row of each layer from a backward pass: a share of 1 starts there and is
    # distributed layer by layer, without any product of matrices
    max_difference: float


def check_rollout(attention: np.ndarray, fusion: Fusion = "mean", position: int = 0) -> RolloutCheck:
    """Recompute one row of `rollout` another way; the arguments are the same.

    Args:
        position: of the row; 0 is CLS.
    """
    products = rollout(attention, fusion)
    fused = torch.from_numpy(attention).double()  # (layer, head, position, position)
    fused = fused.mean(dim=1) if fusion == "mean" else fused.amax(dim=1) if fusion == "max" else fused.amin(dim=1)
    difference = 0.0
    for top in range(len(fused)):
        share = torch.zeros(fused.shape[-1], dtype=torch.float64)
        share[position] = 1
        for layer in range(top, -1, -1):
            rows = fused[layer].sum(dim=-1)
            passed = torch.where(rows > 0, share / rows.clamp(min=torch.finfo(torch.float64).tiny), 0) @ fused[layer]
            share = (share + passed + torch.where(rows > 0, 0, share)) / 2
        difference = max(difference, largest_difference(share.numpy(), products[top, position]))
    return RolloutCheck(largest_difference(products.sum(axis=-1), 1), difference)


def attention_scores(attention: np.ndarray, fusion: Fusion = "mean", layer: int = -1) -> dict[str, np.ndarray]:
    """Compute the first two of `METHODS`, `(patch,)` float32: what CLS attends to, and the rollout to CLS.

    Args:
        attention: `(layer, head, 1 + patch, 1 + patch)`.
        fusion: how rollout combines a layer's heads; see `rollout`.
        layer: CLS attention is this layer's, averaged over its heads; rollout goes up to and including it.
    """
    return {
        METHODS[0]: attention[layer, :, 0, 1:].mean(axis=0),
        METHODS[1]: rollout(attention, fusion)[layer, 0, 1:].astype(np.float32),
    }


def accumulate_relevance(layers: Sequence[Tensor] | Tensor) -> Tensor:
    """Relevance R of every position for every other after all self-attention (Chefer et al. 2021, equation 6).

    R starts as the identity; each layer adds A R, with A `(..., position, position)` from `weigh_by_gradient`.
    """
    total = identity_like(layers[0])
    for layer in layers:
        total = total + layer @ total
    return total


def identity_like(weights: Tensor) -> Tensor:
    """Attribute every position to itself: the identity `(key, key)`, for `weights` `(..., query, key)`."""
    return torch.eye(weights.shape[-1], dtype=weights.dtype, device=weights.device)


def weigh_by_gradient(weights: Tensor, gradients: Tensor) -> Tensor:
    """Mean over heads of the positive part of gradient x weight (Chefer et al. 2021, equation 5).

    `(..., head, query, key)` each -> `(..., query, key)`, nowhere negative.
    """
    return (gradients * weights).clamp(min=0).mean(dim=-3)


@dataclass(frozen=True, eq=False)
class ClassGradients:
    """Gradients of one class's logit for one image."""

    weights: Tensor  # `(layer, head, position, position)`, the attention
    gradients: Tensor  # of the logit with respect to `weights`, same shape
    pixels: Tensor  # of the logit with respect to the pixels, `(3, height, width)`

    def relevance(self) -> np.ndarray:
        """Attribution of CLS to the patches, row 0 of R: `(patch,)` float32, without CLS itself."""
        return to_array(accumulate_relevance(weigh_by_gradient(self.weights, self.gradients))[0, 1:])

    def raw(self, patch_size: int) -> np.ndarray:
        """Length of the pixel gradient in each patch (Simonyan et al. 2014), `(patch,)` float32."""
        squares = self.pixels.square().sum(dim=0)  # (height, width)
        blocks = squares.unfold(0, patch_size, patch_size).unfold(1, patch_size, patch_size)  # (row, column, y, x)
        return to_array(blocks.sum(dim=(2, 3)).sqrt().flatten())


def class_gradients(network: VisionTransformer, pixels: Tensor, class_index: int) -> ClassGradients:
    """Run one forward and one backward pass over `(3, height, width)` in [-1, 1], from the logit of `class_index`."""
    recorder = Recorder(layer_names("vision", "self.weights", network.config.n_layers))
    recorded = recorder.tensors
    with torch.enable_grad():
        pixels = pixels.detach().clone().requires_grad_(True)
        logit = network(pixels[None], recorder)[0, class_index]
        gradients = torch.autograd.grad(logit, [pixels, *recorded.values()])
    weights = torch.cat([weight.detach() for weight in recorded.values()])  # (layer, head, position, position)
    return ClassGradients(weights, torch.cat(gradients[1:]), gradients[0])


@torch.inference_mode()
def slope_along(
    network: Callable[[Tensor], Tensor], pixels: Tensor, class_index: int, gradient: Tensor, step: float = 0.02
) -> float:
    """Measure the slope of a class's logit along its gradient by moving the pixels a little in both directions.

    Args:
        pixels, gradient: `(3, height, width)`; of a gradient of length 0 the slope is 0.
        step: length of the move over all pixels together.
    """
    length = gradient.norm()
    if length == 0:
        return 0.0
    move = step * gradient / length
    higher, lower = network(torch.stack([pixels + move, pixels - move]))[:, class_index].double().tolist()
    return (higher - lower) / (2 * step)
