"""The training program on the decoder-only network, from start to card, on the toy language."""

import json
import math
import shutil
from itertools import pairwise

import pytest
import torch
import torch.nn.functional as F

from model.data.corpus import read_split
from model.language_model import LanguageModel
from model.networks.decoder_only import DecoderOnlyConfig, DecoderOnlyTransformer
from tests.training.programs import as_words, reproducible_rows, run_in_process
from training import loop
from training.__main__ import main
from training.language import LanguageStep, LanguageTask
from training.loop import read_metrics
from training.optimizer import Recipe

HELDOUT, VALIDATION = 6, 8


def toy_language(data, out, tokenizer, **options) -> list[object]:
    """Arguments that train a decoder-only network of a few units on the toy language."""
    chosen = {
        "tokenizer": tokenizer,
        "heldout": HELDOUT,
        "validation": VALIDATION,
        "device": "cpu",
        "d_model": 32,
        "n_heads": 2,
        "n_layers": 2,
        "d_ff": 64,
        "warmup_steps": 10,
        "learning_rate": 0.02,
        "matrix_learning_rate": 0.02,
        "average_decay": 0.9,
        "batch_tokens": 200,
        "epochs": 2,
        **options,
    }
    return ["language", "--data", data, "--out", out, *as_words(chosen)]


@pytest.fixture(scope="module", autouse=True)
def every_step_is_logged():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "LOG_EVERY", 1)
        yield


@pytest.fixture(scope="module")
def finished(data_file, tokenizer, tmp_path_factory):
    """The folder of a finished run. Tests that change it copy it first."""
    out = tmp_path_factory.mktemp("language") / "run"
    run_in_process(*toy_language(data_file, out, tokenizer.path))
    return out


@pytest.fixture(scope="module")
def split(data_file):
    return read_split(data_file, HELDOUT, VALIDATION)


@pytest.fixture(scope="module")
def task(split, tokenizer):
    torch.manual_seed(3)
    config = DecoderOnlyConfig(len(tokenizer), d_model=16, n_heads=2, n_layers=2, d_ff=32, dropout=0)
    return LanguageTask(DecoderOnlyTransformer(config), tokenizer, split, Recipe(batch_tokens=300), 0.25)


def test_the_loss_is_of_both_sides_with_the_english_side_weighted(task, tokenizer, split):
    indices = max(task.plan(0, 1), key=len)
    (ids, lengths), terms = task.load(indices)
    loss, nll = task.step.eval()(ids, lengths)
    weighted = plain = count = 0.0
    smoothing = task.recipe.label_smoothing
    for index in indices:
        english, french = split.train[index]
        source, target = tokenizer.encode_source(english), tokenizer.encode_target(french)[1:]
        text = torch.tensor([source + target])
        logits = task.network.project(task.network.states(text[:, :-1]))[0]
        smooth = F.cross_entropy(logits, text[0, 1:], reduction="none", label_smoothing=smoothing)
        weights = torch.tensor([0.25] * (len(source) - 1) + [1.0] * len(target))
        weighted += float((smooth.detach() * weights).sum())
        plain += float(F.cross_entropy(logits.detach(), text[0, 1:], reduction="sum"))
        count += len(source) + len(target) - 1
    assert terms == count and len(indices) > 3
    assert loss.item() == pytest.approx(weighted, rel=1e-4) and nll.item() == pytest.approx(plain, rel=1e-4)


def test_every_pair_is_in_one_batch_of_at_most_the_given_positions(task, split):
    plan = task.plan(0, 1)
    assert sorted(index for batch in plan for index in batch) == list(range(len(split.train)))
    for batch in plan:
        (ids, _), _ = task.load(batch)
        assert ids.shape[0] * (ids.shape[1] - 1) <= 300


def test_validation_measures_both_sides_of_the_validation_sentences(task, tokenizer, split):
    figures = task.validate(task.network, torch.device("cpu"))
    totals, counts = [0.0, 0.0], [0, 0]
    for english, (french, *_) in split.validation.items():
        source, target = tokenizer.encode_source(english), tokenizer.encode_target(french)[1:]
        text = torch.tensor([source + target])
        with torch.no_grad():
            logits = task.network.project(task.network.states(text[:, :-1]))[0]
        nll = F.cross_entropy(logits, text[0, 1:], reduction="none")
        for side, part in enumerate((nll[len(source) - 1 :], nll[: len(source) - 1])):
            totals[side] += float(part.sum())
            counts[side] += len(part)
    assert figures["heldout_nll"] == pytest.approx(totals[0] / counts[0], rel=1e-4)
    assert figures["english_nll"] == pytest.approx(totals[1] / counts[1], rel=1e-4)


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_gradients_reach_every_weight(task, precision):
    network = DecoderOnlyTransformer(task.network.config)
    step = LanguageStep(network, 0.1, 0.5)
    tensors, _ = task.load(task.plan(0, 1)[0])
    with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16"):
        loss, _ = step(*tensors)
    loss.backward()
    assert all(bool(parameter.grad.abs().sum() > 0) for parameter in network.parameters())


@pytest.mark.nightly
def test_a_short_run_lowers_the_loss_and_leaves_a_card_of_measured_figures(finished, split):
    rows = read_metrics(finished / "metrics.jsonl")
    losses = [row["nll"] for row in rows if row["event"] == "step"]
    assert len(losses) > 20 and losses[0] > 5
    assert all(sum(after) < sum(before) for before, after in pairwise([losses[:5], losses[5:10], losses[-5:]]))
    assert {"heldout_nll", "english_nll"} <= [row for row in rows if row["event"] == "epoch"][-1].keys()
    card, text = json.loads((finished / "card.json").read_text()), (finished / "card.md").read_text()
    assert "# Model card: English-French language model" in text
    assert card["data"]["split"] == split.counts() and card["training"]["source_weight"] == 0.5
    evaluation = card["evaluation"]
    assert evaluation["sentences"] == HELDOUT and evaluation["validation"]["sentences"] == VALIDATION
    assert evaluation["english_nll"].keys() == {"test", "without near duplicates", "validation"}
    for loss in evaluation["english_nll"].values():
        assert f"| {loss:.3f} | {math.exp(loss):.1f} |" in text
    ends = [row for row in rows if row["event"] == "epoch"]
    assert evaluation["english_nll"]["validation"] == pytest.approx(ends[-1]["english_nll"], rel=1e-2)  # half precision
    assert evaluation["validation"]["heldout_nll"] == pytest.approx(ends[-1]["heldout_nll"], rel=1e-2)
    assert "Loss of the English tokens times 0.5" in text


@pytest.mark.nightly
def test_the_finished_network_loads_translates_and_completes(data_file, tokenizer, tmp_path):
    out = tmp_path / "longer"
    run_in_process(*toy_language(data_file, out, tokenizer.path, epochs=4, d_model=48))
    model = LanguageModel.load(out, "cpu")
    assert model.translate("The cat sees the house.") in ("Le chat voit la maison.", "Le chat aperçoit la maison.")
    completed = model.complete("My sister finds")
    assert completed.startswith("My sister finds ") and completed.endswith(".")


@pytest.mark.nightly
def test_evaluating_again_writes_the_same_scores(finished, data_file, tmp_path):
    folder = shutil.copytree(finished, tmp_path / "copy")
    before = json.loads((folder / "card.json").read_text())
    run_in_process("evaluate", "--data", data_file, "--heldout", HELDOUT, "--model", folder, "--device", "cpu")
    after = json.loads((folder / "card.json").read_text())
    assert after["evaluation"]["english_nll"] == before["evaluation"]["english_nll"]
    assert after["evaluation"]["greedy"]["bleu"] == before["evaluation"]["greedy"]["bleu"]


@pytest.mark.nightly
def test_a_stopped_run_resumes_and_repeats_an_uninterrupted_one(
    finished, data_file, tokenizer, tmp_path, monkeypatch, capsys
):
    parts, loaded, load = tmp_path / "parts", [], LanguageTask.load
    steps = len([row for row in read_metrics(finished / "metrics.jsonl") if row["event"] == "step"]) // 2

    def load_until_stopped(task, indices):
        loaded.append(indices)
        if len(loaded) == steps + 5:  # in the second epoch
            raise KeyboardInterrupt
        return load(task, indices)

    monkeypatch.setattr(LanguageTask, "load", load_until_stopped)
    with pytest.raises(KeyboardInterrupt):
        run_in_process(*toy_language(data_file, parts, tokenizer.path))
    monkeypatch.undo()
    monkeypatch.setattr(loop, "LOG_EVERY", 1)
    for options, message in (
        ({"source_weight": 0.75}, "was trained on other data"),
        ({"n_layers": 3}, "other sizes"),
    ):
        words = [*map(str, toy_language(data_file, parts, tokenizer.path, **options)), "--resume"]
        assert main(words) == 2 and message in capsys.readouterr().err
    run_in_process(*toy_language(data_file, parts, tokenizer.path), "--resume")
    assert reproducible_rows(parts) == reproducible_rows(finished)
    assert (parts / "model.safetensors").read_bytes() == (finished / "model.safetensors").read_bytes()


def test_a_weight_outside_its_range_is_refused(data_file, tokenizer, tmp_path, capsys):
    options = toy_language(data_file, tmp_path / "out", tokenizer.path, source_weight=1.5)
    assert main([str(word) for word in options]) == 2
    assert "source_weight is 1.5; it must be from 0 to 1." in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
