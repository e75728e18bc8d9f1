"""Counts behind chrF: their sum gives sacreBLEU's corpus score."""

import numpy as np
import pytest
import sacrebleu

from training.chrf_counts import chrf_counts, corpus_chrf

TRANSLATIONS = ["Le chat noir dort.", "", "Il a vu un chien.", "Où est-elle ?"]
REFERENCES = [
    ["Le chat noir dort.", "Un chat dort."],
    ["Bonjour !"],
    ["Il a vu le chien.", "Il vit un chien."],
    ["Où est-il ?"],
]


def test_summed_counts_give_the_score_of_the_corpus():
    counts = chrf_counts(TRANSLATIONS, REFERENCES)
    assert counts.shape == (4, 18)
    streams = [[row[0] for row in REFERENCES], [row[1] if row[1:] else None for row in REFERENCES]]
    assert corpus_chrf(counts.sum(axis=0)) == sacrebleu.corpus_chrf(TRANSLATIONS, streams).score
    assert corpus_chrf(counts[0]) == 100 and corpus_chrf(counts[1]) == 0
    repeated = [TRANSLATIONS[place] for place in (0, 0, 2)]
    streams = [[REFERENCES[place][stream] for place in (0, 0, 2)] for stream in (0, 1)]
    expected = sacrebleu.corpus_chrf(repeated, streams).score
    assert corpus_chrf(np.array([2, 0, 1, 0]) @ counts) == pytest.approx(expected)
