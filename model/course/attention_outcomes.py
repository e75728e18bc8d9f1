"""Questions about attention: the thickest ribbon, one changed score, averaged heads, and a key that is hidden."""

import math
from dataclasses import dataclass

import numpy as np
import torch

from ..networks.losses import token_cross_entropy
from ..networks.tap import Intervention, Tap
from ..networks.transformer import Transformer
from ..runtime.arrays import softmax
from ..tracing.kinds import KINDS
from ..tracing.trace import Trace
from .outcome import AskedOutcome, interval_of, largest_of, number_among

ARTICLES = frozenset(("le", "la", "les", "l", "l'", "l\u2019", "un", "une", "des", "du"))
NEAR_WEIGHT = 0.05  # weights closer than this are nearly tied
NEAR_SECOND = 1 / 3  # of the largest: a second from there on is nearly right
NEAR_NATS = 0.05
NEAR_PROBABILITY = 0.05
ADDED = 2.0  # to one score
SAME, DOUBLE = 1.1, 2.0  # a loss up to these multiples counts as the same, and as up to double
KIND = "cross"


@dataclass(frozen=True, eq=False)
class RibbonOutcome:
    """Cross-attention of one layer, mean over its heads."""

    weights: np.ndarray  # `(T, S)` float64
    place: int  # the query of the question, from 0
    strongest: AskedOutcome  # which key the place attends to most; options are keys
    # which place has the most even row, by entropy; options are places. Its figure is the number of keys that a row of
    # equal weights with this entropy would have.
    spread: AskedOutcome


def article_place(trace: Trace) -> int:
    """Return the last place whose token is a French article; without one, the first place."""
    words = [token.strip().casefold() for token in trace.next_tokens]
    return max((place for place, word in enumerate(words) if word in ARTICLES), default=0)


def read_ribbons(trace: Trace, layer: int) -> RibbonOutcome:
    """Ask which key the place of an article attends to most, in `layer` from 0."""
    weights = trace.cross_attention[layer].mean(axis=0, dtype=np.float64)  # (T, S)
    place = article_place(trace)
    entropies = -(weights * np.log(np.maximum(weights, 1e-30))).sum(axis=1)  # (T,) nats
    strongest = largest_of(weights[place], NEAR_WEIGHT, second_from=NEAR_SECOND, weight=float(weights[place].max()))
    spread = largest_of(entropies, NEAR_NATS, count=float(np.exp(entropies.max())))
    return RibbonOutcome(weights, place, strongest, spread)


@dataclass(frozen=True, eq=False)
class AddedScoreOutcome:
    """One row of one head before and after a number is added to one of its scores."""

    # `place`, `key`: the row, and the key whose score changes
    place: int
    key: int
    # `scores`, `before`, `after`: `(S,)` float64
    scores: np.ndarray
    before: np.ndarray
    after: np.ndarray
    others: AskedOutcome  # what happens to the other weights; options "stay", "factor" and "small"
    half: AskedOutcome  # which number makes the weight one half; options are indices of `numbers`
    numbers: tuple[float, ...]  # the numbers to choose from


def add_to_score(trace: Trace, layer: int, head: int) -> AddedScoreOutcome:
    """Add `ADDED` to the score of the key to which all heads of a layer attend most, at the place of an article.

    Args:
        layer, head: from 0; the scores are those of this head.
    """
    place = article_place(trace)
    scores = trace.records[KIND].scores[layer, head, place].astype(np.float64)
    before = softmax(scores)
    key = int(trace.cross_attention[layer, :, place].mean(axis=0).argmax())
    raised = scores.copy()
    raised[key] += ADDED
    after = softmax(raised)
    rest = np.arange(len(before)) != key
    factors = after[rest] / np.maximum(before[rest], 1e-300)
    kept = "stay" if np.allclose(factors, 1) else "factor" if np.ptp(factors) <= 1e-9 * factors.max() else "small"
    weight = float(before[key])
    half = -math.log(weight / (1 - weight))
    asked, numbers = number_among(half, (0.5 - weight, 0.5 / weight), delta=half, weight=weight)
    figures = {"factor": float(factors.mean()), "before": weight, "after": float(after[key])}
    others = AskedOutcome(kept, ("stay", "factor", "small"), figures=figures)
    return AddedScoreOutcome(place, key, scores, before, after, others, asked, numbers)


@dataclass(frozen=True, eq=False)
class AveragedHeadsOutcome:
    """The translation's loss when every head gets the mean weights of its layer."""

    loss: AskedOutcome  # how it changes; options "same", "double" and "more"
    losses: np.ndarray  # `(head,)` nats, with each head of the layer ablated alone
    cheapest: AskedOutcome  # which ablated head costs least; options are heads from 0


@torch.inference_mode()
def average_heads(network: Transformer, trace: Trace, layer: int) -> AveragedHeadsOutcome:
    """Give all heads of each layer, in encoder, decoder and cross-attention, the mean of its weights."""
    steps = [
        f"{kind.tap_name(number)}.weights"
        for name, kind in KINDS.items()
        if name in trace.records
        for number in range(len(trace.records[name].weights))
    ]
    mean = Intervention({step: lambda weights: weights.mean(dim=1, keepdim=True).expand_as(weights) for step in steps})
    before, after = _loss(network, trace, None), _loss(network, trace, mean)
    losses = _losses_without_heads(network, trace, layer)
    cheapest = largest_of(-losses, NEAR_NATS / 5, loss=float(losses.min()), before=before)
    bounds = {"same": SAME * before, "double": DOUBLE * before}
    return AveragedHeadsOutcome(interval_of(after, bounds, "more", 0.1, before=before, after=after), losses, cheapest)


def _loss(network: Transformer, trace: Trace, tap: Tap | None) -> float:
    """Return the mean of -ln p over the trace's target, under a tap."""
    memory = network.encode(network.ids(trace.source_ids), None, tap)
    logits = network.project(network.decode(network.ids(trace.target_ids), memory, None, tap))[0]
    return float(token_cross_entropy(logits, network.ids(trace.next_ids)[0]).double().mean())


def _losses_without_heads(network: Transformer, trace: Trace, layer: int) -> np.ndarray:
    """Return `(head,)` losses, each with one head of a layer's cross-attention ablated, from one batch."""
    count = trace.cross_attention.shape[1]
    heads = torch.arange(count)

    def ablate(outputs: torch.Tensor) -> torch.Tensor:
        outputs = outputs.clone()  # (head ablated, head, query, d_k)
        outputs[heads, heads] = 0
        return outputs

    memory = network.encode(network.ids(trace.source_ids)).expand(count, -1, -1)
    tap = Intervention({f"{KINDS[KIND].tap_name(layer)}.outputs": ablate})
    logits = network.project(network.decode(network.ids(trace.target_ids).expand(count, -1), memory, None, tap))
    losses = token_cross_entropy(logits, network.ids(trace.next_ids).expand(count, -1))  # (head, T)
    return losses.double().mean(dim=1).cpu().numpy()


@dataclass(frozen=True, eq=False)
class HiddenKeyOutcome:
    """What hiding keys of one layer's cross-attention from one place does to its token."""

    weights: np.ndarray  # `(T, S)` float64, mean over the heads
    place: int  # the query whose strongest weight is the largest
    stays: np.ndarray  # `(T,)` bool, whether the token stays when the strongest key of its place is hidden
    chosen: str  # the token at `place` without its strongest key
    # what happens to it; options "stays" and "changes", which are nearly tied where the token and the most probable
    # other one differ by less than `NEAR_PROBABILITY`
    word: AskedOutcome
    # `(layer - 1,)` weights that the other layers give to the hidden key at `place`, mean over their heads
    others: np.ndarray
    rises: np.ndarray  # `(S,)` nats by which -ln p of the token rises when each key is hidden from `place`
    matters: AskedOutcome  # which key raises it most; options are keys


@torch.inference_mode()
def hide_keys(network: Transformer, trace: Trace, layer: int) -> HiddenKeyOutcome:
    """Hide the strongest key of each place in turn, then each key of one place, in all heads of a layer from 0."""
    weights = trace.cross_attention[layer].mean(axis=0, dtype=np.float64)  # (T, S)
    place = int(weights.max(axis=1).argmax())
    strongest = weights.argmax(axis=1)  # (T,)
    places, keys = np.arange(len(weights)), np.arange(weights.shape[1])
    logits = _logits_without(network, trace, layer, places, strongest)  # (T, vocabulary)
    logits[:, list(network.config.never_generated)] = -torch.inf
    best = logits.argmax(dim=-1)
    stays = (best == network.ids(trace.next_ids)[0]).cpu().numpy()
    of_place = _logits_without(network, trace, layer, np.full_like(keys, place), keys)  # (S, vocabulary)
    target = trace.next_ids[place]
    after = -of_place.double().log_softmax(dim=-1)[:, target].cpu().numpy()  # (S,)
    before = -float(torch.from_numpy(trace.logits[place]).double().log_softmax(dim=-1)[target])
    figures = {"weight": float(weights[place].max()), "stay": float(stays.sum()), "places": float(len(stays))}
    options = ("stays", "changes") if stays[place] else ("changes", "stays")
    probabilities = logits[place].double().softmax(dim=-1)
    gap = float((probabilities[target] - probabilities[torch.arange(len(probabilities)) != target].max()).abs())
    near = frozenset(options[1:] if gap < NEAR_PROBABILITY else ())
    word = AskedOutcome(options[0], ("stays", "changes"), near, figures | {"gap": gap})
    every = trace.cross_attention[:, :, place, strongest[place]].mean(axis=1, dtype=np.float64)  # (layer,)
    chosen = trace.tokenizer.labels([int(best[place])])[0]
    rises = after - before
    matters = largest_of(rises, NEAR_NATS, rise=float(rises.max()))
    return HiddenKeyOutcome(weights, place, stays, chosen, word, np.delete(every, layer), rises, matters)


def _logits_without(
    network: Transformer, trace: Trace, layer: int, places: np.ndarray, keys: np.ndarray
) -> torch.Tensor:
    """Return `(row, vocabulary)` float32 logits at each row's place, from which all heads hide the row's key."""
    rows = torch.arange(len(places))

    def hide(scores: torch.Tensor) -> torch.Tensor:
        scores = scores.clone()  # (row, head, query, key)
        scores[rows, :, torch.from_numpy(places), torch.from_numpy(keys)] = -torch.inf
        return scores

    memory = network.encode(network.ids(trace.source_ids))
    target = network.ids(trace.target_ids).expand(len(places), -1)
    tap = Intervention({f"{KINDS[KIND].tap_name(layer)}.scores": hide})
    stream = network.decode(target, memory.expand(len(places), -1, -1), None, tap)  # (row, T, d_model)
    return network.project(stream[rows, torch.from_numpy(places)]).float()
