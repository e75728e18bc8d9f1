"""Recorded attention of an opened model, one kind, as plain arrays, and its check."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch

from ..lessons.one_weight import ScoreForm
from ..tracing.trace import Verification
from .eager_attention import AttentionCall, is_half

STEPS = ("scores", "queries", "keys", "values", "outputs")  # that may be stored besides the weights
RetainedSteps = Literal["all", "weights"]


@dataclass(frozen=True, eq=False, repr=False)
class HubRecord:
    """One kind of attention, all stored layers; H heads, of which several may share one of G.

    Attributes:
        queries, outputs: `(layer, H, query, d)`; None likewise, where `SoftmaxCalls` did not see them, or where heads
            are wider in some layers than in others.
    """

    weights: np.ndarray
    """`(layer, H, query, key)`; float32, or float16 for a long input."""
    allowed: np.ndarray | None
    """`(query, key)` bool, visible to some head of some layer; None where nothing is masked."""
    scores: np.ndarray | None
    """`(layer, H, query, key)`, before the mask; None where only weights are stored. Where queries and keys are not
    stored, masked scores are the smallest number.
    """
    queries: np.ndarray | None
    keys: np.ndarray | None
    values: np.ndarray | None
    """`keys`, `values`: `(layer, G, key, d)`; None likewise."""
    outputs: np.ndarray | None
    layers: tuple[int, ...]
    """Numbers of the stored layers, from 0, among all layers of the network."""
    by: str
    """The second computation: "fused", "double" or "eager"; see `model.hub.opened_model`."""
    verification: Verification
    """Largest differences to that."""
    forms: tuple[ScoreForm, ...] = ()
    """Of every layer, how a product becomes a score; empty where only weights are stored, or no products seen."""
    half: bool = False
    """Whether the network itself computes in half precision, so that the differences are larger."""

    @property
    def verified_by(self) -> str:
        """`by`, under the name that other records have for it."""
        return self.by

    def __repr__(self) -> str:
        sizes, layers = " x ".join(map(str, self.weights.shape)), ", ".join(map(str, self.layers))
        stored = [name for name in STEPS if getattr(self, name) is not None]
        return f"<HubRecord {sizes} of layers {layers}: weights{''.join(f', {name}' for name in stored)}>"

    def verify(self) -> Verification:
        """Largest differences to the second computation, which was made with the trace."""
        return self.verification


@dataclass(frozen=True, eq=False)
class LayerRecord:
    """One layer of a `HubRecord`, without the axis of layers, reduced during the run to the steps that are stored."""

    arrays: dict[str, torch.Tensor | None]
    allowed: np.ndarray | None
    by: str
    verification: Verification
    form: ScoreForm | None
    half: bool

    @property
    def weights(self) -> torch.Tensor:
        """`(H, query, key)`."""
        weights = self.arrays["weights"]
        assert weights is not None
        return weights


def reduce_call(
    call: AttentionCall, check: tuple[str, Verification], *, steps: RetainedSteps, half: bool
) -> LayerRecord:
    """Move the steps of one call that are stored to the CPU.

    Args:
        check: result of `model.hub.opened_model.check_call`.
        half: store weights and scores in half precision.
    """
    maps = torch.float16 if half else torch.float32
    dtypes = {"weights": maps}
    if steps == "all":
        dtypes |= {"scores": maps} | dict.fromkeys(("queries", "keys", "values", "outputs"), torch.float32)
    arrays = {name: _array(getattr(call, name), dtype) for name, dtype in dtypes.items()}
    allowed = None if call.mask is None else call.mask[0].any(dim=0).expand(call.weights.shape[2:]).cpu().numpy()
    form = None
    if steps == "all" and call.scaling is not None:
        sinks = None if call.sinks is None else call.sinks.float().cpu().numpy()
        form = ScoreForm(call.scaling, call.softcap, call.bias is not None, sinks, allowed)
    return LayerRecord(arrays, allowed, *check, form, half=is_half(call.weights.dtype))


def stack_layers(layers: Sequence[LayerRecord], numbers: Sequence[int]) -> HubRecord:
    """Several layers of one kind as one record; `numbers` are theirs in the network, from 0."""
    shape = layers[0].weights.shape[1:]
    masks = [layer.allowed for layer in layers]
    allowed = None
    if any(mask is not None for mask in masks):
        allowed = np.any([np.ones(shape, dtype=bool) if mask is None else mask for mask in masks], axis=0)

    def array(name: str) -> np.ndarray | None:
        tensors = [tensor for layer in layers if (tensor := layer.arrays.get(name)) is not None]
        alike = len(tensors) == len(layers) and len({tensor.shape for tensor in tensors}) == 1
        return torch.stack(tensors).numpy() if alike else None

    arrays = {name: array(name) for name in ("scores", "queries", "keys", "values", "outputs")}
    forms = [layer.form for layer in layers if layer.form is not None]
    if arrays["queries"] is None or arrays["keys"] is None:  # not stored, or of another width in other layers
        if forms and arrays["scores"] is not None:  # weights then follow from the scores alone
            for scores, mask in zip(arrays["scores"], masks, strict=True):
                scores[:, ~(np.ones(shape[-2:], dtype=bool) if mask is None else mask)] = np.finfo(np.float32).min
        forms = []
    return HubRecord(
        weights=torch.stack([layer.weights for layer in layers]).numpy(),
        allowed=allowed,
        **arrays,
        layers=tuple(numbers),
        by=layers[0].by,
        verification=Verification.worst([layer.verification for layer in layers]),
        forms=tuple(forms) if len(forms) == len(layers) else (),
        half=layers[0].half,
    )


def _array(tensor: torch.Tensor | None, dtype: torch.dtype) -> torch.Tensor | None:
    return None if tensor is None else tensor[0].detach().to("cpu", dtype)
