"""Every cell of a patching grid equals a whole run with that tensor replaced, and the checks reproduce known runs."""

import dataclasses

import numpy as np
import pytest
import torch

from model.causal.activation_patching import patch
from model.causal.causal_error import CausalError
from model.causal.embedding_noise import patch_noise
from model.causal.metrics import LogitDifference, Probability, TargetLoss, evaluate
from model.causal.own_networks import resumable
from model.causal.result_tables import restored_share
from model.causal.sites import SITES, parts_of
from model.networks.recurrent import RecurrentNetwork
from model.networks.tap import Intervention, Recorder
from tests.model.causal.small_networks import inputs_of, small_network
from tests.model.networks import tiny_recurrent
from tests.tiers import nightly

NETWORKS = ["translator", "language", "vision"]
METRIC = LogitDifference(1, 2)


def plain_run(network, inputs, tap=None) -> torch.Tensor:
    """All logits `(row, output, column)`, by the network's own forward pass."""
    logits = (
        network(*inputs, tap)
        if len(inputs) == 2 or inputs[0].ndim == 4
        else network.project(network.states(*inputs, tap))
    )
    return logits if logits.ndim == 3 else logits[:, None]


def replaced(name: str, giving, index) -> Intervention:
    """A tap that replaces a part of one tensor."""

    def change(tensor):
        changed = tensor.clone()
        changed[(0, *index)] = giving[name][(0, *index)]
        return changed

    return Intervention({name: change})


@pytest.mark.parametrize("kind", NETWORKS)
@pytest.mark.parametrize("direction", ["denoising", nightly("noising")])
def test_every_cell_equals_a_whole_run(kind, direction):
    network = small_network(kind)
    causal = resumable(network)
    clean, corrupt = inputs_of(kind, 1), inputs_of(kind, 2)
    give, receive = (clean, corrupt) if direction == "denoising" else (corrupt, clean)
    recorder = Recorder()
    plain_run(network, give, recorder)
    for site in SITES.values():
        for part in parts_of(causal, site):
            for by_position in {site.by_position, True}:
                result = patch(
                    causal, clean, corrupt, METRIC, site.name, part, direction=direction, by_position=by_position
                )
                assert result.grid.values.shape == tuple(len(axis.labels) for axis in result.grid.axes)
                generator = np.random.default_rng(len(site.name))
                cell = tuple(int(generator.integers(size)) for size in result.grid.values.shape)
                named = dict(zip((axis.name for axis in result.grid.axes), cell, strict=True))
                name = tap_name(site, part, named["layer"])
                index = (named["head"],) if site.by_head else ()
                if by_position:
                    index = (*index, named["position"])
                logits = plain_run(network, receive, replaced(name, recorder.tensors, index))
                wanted = float(logits[0, -1, 1] - logits[0, -1, 2])
                assert result.grid.values[cell] == pytest.approx(wanted, abs=1e-12)
    assert np.abs(result.effects).max() > 1e-6


def tap_name(site, part, layer) -> str:
    if site.name == "residual":
        return f"{part}.embedded" if layer == 0 else f"{part}.{layer - 1}.residual"
    if site.name == "feed_forward_output":
        return f"{part}.{layer}.ffn.sublayer_output"
    stack, sublayer = ("decoder", "cross") if part == "cross" else (part, "self")
    return f"{stack}.{layer}.{sublayer}.{site.step}"


@pytest.mark.parametrize("kind", NETWORKS)
@pytest.mark.parametrize("site", ["residual", "head_output", nightly("attention_weights"), nightly("keys")])
def test_everything_reproduces_the_other_run_and_nothing_changes_nothing(kind, site):
    causal = resumable(small_network(kind))
    result = patch(causal, inputs_of(kind, 1), inputs_of(kind, 2), METRIC, site)
    assert result.check == dataclasses.replace(result.check, everything=0.0, nothing=0.0, effect_of_nothing=0.0)
    assert result.check.drift < 1e-12


def test_single_precision_reproduces_the_other_run_within_a_hundred_thousandth():
    network = small_network("translator").float()
    result = patch(resumable(network), inputs_of("translator", 1), inputs_of("translator", 2), METRIC)
    assert result.check.everything < 1e-5 and result.check.nothing < 1e-5 and result.check.effect_of_nothing == 0
    assert result.check.drift < 1e-5


@pytest.mark.parametrize("kind", NETWORKS)
def test_the_last_row_of_the_output_stream_restores_everything(kind):
    causal = resumable(small_network(kind))
    for direction, sign in (("denoising", 1), ("noising", -1)):
        result = patch(
            causal,
            inputs_of(kind, 1),
            inputs_of(kind, 2),
            METRIC,
            part=causal.output_stack,
            direction=direction,
        )
        position = 0 if kind == "vision" else -1  # the only one that the logits are read from
        assert result.restored[-1, position] == pytest.approx(1, abs=1e-9)
        others = np.delete(result.effects[-1], position)
        assert np.abs(others).max() == 0
        assert np.sign(result.effects[-1, position]) == sign * np.sign(result.donor - result.receiver) * sign


def test_batches_of_any_size_give_the_same_numbers(monkeypatch):
    causal = resumable(small_network("translator"))
    inputs = inputs_of("translator", 1), inputs_of("translator", 2)
    whole = patch(causal, *inputs, METRIC, "head_output", "cross", by_position=True)
    monkeypatch.setattr("model.causal.patched_runs.POSITIONS", 20)
    parts = patch(causal, *inputs, METRIC, "head_output", "cross", by_position=True)
    np.testing.assert_allclose(parts.grid.values, whole.grid.values, atol=1e-12)


def test_metrics_equal_their_definitions():
    network = small_network("translator")
    causal = resumable(network)
    inputs = inputs_of("translator", 1)
    logits = plain_run(network, inputs)[0]
    hidden = causal.run(inputs)
    loss = TargetLoss((5, 6, 7), at=(0, 2, -1))
    wanted = -logits.log_softmax(-1)[[0, 2, -1], [5, 6, 7]].mean()
    assert float(evaluate(causal, hidden, loss)[0]) == pytest.approx(float(wanted), abs=1e-12)
    wanted = float(logits[1].softmax(-1)[9])
    assert float(evaluate(causal, hidden, Probability(9, 1))[0]) == pytest.approx(wanted, abs=1e-12)
    wanted = float(logits[0, 3] - logits[0, 4])
    assert float(evaluate(causal, hidden, LogitDifference(3, 4, 0))[0]) == pytest.approx(wanted, abs=1e-12)


def test_aligned_inputs_of_different_lengths():
    network = small_network("language")
    causal = resumable(network)
    longer, shorter = (torch.tensor([[5, 9, 8, 7, 6]]),), (torch.tensor([[5, 8, 7, 6]]),)
    pairs = {"decoder": [(0, 0), (1, 2), (3, 4)]}  # receives in the shorter one, gives in the longer one
    result = patch(causal, longer, shorter, METRIC, alignment=pairs)
    assert result.grid.values.shape == (3, 3) and result.check.everything is None and result.check.nothing < 1e-12
    recorder = Recorder()
    plain_run(network, longer, recorder)

    def change(tensor):
        changed = tensor.clone()
        changed[0, 1] = recorder.tensors["decoder.0.residual"][0, 2]
        return changed

    logits = plain_run(network, shorter, Intervention({"decoder.0.residual": change}))
    assert result.grid.values[1, 1] == pytest.approx(float(logits[0, -1, 1] - logits[0, -1, 2]), abs=1e-12)
    assert result.grid.axes[1].labels == ("1", "2", "4")


def test_only_cls_can_be_patched():
    causal = resumable(small_network("vision"))
    inputs = inputs_of("vision", 1), inputs_of("vision", 2)
    whole = patch(causal, *inputs, METRIC)
    cls = patch(causal, *inputs, METRIC, positions=[0])
    np.testing.assert_allclose(cls.grid.values, whole.grid.values[:, :1], atol=1e-12)


def test_noise_equals_noisy_runs_one_by_one():
    network = small_network("language")
    causal = resumable(network)
    inputs = inputs_of("language", 1)
    result = patch_noise(causal, inputs, METRIC, {"decoder": [1, 3]}, samples=3, seed=5)
    again = patch_noise(causal, inputs, METRIC, {"decoder": [1, 3]}, samples=3, seed=5)
    assert np.array_equal(result.grid.values, again.grid.values)
    other = patch_noise(causal, inputs, METRIC, {"decoder": [1, 3]}, samples=3, seed=6)
    assert not np.allclose(result.grid.values, other.grid.values)
    one = patch_noise(causal, inputs, METRIC, {"decoder": [1, 3]}, samples=3, seed=5, layers=[1])
    np.testing.assert_allclose(one.grid.values, result.grid.values[1:2], atol=1e-12)
    recorder = Recorder()
    plain_run(network, inputs, recorder)
    deviation = causal.embedding_deviation(causal.record(inputs))
    assert deviation == pytest.approx(float(network.embedding.weight.std()), rel=1e-12)
    noise = torch.randn(3, 2, 16, generator=torch.Generator().manual_seed(5), dtype=torch.float64) * 3 * deviation
    metrics = []
    for sample in noise:

        def corrupt(tensor, sample=sample):
            changed = tensor.clone()
            changed[0, [1, 3]] += sample
            return changed

        def restore(tensor):
            changed = tensor.clone()
            changed[0, 3] = recorder.tensors["decoder.0.residual"][0, 3]
            return changed

        logits = plain_run(network, inputs, Intervention({"decoder.embedded": corrupt, "decoder.0.residual": restore}))
        metrics.append(float(logits[0, -1, 1] - logits[0, -1, 2]))
    assert result.grid.values[1, 3] == pytest.approx(np.mean(metrics), abs=1e-12)
    assert result.standard_error.values[1, 3] == pytest.approx(np.std(metrics, ddof=1) / 3**0.5, abs=1e-12)
    assert result.check.everything < 1e-12 and result.check.nothing < 1e-12 and result.check.effect_of_nothing == 0
    assert set(result.tables) == {"metric", "effect", "restored", "standard_error"}


def test_results_are_written_and_read(tmp_path):
    causal = resumable(small_network("translator"))
    labels = {"encoder": ["a", "b", "a", "</s>"], "decoder": ["<s>", "x", "y"]}
    result = patch(causal, inputs_of("translator", 1), inputs_of("translator", 2), METRIC, labels=labels)
    result.to_npz(tmp_path / "result.npz")
    with np.load(tmp_path / "result.npz") as archive:
        np.testing.assert_array_equal(archive["effect"], result.effects)
        assert archive["metric_axes"].tolist() == ["layer", "position"]
        assert archive["metric_position"].tolist() == labels["encoder"]
        assert archive["metric_layer"].tolist() == [0, 1, 2]
    columns = result.columns("restored")
    assert list(columns) == ["layer", "position", "position_place", "value"]
    assert columns["layer"].tolist() == [0] * 4 + [1] * 4 + [2] * 4
    assert (
        columns["position"].tolist() == labels["encoder"] * 3 and columns["position_place"].tolist() == [1, 2, 3, 4] * 3
    )
    np.testing.assert_array_equal(columns["value"], result.restored.ravel())
    with pytest.raises(CausalError, match="no table 'x' here; choose one of metric, effect, restored"):
        result.columns("x")
    place, value = result.tables["effect"].strongest(1)[0]
    assert abs(value) == np.abs(result.effects).max() and result.effects[place] == value


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(site="neurons"), "no site 'neurons'; choose one of residual"),
        (dict(part="cross"), "residual is not in 'cross'; choose one of decoder"),
        (dict(site="head_output", part="encoder"), "not in 'encoder'; choose one of decoder"),
        (dict(direction="both"), "no direction 'both'"),
        (dict(positions=[5]), "no position 5; there are 5, from 0 to 4"),
        (dict(metric=LogitDifference(64, 1)), "no logit 64; this network has 64"),
        (dict(metric=LogitDifference(1, -1)), "no logit -1"),
        (dict(metric=Probability(1, 7)), "no output position 7"),
        (dict(metric=TargetLoss(())), "at least one token"),
        (dict(metric=TargetLoss((1, 2), at=(0,))), "as many positions as tokens"),
        (dict(corrupt=(torch.tensor([[5, 6]]),)), "2 and 5 positions; give an alignment"),
        (dict(alignment={"encoder": [(0, 0)]}), "no stack 'encoder' to align; choose one of decoder"),
        (dict(alignment={"decoder": [(0, 5)]}), "Position 0 cannot receive from position 5"),
        (dict(alignment={"decoder": [(0, 0), (0, 1)]}), "receives twice"),
        (dict(alignment={"decoder": []}), "align at least one"),
        (
            dict(corrupt=(torch.tensor([[5, 6]]),), alignment={"decoder": [(0, 0)]}, site="attention_weights"),
            "inputs of equal length",
        ),
    ],
)
def test_an_impossible_experiment_gets_one_sentence(options, message):
    causal = resumable(small_network("language"))
    options = dict(clean=inputs_of("language", 1), corrupt=inputs_of("language", 2), metric=METRIC) | options
    with pytest.raises(CausalError, match=message):
        patch(causal, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(samples=1), "no standard error"),
        (dict(scale=0), "changes nothing"),
        (dict(scale=float("nan")), "changes nothing"),
        (dict(noisy={}), "No position gets noise"),
        (dict(noisy={"encoder": [0]}), "no stack 'encoder'"),
        (dict(noisy={"decoder": [5]}), "no position 5"),
    ],
)
def test_impossible_noise_gets_one_sentence(options, message):
    causal = resumable(small_network("language"))
    options = dict(clean=inputs_of("language", 1), metric=METRIC, noisy={"decoder": [0]}) | options
    with pytest.raises(CausalError, match=message):
        patch_noise(causal, **options)


def test_a_recurrent_network_is_refused():
    network = tiny_recurrent("lstm-dot")
    assert isinstance(network, RecurrentNetwork)
    with pytest.raises(TypeError, match="no layers that this method can resume"):
        resumable(network)


@pytest.mark.parametrize(("donor", "share"), [(3.0, 0.5), (1.0, None), (1 + 1e-7, None), (1 - 1e-7, None)])
def test_a_difference_of_rounding_has_no_share(donor, share):
    result = restored_share([[1.0, 2.0]], 1.0, donor)
    assert result.shape == (1, 2)
    assert np.isnan(result).all() if share is None else result.tolist() == [[0, share]]
