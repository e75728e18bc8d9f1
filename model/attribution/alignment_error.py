"""The alignment error rate: the difference of attention from a word alignment computed without any network.

AER (Och and Ney 2003, section 4.1) of links A against a reference of sure links S and possible links P, S in P, is
1 - (|A and S| + |A and P|) / (|A| + |S|). The shipped reference (`model.text.word_alignment`) has sure links only, so
P = S and AER = 1 - 2 |A and S| / (|A| + |S|). No person made or checked these links: the rate measures how far
attention and word counts agree, not how right either is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class LinkCounts:
    """Links of one sentence pair, or of many added up."""

    attention: int  # of attention, |A|
    reference: int  # of the reference, |S|
    shared: int  # that both have

    def __add__(self, other: LinkCounts) -> LinkCounts:
        return LinkCounts(
            self.attention + other.attention, self.reference + other.reference, self.shared + other.shared
        )

    @property
    def error(self) -> float | None:
        """AER in [0, 1]; None if neither has a link."""
        total = self.attention + self.reference
        return 1 - 2 * self.shared / total if total else None

    @property
    def recall(self) -> float | None:
        """The share of the reference's links that attention has too; None if the reference has none."""
        return self.shared / self.reference if self.reference else None


def attention_links(weights: np.ndarray) -> np.ndarray:
    """Link each token of the translation to the source token with most of its attention: `(token, key)` bool.

    `</s>`, the last key, is no word: a token that attends to it most is linked to nothing, like a token without a link
    in the reference.

    Args:
        weights: `(token, key)`.
    """
    links = np.zeros(weights.shape, dtype=bool)
    best = weights.argmax(axis=1)
    pointing = np.flatnonzero(best < weights.shape[1] - 1)
    links[pointing, best[pointing]] = True
    return links


def count_links(weights: np.ndarray, reference: np.ndarray, read: bool = False) -> LinkCounts:
    """Count the links of attention, of the reference of the same sentence, and of both.

    Row t of attention belongs to two tokens: the one the step reads, y_{t-1}, and the one it generates, y_t.

    Args:
        weights: `(T, S)`.
        reference: `(T, S)` bool, its rows by the generated token, of which the last, `</s>`, is linked to nothing; see
            `model.text.word_alignment.find_links`.
        read: compare by the token that a step reads, not by the one it generates.

    Raises:
        ValueError: the two have different shapes.
    """
    if weights.shape != reference.shape:
        raise ValueError(f"Weights of {weights.shape} cannot be compared with links of {reference.shape}.")
    links, reference = attention_links(weights[1:] if read else weights[:-1]), reference[:-1]  # (token, key)
    return LinkCounts(int(links.sum()), int(reference.sum()), int((links & reference).sum()))
