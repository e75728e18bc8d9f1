"""Cross-entropy with label smoothing: per token for display, and in slices for training."""

import torch
import torch.nn.functional as F
from torch import Tensor


def token_cross_entropy(logits: Tensor, targets: Tensor) -> Tensor:
    """-ln p of the right token at every position, in nats: `(..., vocabulary)` and ids `(...)` -> `(...)` float32.

    Its mean is the loss, the exponential of that the perplexity.
    """
    flat = F.cross_entropy(logits.float().flatten(0, -2), targets.flatten(), reduction="none")
    return flat.view(targets.shape)


class _SlicedCrossEntropy(torch.autograd.Function):
    """Projection, softmax and their gradient a slice of rows at a time, so that the logits stay in the cache.

    With 8,000 tokens the logits of a batch take 70 MB, and moving them takes most of the loss's time. The gradient
    follows from the softmax, so the forward pass computes it and the logits are never stored.
    """

    @staticmethod
    def forward(ctx, hidden: Tensor, embedding: Tensor, targets: Tensor, smoothing: float, rows: int):
        weight = embedding.to(hidden.dtype)
        hidden_gradient = torch.empty_like(hidden)
        embedding_gradient = torch.zeros_like(embedding)
        hidden_sum, embedding_sum = hidden.float().sum(dim=0), embedding.float().sum(dim=0)  # (d_model,)
        uniform = smoothing / embedding.shape[0]  # of the target distribution, for every token
        loss = -uniform * (hidden_sum * embedding_sum).sum()  # - even x the sum of all logits
        right_nll = torch.zeros_like(loss)
        for start in range(0, len(hidden), rows):
            part = hidden[start : start + rows]  # (rows, d_model)
            right = targets[start : start + rows, None]  # (rows, 1)
            logits = part @ weight.T  # (rows, vocabulary)
            probabilities = logits.softmax(dim=1)
            nll = -probabilities.gather(1, right).float().log()
            if not bool(nll.isfinite().all()):  # the softmax underflows
                nll = logits.float().logsumexp(dim=1, keepdim=True) - logits.gather(1, right).float()
            loss += (nll + smoothing * logits.gather(1, right).float()).sum()
            right_nll += nll.sum()
            # d loss / d logits = softmax - smoothed target, whose even share is subtracted after the loop
            gradient = probabilities.scatter_add_(1, right, probabilities.new_full(right.shape, smoothing - 1))
            torch.mm(gradient, weight, out=hidden_gradient[start : start + rows])
            embedding_gradient += gradient.T @ part
        hidden_gradient -= (uniform * embedding_sum).to(hidden.dtype)
        embedding_gradient -= uniform * hidden_sum
        ctx.save_for_backward(hidden_gradient, embedding_gradient)
        ctx.mark_non_differentiable(right_nll)
        return loss, right_nll

    @staticmethod
    def backward(ctx, loss_gradient: Tensor, _: Tensor):
        hidden_gradient, embedding_gradient = ctx.saved_tensors
        scaled = hidden_gradient * loss_gradient.to(hidden_gradient.dtype)
        return scaled, embedding_gradient * loss_gradient.to(embedding_gradient.dtype), None, None, None


def smoothed_cross_entropy(
    hidden: Tensor, embedding: Tensor, targets: Tensor, smoothing: float = 0.1, rows: int | None = None
) -> tuple[Tensor, Tensor]:
    """Label-smoothed loss through the tied output projection (Vaswani et al. 2017, sections 3.4 and 5.4).

    The target distribution gives the right token 1 - smoothing and spreads smoothing evenly over all tokens
    (Szegedy et al. 2016), as `torch.nn.functional.cross_entropy(label_smoothing=...)` does.

    Args:
        hidden: `(position, d_model)` decoder outputs of real positions only.
        embedding: `(vocabulary, d_model)`.
        targets: `(position,)` ids.
        rows: positions a slice; by default 256 on a CPU and 8,192 elsewhere.

    Returns:
        The sum of the smoothed loss (differentiable) and the sum of -ln p of the right tokens (not), in nats.
    """
    if rows is None:
        rows = 256 if hidden.device.type == "cpu" else 8192
    return _SlicedCrossEntropy.apply(hidden, embedding, targets, smoothing, rows)
