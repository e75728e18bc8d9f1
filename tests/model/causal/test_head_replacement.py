"""Each ablation equals a whole run with that head replaced, and means and draws are those of the pool."""

import numpy as np
import pytest
import torch

from model.causal.causal_error import CausalError
from model.causal.head_replacement import FILE, HeadMeans, ablate, measure_means, record_pool
from model.causal.metrics import LogitDifference
from model.causal.own_networks import resumable
from model.networks.tap import Recorder
from model.runtime.checkpoint import CheckpointError, save_tensors
from tests.model.causal.small_networks import inputs_of, small_network
from tests.model.causal.test_activation_patching import plain_run
from tests.tiers import nightly

METRIC = LogitDifference(1, 2)


def without(network, inputs, changes) -> float:
    """The metric with some heads replaced: name of the tensor -> [(head, values)]."""

    def tap(name, tensor):
        for head, values in changes.get(name, ()):
            tensor = tensor.clone()
            tensor[:, head] = values
        return tensor

    logits = plain_run(network, inputs, tap)
    return float(logits[0, -1, 1] - logits[0, -1, 2])


@pytest.mark.parametrize("kind", ["translator", nightly("language"), "vision"])
def test_zero_ablation_and_pairs_equal_whole_runs(kind):
    network, inputs = small_network(kind), inputs_of(kind, 1)
    causal = resumable(network)
    result = ablate(causal, inputs, METRIC, pairs_among=4)
    assert result.reference == pytest.approx(without(network, inputs, {}), abs=1e-12)
    names = {own.name: own for own in causal.kinds}
    for kind_name, table in result.effects.items():
        for layer, head in np.ndindex(*table.shape):
            name = f"{names[kind_name].tap_name(layer)}.outputs"
            effect = without(network, inputs, {name: [(head, 0)]}) - result.reference
            assert table[layer, head] == pytest.approx(effect, abs=1e-12)
    sizes = [abs(result.effects[place[0]][place[1:]]) for place in result.leading]
    everything = np.concatenate([np.abs(table).ravel() for table in result.effects.values()])
    np.testing.assert_allclose(sizes, np.sort(everything)[::-1][:4])
    for first, second in ((0, 1), (2, 3), (0, 3)):
        changes: dict = {}
        for own, layer, head in (result.leading[first], result.leading[second]):
            changes.setdefault(f"{names[own].tap_name(layer)}.outputs", []).append((head, 0))
        both = without(network, inputs, changes) - result.reference
        assert result.pairs[first, second] == result.pairs[second, first] == pytest.approx(both, abs=1e-12)
        apart = both - result.pairs[first, first] - result.pairs[second, second]
        assert result.interactions[first, second] == pytest.approx(apart, abs=1e-12)
    assert result.nothing < 1e-12 and result.drift < 1e-12 and result.standard_errors is None
    assert list(result.tables)[-2:] == ["pairs", "interactions"]


def test_mean_ablation_uses_the_mean_over_all_positions_of_the_pool():
    network, inputs = small_network("translator"), inputs_of("translator", 1)
    causal = resumable(network)
    others = [inputs_of("translator", seed) for seed in (3, 4)] + [(torch.tensor([[9, 3]]), torch.tensor([[2]]))]
    pool = record_pool(causal, others)
    recorded = []
    for other in others:
        recorder = Recorder()
        plain_run(network, other, recorder)
        recorded.append(recorder.tensors["encoder.1.self.outputs"][0, 1])  # (position, d_k)
    mean = torch.cat(recorded).mean(dim=0)
    means = measure_means(causal, others)
    assert (means.inputs, means.vectors) == (3, 10) and pool.inputs == 3
    for kind, tensor in pool.means().means.items():
        np.testing.assert_allclose(tensor, means.means[kind], atol=1e-14)
    np.testing.assert_allclose(means.means["encoder"][1, 1], mean, atol=1e-14)
    result = ablate(causal, inputs, METRIC, "mean", pool=pool, pairs_among=0)
    effect = without(network, inputs, {"encoder.1.self.outputs": [(1, mean)]}) - result.reference
    assert result.effects["encoder"][1, 1] == pytest.approx(effect, abs=1e-12)
    assert result.leading == () and result.pairs.shape == (0, 0)
    again = ablate(causal, inputs, METRIC, "mean", means=means, pairs_among=0)
    np.testing.assert_allclose(again.effects["cross"], result.effects["cross"], atol=1e-12)


def test_resampling_draws_whole_vectors_of_the_pool_and_is_repeatable():
    network, inputs = small_network("language"), inputs_of("language", 1)
    causal = resumable(network)
    pool = record_pool(causal, [inputs_of("language", seed) for seed in (3, 4)])
    result = ablate(causal, inputs, METRIC, "resample", pool=pool, samples=3, seed=7)
    again = ablate(causal, inputs, METRIC, "resample", pool=pool, samples=3, seed=7)
    assert np.array_equal(result.effects["decoder"], again.effects["decoder"])
    drawn = torch.randint(10, (3, 5), generator=torch.Generator().manual_seed(7))
    metrics = [
        without(network, inputs, {"decoder.1.self.outputs": [(0, pool.outputs["decoder"][one, 1, 0])]}) for one in drawn
    ]
    assert result.effects["decoder"][1, 0] == pytest.approx(np.mean(metrics) - result.reference, abs=1e-12)
    error = np.std(metrics, ddof=1) / 3**0.5
    assert result.standard_errors["decoder"][1, 0] == pytest.approx(error, abs=1e-12)
    assert result.nothing < 1e-12


def test_a_head_alone_in_its_pool_replaces_itself():
    """One position in one input: the mean and every draw are the head's own output."""
    network, inputs = small_network("language"), (torch.tensor([[9]]),)
    causal = resumable(network)
    pool = record_pool(causal, [inputs])
    for replacement in ("mean", "resample"):
        result = ablate(causal, inputs, METRIC, replacement, pool=pool)
        assert np.abs(result.effects["decoder"]).max() < 1e-12


def test_means_are_stored_with_the_hash_of_the_weights(tmp_path):
    causal = resumable(small_network("translator").float())
    means = measure_means(causal, [inputs_of("translator", 1)])
    means.save(tmp_path, "abc")
    read = HeadMeans.load(tmp_path, "abc")
    assert (read.inputs, read.vectors) == (1, 4)
    for kind, tensor in means.means.items():
        np.testing.assert_allclose(read.means[kind], tensor, rtol=1e-6)
    save_tensors(tmp_path / FILE, means.means, {"weights_sha256": "abc", "inputs": "many"})
    with pytest.raises(CheckpointError, match="head means in .* cannot be read"):
        HeadMeans.load(tmp_path, "abc")
    assert HeadMeans.load(tmp_path, "other") is None and HeadMeans.load(tmp_path / "none", "abc") is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(replacement="noise"), "zero, mean or resample, not 'noise'"),
        (dict(replacement="mean"), "Replacing by mean needs the outputs of other inputs"),
        (dict(replacement="resample"), "Replacing by resample needs"),
        (dict(metric=LogitDifference(1, 2, 9)), "no output position 9"),
    ],
)
def test_an_impossible_ablation_gets_one_sentence(options, message):
    options = dict(inputs=inputs_of("language", 1), metric=METRIC) | options
    with pytest.raises(CausalError, match=message):
        ablate(resumable(small_network("language")), **options)
    causal = resumable(small_network("language"))
    with pytest.raises(CausalError, match="at least one"):
        record_pool(causal, [])
    with pytest.raises(CausalError, match="at least one"):
        measure_means(causal, [])
    pool = record_pool(causal, [inputs_of("language", 2)])
    with pytest.raises(CausalError, match="draw at least 2"):
        ablate(causal, inputs_of("language", 1), METRIC, "resample", pool=pool, samples=1)
