"""What a decoder-only network computes at every step of decoding, with its keys and values cached and without.

Without a cache, every step runs the whole sequence so far. With one, the first step reads the prompt, and every
further step runs the newest token alone and attends to the cached keys and values of all others. Both generate the
same tokens; `cache_steps` compares their logits.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from ..networks.decoder_only import CachedSequence, DecoderOnlyConfig, DecoderOnlyTransformer


def multiply_adds(config: DecoderOnlyConfig, new: int, length: int) -> int:
    """Multiply-adds of one step that runs `new` positions of `length`, and the logits of the last one.

    Biases, norms, GELU and softmax are left out: they grow with the width, not with its square. Scores on masked keys
    are counted, since they are computed.
    """
    width = config.d_model
    projections = 4 * width * width + 2 * width * config.d_ff  # Q, K, V and output; two feed-forward maps
    attention = 2 * width * length  # scores, and the weighted sum of values
    return config.n_layers * new * (projections + attention) + config.vocabulary_size * width


def cached_bytes(config: DecoderOnlyConfig, length: int) -> int:
    """Bytes of the keys and values of `length` positions in single precision."""
    return 2 * config.n_layers * config.d_model * length * 4


@dataclass(frozen=True, eq=False)
class CacheSteps:
    """Every step of one generation; step t, from 0, generates the t-th token after the prompt."""

    lengths: np.ndarray  # `(T,)` positions so far
    computed: np.ndarray  # `(T,)` positions that a step runs with the cache; without it they are `lengths`
    # `cached`, `uncached`: `(T,)` multiply-adds of a step with the cache and without
    cached: np.ndarray
    uncached: np.ndarray
    bytes: np.ndarray  # `(T,)` of the cache after each step, counted in the cache itself
    # largest |difference| of the logits of both ways, as a share of the largest |logit| of their step
    difference: float

    @property
    def saved(self) -> float:
        """How many times as many multiply-adds all steps take without the cache."""
        return float(self.uncached.sum() / self.cached.sum())


@torch.inference_mode()
def cache_steps(network: DecoderOnlyTransformer, prompt: Sequence[int], following: Sequence[int]) -> CacheSteps:
    """Generate `following` after `prompt` in both ways, and count.

    Args:
        following: at least one id; the last is only predicted, never read.
    """
    config, count = network.config, len(following)
    decoder = CachedSequence(network, network.ids(prompt))
    sequence, difference, sizes = network.ids([*prompt, *following]), 0.0, []
    for step in range(count):
        length = len(prompt) + step
        logits = decoder.step(sequence[0, length - 1 : length])[0]  # (vocabulary,)
        whole = network.project(network.states(sequence[:, :length])[:, -1])[0]
        difference = max(difference, float((logits - whole).abs().max() / whole.abs().max()))
        filled = (tensor[:, :, : decoder.cache.length] for tensor in decoder.cache.tensors.values())
        sizes.append(sum(tensor.numel() * tensor.element_size() for tensor in filled))
    lengths = len(prompt) + np.arange(count)
    computed = np.array([len(prompt), *[1] * (count - 1)])
    pairs = list(zip(computed.tolist(), lengths.tolist(), strict=True))
    return CacheSteps(
        lengths,
        computed,
        np.array([multiply_adds(config, new, length) for new, length in pairs]),
        np.array([multiply_adds(config, length, length) for _, length in pairs]),
        np.array(sizes),
        difference,
    )


def fill_table(steps: CacheSteps, with_cache: bool) -> np.ndarray:
    """What a step does with every position: 2 computed, 1 cached, 0 not read yet; `(step, position)` float32."""
    positions = np.arange(steps.lengths[-1])
    lengths = steps.lengths[:, None]
    computed = steps.computed[:, None] if with_cache else lengths
    return (1.0 * (positions < lengths) + (positions >= lengths - computed) * (positions < lengths)).astype(np.float32)
