"""The training program on recurrent networks, from start to card, on the toy language."""

import json
import time
from itertools import pairwise

import pytest
import torch

from model import RecurrentTranslator
from model.networks.recurrent_config import VARIANTS
from model.training import loop
from model.training.__main__ import main
from model.training.loop import read_metrics
from tests.model.training.programs import finish, reproducible_rows, run, run_here, start, toy_recurrent


@pytest.mark.parametrize("kind", VARIANTS)
def test_a_short_run_lowers_the_loss_and_leaves_a_card_of_measured_figures(
    kind, data_file, tokenizer, tmp_path, monkeypatch
):
    monkeypatch.setattr(loop, "LOG_EVERY", 1)
    run_here(*toy_recurrent(data_file, tmp_path, tokenizer.path, kind, epochs=1))
    rows = read_metrics(tmp_path / "metrics.jsonl")
    losses = [row["nll"] for row in rows if row["event"] == "step"]
    assert len(losses) > 20 and losses[0] > 5  # nats; an even guess among 340 tokens has 5.8
    assert all(sum(after) < sum(before) for before, after in pairwise([losses[:5], losses[5:10], losses[-5:]]))
    heldout = [row["heldout_nll"] for row in rows if row["event"] == "epoch"]
    assert len(heldout) == 1 and heldout[0] < 1.5
    card = json.loads((tmp_path / "card.json").read_text())
    text = (tmp_path / "card.md").read_text()
    assert f"# Model card: English-French translator {kind}" in text
    assert card["training"]["heldout_nll"] == heldout
    stored = card["evaluation"]["heldout_nll"]  # by the weights in half precision
    assert stored == pytest.approx(heldout[0], rel=1e-2) and f"by these weights: {stored:.3f}" in text
    translator = RecurrentTranslator.load(tmp_path, "cpu")
    assert card["parameters"] == translator.parameters and f"{translator.parameters:,} parameters" in text
    greedy = card["evaluation"]["greedy"]
    assert f"| greedy | {greedy['bleu']:.2f} | {greedy['chrf']:.2f} |" in text
    speeds = card["training"]["tokens_per_second"], greedy["tokens_per_second"]
    assert min(speeds) > 0 and all(f"{speed:,}" in text for speed in speeds)
    assert f"Time: {card['training']['minutes']} minutes for 1 epochs" in text
    reversed_source = "from the last token to the first" in text
    assert reversed_source == kind.endswith("vector")


def test_evaluating_again_writes_the_same_scores(data_file, tokenizer, tmp_path):
    run_here(*toy_recurrent(data_file, tmp_path, tokenizer.path, "rnn-vector", epochs=1))
    before = json.loads((tmp_path / "card.json").read_text())
    run_here("evaluate", "--data", data_file, "--heldout", 6, "--model", tmp_path, "--device", "cpu")
    after = json.loads((tmp_path / "card.json").read_text())
    for method in ("greedy", "beam 4"):
        for figure in ("bleu", "chrf"):
            assert after["evaluation"][method][figure] == before["evaluation"][method][figure]
    assert after["weights_sha256"] == before["weights_sha256"]


def test_a_resumed_run_repeats_an_uninterrupted_one(data_file, tokenizer, tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    run_here(*toy_recurrent(data_file, whole, tokenizer.path, "lstm-additive", epochs=2))
    program = start(*toy_recurrent(data_file, parts, tokenizer.path, "lstm-additive", epochs=2))
    try:
        while program.poll() is None and not (parts / "checkpoint.safetensors").exists():
            time.sleep(0.02)  # the program needs the processor
    finally:
        program.kill()
        finish(program)
    run_here(*toy_recurrent(data_file, parts, tokenizer.path, "lstm-additive", epochs=2), "--resume")
    assert reproducible_rows(parts) == reproducible_rows(whole)
    assert (parts / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()


def test_two_processes_train_as_one_does(data_file, tokenizer, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    same = {"epochs": 1, "dropout": 0, "precision": "fp32"}
    run_here(*toy_recurrent(data_file, one, tokenizer.path, "lstm-dot", **same, batch_tokens=240))
    run(*toy_recurrent(data_file, two, tokenizer.path, "lstm-dot", **same, batch_tokens=120), processes=2)
    for alone, together in zip(reproducible_rows(one), reproducible_rows(two), strict=True):
        assert alone.pop("event") == together.pop("event")
        assert alone == pytest.approx(together, rel=1e-3)


def test_another_kind_cannot_go_on_from_a_checkpoint(data_file, tokenizer, tmp_path, capsys):
    options = [str(word) for word in toy_recurrent(data_file, tmp_path, tokenizer.path, "lstm-dot", epochs=1)]
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        assert main(options) == 0
        options[options.index("lstm-dot")] = "lstm-vector"
        assert main([*options, "--resume"]) == 2
    finally:
        torch.set_num_threads(threads)
    assert "holds a network of other sizes" in capsys.readouterr().err
