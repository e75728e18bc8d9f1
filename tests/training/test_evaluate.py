"""Scores on held-out sentences."""

from types import SimpleNamespace

import pytest
import sacrebleu

from model.decoding.search import DecodingOptions, beam_search, greedy_batch
from model.translator import Translator
from tests.model.half_trained import half_trained_network
from training import evaluate as module
from training.evaluate import decode_all, evaluate

HELDOUT = {
    "A red car.": ["Une voiture rouge est devant la maison.", "Une auto rouge est devant la maison."],
    "A boat.": ["Le vieux bateau est dans le petit port."],
    "The dog.": ["Le chien noir dort sous le grand arbre.", "Le chien noir dort sous l'arbre.", "Le chien dort là."],
}


@pytest.fixture(scope="module")
def translator(tokenizer):
    """An untrained translator whose translations differ and end."""
    return Translator(half_trained_network(len(tokenizer), 60), tokenizer)


def score(monkeypatch, hypotheses: dict[str, str]):
    monkeypatch.setattr(module, "decode_all", lambda _, sentences, __: [hypotheses[text] for text in sentences])
    spelt = SimpleNamespace(tokenizer=SimpleNamespace(decode="".join))  # every letter is a token
    return evaluate(spelt, HELDOUT)


@pytest.mark.parametrize("place", [0, -1])
def test_any_of_the_references_is_a_perfect_translation(monkeypatch, place):
    scores = score(monkeypatch, {english: options[place] for english, options in HELDOUT.items()})
    assert (scores.bleu, scores.chrf) == pytest.approx((100.0, 100.0))


def test_wrong_translations_have_low_scores(monkeypatch):
    scores = score(monkeypatch, dict.fromkeys(HELDOUT, "Xyz qqq www kkk."))
    assert scores.bleu < 5 and scores.chrf < 10
    partly = score(monkeypatch, {english: options[0][:-12] for english, options in HELDOUT.items()})
    assert 30 < partly.bleu < 90 and 50 < partly.chrf < 95
    hypotheses, most = [options[0][:-12] for options in HELDOUT.values()], max(map(len, HELDOUT.values()))
    references = [[(*options, *[None] * most)[place] for options in HELDOUT.values()] for place in range(most)]
    assert partly.bleu == sacrebleu.corpus_bleu(hypotheses, references).score
    assert partly.chrf == sacrebleu.corpus_chrf(hypotheses, references).score


def test_the_signatures_say_how_to_get_the_scores_again(monkeypatch):
    scores = score(monkeypatch, {english: options[0] for english, options in HELDOUT.items()})
    version = f"version:{sacrebleu.__version__}"
    assert scores.bleu_signature == f"nrefs:var|case:mixed|eff:no|tok:13a|smooth:exp|{version}"
    assert scores.chrf_signature == f"nrefs:var|case:mixed|eff:yes|nc:6|nw:0|space:no|{version}"
    assert vars(scores).keys() == {
        "bleu",
        "chrf",
        "bleu_signature",
        "chrf_signature",
        "seconds",
        "tokens_per_second",
    }


def test_an_empty_evaluation_is_refused():
    with pytest.raises(ValueError, match="There are no held-out sentences to evaluate on."):
        evaluate(None, {})


@pytest.mark.parametrize("beam", [1, 3])
def test_translations_are_in_the_order_of_the_sentences(translator, monkeypatch, beam):
    monkeypatch.setattr(module, "BATCH", 4)
    sentences = [
        "The teacher likes the small black bird.",
        "A boat.",
        "A girl sees a red car.",
        "The dog.",
        "",
        "A cat",
    ]
    sentences += ["My sister finds an apple.", "A boat."]
    expected = []
    for sentence in sentences:
        source = translator.tokenizer.encode_source(sentence)
        if beam == 1:
            ids = greedy_batch(translator.network, [source])[0]
        else:
            ids = beam_search(translator.network, source, DecodingOptions("beam", beam=beam))[0].ids
        expected.append(list(ids))
    assert len(set(map(tuple, expected))) >= 4, "translations must differ for their order to show"
    assert [list(ids) for ids in decode_all(translator, sentences, beam)] == expected


def test_a_sentence_longer_than_the_networks_positions_gets_an_empty_translation(translator):
    long = "the house " * 600
    first, second = decode_all(translator, [long, "A boat."])
    assert first == []
    assert second == decode_all(translator, ["A boat."])[0] != []
    longest = "\0" * (translator.config.max_positions - 2)  # one byte each, a word mark and </s>
    ids = greedy_batch(translator.network, [translator.tokenizer.encode_source(longest)])[0]
    assert decode_all(translator, [longest]) == [ids] != [[]]
