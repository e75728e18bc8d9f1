"""The training loop on the toy language, in this process."""

import json
import math
import os
import shutil
import time

import pytest
import safetensors
import torch
import torch.nn.functional as F
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from model.networks.config import TransformerConfig
from model.networks.transformer import Transformer
from model.runtime.checkpoint import CheckpointError, load_tensors, save_tensors
from model.training import loop
from model.training.corpus import Corpus
from model.training.loop import CHECKPOINT, METRICS, MetricsLog, read_metrics, train
from model.training.optimizer import Recipe, rate_factor
from model.training.processes import ProcessGroup
from model.training.translation import TranslationTask

ALONE = ProcessGroup(0, 1, torch.device("cpu"))
RECIPE = Recipe(
    epochs=2, batch_tokens=400, learning_rate=0.01, matrix_learning_rate=0.01, warmup_steps=8, average_decay=0.9
)


@pytest.fixture(autouse=True)
def every_step_is_logged(monkeypatch):
    monkeypatch.setattr(loop, "LOG_EVERY", 1)


@pytest.fixture(scope="module")
def make_task(corpus, tokenizer):
    """A fresh tiny network with its data; the same one at every call."""

    def make(recipe: Recipe = RECIPE, data: Corpus = corpus, **changes) -> TranslationTask:
        torch.manual_seed(5)
        config = TransformerConfig.preset("tiny", vocabulary_size=len(tokenizer), **changes)
        return TranslationTask(Transformer(config), tokenizer, data, recipe)

    return make


def losses(folder) -> list[float]:
    return [row["loss"] for row in read_metrics(folder / METRICS) if row["event"] == "step"]


def stop_in_second_epoch(task: TranslationTask, folder, recipe: Recipe = RECIPE) -> None:
    """Train, and fail on the way through the second epoch."""
    whole = task.load
    steps = len(task.plan(0, 1))
    seen = []

    def load(indices):
        seen.append(1)
        if len(seen) > steps + 3:
            raise KeyboardInterrupt
        return whole(indices)

    task.load = load
    with pytest.raises(KeyboardInterrupt):
        train(task, recipe, folder, ALONE)


def test_training_lowers_the_loss_on_seen_and_on_held_out_sentences(make_task, tmp_path):
    task = make_task()
    before = task.validate(task.network, ALONE.device)["heldout_nll"]
    train(task, RECIPE, tmp_path, ALONE)
    seen = losses(tmp_path)
    assert seen[0] == pytest.approx(math.log(340), rel=0.2)  # an untrained network knows nothing
    assert sum(seen[-5:]) / 5 < 0.7 * seen[0]
    after = [row["heldout_nll"] for row in read_metrics(tmp_path / METRICS) if row["event"] == "epoch"]
    assert after[-1] < after[0] < before


def test_the_metrics_file_holds_one_well_formed_json_object_a_line(make_task, tmp_path):
    task = make_task()
    train(task, RECIPE, tmp_path, ALONE)
    rows = [json.loads(line) for line in (tmp_path / METRICS).read_text().splitlines()]
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
            assert row.keys() == {"event", "epoch", "step", "loss", "nll", "rate", "tokens_per_second"}
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
        wanted = target[:, 1:].flatten()
        smoothed = F.cross_entropy(logits, wanted, ignore_index=0, label_smoothing=0.1).item()
        plain = F.cross_entropy(logits, wanted, ignore_index=0).item()
    assert terms == int((wanted != 0).sum())
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
    seen = []

    def keep(*_):
        if task.network.embedding.weight.grad is not None:  # the first of the two optimisers uses it up
            seen.append((task.network.embedding.weight.grad.clone(), task.network.training))

    task.network.eval()
    handle = register_optimizer_step_pre_hook(keep)
    try:
        train(task, recipe, tmp_path, ALONE)
    finally:
        handle.remove()
    torch.testing.assert_close(seen[0][0], expected, rtol=1e-4, atol=1e-6)
    assert all(training for _, training in seen)


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
    seen = []
    handle = register_optimizer_step_post_hook(lambda *_: seen.append(weight.detach().clone()))
    try:
        averaged = train(task, recipe, tmp_path, ALONE)
    finally:
        handle.remove()
    expected = seen[1]  # after the second of two optimisers; the average starts at the first step's weights
    for step in seen[3::2]:
        expected = 0.75 * expected + 0.25 * step
    torch.testing.assert_close(averaged.embedding.weight, expected)
    assert not torch.equal(averaged.embedding.weight, weight)


def test_a_checkpoint_is_written_after_every_epoch(make_task, tmp_path, monkeypatch):
    written = []

    def save(path, tensors, metadata):
        save_tensors(path, tensors, metadata)
        written.append((path, metadata["epoch"], metadata["steps"]))

    monkeypatch.setattr(loop, "save_tensors", save)
    task = make_task()
    train(task, RECIPE, tmp_path, ALONE)
    steps = len(task.plan(0, 1))
    assert written == [(tmp_path / CHECKPOINT, "1", str(steps)), (tmp_path / CHECKPOINT, "2", str(2 * steps))]
    with safetensors.safe_open(tmp_path / CHECKPOINT, framework="pt") as file:
        assert file.metadata()["epoch"] == "2"


@pytest.mark.parametrize("broken", ["fsync", "replace"])
def test_a_checkpoint_that_cannot_be_written_leaves_the_one_before_whole(make_task, tmp_path, monkeypatch, broken):
    whole, calls = getattr(os, broken), []

    def fail(*arguments):
        calls.append(arguments)
        if CHECKPOINT in os.listdir(tmp_path):
            raise OSError(28, "No space left on device")
        return whole(*arguments)

    monkeypatch.setattr(os, broken, fail)
    with pytest.raises(CheckpointError, match="No space left"):
        train(make_task(), RECIPE, tmp_path, ALONE)
    monkeypatch.undo()
    assert sorted(file.name for file in tmp_path.iterdir()) == [CHECKPOINT, METRICS]
    with safetensors.safe_open(tmp_path / CHECKPOINT, framework="pt") as file:
        assert file.metadata()["epoch"] == "1"
    train(make_task(), RECIPE, tmp_path, ALONE, resume=True)
    assert read_metrics(tmp_path / METRICS)[-1]["epoch"] == 1


def test_an_interrupted_and_resumed_run_repeats_an_uninterrupted_one_exactly(make_task, tmp_path):
    expected = train(make_task(), RECIPE, tmp_path / "whole", ALONE)
    stop_in_second_epoch(make_task(), tmp_path / "parts")
    assert len(losses(tmp_path / "parts")) == len(losses(tmp_path / "whole")) // 2 + 3
    averaged = train(make_task(), RECIPE, tmp_path / "parts", ALONE, resume=True)
    assert losses(tmp_path / "parts") == losses(tmp_path / "whole")
    assert all(torch.equal(a, b) for a, b in zip(averaged.parameters(), expected.parameters(), strict=True))


def test_every_epoch_starts_dropout_from_a_seed_of_its_own(make_task, tmp_path):
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


def test_a_run_that_ends_within_an_epoch_is_resumed_there_and_repeats_an_uninterrupted_one(
    make_task, tmp_path, monkeypatch
):
    monkeypatch.setattr(loop, "SEED_EVERY", 2)
    monkeypatch.setattr(loop, "SAVE_EVERY", 0.0)
    whole = train(make_task(), RECIPE, tmp_path / "whole", ALONE)
    task = make_task()
    steps, load, loaded = len(task.plan(0, 1)), task.load, []
    assert steps >= 4

    def killed(indices):
        if len(loaded) == steps + 3:
            raise KeyboardInterrupt
        loaded.append(indices)
        return load(indices)

    task.load = killed
    with pytest.raises(KeyboardInterrupt):
        train(task, RECIPE, tmp_path / "parts", ALONE)
    resumed = make_task()
    again, load_again = [], resumed.load
    resumed.load = lambda indices: (again.append(indices), load_again(indices))[1]
    averaged = train(resumed, RECIPE, tmp_path / "parts", ALONE, resume=True)
    assert again == resumed.plan(1, 1)[2:]  # the epoch's first two steps stayed behind it
    assert all(torch.equal(a, b) for a, b in zip(averaged.parameters(), whole.parameters(), strict=True))
    found, expected = (read_metrics(tmp_path / folder / METRICS) for folder in ("parts", "whole"))
    keep = {"event", "epoch", "step", "loss", "nll", "rate", "steps", "heldout_nll"}
    rows = [{key: row[key] for key in row.keys() & keep} for row in found if row["event"] != "start"]
    assert rows == [{key: row[key] for key in row.keys() & keep} for row in expected if row["event"] != "start"]
    assert [row["after"] for row in found if row["event"] == "start"] == [0, steps + 2]


def test_a_run_can_be_resumed_with_more_epochs(make_task, tmp_path):
    train(make_task(), RECIPE, tmp_path, ALONE)
    longer = Recipe(**{**RECIPE.to_dict(), "epochs": 3})
    train(make_task(longer), longer, tmp_path, ALONE, resume=True)
    rows = read_metrics(tmp_path / METRICS)
    assert [row["epoch"] for row in rows if row["event"] == "epoch"] == [0, 1, 2]
    rates = [row["rate"] for row in rows if row["event"] == "step" and row["epoch"] == 2]
    assert rates[0] == pytest.approx(0.01 / 3)
    assert rates[-1] == pytest.approx(0.01 / 3 / len(rates))


@pytest.mark.parametrize(("merits", "chosen"), [([1, 3, 2, 0], 1), ([2, 1, 2, 0], 2), ([5, None, 4, None], 0)])
def test_the_weights_of_the_epoch_with_the_highest_merit_are_the_result(make_task, tmp_path, merits, chosen):
    recipe = Recipe(**{**RECIPE.to_dict(), "epochs": 4})
    task, seen = make_task(recipe), []

    def validate(network, device):
        seen.append({name: tensor.clone() for name, tensor in network.state_dict().items()})
        merit = merits[len(seen) - 1]
        return {"heldout_nll": 1.0} | ({} if merit is None else {"merit": merit})

    task.validate = validate
    found = train(task, recipe, tmp_path, ALONE).state_dict()
    assert all(torch.equal(found[name], seen[chosen][name]) for name in found)
    assert any(not torch.equal(found[name], seen[3][name]) for name in found)


def test_without_a_merit_the_last_epoch_is_the_result(make_task, tmp_path):
    averaged = train(make_task(), RECIPE, tmp_path, ALONE)
    last, _ = load_tensors(tmp_path / CHECKPOINT)
    assert all(torch.equal(tensor, last[f"average.{name}"]) for name, tensor in averaged.state_dict().items())
    assert not (tmp_path / loop.BEST).exists()


def test_the_best_epoch_is_kept_over_a_resumption(make_task, tmp_path):
    recipe = Recipe(**{**RECIPE.to_dict(), "epochs": 3})
    first, merits = make_task(recipe), iter([7, 1, 2])
    first.validate = lambda network, device: {"heldout_nll": 1.0, "merit": next(merits)}
    stop_in_second_epoch(first, tmp_path, recipe)
    best = {name: tensor.clone() for name, tensor in load_tensors(tmp_path / loop.BEST)[0].items()}
    second = make_task(recipe)
    second.validate = first.validate
    averaged = train(second, recipe, tmp_path, ALONE, resume=True).state_dict()
    assert all(torch.equal(averaged[name], best[name]) for name in best)


def test_the_time_a_run_was_stopped_is_no_time_of_training(make_task, tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "PAUSE", 0.5)
    task = make_task()
    load, loaded = task.load, []

    def stopped(indices):
        loaded.append(indices)
        if len(loaded) == 3:
            time.sleep(3)
        return load(indices)

    task.load = stopped
    train(task, RECIPE, tmp_path, ALONE)
    rows = read_metrics(tmp_path / METRICS)
    first = next(row["seconds"] for row in rows if row["event"] == "epoch")
    assert first < 3
    speeds = [row["tokens_per_second"] for row in rows if row["event"] == "step"]
    assert speeds[2] > min(speeds[4:]) / 20 and all(speed > 0 for speed in speeds)


def test_an_average_with_another_decay_starts_anew_from_the_weights_as_they_are(make_task, tmp_path):
    task = make_task()
    averaged = train(task, RECIPE, tmp_path, ALONE)
    plain = Recipe(**{**RECIPE.to_dict(), "average_decay": 0.0})
    found = train(make_task(plain), plain, tmp_path, ALONE, resume=True)
    for now, before, weights in zip(found.parameters(), averaged.parameters(), task.network.parameters(), strict=True):
        assert torch.equal(now, weights) and not torch.equal(now, before)
    longer = Recipe(**{**plain.to_dict(), "epochs": 3})
    task = make_task(longer)
    found = train(task, longer, tmp_path, ALONE, resume=True)
    assert all(torch.equal(a, b) for a, b in zip(found.parameters(), task.network.parameters(), strict=True))


def test_a_finished_run_resumes_without_another_step(make_task, tmp_path):
    averaged = train(make_task(), RECIPE, tmp_path, ALONE)
    again = train(make_task(), RECIPE, tmp_path, ALONE, resume=True)
    assert all(torch.equal(a, b) for a, b in zip(averaged.parameters(), again.parameters(), strict=True))
    assert [row["epoch"] for row in read_metrics(tmp_path / METRICS) if row["event"] == "epoch"] == [0, 1]


@pytest.fixture(scope="module")
def one_epoch(make_task, tmp_path_factory):
    """A folder with the checkpoint of one epoch."""
    folder = tmp_path_factory.mktemp("one_epoch")
    train(make_task(), Recipe(**{**RECIPE.to_dict(), "epochs": 1}), folder, ALONE)
    return folder


@pytest.fixture
def checkpoint(one_epoch, tmp_path):
    """A copy of that folder, to change."""
    return shutil.copytree(one_epoch, tmp_path / "checkpoint")


def complaint(task: TranslationTask, recipe: Recipe, folder) -> str:
    with pytest.raises(CheckpointError) as error:
        train(task, recipe, folder, ALONE, resume=True)
    text = str(error.value)
    assert "\n" not in text and text.endswith(".")
    return text


@pytest.mark.parametrize("changes", [{"learning_rate": 0.02}, {"seed": 1}, {"batch_tokens": 300}])
def test_a_checkpoint_of_another_recipe_is_refused(make_task, checkpoint, changes):
    recipe = Recipe(**{**RECIPE.to_dict(), **changes})
    before = (checkpoint / METRICS).read_bytes()
    assert "belongs to another recipe; give the same options or another --out." in complaint(
        make_task(recipe), recipe, checkpoint
    )
    assert (checkpoint / METRICS).read_bytes() == before


def test_a_checkpoint_of_another_network_is_refused(make_task, checkpoint):
    assert "do not fit the sizes" in complaint(make_task(d_ff=32), RECIPE, checkpoint)


def test_a_checkpoint_of_other_data_is_refused(make_task, checkpoint, corpus):
    other = Corpus(corpus.train, corpus.heldout, "0" * 64)
    expected = f"The run in {checkpoint} was trained on other data; give the same --data and --heldout."
    assert complaint(make_task(data=other), RECIPE, checkpoint) == expected
    fewer = Corpus(corpus.train, dict(list(corpus.heldout.items())[:3]), corpus.sha256)
    assert complaint(make_task(data=fewer), RECIPE, checkpoint) == expected


@pytest.mark.parametrize("damage", ["missing", "cut", "empty", "no tensors", "no metadata"])
def test_a_checkpoint_that_cannot_be_used_gives_one_sentence(make_task, checkpoint, damage):
    path = checkpoint / CHECKPOINT
    content = path.read_bytes()
    if damage == "missing":
        path.unlink()
    elif damage.startswith("no "):
        tensors, metadata = load_tensors(path)
        save_tensors(path, {} if damage == "no tensors" else tensors, {} if damage == "no metadata" else metadata)
    else:
        path.write_bytes(content[: len(content) // 2] if damage == "cut" else b"")
    text = complaint(make_task(), RECIPE, checkpoint)
    expected = {"missing": "is missing", "cut": "is damaged", "empty": "is damaged"}.get(damage, "is no checkpoint")
    assert CHECKPOINT in text and expected in text


def test_resuming_drops_the_lines_of_the_epoch_that_did_not_finish(tmp_path):
    path = tmp_path / METRICS
    lines = [{"event": "start", "epoch": 0}, {"event": "epoch", "epoch": 0}, {"event": "step", "epoch": 1}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"event": "st')
    assert read_metrics(path) == lines
    log = MetricsLog(path, 1, active=True)
    assert read_metrics(path) == lines[:2]
    log.write(event="start", epoch=1)
    assert read_metrics(path) == [*lines[:2], {"event": "start", "epoch": 1}]


def test_only_the_leading_process_writes_metrics(tmp_path):
    MetricsLog(tmp_path / "none" / METRICS, 0, active=False).write(event="step", epoch=0)
    assert list(tmp_path.iterdir()) == []
    assert read_metrics(tmp_path / METRICS) == []


def test_pairs_longer_than_the_networks_positions_are_left_out(corpus, tokenizer):
    config = TransformerConfig.preset("tiny", vocabulary_size=len(tokenizer), max_positions=24)
    task = TranslationTask(Transformer(config), tokenizer, corpus, RECIPE)
    costs = [max(len(tokenizer.encode(english)), len(tokenizer.encode(french))) + 1 for english, french in corpus.train]
    assert 0 < len(task.pairs) == sum(cost < 24 for cost in costs) < len(costs)
    assert task.validate(task.network, ALONE.device)["heldout_nll"] > 0
