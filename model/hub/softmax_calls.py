"""Record attention in architectures that do not call one function for it: watch softmax and the products around it."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode

from ..networks.tap import Tap
from .eager_attention import AttentionCall, CallRecorder

SOFTMAX = {torch.softmax, F.softmax, Tensor.softmax, torch.nn.functional.softmax}
PRODUCT = {torch.matmul, torch.bmm, Tensor.matmul, Tensor.__matmul__, Tensor.bmm}


class SoftmaxCalls(TorchFunctionMode):
    """Within this context, every softmax over `(row, head, query, key)` or `(row x head, query, key)` is attention.

    Its argument contains the scores with their mask, its result the weights; both pass the tap. The product before it
    gives queries and keys where its shape fits; the product after it, with the weights as left factor, gives values and
    outputs. `model.hub.verification` checks that those calls are what the network reports as its attention.

    Args:
        rows: how many inputs run together.
    """

    def __init__(self, recorder: CallRecorder, rows: int = 1) -> None:
        super().__init__()
        self.recorder, self.rows = recorder, rows
        self.before: tuple[Tensor, Tensor] | None = None  # factors of the last product
        self.open: tuple[Tensor, dict[str, Any], Tap] | None = None  # weights whose product has not come yet

    def __torch_function__(self, function: Any, types: Any, arguments: Any = (), options: Any = None) -> Any:
        options = options or {}
        if function in SOFTMAX and self._is_attention(arguments[0], arguments, options):
            return self._softmax(function, arguments, options)
        if function in SOFTMAX and isinstance(arguments[0], Tensor):
            axes = arguments[0].ndim  # five of them have the windows next to the heads
            self.recorder.windows |= axes > 4 or (axes > 3 and arguments[0].shape[0] > self.rows)
        if function in PRODUCT:
            return self._product(function, arguments, options)
        return function(*arguments, **options)

    def _is_attention(self, scores: object, arguments: tuple, options: dict) -> bool:
        dim = options.get("dim", arguments[1] if len(arguments) > 1 else None)
        if not isinstance(scores, Tensor) or dim not in (-1, scores.ndim - 1):
            return False
        # with three axes the heads are a part of the batch
        whole = scores.ndim == 3 and scores.shape[0] % self.rows == 0
        return whole or (scores.ndim == 4 and scores.shape[0] == self.rows)

    def _softmax(self, function: Any, arguments: tuple, options: dict) -> Tensor:
        self._finish()
        step = self.recorder.next_step()
        original = arguments[0].reshape(self.rows, -1, *arguments[0].shape[-2:])  # (row, head, query, key)
        low = torch.finfo(original.dtype).min / 2
        allowed = original > low
        masked = not bool(allowed.all())
        scores = step("scores", original)
        if masked:
            allowed = step("mask", allowed)
            scores = scores.masked_fill(~allowed, torch.finfo(original.dtype).min)
        weights = step("weights", scores.softmax(dim=-1, dtype=options.get("dtype")))
        queries = keys = None
        if self.before is not None:
            left, right = (self._by_head(part, original.shape[1]) for part in self.before)
            if left is not None and right is not None and self._product_shape(left, right) == original.shape[-2:]:
                queries, keys = left, right.transpose(-2, -1)
        steps = {"queries": queries, "keys": keys, "original_scores": original, "scores": scores}
        steps |= {"original_mask": original > low if masked else None, "mask": allowed if masked else None}
        self.open = (weights, steps, step)
        return weights.reshape(arguments[0].shape)

    def _product(self, function: Any, arguments: tuple, options: dict) -> Tensor:
        left, right = arguments[:2]
        if self.open is not None:
            weights, _, step = self.open
            values = self._by_head(right, weights.shape[1])
            if left.shape[-2:] == weights.shape[-2:] and left.numel() == weights.numel() and values is not None:
                product = function(*arguments, **options)
                outputs = step("outputs", product.reshape(*weights.shape[:2], *product.shape[-2:]))
                self._finish(values, outputs)
                return outputs.reshape(product.shape)
        self.before = (left, right)
        return function(*arguments, **options)

    def _finish(self, values: Tensor | None = None, outputs: Tensor | None = None) -> None:
        """Record the call of the last softmax."""
        if self.open is None:
            return
        weights, steps, _ = self.open
        self.open = None
        self.recorder.record(AttentionCall(**steps, values=values, weights=weights, outputs=outputs))

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        self._finish()  # outside of the context, so that no softmax of a check counts as a call

    def _by_head(self, tensor: Tensor, heads: int) -> Tensor | None:
        """As `(row, head, position, d)`, whether the heads are a part of the batch or not; None where there are none.

        All heads may share one of keys or values (Shazeer 2019): `(row, 1, position, d)`.
        """
        if tensor.ndim == 3 and tensor.shape[0] == self.rows * heads:
            return tensor.reshape(self.rows, heads, *tensor.shape[-2:])
        of_rows = tensor.ndim == 4 and tensor.shape[0] == self.rows
        return tensor if of_rows and tensor.shape[1] in (1, heads) else None

    @staticmethod
    def _product_shape(left: Tensor, right: Tensor) -> torch.Size:
        return torch.Size((left.shape[-2], right.shape[-1]))
