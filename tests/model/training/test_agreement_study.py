"""Agreement over held-out sentences: the figures by hand."""

import math

import pytest

from model.attribution.agreement import METHODS, MethodAgreement
from model.training.agreement_study import summarize_agreement


def sentence_agreement(*values: float | None) -> MethodAgreement:
    """A sentence of one target word with these correlations."""
    return MethodAgreement(3, {method: (value,) for method, value in zip(METHODS, values, strict=True)}, (True,))


def test_means_errors_and_shares_by_hand():
    summary = summarize_agreement(
        [
            sentence_agreement(0.0, 0.5, -1.0, 0.0, 0.9),
            sentence_agreement(0.0, 0.7, 1.0, 0.0, 0.9),
            sentence_agreement(0.0, 0.9, None, 0.0, 0.9),  # left out
            sentence_agreement(0.3, 0.9, 0.0, 0.0, 0.9),
        ]
    )
    assert tuple(summary) == METHODS
    first, second, third, _, last = (summary[method] for method in METHODS)
    assert first["mean"] == pytest.approx(0.1) and first["standard_error"] == pytest.approx(0.1)
    assert second["mean"] == pytest.approx(0.7)
    assert second["standard_error"] == pytest.approx(0.2 / math.sqrt(3))
    assert [figures["best"] for figures in summary.values()] == pytest.approx([0, 1 / 6, 1 / 3, 0, 1 / 2])
    # the leader against the second best: 0.4, 0.2, 0; everyone else against the leader
    assert last["to_rival"]["other"] == METHODS[1] and third["to_rival"]["other"] == METHODS[4]
    assert last["to_rival"]["mean"] == pytest.approx(0.2)
    assert last["to_rival"]["standard_error"] == pytest.approx(0.2 / math.sqrt(3))
    assert second["to_rival"]["mean"] == pytest.approx(-0.2)


def test_too_few_sentences_are_refused():
    with pytest.raises(ValueError, match="Fewer than two sentences"):
        summarize_agreement([sentence_agreement(0, 0, 0, 0, 0), sentence_agreement(0, 0, 0, None, 0)])
