"""The training program on recurrent networks, from start to card, on the toy language."""

import json
import shutil
from functools import cache
from itertools import pairwise

import pytest

from model import RecurrentTranslator
from model.networks.recurrent_config import VARIANTS
from tests.tiers import nightly
from tests.training.programs import reproducible_rows, run, run_in_process, toy_recurrent
from tests.training.small_recurrent import SMALL
from training import loop
from training.__main__ import main
from training.loop import read_metrics
from training.translation import TranslationTask


@pytest.fixture(autouse=True, scope="module")
def small_networks():
    """Networks of a few units, and every step in the metrics file."""
    with pytest.MonkeyPatch.context() as patch:
        for kind, values in SMALL.items():
            patch.setitem(VARIANTS, kind, values)
        patch.setattr(loop, "LOG_EVERY", 1)
        yield


@pytest.fixture(scope="module")
def finished(data_file, tokenizer, tmp_path_factory):
    """A function: kind -> folder of a finished run of one epoch, trained once. Tests that change it copy it first."""

    @cache
    def train(kind: str):
        folder = tmp_path_factory.mktemp(kind)
        run_in_process(*toy_recurrent(data_file, folder, tokenizer.path, kind, epochs=1))
        return folder

    return train


@pytest.mark.parametrize("kind", [kind if kind == "lstm-dot" else nightly(kind) for kind in VARIANTS])
def test_a_short_run_lowers_the_loss_and_leaves_a_card_of_measured_figures(kind, finished):
    folder = finished(kind)
    rows = read_metrics(folder / "metrics.jsonl")
    losses = [row["nll"] for row in rows if row["event"] == "step"]
    assert len(losses) > 20 and losses[0] > 5  # nats; a uniform distribution over 340 tokens has 5.8
    assert all(sum(after) < sum(before) for before, after in pairwise([losses[:5], losses[5:10], losses[-5:]]))
    heldout = [row["heldout_nll"] for row in rows if row["event"] == "epoch"]
    assert len(heldout) == 1 and heldout[0] < 1.5
    card = json.loads((folder / "card.json").read_text())
    text = (folder / "card.md").read_text()
    assert f"# Model card: English-French translator {kind}" in text
    assert card["training"]["heldout_nll"] == heldout
    stored = card["evaluation"]["heldout_nll"]  # by the weights in half precision
    assert stored == pytest.approx(heldout[0], rel=1e-2) and f"({stored:.3f} on first translations)" in text
    translator = RecurrentTranslator.load(folder, "cpu")
    assert card["parameters"] == translator.parameters and f"{translator.parameters:,} parameters" in text
    greedy = card["evaluation"]["greedy"]
    assert f"| greedy | {greedy['bleu']:.2f} | {greedy['chrf']:.2f} |" in text
    speeds = card["training"]["tokens_per_second"], greedy["tokens_per_second"]
    assert min(speeds) > 0 and all(f"{speed:,}" in text for speed in speeds)
    assert f"Time: {card['training']['minutes']:.1f} minutes for 1 epochs" in text
    reversed_source = "from the last token to the first" in text
    assert reversed_source == kind.endswith("vector")


def test_evaluating_again_writes_the_same_scores(finished, data_file, tmp_path):
    folder = shutil.copytree(finished("rnn-vector"), tmp_path / "copy")
    before = json.loads((folder / "card.json").read_text())
    run_in_process("evaluate", "--data", data_file, "--heldout", 6, "--model", folder, "--device", "cpu")
    after = json.loads((folder / "card.json").read_text())
    for method in ("greedy", "beam 4"):
        for figure in ("bleu", "chrf"):
            assert after["evaluation"][method][figure] == before["evaluation"][method][figure]
    assert after["weights_sha256"] == before["weights_sha256"]


@pytest.mark.nightly
def test_a_resumed_run_repeats_an_uninterrupted_one(data_file, tokenizer, tmp_path, monkeypatch):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    loaded, load = [], TranslationTask.load

    def load_and_count(task, indices):
        loaded.append(indices)
        return load(task, indices)

    monkeypatch.setattr(TranslationTask, "load", load_and_count)
    run_in_process(*toy_recurrent(data_file, whole, tokenizer.path, "rnn-vector", epochs=2))
    steps = len(loaded) // 2

    def load_until_stopped(task, indices):
        if len(loaded) == 3 * steps + 5:  # in the second epoch
            raise KeyboardInterrupt
        return load_and_count(task, indices)

    monkeypatch.setattr(TranslationTask, "load", load_until_stopped)
    run_in_process(*toy_recurrent(data_file, parts, tokenizer.path, "rnn-vector", epochs=2), status=130)  # as Ctrl+C
    assert [row["epoch"] for row in read_metrics(parts / "metrics.jsonl") if row["event"] == "epoch"] == [0]
    monkeypatch.undo()
    run_in_process(*toy_recurrent(data_file, parts, tokenizer.path, "rnn-vector", epochs=2), "--resume")
    assert reproducible_rows(parts) == reproducible_rows(whole)
    assert (parts / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()


@pytest.mark.nightly
def test_two_processes_train_as_one_does(data_file, tokenizer, tmp_path, monkeypatch):
    one, two = tmp_path / "one", tmp_path / "two"
    monkeypatch.setattr(loop, "LOG_EVERY", 25)  # as in the processes
    same = {"epochs": 1, "dropout": 0, "precision": "fp32"}
    program = "tests.training.small_recurrent"
    run_in_process(*toy_recurrent(data_file, one, tokenizer.path, "lstm-dot", **same, batch_tokens=240))
    run(
        *toy_recurrent(data_file, two, tokenizer.path, "lstm-dot", **same, batch_tokens=120),
        processes=2,
        program=program,
    )
    for alone, together in zip(reproducible_rows(one), reproducible_rows(two), strict=True):
        assert alone.pop("event") == together.pop("event")
        assert alone == pytest.approx(together, rel=1e-3)


def test_another_kind_cannot_resume_from_a_checkpoint(finished, data_file, tokenizer, tmp_path, capsys):
    folder = shutil.copytree(finished("lstm-dot"), tmp_path / "copy")
    options = toy_recurrent(data_file, folder, tokenizer.path, "lstm-vector", epochs=1)
    assert main([*map(str, options), "--resume"]) == 2
    assert "contains a network of other sizes" in capsys.readouterr().err
