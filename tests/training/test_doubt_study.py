"""Thresholds of doubt: chosen by hand-made figures, and measured on a small translator."""

import shutil

import numpy as np
import pytest
import torch

from model.data.corpus import read_split
from model.decoding.doubt import FILE, DoubtThresholds
from model.runtime.checkpoint import read_json, sha256_of, write_json
from model.translator import SHIPPED, Translator
from tests.model.half_trained import half_trained_network
from training.__main__ import main
from training.card import write_weights
from training.doubt_study import (
    DOUBT,
    choose_mean_threshold,
    choose_token_threshold,
    compute_token_probabilities,
    mark_in_references,
    translate,
)
from training.readable_card import write_readable_card


def test_the_token_threshold_makes_the_fewest_errors():
    chances = np.array([0.1, 0.2, 0.3, 0.5, 0.7, 0.9])
    assert choose_token_threshold(chances, np.array([0, 0, 1, 0, 1, 1], bool)) == 0.21  # one error; so does 0.51
    assert choose_token_threshold(chances, np.array([0, 0, 0, 0, 1, 1], bool)) == 0.51
    assert choose_token_threshold(chances, np.ones(6, bool)) == 0  # nothing is wrong: nothing is marked


def test_the_mean_threshold_splits_by_quality():
    means = np.linspace(0.005, 0.995, 100)
    assert choose_mean_threshold(means, np.where(means < 0.6, 20.0, 70.0)) == pytest.approx(0.6)
    assert choose_mean_threshold(np.full(9, 0.8), np.arange(9.0)) == 0  # no threshold has sentences on both sides


def test_tokens_count_as_often_as_the_best_reference_has_them(tokenizer):
    two, one = "le chien le", "le chat"
    ids = [*tokenizer.encode("le le le chat"), tokenizer.eos_id]
    assert mark_in_references(tokenizer, tokenizer.encode(two), [two]).all()
    marks = mark_in_references(tokenizer, ids, [two, one])
    again = tokenizer.encode("le")[0]
    places = [place for place, token in enumerate(ids) if token == again]
    assert [bool(marks[place]) for place in places] == [True, True, False][: len(places)] and not marks[-1]


@pytest.fixture(scope="module")
def translator(tokenizer):
    """An untrained translator whose translations differ and end."""
    return Translator(half_trained_network(len(tokenizer), 60), tokenizer)


@torch.inference_mode()
def test_probabilities_in_padded_batches_are_those_of_single_traces(translator):
    sentences = {"A red car.": ["Une voiture."], "The dog sleeps under the old tree.": ["Le chien."], "A": ["Un"]}
    scored = translate(translator, sentences)
    sources = [translator.tokenizer.encode_source(text) for text in sentences]
    for number, text in enumerate(sentences):
        trace = translator.trace(text)
        assert scored.texts[text] == trace.target_text
        (alone,) = compute_token_probabilities(translator, [sources[number]], [trace.next_ids])
        expected = [row.probability for row in trace.predictions(1)]
        np.testing.assert_allclose(alone, expected, atol=1e-5)
        ordinary = [
            chance
            for chance, token in zip(expected, trace.next_ids, strict=True)
            if token != translator.tokenizer.eos_id
        ]
        np.testing.assert_allclose(scored.tokens[number], ordinary, atol=1e-5)
        assert scored.means[number] == pytest.approx(np.exp(np.log(expected).mean()), abs=1e-5)


@pytest.fixture
def folder(tokenizer, translator, data_file, tmp_path):
    """A folder as training writes it, of a network that was trained before there were validation sentences."""
    folder = tmp_path / "network"
    folder.mkdir()
    shutil.copy(tokenizer.path, folder / "tokenizer.model")
    write_json(folder / "config.json", translator.config.to_dict())
    corpus = read_split(data_file, 6, 4)
    card = read_json(SHIPPED / "card.json") | write_weights(folder, translator.network)
    card["tokenizer_sha256"] = sha256_of(folder / "tokenizer.model")
    card["data"] |= {"sha256": corpus.sha256, "training_pairs": len(corpus.outside_test)}
    write_json(folder / "card.json", card)
    write_readable_card(folder)
    return folder


def test_the_command_chooses_on_validation_sentences_and_states_both_splits(folder, data_file, capsys):
    command = ["doubt", "--model", str(folder), "--data", str(data_file), "--heldout", "6", "--device", "cpu"]
    assert main([*command, "--sentences", "4"]) == 0
    assert "token below" in capsys.readouterr().out
    figures = read_json(folder / FILE)
    assert (figures["validation"]["sentences"], figures["heldout"]["sentences"]) == (4, 6)
    assert figures["trained_on_validation"]
    for split in ("validation", "heldout"):
        parts = figures[split]["means"]
        assert parts["below"]["sentences"] + parts["above"]["sentences"] == figures[split]["sentences"]
    model = Translator.load(folder, "cpu")
    assert model.doubt_thresholds == DoubtThresholds(*figures["thresholds"].values(), figures)
    scored = translate(model, read_split(data_file, 6, 4).validation)
    chosen = choose_token_threshold(np.concatenate(scored.tokens), np.concatenate(scored.right))
    assert figures["thresholds"]["token"] == chosen
    section = DOUBT.block(folder, {"weights_sha256": model.weights_sha256})
    assert "trained on the validation sentences" in section and section in (folder / "card.md").read_text()
    assert DOUBT.block(folder, {"weights_sha256": "other"}) == ""


def test_other_data_and_no_sentences_are_refused(folder, data_file, capsys):
    command = ["doubt", "--model", str(folder), "--data", str(data_file), "--device", "cpu"]
    assert main([*command, "--heldout", "6", "--sentences", "0"]) == 2
    assert "nothing to choose on" in capsys.readouterr().err
    card = read_json(folder / "card.json")
    card["data"]["sha256"] = "another"
    write_json(folder / "card.json", card)
    assert main([*command, "--heldout", "6", "--sentences", "4"]) == 2
    assert "not the one the translator was trained on" in capsys.readouterr().err
    assert not (folder / FILE).exists()


def test_the_shipped_card_has_the_shipped_figures():
    section = DOUBT.block(SHIPPED, read_json(SHIPPED / "card.json"))
    assert section and section in (SHIPPED / "card.md").read_text()
