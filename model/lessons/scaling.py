"""Division of scores by sqrt(d_k): random vectors, and the trained network without the division (section 3.2.1)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..decoding.search import DecodingOptions
from ..decoding.tapped_decoding import GeneratedTokens, greedy_with_tap_in_steps
from ..networks.losses import token_cross_entropy
from ..networks.tap import Chain, Intervention, Recorder, Tap
from ..networks.transformer import Transformer
from ..runtime.progress import InSteps
from ..tracing.kinds import KINDS, TRANSLATION
from ..tracing.trace import Trace

WIDTHS = (1, 2, 4, 8, 16, 32, 64, 100, 128, 256, 512)
MOST_EXTRA_TOKENS = 10  # beyond the target: a disturbed network may never end its sentence
MOST_TOKENS = 60  # each may need a decoder pass


@dataclass(frozen=True, eq=False)
class RandomProducts:
    """Dot products of random queries and keys, and the softmax over them; one entry for each width."""

    widths: tuple[int, ...]  # d_k
    variances: np.ndarray  # of q . k, `(width,)`; near d_k
    scaled_variances: np.ndarray  # of q . k / sqrt(d_k); near 1
    # mean entropy of a query's weights in nats; ln(keys) is uniform, 0 is one key only
    entropies: np.ndarray
    scaled_entropies: np.ndarray
    # mean size (Frobenius norm) of the softmax's Jacobian diag(p) - p p^T, a factor of every gradient of the scores
    gradients: np.ndarray
    scaled_gradients: np.ndarray
    keys: int  # number of keys of a query


def dot_products(d_k: int, queries: int, keys: int, seed: int = 0) -> Tensor:
    """q . k of independent standard normal vectors, `(queries, keys)` float32; every query has keys of its own.

    Raises:
        ValueError: a size below 1.
    """
    if min(d_k, queries, keys) < 1:
        raise ValueError("d_k and the numbers of queries and keys must be at least 1.")
    generator = torch.Generator().manual_seed(seed)
    queries_drawn = torch.randn(queries, 1, d_k, generator=generator)
    keys_drawn = torch.randn(queries, keys, d_k, generator=generator)
    return (queries_drawn * keys_drawn).sum(dim=-1)


def measure_random_products(
    widths: Sequence[int] = WIDTHS, queries: int = 2000, keys: int = 10, seed: int = 0
) -> RandomProducts:
    """Measure variance, entropy and gradient at every width, without the division and with it."""
    plain, scaled = [], []
    for d_k in widths:
        products = dot_products(d_k, queries, keys, seed)
        plain.append(_measure(products))
        scaled.append(_measure(products / math.sqrt(d_k)))
    (variances, entropies, gradients), scaled_figures = np.array(plain).T, np.array(scaled).T
    scaled_variances, scaled_entropies, scaled_gradients = scaled_figures
    return RandomProducts(
        tuple(widths),
        variances,
        scaled_variances,
        entropies,
        scaled_entropies,
        gradients,
        scaled_gradients,
        keys,
    )


def histogram(d_k: int, edges: np.ndarray, count: int = 20_000, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """How often q . k, and q . k / sqrt(d_k), falls between neighbouring `edges`: densities, `(len(edges) - 1,)`.

    Values beyond the edges are not counted, so the area may be below 1.
    """
    products = dot_products(d_k, count, 1, seed).numpy().ravel()
    both = (products, products / math.sqrt(d_k))
    raw, scaled = (np.histogram(values, edges)[0] / (count * np.diff(edges)) for values in both)
    return raw, scaled


def _measure(scores: Tensor) -> tuple[float, float, float]:
    """Variance, entropy of the softmax, and size of its Jacobian.

    |diag(p) - p p^T|^2 = sum p_i^2 - 2 sum p_i^3 + (sum p_i^2)^2.
    """
    p = scores.double().softmax(dim=-1)
    square = p.square().sum(dim=-1)
    size = square - 2 * p.pow(3).sum(dim=-1) + square.square()
    return float(scores.double().var()), float(entropy(p).mean()), float(size.clamp_min(0).sqrt().mean())


def entropy(weights: Tensor) -> Tensor:
    """-sum p ln p over the last axis, in nats: 0 for one key only, ln n for n equal ones."""
    return -torch.xlogy(weights, weights).sum(dim=-1)


@dataclass(frozen=True, eq=False)
class TrainedRun:
    """The trained network on one sentence pair, its scores multiplied by some factor."""

    losses: np.ndarray  # `(T,)` -ln p of each token of the target, in nats
    # kind -> `(layers, heads)` mean entropy of the weights over the queries, in nats; without the decoder's first
    # query, which sees one key only
    entropies: dict[str, np.ndarray]
    strongest: dict[str, float]  # kind -> mean of the largest weight of each of these queries
    translation: str  # by greedy decoding
    finished: bool  # False if the translation was cut off because it did not end
    generated: GeneratedTokens  # tokens and probabilities of `translation`

    @property
    def loss(self) -> float:
        """Mean of -ln p over the target, in nats."""
        return float(self.losses.mean(dtype=np.float64))


@torch.inference_mode()
def trained_run_in_steps(
    network: Transformer, trace: Trace, kinds: Sequence[str], factor: float
) -> InSteps[TrainedRun]:
    """Multiply the scaled scores of some kinds of attention, by their names, by `factor` in every layer.

    A factor of sqrt(d_k) undoes the division; 1 leaves the network as it is.
    """
    tap = scale_scores(network, kinds, factor)
    recorder = Recorder({name for kind in TRANSLATION for name in kind.tap_names(network, "weights")})
    both = Chain(tap, recorder)
    memory = network.encode(network.ids(trace.source_ids), None, both)
    logits = network.project(network.decode(network.ids(trace.target_ids), memory, None, both))  # (1, T, vocabulary)
    entropies, strongest = {}, {}
    for kind in TRANSLATION:
        weights = torch.cat([recorder.tensors[name] for name in kind.tap_names(network, "weights")])
        if kind.causal and weights.shape[2] > 1:
            weights = weights[:, :, 1:]  # the first query sees one key only, whatever the scores
        entropies[kind.name] = entropy(weights).mean(dim=-1).cpu().numpy()  # (layer, head)
        strongest[kind.name] = float(weights.amax(dim=-1).mean())
    disturbed = min(MOST_TOKENS, len(trace.next_ids) + MOST_EXTRA_TOKENS)
    limit = DecodingOptions().max_length if factor == 1 else disturbed
    generated = yield from greedy_with_tap_in_steps(network, trace.source_ids, tap, limit, trace.next_ids)
    finished = bool(generated.ids) and generated.ids[-1] == network.config.eos_id
    losses = token_cross_entropy(logits, network.ids(trace.next_ids))[0].cpu().numpy()
    translation = trace.tokenizer.decode(generated.ids)
    return TrainedRun(losses, entropies, strongest, translation, finished, generated)


def scale_scores(network: Transformer, kinds: Sequence[str], factor: float) -> Tap:
    """The intervention that multiplies all scores of the chosen kinds."""
    names = [name for kind in kinds for name in KINDS[kind].tap_names(network, "scores")]
    return Intervention({name: lambda scores: scores * factor for name in names})
