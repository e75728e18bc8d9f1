"""Does a single dimension of the embedding separate two kinds of words, on words by which it was not chosen?"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from ..networks.transformer import Transformer
from ..runtime.arrays import to_array
from ..text.tokenizer import Tokenizer

DRAWS = 20  # sets of as many random directions as there are dimensions
_SINGULAR = """
    car day year man woman child friend book house door word name hand eye dog cat boy girl night week month hour
    minute thing place room question answer problem person city country school student teacher letter number game
    picture window table tree car street road river mother brother sister parent animal horse bird idea language
    story king law plan song town train shoe key
"""
SINGULAR = tuple(dict.fromkeys(_SINGULAR.split()))
_IRREGULAR = {"man": "men", "woman": "women", "child": "children", "person": "people"}
_IRREGULAR |= {"city": "cities", "country": "countries", "story": "stories"}
_VERBS = """
    go come take give make know think say tell ask see hear find want need help eat drink sleep buy sell bring
    keep learn read write speak understand believe remember forget feel live die become begin wait sit stand send
    lose win pay meet follow agree choose decide explain wear forgive teach carry throw grow hide
"""
VERBS = tuple(dict.fromkeys(_VERBS.split()))


def _number_pairs() -> tuple[tuple[str, str], ...]:
    return tuple((_IRREGULAR.get(word, f"{word}s"), word) for word in SINGULAR)


# Each a tuple of pairs; a pair is in one half, so that the halves share no word.
CONTRASTS = {
    "number": _number_pairs(),
    "verb": tuple(zip(VERBS, SINGULAR, strict=False)),
}


@dataclass(frozen=True, eq=False)
class SingleDimensions:
    """Scores of every dimension, each an AUC: share of word pairs in which the first kind has the larger number."""

    words: tuple[
        tuple[str, str], ...
    ]  # pairs of one token each; those at even indices choose a dimension, the others score it
    vectors: np.ndarray  # `(pair, 2, d_model)`, their rows of the embedding

    chosen: np.ndarray  # scores of all dimensions on the words that choose, `(d_model,)`
    # scores on the other words, `(d_model,)`; reversed where the choosing half has the smaller numbers
    held_out: np.ndarray
    best: int  # the dimension that separates the choosing half best, in either direction
    # held-out score of all dimensions at once: along the difference of the choosing half's two means
    together: float

    @cached_property
    def random(self) -> np.ndarray:
        """Held-out scores of the best of d_model random directions, chosen likewise, `(DRAWS,)`."""
        rng, width, best_scores = np.random.default_rng(0), self.vectors.shape[2], []
        for _ in range(DRAWS):
            drawn = separate(self.words, self.vectors @ rng.normal(size=(width, width)))
            best_scores.append(drawn.held_out[drawn.best])
        return np.array(best_scores)

    def difference(self) -> float:
        """|Difference| of the best dimension's held-out score to a count over all pairs of words."""
        first, second = self.vectors[1::2, :, self.best].T
        wins = sum(float(one > other) + 0.5 * float(one == other) for one in first for other in second)
        share = wins / (len(first) * len(second))
        recounted = share if self.chosen[self.best] >= 0.5 else 1 - share
        return abs(recounted - float(self.held_out[self.best]))


# program: auc
def auc(both: Tensor) -> Tensor:  # (pair, 2, columns) -> how often a first word has a larger number than a second one
    first, second = both[:, None, 0], both[None, :, 1]
    return ((first > second).double() + 0.5 * (first == second)).mean(dim=(0, 1))  # (columns,)


# end of program


def separate(words: tuple[tuple[str, str], ...], rows: np.ndarray) -> SingleDimensions:
    """Score the dimensions of `rows`, `(pair, 2, d_model)`, one for each word."""
    vectors = torch.from_numpy(rows)
    # program: dimensions
    choosing, judging = vectors[::2], vectors[1::2]
    chosen, held_out = auc(choosing), auc(judging)
    held_out = torch.where(chosen >= 0.5, held_out, 1 - held_out)
    best = int((chosen - 0.5).abs().argmax())
    direction = choosing[:, 0].mean(dim=0) - choosing[:, 1].mean(dim=0)
    together = float(auc((judging @ direction)[..., None]))
    # end of program
    return SingleDimensions(words, rows, chosen.numpy(), held_out.numpy(), best, together)


def look_up_pairs(network: Transformer, tokenizer: Tokenizer, pairs: Sequence[tuple[str, str]]) -> SingleDimensions:
    """Look up all pairs whose words are both one token of the vocabulary.

    Raises:
        ValueError: fewer than four are.
    """
    known = tuple(pair for pair in pairs if all(len(tokenizer.encode(word)) == 1 for word in pair))
    if len(known) < 4:
        raise ValueError(f"Only {len(known)} pairs are single tokens; four are needed.")
    ids = [[tokenizer.encode(word)[0] for word in pair] for pair in known]
    return separate(known, to_array(network.embedding.weight[torch.tensor(ids)]).astype(np.float64))
