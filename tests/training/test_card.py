"""The finished folder: weights, card, and refused data and files."""

import json
import shutil

import pytest
import torch

from model.data.corpus import Corpus, read_corpus
from model.runtime.checkpoint import CheckpointError, load_tensors, sha256_of
from model.translator import Translator
from tests.training.conftest import EPOCHS
from training.card import evaluate_translator
from training.loop import CHECKPOINT
from training.readable_card import loss_text, pairs_text


@pytest.fixture
def folder(trained, tmp_path):
    """A copy of the finished translator."""
    return shutil.copytree(trained, tmp_path / "copy")


def test_the_weights_are_the_averaged_ones_in_half_precision(trained):
    tensors, _ = load_tensors(trained / "model.safetensors")
    checkpoint, _ = load_tensors(trained / CHECKPOINT)
    averaged = {name: tensor for name, tensor in checkpoint.items() if name.startswith("average.")}
    assert {f"average.{name}" for name in tensors} == averaged.keys()
    for name, tensor in tensors.items():
        assert tensor.dtype == torch.float16
        assert torch.equal(tensor, averaged[f"average.{name}"].half())


def test_the_finished_translator_loads_and_translates(trained):
    translator = Translator.load(trained, "cpu")
    tensors, _ = load_tensors(trained / "model.safetensors")
    for name, parameter in translator.network.named_parameters():
        assert parameter.dtype == torch.float32
        assert torch.equal(parameter, tensors[name].float())
    assert translator.translate("The cat sees the house.").endswith(".")


def test_the_card_states_the_measured_figures(trained, corpus, data_file):
    card = json.loads((trained / "card.json").read_text())
    assert card["weights_sha256"] == sha256_of(trained / "model.safetensors")
    assert card["weights_bytes"] == (trained / "model.safetensors").stat().st_size
    assert card["tokenizer_sha256"] == sha256_of(trained / "tokenizer.model")
    assert card["data"]["sha256"] == sha256_of(data_file)
    assert card["data"]["training_pairs"] == len(corpus.train)
    assert "CC BY 2.0 FR" in card["data"]["licence"]
    metrics = [json.loads(line) for line in (trained / "metrics.jsonl").read_text().splitlines()]
    epochs = [row for row in metrics if row["event"] == "epoch"]
    assert card["training"]["epochs"] == EPOCHS == len(epochs)
    assert card["training"]["steps"] == epochs[-1]["steps"]
    assert card["training"]["heldout_nll"] == [row["heldout_nll"] for row in epochs]
    assert card["training"]["recipe"]["batch_tokens"] == 60
    assert card["training"]["processes"] == 1 and len(card["training"]["hardware"]) == 1
    assert card["evaluation"]["sentences"] == len(corpus.heldout)
    assert card["evaluation"]["references"] == sum(map(len, corpus.heldout.values()))
    for decoding in ("greedy", "beam 4"):
        assert 0 < card["evaluation"][decoding]["bleu"] <= 100
        assert 0 < card["evaluation"][decoding]["chrf"] <= 100
    translator = Translator.load(trained, "cpu")
    assert card["parameters"] == sum(parameter.numel() for parameter in translator.network.parameters())


def test_the_readable_card_states_the_figures_of_the_other(trained):
    card = json.loads((trained / "card.json").read_text())
    text = (trained / "card.md").read_text()
    evaluation, training = card["evaluation"], card["training"]
    for name in ("greedy", "beam 4"):
        scores = evaluation[name]
        assert f"| {name} | {scores['bleu']:.2f} | {scores['chrf']:.2f} | {scores['seconds']:.1f} |" in text
    for figure in (
        evaluation["greedy"]["bleu_signature"],
        evaluation["greedy"]["chrf_signature"],
        card["weights_sha256"],
        card["tokenizer_sha256"],
        card["data"]["sha256"],
        card["data"]["licence"],
        card["data"]["source"],
        training["hardware"][0],
        training["torch"][0],
        f"{card['parameters']:,} parameters",
        f"{card['data']['training_pairs']:,} pairs to train on",
        f"{training['minutes']:.1f} minutes for {training['epochs']} epochs, {training['steps']:,} steps",
        f"by these weights: {evaluation['nll']:.3f} on all translations ({evaluation['heldout_nll']:.3f} on first",
        "peak rate 0.01",
        "20 warm-up steps",
    ):
        assert figure in text, figure


def test_a_figure_states_the_translations_that_it_was_measured_on():
    figures = {"heldout_nll": 1.886, "nll": 1.828, "references": 2896, "scored": 2896}
    assert loss_text(figures) == "1.828 on all translations (1.886 on first translations)"
    assert loss_text(figures | {"scored": 2675}) == (
        "1.828 on the 2,675 of 2,896 translations that it has positions for (1.886 on first translations among these)"
    )
    assert loss_text({"heldout_nll": 1.886}) == "1.886 on first translations"  # a card of an earlier version
    assert pairs_text({"training_pairs": 158_590}) == "158,590 pairs to train on"
    assert pairs_text({"training_pairs": 158_590, "used_pairs": 146_415, "longest_tokens": 16}) == (
        "146,415 pairs to train on: those of at most 16 tokens a side, of 158,590"
    )


def test_evaluating_again_gives_the_same_scores_and_preserves_the_rest_of_the_card(folder, corpus):
    before = json.loads((folder / "card.json").read_text())
    card = evaluate_translator(folder, corpus, "cpu")
    assert card == json.loads((folder / "card.json").read_text())
    for name in ("greedy", "beam 4"):
        for score in ("bleu", "chrf", "bleu_signature", "chrf_signature"):
            assert card["evaluation"][name][score] == before["evaluation"][name][score]
    assert {key: card[key] for key in before if key != "evaluation"} == {
        key: before[key] for key in before if key != "evaluation"
    }


def test_fewer_held_out_sentences_are_allowed_and_more_are_not(folder, data_file):
    fewer = read_corpus(data_file, 2)
    assert evaluate_translator(folder, fewer, "cpu")["evaluation"]["sentences"] == 2
    with pytest.raises(ValueError, match="was trained on some of these held-out sentences; give a smaller --heldout"):
        evaluate_translator(folder, read_corpus(data_file, 7), "cpu")


def test_another_data_file_is_refused_and_the_card_stays(folder, corpus):
    before = (folder / "card.json").read_bytes()
    other = Corpus(corpus.train, corpus.heldout, "0" * 64)
    with pytest.raises(ValueError, match="not the one the translator was trained on, so no sentence is held out"):
        evaluate_translator(folder, other, "cpu")
    assert (folder / "card.json").read_bytes() == before


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.model"])
def test_a_tampered_file_is_refused(folder, corpus, name):
    content = bytearray((folder / name).read_bytes())
    content[-100] ^= 1
    (folder / name).write_bytes(content)
    with pytest.raises(CheckpointError, match=f"{name.replace('.', '[.]')}.* does not match its recorded SHA-256"):
        evaluate_translator(folder, corpus, "cpu")


@pytest.mark.parametrize("name", ["card.json", "config.json", "model.safetensors", "tokenizer.model"])
def test_a_missing_file_is_named(folder, corpus, name):
    (folder / name).unlink()
    with pytest.raises(CheckpointError, match=name.replace(".", "[.]")) as error:
        evaluate_translator(folder, corpus, "cpu")
    assert "\n" not in str(error.value)
