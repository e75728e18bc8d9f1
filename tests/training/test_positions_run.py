"""Networks that differ in their positions, from training to the cards of both studies, on the toy language."""

import json
import shutil

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from model import InputError, Translator
from model.attribution.head_ablation import ablate_translation_heads
from model.data.corpus import read_split
from model.lessons.head_formation import FILE as FORMATION
from model.lessons.positions_compared import FILE
from model.networks.config import POSITION_KINDS, TransformerConfig, part_sizes
from model.networks.transformer import Transformer
from model.position_translator import PositionTranslator
from model.runtime.checkpoint import CheckpointError, load_tensors, load_weights, read_snapshot
from tests.training.programs import as_words, reproducible_rows, run_in_process
from training import loop, positions_study
from training.__main__ import main
from training.loop import read_metrics
from training.optimizer import Recipe
from training.position_networks import MOST_PARAMETERS, positions_config
from training.positions_study import all_sentences, encode_pairs, of_length, pair_losses
from training.snapshots import is_stored, read_losses, select_steps
from training.translation import TranslationTask

SPLIT = {"heldout": 12, "validation": 10}
LONGEST = 20  # most sentences of the toy language have 14 to 24 tokens
FEWEST = 30  # pairs with which BLEU is claimed


def toy_positions(data, out, tokenizer, **options) -> list[object]:
    """Arguments that train a network with some kind of positions on the short pairs of the toy language."""
    chosen = {
        "tokenizer": tokenizer,
        "longest_tokens": LONGEST,
        "device": "cpu",
        "precision": "fp32",
        "warmup_steps": 5,
        "learning_rate": 0.01,
        "matrix_learning_rate": 0.01,
        "average_decay": 0.8,
        "batch_tokens": 200,
        "epochs": 3,
        **SPLIT,
        **options,
    }
    return ["positions", "--data", data, "--out", out, *as_words(chosen)]


@pytest.fixture(scope="module", autouse=True)
def every_step_is_logged():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "LOG_EVERY", 1)
        yield


@pytest.fixture(scope="module")
def folders(data_file, tokenizer, tmp_path_factory):
    """Two finished runs: sinusoids with snapshots, and a learned table. Tests that change them copy them first."""
    out = tmp_path_factory.mktemp("positions")
    run_in_process(*toy_positions(data_file, out / "sinusoidal-0", tokenizer.path, kind="sinusoidal"), "--snapshots")
    run_in_process(*toy_positions(data_file, out / "learned-0", tokenizer.path, kind="learned", epochs=1))
    return out / "sinusoidal-0", out / "learned-0"


@pytest.fixture(scope="module")
def split(data_file):
    return read_split(data_file, **{f"{name.replace('heldout', 'test')}_sentences": n for name, n in SPLIT.items()})


def test_all_kinds_have_the_same_sizes_below_the_limit():
    configs = {kind: positions_config(kind, 8000) for kind in POSITION_KINDS}
    counts = {kind: sum(part.total for part in part_sizes(config)) for kind, config in configs.items()}
    assert counts == dict.fromkeys(POSITION_KINDS, 1_290_240) | {"learned": 1_290_240 + 17 * 96}
    assert max(counts.values()) <= MOST_PARAMETERS
    with pytest.raises(
        ValueError, match=r"With 9,000 tokens the network has 1,386,240 parameters, more than 1,300,000"
    ):
        positions_config("none", 9000)
    with pytest.raises(ValueError, match="longest_tokens is 0; it must be at least 1"):
        positions_config("none", 8000, 0)


def test_steps_are_selected_by_equal_falls_of_the_loss():
    losses = {0: 9.0, 1: 8.9, 2: 8.0, 3: 6.2, 4: 5.9, 5: 5.0, 9: 3.1, 20: 3.0, 90: 2.9}
    assert select_steps(losses, 4) == [0, 2 + 1, 5, 90]
    assert select_steps(losses, 9) == sorted(losses)
    assert select_steps({step: 9.0 - step / 100 for step in range(111)}, 12) == list(range(0, 111, 10))
    flat = select_steps(dict.fromkeys(range(20), 1.0), 12)
    assert len(set(flat)) == 12 and flat == sorted(flat) and (flat[0], flat[-1]) == (0, 19)
    with pytest.raises(ValueError, match="3 stored steps are too few to select 12 of them; train longer"):
        select_steps({0: 1.0, 1: 0.5, 2: 0.2})
    stored = [step for step in range(6000) if is_stored(step)]
    assert stored[:6] == [0, 1, 2, 3, 4, 5] and 60 < len(stored) < 80
    assert max(np.diff(stored) / np.array(stored[1:])) <= 1 / 1.12 + 0.2


@pytest.mark.nightly
def test_a_run_trains_on_short_pairs_and_writes_half_precision_and_a_card(folders, split, tokenizer):
    folder, learned = folders
    rows = read_metrics(folder / "metrics.jsonl")
    steps = [row for row in rows if row["event"] == "step"]
    assert steps[-1]["nll"] < steps[0]["nll"] - 1 and all(row["gradient_norm"] > 0 for row in steps)
    assert all("at most 20 tokens a side" in row["data"] for row in rows if row["event"] == "start")
    tensors, _ = load_tensors(folder / "model.safetensors")
    assert {tensor.dtype for tensor in tensors.values()} == {torch.float16}
    card, text = json.loads((folder / "card.json").read_text()), (folder / "card.md").read_text()
    assert card["data"]["longest_tokens"] == LONGEST and card["evaluation"]["sentences"] == SPLIT["heldout"]
    assert "translator with sinusoidal positions" in text and "(Vaswani et al. 2017, section 3.5)" in text
    assert "It has 21 positions: longer sentences are refused" in (learned / "card.md").read_text()
    task = TranslationTask(Transformer(PositionTranslator.load(folder).config), tokenizer, split, Recipe(), 16)
    short = [pair for pair in split.train if max(len(tokenizer.encode(text)) for text in pair) <= 16]
    assert 0 < len(task.pairs) == len(short) < len(split.train)


@pytest.mark.nightly
def test_the_learned_table_refuses_longer_sentences_in_one_sentence(folders):
    learned = PositionTranslator.load(folders[1])
    assert learned.config.max_positions == 21 and learned.network.positions.shape == (21, 96)
    with pytest.raises(InputError, match=r"That sentence has \d+ tokens and the model reads at most 20"):
        learned.translate("The teacher finds the small black bird. " * 4)


@pytest.fixture(scope="module")
def compared(folders, data_file, tmp_path_factory):
    """The folder with the comparison of both networks."""
    out = tmp_path_factory.mktemp("compared")
    words = ["positions-study", "--data", data_file, "--out", out, "--sentences", 4, "--heldout", SPLIT["heldout"]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(positions_study, "FEWEST_PAIRS", FEWEST)
        run_in_process(*words, "--device", "cpu", "--models", *folders)
    return out


@pytest.mark.nightly
def test_losses_by_length_are_those_of_single_pairs(folders, compared, split, tokenizer):
    result, translator = json.loads((compared / FILE).read_text()), PositionTranslator.load(folders[0])
    within = [group for group in result["groups"] if group["longest"] <= LONGEST]
    beyond = [group for group in result["groups"] if group["longest"] > LONGEST]
    assert within and beyond
    for group in (within[-1], beyond[0]):
        if group in within:
            sentences = of_length(split.heldout, tokenizer, group["shortest"], group["longest"], LONGEST)
        else:
            sentences = of_length(all_sentences(split), tokenizer, group["shortest"], group["longest"], None)
        total = count = 0.0
        for english, translations in sentences.items():
            for french in translations:
                source, target = tokenizer.encode_source(english), tokenizer.encode_target(french)
                with torch.no_grad():
                    logits = translator.network(torch.tensor([source]), torch.tensor([target[:-1]]))[0]
                total += float(F.cross_entropy(logits, torch.tensor(target[1:]), reduction="sum"))
                count += len(target) - 1
        figures = group["networks"]["sinusoidal-0"]
        assert group["pairs"] == sum(map(len, sentences.values())) and group["sentences"] == len(sentences)
        assert figures["loss"]["value"] == pytest.approx(total / count, rel=1e-4)
        assert figures["loss"]["low"] <= figures["loss"]["value"] <= figures["loss"]["high"]
        assert (figures["bleu"] is not None) == (group["pairs"] >= FEWEST)
    for group in beyond:  # the learned table ends before
        assert group["networks"]["learned-0"] == {"loss": None, "bleu": None}
    assert all(group["networks"]["learned-0"]["loss"] for group in within)


@pytest.mark.nightly
def test_the_comparison_states_networks_intervals_and_what_is_not_claimed(compared, folders):
    result, text = json.loads((compared / FILE).read_text()), (compared / "positions.md").read_text()
    for folder in folders:
        card = json.loads((folder / "card.json").read_text())
        assert result["networks"][folder.name]["weights_sha256"] == card["weights_sha256"]
        assert card["weights_sha256"] in text
    changes = result["shuffled"]["sinusoidal-0"]
    assert all(figure["low"] <= figure["value"] <= figure["high"] for figure in changes.values())
    assert changes["both"]["value"] != changes["encoder"]["value"]
    assert {group["networks"]["sinusoidal-0"]["bleu"] is None for group in result["groups"]} == {True, False}
    assert "| not claimed | \u2013 |" in text and "not claimed for fewer than 30 pairs" in text


@pytest.mark.nightly
def test_a_network_of_other_lengths_is_not_compared(folders, trained, data_file, tmp_path, capsys):
    words = ["positions-study", "--data", data_file, "--out", tmp_path, "--heldout", 6, "--models", trained]
    assert main([str(word) for word in words]) == 2
    assert "not trained on pairs of the same lengths; give those of `positions`" in capsys.readouterr().err


@pytest.mark.nightly
def test_snapshots_are_the_weights_of_their_steps(folders):
    folder, learned = folders
    losses = read_losses(folder)
    last = [row for row in read_metrics(folder / "metrics.jsonl") if row["event"] == "epoch"][-1]["steps"]
    assert min(losses) == 0 and max(losses) == last and len(losses) > 12
    assert losses[0] > losses[last] + 1
    noted = {
        row["step"]: row["heldout_nll"]
        for row in read_metrics(folder / "metrics.jsonl")
        if row["event"] == "observation"
    }
    assert all(noted[step] == loss for step, loss in losses.items() if step in noted)
    torch.manual_seed(0)
    fresh = Transformer(TransformerConfig.from_dict(json.loads((folder / "config.json").read_text())))
    assert all(
        torch.equal(tensor.half().float(), read_snapshot(folder, 0)[name])
        for name, tensor in fresh.state_dict().items()
    )
    with pytest.raises(CheckpointError, match="There are no snapshots in .*; train it with --snapshots"):
        read_losses(learned)


@pytest.mark.nightly
def test_heads_are_measured_at_twelve_steps(folders, data_file, split, tokenizer, tmp_path):
    folder = shutil.copytree(folders[0], tmp_path / "sinusoidal-0")
    words = ["formation", "--data", data_file, "--sentences", 2, "--heldout", SPLIT["heldout"], "--device", "cpu"]
    run_in_process(*words, "--models", folder, "--remove-others")
    result, text = json.loads((folder / FORMATION).read_text()), (folder / "formation.md").read_text()
    steps, run = result["steps"], result["runs"][0]
    assert steps == select_steps(read_losses(folders[0])) and sorted(read_losses(folder)) == steps
    assert run["curves"].keys() == {"step", "loss", "nll", "rate", "gradient_norm"} and run["seed"] == 0
    network = Transformer(PositionTranslator.load(folder).config)
    load_weights(network, read_snapshot(folder, steps[5]), "")
    translator = Translator(network, tokenizer)
    pairs = [
        (english, french[0]) for english, french in of_length(split.heldout, tokenizer, 1, LONGEST, LONGEST).items()
    ][:2]
    changes = [ablate_translation_heads(network, translator.trace(e, target=f)).changes["cross"] for e, f in pairs]
    effects = run["heads"][5]["cross"]["effects"]
    for layer, head in np.ndindex(2, 8):
        assert effects[layer][head]["value"] == pytest.approx(np.mean([c[layer, head] for c in changes]), abs=2e-5)
    for role, heads in run["forms"].items():
        for head in heads:
            assert head["step"] in steps and len(head["effects"]) == 12
            assert head["needed_at_end"] == (head["effects"][-1]["low"] > 0), role
            assert f"| 0 | {role} | {head['kind']} {head['layer'] + 1}.{head['head'] + 1} | {head['step']:,} |" in text
    assert f"| {steps[-1]:,} | {run['heldout_nll'][-1]:.3f} |" in text


@pytest.mark.nightly
def test_a_stopped_run_with_snapshots_repeats_an_uninterrupted_one(
    folders, data_file, tokenizer, tmp_path, monkeypatch
):
    whole, parts, loaded, load = folders[0], tmp_path / "parts", [], TranslationTask.load

    def load_until_stopped(task, indices):
        loaded.append(indices)
        if len(loaded) == 30:
            raise KeyboardInterrupt
        return load(task, indices)

    monkeypatch.setattr(TranslationTask, "load", load_until_stopped)
    words = toy_positions(data_file, parts, tokenizer.path, kind="sinusoidal")
    with pytest.raises(KeyboardInterrupt):
        run_in_process(*words, "--snapshots")
    monkeypatch.undo()
    monkeypatch.setattr(loop, "LOG_EVERY", 1)
    run_in_process(*words, "--snapshots", "--resume")
    assert reproducible_rows(parts) == reproducible_rows(whole)
    assert read_losses(parts) == read_losses(whole)
    assert (parts / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()


@pytest.mark.nightly
def test_losses_of_pairs_beyond_the_positions_are_none(folders, tokenizer):
    pairs = encode_pairs(tokenizer, {"the cat " * 20: ["le chat"]})
    assert pair_losses(PositionTranslator.load(folders[1]).network, pairs) is None
