"""Training a finished translator further."""

import json
import shutil

import pytest
import torch

from model.data.corpus import read_corpus
from model.networks.transformer import Transformer
from model.runtime.checkpoint import CheckpointError, load_tensors, load_weights
from model.runtime.training_record import METRICS, read_metrics
from tests.training.conftest import EPOCHS
from tests.training.programs import toy_training
from training.__main__ import main
from training.card import training_facts
from training.continued_training import read_earlier_training
from training.loop import CHECKPOINT
from training.optimizer import Recipe
from training.readable_card import fill_training

pytestmark = pytest.mark.nightly  # whole trainings


def words(*arguments) -> list[str]:
    return [str(argument) for argument in arguments]


@pytest.fixture(scope="module")
def further_run(trained, data_file, tmp_path_factory):
    """The folder of one epoch more, with other rates."""
    out = tmp_path_factory.mktemp("further") / "translator"
    options = toy_training(data_file, out, epochs=EPOCHS + 1, learning_rate=0.004)
    assert main(words(*options, "--start-from", trained)) == 0
    return out


def test_metrics_and_steps_continue(trained, further_run):
    before, after = read_metrics(trained / METRICS), read_metrics(further_run / METRICS)
    assert after[: len(before)] == before
    ends = [row for row in after if row["event"] == "epoch"]
    assert [row["epoch"] for row in ends] == list(range(EPOCHS + 1))
    a_pass = ends[0]["steps"]
    assert ends[-1]["steps"] == ends[-2]["steps"] + a_pass
    assert after[len(before)]["begun"] == {"epoch": EPOCHS, "steps": ends[-2]["steps"]}
    assert (further_run / "tokenizer.model").read_bytes() == (trained / "tokenizer.model").read_bytes()


def test_the_first_step_starts_from_the_weights_and_from_the_bottom_of_the_warm_up(trained, data_file):
    corpus = read_corpus(data_file, 6)
    earlier = read_earlier_training(trained, corpus, Recipe(epochs=EPOCHS + 1))
    network = Transformer(earlier.config)
    load_weights(network, earlier.tensors, "the earlier run")
    tensors, _ = load_tensors(trained / "model.safetensors")
    assert all(torch.equal(tensor, tensors[name].float()) for name, tensor in network.state_dict().items())


def test_the_card_states_the_restart(further_run):
    card = json.loads((further_run / "card.json").read_text())
    assert [restart["epoch"] for restart in card["training"]["restarts"]] == [EPOCHS + 1]
    before = card["training"]["restarts"][0]["before"]["learning_rate"]
    assert f"Warm restart at epoch {EPOCHS + 1}: a new optimiser" in (further_run / "card.md").read_text()
    assert f"peak rates were {before:g} and" in fill_training(card["training"])
    assert card["training"]["epochs"] == EPOCHS + 1


def test_a_killed_continued_run_resumes_its_schedule(further_run, data_file, tmp_path):
    _, metadata = load_tensors(further_run / CHECKPOINT)
    assert json.loads(metadata["start"])["epoch"] == EPOCHS
    options = toy_training(data_file, further_run, epochs=EPOCHS + 1, learning_rate=0.004)
    lines = (further_run / METRICS).read_text()
    assert main(words(*options, "--resume")) == 0  # finished: only a line that reports it is added
    assert (further_run / METRICS).read_text().startswith(lines)
    facts = training_facts(further_run, Recipe(epochs=EPOCHS + 1))
    assert len(facts["restarts"]) == 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"epochs": EPOCHS}, f"has trained for {EPOCHS} epochs; give --epochs more than that."),
        ({"epochs": 9, "heldout": 9}, "trained on some of these held-out sentences"),
    ],
)
def test_runs_that_cannot_be_continued_are_refused_before_anything_is_written(
    capsys, trained, data_file, tmp_path, options, sentence
):
    arguments = toy_training(data_file, tmp_path / "out", **options)
    assert main(words(*arguments, "--start-from", trained)) == 2
    assert sentence in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_record_without_a_finished_epoch_cannot_be_continued(trained, data_file, tmp_path):
    folder = shutil.copytree(trained, tmp_path / "copy")
    (folder / METRICS).unlink()
    with pytest.raises(CheckpointError, match="no metrics.jsonl with a finished epoch"):
        read_earlier_training(folder, read_corpus(data_file, 6), Recipe(epochs=9))
