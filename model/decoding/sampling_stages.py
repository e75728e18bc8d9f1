"""The stages of sampling: from one step's logits to the distribution that a token is drawn from."""

from dataclasses import dataclass

import numpy as np
import torch

from ..runtime.arrays import largest_difference, softmax
from .search import sampling_probabilities


@dataclass(frozen=True, eq=False)
class SamplingStages:
    """One decoding step from logits to probabilities, float64, `(vocabulary,)` each."""

    logits: np.ndarray  # of the network; minus infinity for tokens that are never generated
    scaled: np.ndarray  # logits divided by the temperature
    kept: np.ndarray  # bool, True for tokens that survive top-k and top-p
    plain: np.ndarray  # softmax of the logits, before temperature and filters
    probabilities: np.ndarray  # the distribution of the draw; 0 for tokens that were filtered out, sums to 1
    difference: float  # largest difference from `sampling_probabilities`, which decoding uses

    @property
    def order(self) -> np.ndarray:
        """Ids, largest logit first; equal ones in the order of their ids."""
        return np.argsort(-self.logits, kind="stable")

    @property
    def kept_mass(self) -> float:
        """Share of the kept tokens in the scaled distribution before filtering."""
        return float(softmax(self.scaled)[self.kept].sum())


def sampling_stages(
    logits: np.ndarray, temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0, never: tuple[int, ...] = ()
) -> SamplingStages:
    """Apply temperature, top-k and top-p to `logits` (Holtzman et al. 2020), in double precision.

    Args:
        logits: `(vocabulary,)`.
        temperature: above 0.
        top_k: how many of the largest stay; 0 keeps all, equals of the last one stay too.
        top_p: the smallest set that reaches this share of the mass stays.
        never: ids that no translation contains, such as `<pad>`.

    Raises:
        ValueError: a setting is outside its range.
    """
    if not temperature > 0 or top_k < 0 or not 0 < top_p <= 1:
        raise ValueError(f"temperature {temperature}, top_k {top_k} and top_p {top_p} are no settings of sampling.")
    allowed = logits.astype(np.float64)
    allowed[list(never)] = -np.inf
    scaled = allowed / temperature
    retained = np.isfinite(scaled)
    if 0 < top_k < len(scaled):
        retained &= scaled >= np.sort(scaled)[-top_k]
    if top_p < 1:
        shares = softmax(np.where(retained, scaled, -np.inf))
        order = np.argsort(-allowed, kind="stable")
        before = np.cumsum(shares[order]) - shares[order]  # mass in front of each token
        outside = before >= top_p
        outside[0] = False  # the most probable token always stays
        retained[order[outside]] = False
    probabilities = softmax(np.where(retained, scaled, -np.inf))
    used = sampling_probabilities(torch.from_numpy(allowed).float(), temperature, top_k, top_p).double().numpy()
    return SamplingStages(
        allowed, scaled, retained, softmax(allowed), probabilities, largest_difference(used, probabilities)
    )
