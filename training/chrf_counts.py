"""The counts behind chrF (Popović 2015, section 3) of each sentence, so that a corpus can be resampled."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest

import numpy as np
from sacrebleu.metrics import CHRF


def chrf_counts(translations: Sequence[str], references: Iterable[Sequence[str]]) -> np.ndarray:
    """Count character n-grams of each translation and of the reference that it matches best: `(sentence, 18)` int64.

    For each of the lengths 1 to 6: n-grams of the translation, of the reference, and of both.

    Args:
        references: all reference translations of each sentence.
    """
    # sacreBLEU's layout: stream k holds the k-th translation of every sentence, None where there are fewer
    streams = [list(stream) for stream in zip_longest(*references)]
    return np.array(CHRF()._extract_corpus_statistics(list(translations), streams), dtype=np.int64)


def corpus_chrf(counts: np.ndarray) -> float:
    """sacreBLEU's corpus score, 0 to 100, of summed counts, `(18,)`."""
    return CHRF()._compute_score_from_stats(counts.tolist()).score
