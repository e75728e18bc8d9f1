"""Lengthen a sentence clause by clause and measure the loss of each network that translates.

The target's first tokens stay the same while the sentence grows; a network that forgets the beginning of a long
sentence has a higher loss on these tokens.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from ..networks.masks import pad_batch
from ..runtime.messages import UserError
from ..sentence_check import InputError
from ..translator import SentenceTranslator

CLAUSES = (
    (" and I am tired", " et je suis fatigué"),
    (", but my brother is in the garden", ", mais mon frère est dans le jardin"),
    (" because he has a new car", " parce qu'il a une nouvelle voiture"),
    (", and we will eat at seven o'clock", ", et nous mangerons à sept heures"),
)
"""English and French, appended one after the other."""

_ENDS = ".!?… \u00a0\u202f"


@dataclass(frozen=True)
class LengthenedPair:
    """A sentence pair with some clauses appended."""

    clauses: int  # number of appended clauses
    # `source`, `target`: English and French
    source: str
    target: str

    @property
    def words(self) -> int:
        """Number of words of the source."""
        return len(self.source.split())


@dataclass(frozen=True, eq=False)
class LengtheningLosses:
    """Losses of one network as a sentence grows, `(pair,)` float64 each, in nats per token."""

    whole: np.ndarray  # over the whole target with `</s>`
    own: np.ndarray  # over the tokens that all targets begin with
    shared: int  # number of these tokens
    # largest |difference| of the losses of the first pair, which is padded most, to a pass over it alone
    difference: float


def add_clauses(translator: SentenceTranslator, source: str, target: str) -> tuple[LengthenedPair, ...]:
    """The sentence pair as it is, then with one clause after the other, as long as both sides fit the network.

    Final punctuation is replaced by one full stop at the end of each longer sentence.
    """
    grown = [LengthenedPair(0, source, target)]
    english, french = source.rstrip(_ENDS), target.rstrip(_ENDS)
    for number, (more, plus) in enumerate(CLAUSES, 1):
        english, french = english + more, french + plus
        try:
            translator.check(f"{english}.")
            translator.check_target(f"{french}.")
        except InputError:
            break
        grown.append(LengthenedPair(number, f"{english}.", f"{french}."))
    return tuple(grown)


def lengthening_losses(translator: SentenceTranslator, pairs: Sequence[LengthenedPair]) -> LengtheningLosses:
    """Measure the losses of a network on `pairs` from `add_clauses`.

    Raises:
        InputError: a sentence cannot be used, see `SentenceTranslator.check`.
        TooDifferentError: the targets begin with different tokens.
    """
    terms = losses_of_pairs(translator, [(pair.source, pair.target) for pair in pairs])
    ids = [translator.tokenizer.encode(pair.target) for pair in pairs]
    shared = 0
    for tokens in zip(*ids, strict=False):
        if len(set(tokens)) > 1:
            break
        shared += 1
    if not shared:
        raise NoSharedTokensError("The target has no token that stays when the sentence grows; type a longer one.")
    own = np.array([line[:shared].mean() for line in terms])
    (alone,) = losses_of_pairs(translator, [(pairs[0].source, pairs[0].target)])
    difference = float(np.abs(terms[0] - alone).max())
    return LengtheningLosses(np.array([line.mean() for line in terms]), own, shared, difference)


class NoSharedTokensError(UserError, ValueError):
    """The lengthened targets share no first token; the message states what to do."""


@torch.inference_mode()
def losses_of_pairs(translator: SentenceTranslator, pairs: Sequence[tuple[str, str]]) -> list[np.ndarray]:
    """-ln p in nats of each target token and `</s>`, `(T,)` float64 a pair, all in one batch.

    Raises:
        InputError: a sentence cannot be used, see `SentenceTranslator.check`.
    """
    network, tokenizer = translator.network, translator.tokenizer
    sources = [translator.read_ids(source) for source, _ in pairs]
    following = [translator.read_target_ids(target) for _, target in pairs]
    fed = [[tokenizer.bos_id, *ids[:-1]] for ids in following]
    source, target = (pad_batch(rows, tokenizer.pad_id).to(network.device) for rows in (sources, fed))
    lines = network(source, target).float().log_softmax(dim=-1).cpu()  # (pair, T, vocabulary)
    return [
        -line[: len(ids)].double().gather(1, torch.tensor(ids)[:, None])[:, 0].numpy()
        for line, ids in zip(lines, following, strict=True)
    ]
