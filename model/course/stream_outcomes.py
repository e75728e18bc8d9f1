"""Questions about vectors: one word in two sentences, positions that are taken away, and what a layer adds."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import torch

from ..decoding.tapped_decoding import greedy_with_tap_in_steps
from ..lessons.contexts import WordInContexts, find_word, follow_word
from ..lessons.position_effects import positions_tap
from ..lessons.residual import AddAndNorm, recompute_add_and_norms
from ..lessons.word_order import OrderComparison, compare_orders
from ..networks.losses import token_cross_entropy
from ..networks.tap import Tap
from ..networks.transformer import Transformer
from ..runtime.progress import run_to_end
from ..text.tokenizer import Tokenizer
from ..tracing.trace import Trace
from .outcome import AskedOutcome, interval_of

NEAR_SHARE = 0.05  # of a length
UNCHANGED = 1e-4  # of outputs of the encoder, rounding
MOST_TOKENS = 4  # of a word, as the last option


@dataclass(frozen=True, eq=False)
class WordOutcome:
    """One word in two sentences."""

    word: str  # the word
    followed: WordInContexts  # its vectors at each stage of the encoder
    vector: AskedOutcome  # when both vectors are the same; options "never", "first" (before the positions) and "always"
    longest: str  # the longest word of the first sentence
    tokens: AskedOutcome  # how many tokens it has; options "1" to "4", where the last stands for more, too


def words_of(text: str) -> list[str]:
    """Return the words of a sentence, without punctuation."""
    return re.findall(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*", text)


def longest_word(text: str) -> str:
    """Return the first of the longest words; the whole text where there is none."""
    return max(words_of(text), key=len, default=text.strip())


def word_to_follow(tokenizer: Tokenizer, text: str) -> str:
    """Return the longest word that the tokens of a sentence spell on their own; empty if there is none."""
    ids = tokenizer.encode(text)
    return next((word for word in sorted(words_of(text), key=len, reverse=True) if find_word(tokenizer, ids, word)), "")


def compare_word(network: Transformer, tokenizer: Tokenizer, first: str, second: str, word: str) -> WordOutcome:
    """Ask whether a word has the same vector in two sentences.

    Raises:
        InputError: a sentence does not have the word.
    """
    followed = follow_word(network, tokenizer, [first, second], word)
    cosines = followed.cosines[0]
    same = np.isclose(cosines, 1, atol=1e-6)
    right = "always" if same.all() else "first" if same[0] else "never"
    vector = AskedOutcome(right, ("never", "first", "always"), figures={"first": cosines[0], "last": cosines[-1]})
    longest = longest_word(first)
    count = len(tokenizer.encode(longest))
    options = tuple(str(number) for number in range(1, MOST_TOKENS + 1))
    tokens = AskedOutcome(str(min(count, MOST_TOKENS)), options, figures={"count": count})
    return WordOutcome(word, followed, vector, longest, tokens)


@dataclass(frozen=True, eq=False)
class WithoutPositionsOutcome:
    """A translation without positions in encoder and decoder."""

    text: str  # what is generated
    translation: AskedOutcome  # how it differs; options "same", "order" (the same words) and "words"
    swapped: str  # a sentence with two words of the first swapped; empty if no two can be
    orders: OrderComparison | None  # both sentences compared; None without `swapped`
    # by how much the encoder's outputs differ without positions; options "none", "less" and "as-much"
    outputs: AskedOutcome | None


@torch.inference_mode()
def without_positions(network: Transformer, tokenizer: Tokenizer, trace: Trace) -> WithoutPositionsOutcome:
    """Take the positions away: translate again, measure the loss of the former translation, and swap two words."""
    tap = positions_tap(network, "both", "none", len(trace.source_ids), len(trace.target_ids))
    limit = 2 * len(trace.source_ids) + 10
    generated = run_to_end(greedy_with_tap_in_steps(network, trace.source_ids, tap, limit, trace.next_ids))
    text = tokenizer.decode(generated.ids)
    former, words = ([word.casefold() for word in words_of(each)] for each in (trace.target_text, text))
    right = "same" if text == trace.target_text else "order" if sorted(former) == sorted(words) else "words"
    losses = {"before": _loss(network, trace, None), "after": _loss(network, trace, tap)}
    translation = AskedOutcome(right, ("same", "order", "words"), figures=losses)
    swapped = swap_words(tokenizer, trace.source_text)
    if not swapped:
        return WithoutPositionsOutcome(text, translation, "", None, None)
    orders = compare_orders(network, tokenizer, trace.source_text, swapped)
    ratio = orders.without_positions / orders.with_positions
    bounds = {"none": UNCHANGED, "less": 0.5}
    figures = {"without": orders.without_positions, "with": orders.with_positions}
    outputs = interval_of(ratio, bounds, "as-much", 0.05, **figures)
    return WithoutPositionsOutcome(text, translation, swapped, orders, outputs)


def swap_words(tokenizer: Tokenizer, text: str) -> str:
    """Swap two words, long ones that do not begin the sentence if possible, so that the tokens are the same.

    Returns an empty text if no two words can be swapped.
    """

    def rank(pair: tuple[re.Match[str], re.Match[str]]) -> tuple[bool, int]:
        return pair[0].start() == 0, -min(len(word.group()) for word in pair)

    words = list(re.finditer(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*", text))
    ids = sorted(tokenizer.encode(text))
    for first, second in sorted(combinations(words, 2), key=rank):
        if first.group().casefold() == second.group().casefold():
            continue
        middle = text[first.end() : second.start()]
        swapped = text[: first.start()] + second.group() + middle + first.group() + text[second.end() :]
        if sorted(tokenizer.encode(swapped)) == ids and swapped != text:
            return swapped
    return ""


def _loss(network: Transformer, trace: Trace, tap: Tap | None) -> float:
    memory = network.encode(network.ids(trace.source_ids), None, tap)
    logits = network.project(network.decode(network.ids(trace.target_ids), memory, None, tap))[0]
    return float(token_cross_entropy(logits, network.ids(trace.next_ids)[0]).double().mean())


@dataclass(frozen=True, eq=False)
class LayerOutcome:
    """One layer of the encoder at one position."""

    place: int  # the position
    steps: tuple[AddAndNorm, AddAndNorm]  # attention and feed-forward, with their Add & Norm
    larger: AskedOutcome  # which adds the longer vector; options "self" and "ffn"
    fired: AskedOutcome  # how many units of the feed-forward sub-layer are above 0; options "tenth", "third" and "more"
    units: int  # their number


def measure_layer(network: Transformer, trace: Trace, layer: int, words: Sequence[str]) -> LayerOutcome:
    """Ask what a layer of the encoder, from 0, adds at the first of `words` that occurs, or else at the last word."""
    tokens = [token.strip().casefold() for token in trace.source_tokens]
    place = next((place for place, token in enumerate(tokens) if token in words), max(0, _last_word(tokens)))
    attention, feed_forward = (
        step for step in recompute_add_and_norms(network, trace, "encoder") if step.layer == layer
    )
    shares = {step.step: float(step.share[place]) for step in (attention, feed_forward)}
    right, other = ("self", "ffn") if shares["self"] >= shares["ffn"] else ("ffn", "self")
    near = frozenset({other} if shares[right] - shares[other] <= NEAR_SHARE else ())
    hidden = trace.encoder_hidden[layer, place]
    count = int((hidden > 0).sum())
    bounds = {"tenth": len(hidden) / 10, "third": len(hidden) / 3}
    fired = interval_of(count, bounds, "more", 0.05, count=count, units=len(hidden))
    larger = AskedOutcome(right, ("self", "ffn"), near, shares)
    return LayerOutcome(place, (attention, feed_forward), larger, fired, len(hidden))


def _last_word(tokens: Sequence[str]) -> int:
    places = [place for place, token in enumerate(tokens) if any(char.isalpha() for char in token) and "<" not in token]
    return places[-1] if places else 0
