"""The training loop on the toy language, in this process."""

import json
import math
import time
from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from model.networks.config import TransformerConfig
from model.networks.transformer import Transformer
from model.runtime.checkpoint import load_tensors
from tests.tiers import nightly
from tests.training.conftest import ALONE, RECIPE, losses
from training import loop
from training.loop import CHECKPOINT, METRICS, MetricsLog, read_metrics, train
from training.optimizer import Recipe, rate_factor
from training.translation import TranslationTask

pytestmark = pytest.mark.usefixtures("every_step_is_logged")


def test_training_lowers_the_loss_on_training_and_held_out_sentences(make_task, finished):
    task, folder = make_task(), finished[2]
    before = task.validate(task.network, ALONE.device)["heldout_nll"]
    training_losses = losses(folder)
    assert training_losses[0] == pytest.approx(math.log(340), rel=0.2)  # an untrained network predicts uniformly
    assert sum(training_losses[-5:]) / 5 < 0.7 * training_losses[0]
    after = [row["heldout_nll"] for row in read_metrics(folder / METRICS) if row["event"] == "epoch"]
    assert after[-1] < after[0] < before


def test_the_metrics_file_has_one_json_object_a_line(finished):
    task, _, folder = finished
    rows = [json.loads(line) for line in (folder / METRICS).read_text().splitlines()]
    steps = len(task.plan(0, 1))
    assert len(task.plan(1, 1)) == steps
    epoch = ["step"] * steps + ["epoch"]
    assert [row["event"] for row in rows] == ["start", *epoch, *epoch]
    assert [row["step"] for row in rows if row["event"] == "step"] == list(range(1, 2 * steps + 1))
    start = rows[0]
    facts = {"data", "hardware", "processes", "threads", "torch", "recipe", "begun"}
    assert start.keys() == {"event", "epoch", "after"} | facts
    assert start["recipe"] == RECIPE.to_dict() and start["processes"] == 1
    for row in rows[1:]:
        if row["event"] == "step":
            figures = {"loss", "nll", "rate", "gradient_norm", "tokens_per_second"}
            assert row.keys() == {"event", "epoch", "step"} | figures and row["gradient_norm"] > 0
            progress = (row["step"] - 1) / (2 * steps)
            assert row["rate"] == pytest.approx(0.01 * rate_factor(row["step"] - 1, progress, 8))
            assert row["tokens_per_second"] > 0 and math.isfinite(row["loss"])
        else:
            assert row.keys() == {"event", "epoch", "steps", "seconds", "heldout_nll"}
            assert row["steps"] == steps * (row["epoch"] + 1)


def test_the_loss_is_the_smoothed_cross_entropy_of_a_whole_batch_per_target_token(make_task, tmp_path):
    recipe = Recipe(**{**RECIPE.to_dict(), "precision": "fp32", "epochs": 1})
    task = make_task(recipe, dropout=0.0)
    (source, target), terms = task.load(task.plan(0, 1)[0])
    with torch.no_grad():
        logits = task.network(source, target[:, :-1]).flatten(0, 1)
        labels = target[:, 1:].flatten()
        smoothed = F.cross_entropy(logits, labels, ignore_index=0, label_smoothing=0.1).item()
        plain = F.cross_entropy(logits, labels, ignore_index=0).item()
    assert terms == int((labels != 0).sum())
    train(task, recipe, tmp_path, ALONE)
    first = read_metrics(tmp_path / METRICS)[1]
    assert (first["loss"], first["nll"]) == pytest.approx((smoothed, plain), rel=1e-5)


def test_the_gradient_is_that_of_the_mean_loss_with_dropout_on(make_task, tmp_path):
    recipe = Recipe(**{**RECIPE.to_dict(), "precision": "fp32", "epochs": 1, "clip_norm": 1e9})
    task = make_task(recipe, dropout=0.0)
    (source, target), _ = task.load(task.plan(0, 1)[0])
    logits = task.network(source, target[:, :-1]).flatten(0, 1)
    loss = F.cross_entropy(logits, target[:, 1:].flatten(), ignore_index=0, label_smoothing=0.1)
    (expected,) = torch.autograd.grad(loss, task.network.embedding.weight)
    steps = []

    def keep(*_):
        if task.network.embedding.weight.grad is not None:  # the first of the two optimisers clears it
            steps.append((task.network.embedding.weight.grad.clone(), task.network.training))

    task.network.eval()
    handle = register_optimizer_step_pre_hook(keep)
    try:
        train(task, recipe, tmp_path, ALONE)
    finally:
        handle.remove()
    torch.testing.assert_close(steps[0][0], expected, rtol=1e-4, atol=1e-6)
    assert all(training for _, training in steps)


def test_gradients_are_clipped_to_the_recipes_norm(make_task, tmp_path):
    recipe = Recipe(**{**RECIPE.to_dict(), "clip_norm": 0.05, "epochs": 1, "precision": "fp32"})
    task = make_task(recipe)
    norms = []

    def measure(*_):
        gradients = [parameter.grad for parameter in task.network.parameters() if parameter.grad is not None]
        norms.append(torch.nn.utils.get_total_norm(gradients).item())

    handle = register_optimizer_step_pre_hook(measure)
    try:
        train(task, recipe, tmp_path, ALONE)
    finally:
        handle.remove()
    assert norms[0] == pytest.approx(0.05, rel=1e-3)
    assert max(norms) < 0.0501


def test_the_returned_weights_are_the_moving_average(make_task, tmp_path):
    recipe = Recipe(**{**RECIPE.to_dict(), "epochs": 1, "average_decay": 0.75})
    task = make_task(recipe)
    weight = task.network.embedding.weight
    weights = []
    handle = register_optimizer_step_post_hook(lambda *_: weights.append(weight.detach().clone()))
    try:
        averaged = train(task, recipe, tmp_path, ALONE)
    finally:
        handle.remove()
    expected = weights[1]  # after the second of two optimisers; the average starts at the first step's weights
    for step in weights[3::2]:
        expected = 0.75 * expected + 0.25 * step
    torch.testing.assert_close(averaged.embedding.weight, expected)
    assert not torch.equal(averaged.embedding.weight, weight)


def test_every_epoch_has_its_own_seed_of_dropout(make_task, tmp_path):
    seeds = {}
    for seed in (1, 2):
        recipe = Recipe(**{**RECIPE.to_dict(), "seed": seed})
        task = make_task(recipe)
        whole = task.plan

        def plan(epoch, world_size, seed=seed, whole=whole):
            seeds[seed, epoch] = torch.initial_seed()
            return whole(epoch, world_size)[:1]

        task.plan = plan
        train(task, recipe, tmp_path / str(seed), ALONE)
    assert len(seeds) == 4 == len(set(seeds.values()))


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("merits", "chosen"), [([1, 3, 2, 0], 1), nightly([2, 1, 2, 0], 2), nightly([5, None, 4, None], 0)]
)
def test_the_weights_of_the_epoch_with_the_highest_merit_are_the_result(make_task, tmp_path, merits, chosen):
    recipe = Recipe(**{**RECIPE.to_dict(), "epochs": 4})
    task, by_epoch = make_task(recipe), []

    def validate(network, device):
        by_epoch.append({name: tensor.clone() for name, tensor in network.state_dict().items()})
        merit = merits[len(by_epoch) - 1]
        return {"heldout_nll": 1.0} | ({} if merit is None else {"merit": merit})

    task.validate = validate
    result = train(task, recipe, tmp_path, ALONE).state_dict()
    assert all(torch.equal(result[name], by_epoch[chosen][name]) for name in result)
    assert any(not torch.equal(result[name], by_epoch[3][name]) for name in result)


def test_without_a_merit_the_last_epoch_is_the_result(finished):
    _, averaged, folder = finished
    last, _ = load_tensors(folder / CHECKPOINT)
    assert all(torch.equal(tensor, last[f"average.{name}"]) for name, tensor in averaged.state_dict().items())
    assert not (folder / loop.BEST).exists()


@pytest.mark.nightly
def test_pauses_of_a_run_do_not_count_as_training_time(make_task, tmp_path, monkeypatch):
    stopped_for = 1000.0
    task = make_task()
    load, loaded = task.load, []
    clock = SimpleNamespace(perf_counter=lambda: time.perf_counter() + stopped_for * (len(loaded) >= 3))
    monkeypatch.setattr(loop, "time", clock)

    def load_batch(indices):
        loaded.append(indices)
        return load(indices)

    task.load = load_batch
    train(task, RECIPE, tmp_path, ALONE)
    rows = read_metrics(tmp_path / METRICS)
    first = next(row["seconds"] for row in rows if row["event"] == "epoch")
    assert first < stopped_for
    speeds = [row["tokens_per_second"] for row in rows if row["event"] == "step"]
    assert speeds[2] > min(speeds[4:]) / 20 and all(speed > 0 for speed in speeds)


def test_only_the_leading_process_writes_metrics(tmp_path):
    MetricsLog(tmp_path / "none" / METRICS, 0, active=False).write(event="step", epoch=0)
    assert list(tmp_path.iterdir()) == []
    assert read_metrics(tmp_path / METRICS) == []


def test_pairs_longer_than_the_network_s_positions_are_left_out(corpus, tokenizer):
    config = TransformerConfig.preset("tiny", vocabulary_size=len(tokenizer), max_positions=24)
    task = TranslationTask(Transformer(config), tokenizer, corpus, RECIPE)
    costs = [max(len(tokenizer.encode(english)), len(tokenizer.encode(french))) + 1 for english, french in corpus.train]
    assert 0 < len(task.pairs) == sum(cost < 24 for cost in costs) < len(costs)
    assert task.validate(task.network, ALONE.device)["heldout_nll"] > 0
