"""Checkpoints of the training loop, and runs resumed from them, on the toy language, in this process."""

import json
import os
import shutil

import pytest
import safetensors
import torch

from model.data.corpus import Corpus
from model.runtime.checkpoint import CheckpointError, load_tensors, save_tensors
from tests.training.conftest import ALONE, RECIPE, losses
from training import loop
from training.loop import CHECKPOINT, METRICS, MetricsLog, read_metrics, train
from training.optimizer import Recipe
from training.translation import TranslationTask

pytestmark = pytest.mark.usefixtures("every_step_is_logged")


@pytest.fixture
def copied_run(finished, tmp_path):
    """A copy of the finished run's folder, to be resumed."""
    return shutil.copytree(finished[2], tmp_path / "copy")


def stop_in_second_epoch(task: TranslationTask, folder, recipe: Recipe = RECIPE) -> None:
    """Train, and fail within the second epoch."""
    whole = task.load
    steps = len(task.plan(0, 1))
    steps_done = []

    def load(indices):
        steps_done.append(1)
        if len(steps_done) > steps + 3:
            raise KeyboardInterrupt
        return whole(indices)

    task.load = load
    with pytest.raises(KeyboardInterrupt):
        train(task, recipe, folder, ALONE)


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


@pytest.mark.nightly
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


def test_an_interrupted_and_resumed_run_repeats_an_uninterrupted_one_exactly(make_task, finished, tmp_path):
    _, expected, whole = finished
    stop_in_second_epoch(make_task(), tmp_path)
    assert len(losses(tmp_path)) == len(losses(whole)) // 2 + 3
    averaged = train(make_task(), RECIPE, tmp_path, ALONE, resume=True)
    assert losses(tmp_path) == losses(whole)
    assert all(torch.equal(a, b) for a, b in zip(averaged.parameters(), expected.parameters(), strict=True))


@pytest.mark.nightly
def test_a_run_killed_within_an_epoch_resumes_there_and_repeats_an_uninterrupted_one(make_task, tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "SEED_EVERY", 2)
    monkeypatch.setattr(loop, "SAVE_EVERY", 0.0)
    whole = train(make_task(), RECIPE, tmp_path / "whole", ALONE)
    task = make_task()
    steps, load, loaded = len(task.plan(0, 1)), task.load, []
    assert steps >= 4

    def kill_in_second_epoch(indices):
        if len(loaded) == steps + 3:
            raise KeyboardInterrupt
        loaded.append(indices)
        return load(indices)

    task.load = kill_in_second_epoch
    with pytest.raises(KeyboardInterrupt):
        train(task, RECIPE, tmp_path / "parts", ALONE)
    resumed = make_task()
    again, load_again = [], resumed.load
    resumed.load = lambda indices: (again.append(indices), load_again(indices))[1]
    averaged = train(resumed, RECIPE, tmp_path / "parts", ALONE, resume=True)
    assert again == resumed.plan(1, 1)[2:]  # the epoch's first two steps are not repeated
    assert all(torch.equal(a, b) for a, b in zip(averaged.parameters(), whole.parameters(), strict=True))
    rows_of_parts, expected = (read_metrics(tmp_path / folder / METRICS) for folder in ("parts", "whole"))
    keep = {"event", "epoch", "step", "loss", "nll", "rate", "steps", "heldout_nll"}
    rows = [{key: row[key] for key in row.keys() & keep} for row in rows_of_parts if row["event"] != "start"]
    assert rows == [{key: row[key] for key in row.keys() & keep} for row in expected if row["event"] != "start"]
    assert [row["after"] for row in rows_of_parts if row["event"] == "start"] == [0, steps + 2]


def test_a_run_can_be_resumed_with_more_epochs(make_task, copied_run):
    longer = Recipe(**{**RECIPE.to_dict(), "epochs": 3})
    train(make_task(longer), longer, copied_run, ALONE, resume=True)
    rows = read_metrics(copied_run / METRICS)
    assert [row["epoch"] for row in rows if row["event"] == "epoch"] == [0, 1, 2]
    rates = [row["rate"] for row in rows if row["event"] == "step" and row["epoch"] == 2]
    assert rates[0] == pytest.approx(0.01 / 3)
    assert rates[-1] == pytest.approx(0.01 / 3 / len(rates))


@pytest.mark.nightly
def test_the_best_epoch_is_retained_when_a_run_is_resumed(make_task, tmp_path):
    recipe = Recipe(**{**RECIPE.to_dict(), "epochs": 3})
    first, merits = make_task(recipe), iter([7, 1, 2])
    first.validate = lambda network, device: {"heldout_nll": 1.0, "merit": next(merits)}
    stop_in_second_epoch(first, tmp_path, recipe)
    best = {name: tensor.clone() for name, tensor in load_tensors(tmp_path / loop.BEST)[0].items()}
    second = make_task(recipe)
    second.validate = first.validate
    averaged = train(second, recipe, tmp_path, ALONE, resume=True).state_dict()
    assert all(torch.equal(averaged[name], best[name]) for name in best)


def test_an_average_with_another_decay_restarts_from_the_current_weights(make_task, finished, copied_run):
    task, averaged, _ = finished
    plain = Recipe(**{**RECIPE.to_dict(), "average_decay": 0.0})
    resumed = train(make_task(plain), plain, copied_run, ALONE, resume=True)
    for current, before, weights in zip(
        resumed.parameters(), averaged.parameters(), task.network.parameters(), strict=True
    ):
        assert torch.equal(current, weights) and not torch.equal(current, before)
    longer = Recipe(**{**plain.to_dict(), "epochs": 3})
    task = make_task(longer)
    resumed = train(task, longer, copied_run, ALONE, resume=True)
    assert all(torch.equal(a, b) for a, b in zip(resumed.parameters(), task.network.parameters(), strict=True))


def test_a_finished_run_resumes_without_another_step(make_task, finished, copied_run):
    again = train(make_task(), RECIPE, copied_run, ALONE, resume=True)
    assert all(torch.equal(a, b) for a, b in zip(finished[1].parameters(), again.parameters(), strict=True))
    assert [row["epoch"] for row in read_metrics(copied_run / METRICS) if row["event"] == "epoch"] == [0, 1]


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


def resume_error(task: TranslationTask, recipe: Recipe, folder) -> str:
    with pytest.raises(CheckpointError) as error:
        train(task, recipe, folder, ALONE, resume=True)
    text = str(error.value)
    assert "\n" not in text and text.endswith(".")
    return text


@pytest.mark.parametrize("changes", [{"learning_rate": 0.02}, {"seed": 1}, {"batch_tokens": 300}])
def test_a_checkpoint_of_another_recipe_is_refused(make_task, checkpoint, changes):
    recipe = Recipe(**{**RECIPE.to_dict(), **changes})
    before = (checkpoint / METRICS).read_bytes()
    assert "belongs to another recipe; give the same options or another --out." in resume_error(
        make_task(recipe), recipe, checkpoint
    )
    assert (checkpoint / METRICS).read_bytes() == before


def test_a_checkpoint_of_another_network_is_refused(make_task, checkpoint):
    assert "do not fit the sizes" in resume_error(make_task(d_ff=32), RECIPE, checkpoint)


def test_a_checkpoint_of_other_data_is_refused(make_task, checkpoint, corpus):
    other = Corpus(corpus.train, corpus.heldout, "0" * 64)
    expected = f"The run in {checkpoint} was trained on other data; give the same --data, --heldout and --validation."
    assert resume_error(make_task(data=other), RECIPE, checkpoint) == expected
    fewer = Corpus(corpus.train, dict(list(corpus.heldout.items())[:3]), corpus.sha256)
    assert resume_error(make_task(data=fewer), RECIPE, checkpoint) == expected


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
    text = resume_error(make_task(), RECIPE, checkpoint)
    expected = {"missing": "is missing", "cut": "is damaged", "empty": "is damaged"}.get(damage, "is not a checkpoint")
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
