"""The shipped recurrent networks: the figures of their cards, measured on their weights."""

import json

import pytest

from model import RecurrentTranslator, Translator
from model.networks.recurrent_config import RecurrentConfig
from model.recurrent_translator import SHIPPED, TOKENIZER
from model.runtime.checkpoint import sha256_of
from model.runtime.training_record import training_curves

LOWEST_BLEU = {"rnn-vector": 9, "lstm-vector": 34, "lstm-additive": 42, "lstm-dot": 40}
every_network = pytest.mark.parametrize("name", LOWEST_BLEU)


@pytest.fixture(scope="module")
def shipped():
    return {name: RecurrentTranslator.load(name, "cpu") for name in LOWEST_BLEU}


def test_every_shipped_folder_is_a_known_network():
    assert {path.name for path in SHIPPED.iterdir() if path.is_dir()} == set(LOWEST_BLEU)


@every_network
def test_the_files_are_small_and_described(shipped, name):
    translator, folder = shipped[name], SHIPPED / name
    assert (folder / "model.safetensors").stat().st_size <= 10e6
    assert translator.card["weights_sha256"] == translator.weights_sha256 == sha256_of(folder / "model.safetensors")
    assert translator.card["tokenizer_sha256"] == sha256_of(TOKENIZER) and not (folder / "tokenizer.model").exists()
    assert translator.config == RecurrentConfig.preset(name)
    curves = training_curves(folder)
    assert curves.heldout_nlls[-1] == translator.card["training"]["heldout_nll"][-1]
    assert {path.name for path in folder.iterdir() if path.name != "checkpoint.safetensors"} == {
        "card.json", "card.md", "config.json", "metrics.jsonl", "model.safetensors",
    }  # fmt: skip


@every_network
def test_the_card_states_the_required_scores_on_the_translators_test_set(shipped, name):
    card, reference = shipped[name].card, json.loads((TOKENIZER.parent / "card.json").read_text())
    assert card["data"]["sha256"] == reference["data"]["sha256"]
    assert card["data"]["training_pairs"] == reference["data"]["training_pairs"]
    evaluation = card["evaluation"]
    for figure in ("sentences", "references"):
        assert evaluation[figure] == reference["evaluation"][figure]
    greedy = evaluation["greedy"]
    for figure in ("bleu_signature", "chrf_signature"):
        assert greedy[figure] == reference["evaluation"]["greedy"][figure]
    assert greedy["bleu"] >= LOWEST_BLEU[name]
    text = shipped[name].card_markdown
    stated = [f"{greedy['bleu']:.2f}", f"{greedy['chrf']:.2f}", f"{evaluation['heldout_nll']:.3f}"]
    stated += [f"{card['training']['minutes']} minutes", f"{greedy['tokens_per_second']:,} a second"]
    assert all(figure in text for figure in stated)


@every_network
def test_the_check_holds_on_the_shipped_weights(shipped, name):
    for text in ("I am a student.", "The animal didn't cross the street because it was too tired.", "나는 학생입니다."):
        figures = shipped[name].trace(text, target="Je suis étudiant.").verify()
        assert figures.max_difference < 1e-5
        assert figures.row_sum_error < 1e-6 and figures.masked_weight == 0


def test_the_attention_of_the_shipped_networks_finds_the_word_it_translates(shipped):
    for name in ("lstm-additive", "lstm-dot"):
        if name in shipped:
            trace = shipped[name].trace("I want to buy a car.", target="Je veux acheter une voiture.")
            row = [token.strip("\u2009") for token in trace.next_tokens].index("voiture")
            assert trace.source_tokens[int(trace.alignment[row].argmax())].strip("\u2009") == "car"


def test_they_translate_short_sentences_as_the_transformer_does(shipped):
    transformer = Translator.load(device="cpu")
    for text in ("Thank you.", "I am tired."):
        assert shipped["lstm-additive"].translate(text) == transformer.translate(text)
