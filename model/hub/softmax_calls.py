"""The way into architectures that do not call one function for attention: watch softmax and the products around it."""

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode

from .eager_attention import AttentionCall, CallRecorder

SOFTMAX = {torch.softmax, F.softmax, Tensor.softmax, torch.nn.functional.softmax}
PRODUCT = {torch.matmul, torch.bmm, Tensor.matmul, Tensor.__matmul__, Tensor.bmm}


class SoftmaxCalls(TorchFunctionMode):
    """While this is active, every softmax over `(1, head, query, key)` or `(head, query, key)` is taken for attention.

    Its argument are the scores with their mask, its result the weights; both pass the tap. The product before it gives
    queries and keys where its shape fits, the product after it, in which the weights stand on the left, values and
    outputs. Whether those calls are what the network reports as its attention is for `model.hub.verification` to say.
    """

    def __init__(self, watch: CallRecorder) -> None:
        super().__init__()
        self.watch = watch
        self.before: tuple[Tensor, Tensor] | None = None  # factors of the last product
        self.open: tuple[Tensor, dict, object] | None = None  # weights that wait for their product

    def __torch_function__(self, function, types, arguments=(), options=None):
        options = options or {}
        if function in SOFTMAX and self._is_attention(arguments[0], arguments, options):
            return self._softmax(function, arguments, options)
        if function in PRODUCT:
            return self._product(function, arguments, options)
        return function(*arguments, **options)

    @staticmethod
    def _is_attention(scores: object, arguments: tuple, options: dict) -> bool:
        dim = options.get("dim", arguments[1] if len(arguments) > 1 else None)
        if not isinstance(scores, Tensor) or dim not in (-1, scores.ndim - 1):
            return False
        return scores.ndim == 3 or (scores.ndim == 4 and scores.shape[0] == 1)  # of one input: heads may be the batch

    def _softmax(self, function, arguments: tuple, options: dict) -> Tensor:
        self._finish()
        step = self.watch.next_step()
        given = arguments[0].reshape(1, *arguments[0].shape[-3:])  # (1, head, query, key)
        low = torch.finfo(given.dtype).min / 2
        allowed = given > low
        hides = not bool(allowed.all())
        scores = step("scores", given)
        if hides:
            allowed = step("mask", allowed)
            scores = scores.masked_fill(~allowed, torch.finfo(given.dtype).min)
        weights = step("weights", scores.softmax(dim=-1, dtype=options.get("dtype")))
        queries = keys = None
        if self.before is not None:
            left, right = (self._headed(part, given.shape[1]) for part in self.before)
            if left is not None and right is not None and self._product_shape(left, right) == given.shape[-2:]:
                queries, keys = left, right.transpose(-2, -1)
        found = {"queries": queries, "keys": keys, "given_scores": given, "scores": scores}
        found |= {"given_mask": given > low if hides else None, "mask": allowed if hides else None}
        self.open = (weights, found, step)
        return weights.reshape(arguments[0].shape)

    def _product(self, function, arguments: tuple, options: dict) -> Tensor:
        left, right = arguments[:2]
        if self.open is not None:
            weights, found, step = self.open
            values = self._headed(right, weights.shape[1])
            if left.shape[-2:] == weights.shape[-2:] and left.numel() == weights.numel() and values is not None:
                product = function(*arguments, **options)
                outputs = step("outputs", product.reshape(*weights.shape[:2], *product.shape[-2:]))
                self._finish(values, outputs)
                return outputs.reshape(product.shape)
        self.before = (left, right)
        return function(*arguments, **options)

    def _finish(self, values: Tensor | None = None, outputs: Tensor | None = None) -> None:
        """Keep the call whose softmax came last."""
        if self.open is None:
            return
        weights, found, _ = self.open
        self.open = None
        self.watch.saw(AttentionCall(**found, values=values, weights=weights, outputs=outputs))

    def __exit__(self, *error: object) -> None:
        self._finish()
        return super().__exit__(*error)

    @staticmethod
    def _headed(tensor: Tensor, heads: int) -> Tensor | None:
        """As `(1, head, position, d)`, whether the heads stand in the batch or not; None where they stand nowhere."""
        if tensor.ndim == 3 and tensor.shape[0] == heads:
            return tensor[None]
        return tensor if tensor.ndim == 4 and tensor.shape[:2] == (1, heads) else None

    @staticmethod
    def _product_shape(left: Tensor, right: Tensor) -> torch.Size:
        return torch.Size((left.shape[-2], right.shape[-1]))
