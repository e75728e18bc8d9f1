"""The terms of one sentence's loss: a term a token, the smoothed target, the gradient of the logits."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from ..runtime.arrays import largest_difference
from .losses import token_cross_entropy


@dataclass(frozen=True, eq=False)
class LossTerms:
    """Cross-entropy token by token, in nats; float64, `(T,)` each."""

    probabilities: np.ndarray  # of the right token at each position
    losses: np.ndarray  # -ln of them
    shares: np.ndarray  # each loss as a share of their sum; 0 where the sum is 0
    running_means: np.ndarray  # mean of the losses up to and with each position

    @property
    def total(self) -> float:
        """Sum of the losses."""
        return float(self.losses.sum())

    @property
    def mean(self) -> float:
        """The quantity that training minimises: nats per token."""
        return float(self.losses.mean())

    @property
    def perplexity(self) -> float:
        """e^mean: as unsure as an even choice among so many tokens."""
        return math.exp(self.mean)


def loss_terms(losses: Sequence[float] | np.ndarray) -> LossTerms:
    """Compute shares and running means of losses, -ln p of each right token.

    Raises:
        ValueError: there is none, or one is negative or not a number.
    """
    values = np.array(losses, dtype=np.float64)
    if values.ndim != 1 or not len(values) or not (values >= 0).all():
        raise ValueError("A loss needs at least one token, and -ln p is never below 0.")
    total = values.sum()
    shares = values / total if total > 0 else np.zeros_like(values)
    return LossTerms(np.exp(-values), values, shares, values.cumsum() / np.arange(1, len(values) + 1))


@dataclass(frozen=True, eq=False)
class ScoredTarget:
    """A target's terms, and how far two ways of computing them differ."""

    terms: LossTerms
    difference: float  # largest difference between -ln p in double precision and PyTorch's function


def score_probabilities(probabilities: Sequence[float]) -> ScoredTarget:
    """Compute the terms of probabilities; the check is `torch.nn.functional.nll_loss` in double precision.

    Raises:
        ValueError: one does not lie above 0 and at most at 1.
    """
    if not all(0 < probability <= 1 for probability in probabilities):
        raise ValueError("A probability lies above 0 and at most at 1.")
    terms = loss_terms([-math.log(probability) for probability in probabilities])
    logs = torch.tensor(probabilities, dtype=torch.float64).log()[:, None]  # (T, one class)
    reference = F.nll_loss(logs, torch.zeros(len(logs), dtype=torch.long), reduction="none").numpy()
    return ScoredTarget(terms, largest_difference(terms.losses, reference))


def score_target(logits: np.ndarray, targets: Sequence[int]) -> ScoredTarget:
    """Compute -ln p of every right token: `(T, vocabulary)` and T ids; the check is `token_cross_entropy`."""
    losses = target_losses(logits, targets)
    reference = token_cross_entropy(torch.from_numpy(logits), torch.tensor(list(targets))).double().numpy()
    return ScoredTarget(loss_terms(losses), largest_difference(losses, reference))


def target_losses(logits: np.ndarray, targets: Sequence[int]) -> np.ndarray:
    """Compute -ln p of every right token, in nats: `(T, vocabulary)` and T ids -> `(T,)` float64."""
    values = logits.astype(np.float64)
    highest = values.max(axis=1)
    normaliser = highest + np.log(np.exp(values - highest[:, None]).sum(axis=1))  # (T,)
    return np.maximum(normaliser - values[np.arange(len(values)), list(targets)], 0.0)


def smoothed_target(vocabulary: int, right: int, smoothing: float) -> Tensor:
    """The target distribution: 1 - smoothing on the right token, smoothing spread evenly over all.

    Szegedy et al. 2016, section 7; 0.1 in Vaswani et al. 2017, section 5.4.

    Returns:
        `(vocabulary,)` float64, sums to 1.

    Raises:
        ValueError: `smoothing` does not lie from 0 to below 1.
    """
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing is {smoothing}; it must be from 0 to below 1.")
    target = torch.full((vocabulary,), smoothing / vocabulary, dtype=torch.float64)
    target[right] += 1 - smoothing
    return target


def smallest_loss(vocabulary: int, smoothing: float) -> float:
    """The entropy of the smoothed target in nats, which is the smallest possible smoothed loss."""
    target = smoothed_target(vocabulary, 0, smoothing)
    return float(torch.special.entr(target).sum())


def uniform_loss(logits: np.ndarray) -> float:
    """Mean -ln p of all tokens, `(T, vocabulary)`, in nats: the term that smoothing adds to the loss."""
    return float(-torch.from_numpy(logits).double().log_softmax(dim=1).mean())


@dataclass(frozen=True, eq=False)
class LogitGradient:
    """The smoothed loss of every position and its slope along every logit."""

    losses: np.ndarray  # `(T,)` float64, -sum(target x ln p), in nats
    # `(T, vocabulary)` float32, softmax(logits) - target: the slope of the loss of a position along each of its logits
    gradient: np.ndarray
    # largest difference between the gradient and PyTorch's autograd, both in double precision
    difference: float

    @property
    def mean(self) -> float:
        """Mean smoothed loss, nats per token."""
        return float(self.losses.mean())


def logit_gradient(logits: np.ndarray, targets: Sequence[int], smoothing: float) -> LogitGradient:
    """Compute the gradient by its formula, and by autograd of `torch.nn.functional.cross_entropy` as a check.

    Both are computed in double precision: in single precision autograd alone would be off by some 1e-5.

    Args:
        logits: `(T, vocabulary)`.
        targets: T ids.
        smoothing: from 0 to below 1.

    Raises:
        ValueError: `smoothing` lies outside its range.
    """
    right = torch.tensor(list(targets))
    exact = torch.from_numpy(logits).double()
    smoothed = torch.stack([smoothed_target(exact.shape[1], token, smoothing) for token in right.tolist()])
    log_probabilities = exact.log_softmax(dim=1)
    losses = -(smoothed * log_probabilities).sum(dim=1)  # (T,)
    gradient = log_probabilities.exp() - smoothed  # (T, vocabulary)
    with torch.enable_grad():
        variable = exact.clone().requires_grad_()
        loss = F.cross_entropy(variable, right, reduction="sum", label_smoothing=smoothing)
        (by_autograd,) = torch.autograd.grad(loss, variable)
    difference = float((gradient - by_autograd).abs().max())
    return LogitGradient(losses.numpy(), gradient.float().numpy(), difference)
