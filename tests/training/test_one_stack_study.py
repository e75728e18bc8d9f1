"""The study of the decoder-only network beside the translator: intervals by hand, and the whole command."""

import json
import shutil

import numpy as np
import pytest
import torch

from model.language_model import LanguageModel
from model.lessons.one_stack import following_losses, sum_heads
from model.lessons.one_stack_heldout import FILE, load_one_stack
from model.networks.decoder_only import DecoderOnlyConfig, DecoderOnlyTransformer
from model.runtime.checkpoint import CheckpointError, read_json, write_json
from training.__main__ import main
from training.card import write_weights
from training.evaluate import evaluate
from training.one_stack_study import loss_intervals


@pytest.fixture
def language(folders, tmp_path):
    """An untrained decoder-only network with the toy translator's tokenizer and data."""
    transformer, _ = folders
    card, folder = read_json(transformer / "card.json"), tmp_path / "language"
    torch.manual_seed(0)
    vocabulary = read_json(transformer / "config.json")["vocabulary_size"]
    config = DecoderOnlyConfig(vocabulary, d_model=16, n_heads=2, n_layers=2, d_ff=32, max_positions=128)
    write_json(folder / "config.json", config.to_dict())
    shutil.copy(transformer / "tokenizer.model", folder)
    facts = {"tokenizer_sha256": card["tokenizer_sha256"], "data": card["data"]}
    write_json(folder / "card.json", write_weights(folder, DecoderOnlyTransformer(config)) | facts)
    return folder


def test_the_command_measures_the_network_and_binds_the_file_to_both_weights(folders, language, data_file, corpus):
    transformer, _ = folders
    words = ["one-stack", "--data", data_file, "--model", language, "--translator", transformer, "--heldout", 6]
    assert main([str(word) for word in (*words, "--device", "cpu")]) == 0
    hashes = {
        "transformer": read_json(transformer / "card.json")["weights_sha256"],
        "decoder-only": read_json(language / "card.json")["weights_sha256"],
    }
    study, model = load_one_stack(hashes, language), LanguageModel.load(language, "cpu")
    assert study.to_dict() == json.loads((language / FILE).read_text()) | {"weights_sha256": hashes}
    assert study.sentences == len(corpus.heldout) == 6 and study.alignment_sentences == 3
    scored = evaluate(model, corpus.heldout)
    assert study.bleu.value == pytest.approx(scored.bleu, abs=0.01)
    assert study.chrf.value == pytest.approx(scored.chrf, abs=0.01)
    stated = read_json(transformer / "card.json")["evaluation"]["greedy"]["bleu"]
    assert study.step.value == pytest.approx(study.bleu.value - stated, abs=0.01)
    assert all(speed > 0 for speed in study.tokens_per_second.values())
    pairs = [(english, french[0]) for english, french in corpus.heldout.items()][3:]
    traces = [model.trace(english, french) for english, french in pairs]
    losses = np.concatenate([following_losses(trace) for trace in traces])
    assert study.causal.value == pytest.approx(losses.mean(), abs=1e-4)
    sums = [sum_heads(trace, None) for trace in traces]
    np.testing.assert_allclose(study.heads.first, (sums[0] + sums[1] + sums[2]).measures.first, atol=1e-5)
    assert study.prefix_change.value == pytest.approx(study.prefix.value - study.causal.value, abs=2e-5)
    with pytest.raises(CheckpointError, match="other weights"):
        load_one_stack(hashes | {"transformer": "0"}, language)


def test_losses_are_weighted_by_tokens_and_compared_on_the_same_sentences():
    intervals = loss_intervals(np.array([[2.0, 4.0, 2.0], [9.0, 15.0, 6.0]] * 50))
    assert intervals["causal"].value == pytest.approx(11 / 8) and intervals["prefix"].value == pytest.approx(19 / 8)
    change = intervals["prefix_change"]
    assert [change.low, change.value, change.high] == pytest.approx([1, 1, 1])  # every sentence loses one nat per token
    assert intervals["causal"].low < intervals["causal"].value < intervals["causal"].high


def test_data_that_the_network_was_trained_on_is_refused(folders, language, data_file, capsys):
    words = ["one-stack", "--data", data_file, "--model", language, "--translator", folders[0], "--heldout", 7]
    assert main([str(word) for word in words]) == 2
    assert "was trained on some of these held-out sentences" in capsys.readouterr().err
    assert not (language / FILE).exists()
