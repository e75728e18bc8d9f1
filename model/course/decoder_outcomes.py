"""Questions about the decoder: the mask, temperature, the loss, and networks that put a sentence into one vector."""

import math
from dataclasses import dataclass

import numpy as np

from ..lessons.growing_sentence import LengthenedPair, LengtheningLosses
from ..lessons.masking import check_causality, mask_pattern
from ..lessons.network_comparison import LengthGroup, NetworkComparison
from ..networks.transformer import Transformer
from ..runtime.arrays import softmax
from ..tracing.trace import Prediction, Trace
from .outcome import AskedOutcome, largest_of, number_among

NEAR_NATS = 0.05
NEAR_SECOND = 1 / 3  # of the largest: a second from there on is nearly right
RETAINED = (90, 75, 60)  # percent, the options
ONE_VECTOR, ADDITIVE = "lstm-vector", "lstm-additive"


@dataclass(frozen=True, eq=False)
class ReplacedTokenOutcome:
    """The decoder's streams after one token of its input is replaced."""

    position: int  # of the replaced token
    # `masked`, `unmasked`: `(T,)` largest |difference| of the last layer's stream, with the causal mask and without
    masked: np.ndarray
    unmasked: np.ndarray
    earlier: AskedOutcome  # which earlier positions change; options "none", "one" (the one before) and "all"
    hidden: AskedOutcome  # how many cells of a map are masked; options are indices of `numbers`
    numbers: tuple[float, ...]  # the numbers to choose from


def replace_token(network: Transformer, trace: Trace, position: int = 3) -> ReplacedTokenOutcome:
    """Replace a token of the decoder's input by another one of the same input, and compare all positions."""
    length = len(trace.target_ids)
    position = min(position, length - 1)
    others = [token for token in (*trace.target_ids[1:], *trace.next_ids) if token != trace.target_ids[position]]
    masks = [mask_pattern(name, length) for name in ("causal", "none")]
    streams = check_causality(network, trace, position, others[0], masks)
    masked, unmasked = (each[-1] for each in streams)
    changed = np.flatnonzero(masked[:position] > 0)
    right = "none" if not len(changed) else "one" if list(changed) == [position - 1] else "all"
    figures = {"masked": float(masked[:position].max(initial=0)), "unmasked": float(unmasked[:position].max(initial=0))}
    cells = int((~masks[0]).sum())
    hidden, numbers = number_among(cells, (length * (length + 1) // 2, length * length - 1), cells=cells, length=length)
    earlier = AskedOutcome(right, ("none", "one", "all"), figures=figures)
    return ReplacedTokenOutcome(position, masked, unmasked, earlier, hidden, numbers)


@dataclass(frozen=True, eq=False)
class TemperatureOutcome:
    """The five most probable tokens of one place, at temperature 1 and at another."""

    place: int  # the place of a word whose distribution is the most even
    row: Prediction  # its tokens
    # `before`, `after`: `(6,)` their probabilities, and those of all other tokens together
    before: np.ndarray
    after: np.ndarray
    others: int  # how many other tokens there are
    order: AskedOutcome  # how their order changes; options "same", "reversed" and "random"


def heat(trace: Trace, temperature: float = 2.0) -> TemperatureOutcome:
    """Divide the logits of the place with the largest entropy, among those that chose letters, by a temperature."""
    logits = trace.logits.astype(np.float64)
    probabilities = softmax(logits)  # (T, vocabulary)
    entropies = -(probabilities * np.log(np.maximum(probabilities, 1e-300))).sum(axis=1)
    has_letters = np.array([any(char.isalpha() for char in token) for token in trace.next_tokens])
    has_letters &= np.array(trace.next_ids) != trace.tokenizer.eos_id
    place = int(np.where(has_letters | ~has_letters.any(), entropies, -1).argmax())
    row = trace.predictions(5)[place]
    ids = [each.id for each in row.top]
    before, after = (_with_rest(each, ids) for each in (probabilities[place], softmax(logits[place] / temperature)))
    orders = [list(np.argsort(-each[:-1], kind="stable")) for each in (before, after)]
    right = "same" if orders[0] == orders[1] else "reversed" if orders[0] == orders[1][::-1] else "random"
    figures = {"before": float(before[0]), "after": float(after[0])}
    order = AskedOutcome(right, ("same", "reversed", "random"), figures=figures)
    return TemperatureOutcome(place, row, before, after, logits.shape[1] - len(ids), order)


def _with_rest(probabilities: np.ndarray, ids: list[int]) -> np.ndarray:
    """Return the probabilities of `ids`, and the sum of all others."""
    return np.append(probabilities[ids], np.delete(probabilities, ids).sum())


def compare_beam(greedy: Trace, beam: Trace) -> AskedOutcome:
    """Ask whether beam search finds a more probable sentence; options "more", "same" and "less"."""
    totals = [sum(math.log(row.probability) for row in trace.predictions(1)) for trace in (greedy, beam)]
    right = "same" if greedy.next_ids == beam.next_ids else "more" if totals[1] > totals[0] else "less"
    return AskedOutcome(right, ("more", "same", "less"), figures={"greedy": totals[0], "beam": totals[1]})


@dataclass(frozen=True, eq=False)
class LossOutcome:
    """The loss of a translation, token by token."""

    terms: np.ndarray  # `(T,)` -ln p in nats
    largest: AskedOutcome  # which token costs most; options are places
    halved: AskedOutcome  # by how much the mean rises if its probability is halved; options are indices of `numbers`
    numbers: tuple[float, ...]  # the numbers to choose from


def largest_loss(trace: Trace) -> LossOutcome:
    """Ask which token of a target costs most, and what its probability does to the mean."""
    terms = -np.log(np.array([row.probability for row in trace.predictions(1)]))
    place = int(terms.argmax())
    figures = {"loss": float(terms[place]), "share": float(terms[place] / terms.sum())}
    largest = largest_of(terms, NEAR_NATS, second_from=NEAR_SECOND, **figures)
    halved = terms.copy()
    halved[place] = -math.log(math.exp(-terms[place]) / 2)
    rise = float(halved.mean() - terms.mean())
    outcome, numbers = number_among(rise, (math.log(2), math.log(2) / len(terms) ** 2), rise=rise, length=len(terms))
    return LossOutcome(terms, largest, outcome, numbers)


@dataclass(frozen=True, eq=False)
class RetainedBleuOutcome:
    """What share of the BLEU of additive attention one vector reaches, by the length of a sentence."""

    # `short`, `long`: the groups of lengths that are compared
    short: LengthGroup
    long: LengthGroup
    share: AskedOutcome  # nearest percentage for the long group; options "90", "75" and "60"


def read_retained(comparison: NetworkComparison) -> RetainedBleuOutcome:
    """Ask what remains at long sentences, from what was measured on the held-out ones."""
    short, long = comparison.compared
    share = 100 * long.share[ADDITIVE].value
    options = tuple(map(str, RETAINED))
    right = min(options, key=lambda option: abs(int(option) - share))
    low, high = 100 * long.share[ADDITIVE].low, 100 * long.share[ADDITIVE].high
    near = frozenset(option for option in options if low <= int(option) <= high and option != right)
    figures = {
        "share": share,
        "short": 100 * short.share[ADDITIVE].value,
        "vector": long.bleu[ONE_VECTOR].value,
        "additive": long.bleu[ADDITIVE].value,
    }
    return RetainedBleuOutcome(short, long, AskedOutcome(right, options, near, figures))


def compare_rises(
    pairs: tuple[LengthenedPair, ...], vector: LengtheningLosses, additive: LengtheningLosses
) -> AskedOutcome:
    """Ask whose loss over the first tokens rises more with one clause; options "vector" and "additive"."""
    rises = {"vector": float(vector.own[1] - vector.own[0]), "additive": float(additive.own[1] - additive.own[0])}
    right, other = sorted(rises, key=lambda name: -rises[name])
    near = frozenset({other} if rises[right] - rises[other] <= NEAR_NATS else ())
    return AskedOutcome(right, ("vector", "additive"), near, rises | {"clauses": pairs[1].clauses})
