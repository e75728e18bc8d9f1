"""Logit, scaled, filtered, probability: exact on a small distribution, and the same as what sampling draws from."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.decoding.sampling_stages import sampling_stages
from model.networks.config import TransformerConfig

HALVES = np.log(np.array([0.5, 0.125, 0.25, 0.125], dtype=np.float32))


def test_the_stages_of_a_small_distribution():
    stages = sampling_stages(HALVES, temperature=0.5, top_k=2)
    np.testing.assert_allclose(stages.logits, HALVES)
    np.testing.assert_allclose(stages.scaled, 2 * HALVES)
    np.testing.assert_allclose(stages.plain, [1 / 2, 1 / 8, 1 / 4, 1 / 8], atol=1e-7)
    assert stages.kept.tolist() == [True, False, True, False]
    np.testing.assert_allclose(stages.probabilities, [4 / 5, 0, 1 / 5, 0], atol=1e-7)
    assert stages.kept_mass == pytest.approx(20 / 22)
    assert stages.order.tolist() == [0, 2, 1, 3]


def test_top_p_keeps_the_smallest_set_that_reaches_it():
    assert sampling_stages(HALVES, top_p=0.4).kept.tolist() == [True, False, False, False]
    assert sampling_stages(HALVES, top_p=0.6).kept.tolist() == [True, False, True, False]
    assert sampling_stages(HALVES, top_p=0.8).kept.sum() == 3


def test_tokens_that_are_never_generated_stay_out():
    stages = sampling_stages(HALVES, temperature=3.0, never=(0, 1))
    assert stages.probabilities[:2].tolist() == [0, 0]
    assert not stages.kept[:2].any()
    assert stages.plain[2] == pytest.approx(2 / 3)
    assert TransformerConfig.preset("tiny").never_generated == (0, 1, 2)


@settings(max_examples=30)
@given(
    st.lists(st.floats(-30, 30, width=32), min_size=1, max_size=30, unique=True),
    st.floats(0.1, 3),
    st.integers(0, 12),
    st.floats(0.05, 1),
)
def test_the_result_is_a_distribution_and_the_one_that_sampling_uses(logits, temperature, top_k, top_p):
    stages = sampling_stages(np.array(logits, dtype=np.float32), temperature, top_k, top_p)
    assert stages.probabilities.sum() == pytest.approx(1)
    assert (stages.probabilities[~stages.kept] == 0).all()
    if stages.difference > 1e-5:
        # single precision may put a token on the other side of the edge of top-p; then its whole share moves
        order = np.argsort(-stages.scaled)
        shares = np.exp(stages.scaled - stages.scaled.max())
        if 0 < top_k < len(shares):
            shares[order[top_k:]] = 0
        reached = np.cumsum(shares[order] / shares.sum())
        assert np.abs(reached - top_p).min() < 1e-5
    else:
        assert stages.difference <= 1e-5


@pytest.mark.parametrize("values", [(0.0, 0, 1.0), (-1.0, 0, 1.0), (1.0, -1, 1.0), (1.0, 0, 0.0), (math.nan, 0, 1.0)])
def test_settings_out_of_range_are_refused(values):
    with pytest.raises(ValueError, match="no settings of sampling"):
        sampling_stages(HALVES, *values)
