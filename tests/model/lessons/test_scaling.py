"""Variances of the worked example, saturation, and the trained form on a tiny network."""

import math

import numpy as np
import pytest
import torch

from model import Translator
from model.lessons.scaling import (
    dot_products,
    entropy,
    histogram,
    measure_random_products,
    scale_scores,
    trained_run_in_steps,
)
from model.runtime.progress import as_one_call
from tests.model.networks import tiny_network

trained_run = as_one_call(trained_run_in_steps)


@pytest.mark.parametrize("d_k", [2, 100])
def test_the_worked_example(d_k):
    products = dot_products(d_k, 20_000, 10)
    assert float(products.var()) == pytest.approx(d_k, rel=0.02)
    assert float((products / math.sqrt(d_k)).var()) == pytest.approx(1, rel=0.02)


def test_without_the_division_softmax_saturates_as_d_k_grows():
    measured = measure_random_products((2, 16, 100, 512))
    np.testing.assert_allclose(measured.variances, measured.widths, rtol=0.05)
    np.testing.assert_allclose(measured.scaled_variances, 1, rtol=0.05)
    assert (np.diff(measured.entropies) < 0).all() and measured.entropies[-1] < 0.2
    assert (np.diff(measured.gradients) < 0).all() and measured.gradients[-1] < 0.1
    np.testing.assert_allclose(measured.scaled_entropies, measured.scaled_entropies[0], rtol=0.05)
    np.testing.assert_allclose(measured.scaled_gradients, measured.scaled_gradients[0], rtol=0.05)
    assert measured.scaled_entropies.max() < math.log(10)


def test_the_gradient_is_the_size_of_softmaxs_jacobian():
    scores = dot_products(8, 3, 5)
    rows = [torch.autograd.functional.jacobian(lambda s: s.softmax(-1), row.double()).norm() for row in scores]
    measured = measure_random_products((8,), queries=3, keys=5)
    assert measured.gradients[0] == pytest.approx(float(sum(rows) / 3), rel=1e-6)


def test_equal_seeds_give_equal_numbers():
    np.testing.assert_array_equal(
        measure_random_products((4,), seed=3).entropies, measure_random_products((4,), seed=3).entropies
    )
    assert not torch.equal(dot_products(4, 2, 2, seed=3), dot_products(4, 2, 2, seed=4))
    with pytest.raises(ValueError, match="at least 1"):
        dot_products(0, 1, 1)


def test_histograms_are_densities():
    edges = np.linspace(-60, 60, 121)
    raw, scaled = histogram(100, edges)
    assert raw.sum() * 1.0 == pytest.approx(1, abs=1e-6) and scaled.sum() == pytest.approx(1, abs=1e-6)
    centres = (edges[:-1] + edges[1:]) / 2
    assert (raw * centres**2).sum() == pytest.approx(100, rel=0.05)
    assert scaled.max() > 8 * raw.max()


def test_entropy_of_one_key_and_of_equal_keys():
    assert float(entropy(torch.tensor([0.0, 1.0, 0.0]))) == 0
    assert float(entropy(torch.full((5,), 0.2))) == pytest.approx(math.log(5))


def test_a_factor_of_one_changes_nothing(network, trace):
    run = trained_run(network, trace, ("encoder", "decoder", "cross"), 1.0)
    np.testing.assert_allclose(run.losses, [-math.log(row.probability) for row in trace.predictions(1)], atol=1e-4)
    weights = trace.cross_attention.astype(np.float64)
    np.testing.assert_allclose(run.entropies["cross"], -(weights * np.log(weights)).sum(-1).mean(-1), atol=1e-5)
    assert run.strongest["encoder"] == pytest.approx(float(trace.encoder_attention.max(-1).mean()), abs=1e-6)
    assert run.entropies["decoder"].shape == (2, 2)


def test_a_factor_of_one_translates_as_the_network_does():
    translator = Translator.load(device="cpu")
    for target in (None, "Oui."):
        trace = translator.trace("The animal didn't cross the street because it was too tired.", target=target)
        run = trained_run(translator.network, trace, ("encoder",), 1.0)
        assert run.finished and run.translation == translator.translate(trace.source_text)


def test_multiplying_back_sharpens_the_chosen_kinds_only(network, trace):
    before = trained_run(network, trace, ("cross",), 1.0)
    after = trained_run(network, trace, ("cross",), math.sqrt(8))
    assert after.entropies["cross"].mean() < before.entropies["cross"].mean()
    assert after.strongest["cross"] > before.strongest["cross"]
    np.testing.assert_array_equal(after.entropies["encoder"], before.entropies["encoder"])
    assert np.abs(after.losses - before.losses).max() > 1e-3


def test_multiplying_scores_back_equals_multiplying_the_queries(network, trace):
    """The same network without the division: scores q . k, by queries sqrt(d_k) times as long."""
    other = tiny_network(vocabulary_size=network.config.vocabulary_size)
    with torch.no_grad():
        for layer in other.encoder:
            layer.self_attention.query.weight.mul_(math.sqrt(8))
            layer.self_attention.query.bias.mul_(math.sqrt(8))
    source = torch.tensor([trace.source_ids])
    changed = network.encode(source, None, scale_scores(network, ("encoder",), math.sqrt(8)))
    torch.testing.assert_close(changed, other.encode(source), atol=1e-4, rtol=1e-4)
