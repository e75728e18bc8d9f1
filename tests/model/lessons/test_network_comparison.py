"""The shipped comparison of the five networks belongs to the shipped weights and agrees with a few pairs."""

import json
import shutil

import pytest
from sacrebleu.metrics import BLEU

from model import RecurrentTranslator, Translator
from model.attribution.alignment_error import LinkCounts, count_links
from model.lessons.network_comparison import (
    FILE,
    LENGTHS,
    NETWORKS,
    TRANSFORMER,
    BleuCounts,
    load_comparison,
    shipped_cards,
    training_differences,
)
from model.recurrent_translator import SHIPPED
from model.runtime.checkpoint import CheckpointError
from model.text.word_alignment import AlignmentTable, find_links
from model.translator import SHIPPED as TRANSLATOR


@pytest.fixture(scope="module")
def cards():
    return shipped_cards()


@pytest.fixture(scope="module")
def hashes(cards):
    return {name: card["weights_sha256"] for name, card in cards.items()}


@pytest.fixture(scope="module")
def shipped(hashes):
    return load_comparison(hashes)


def test_shipped_figures_are_of_the_shipped_weights_and_their_test_set(shipped, cards, hashes):
    assert shipped.weights_sha256 == hashes and tuple(hashes) == NETWORKS
    assert shipped.sentences == cards[TRANSFORMER]["evaluation"]["sentences"]
    assert shipped.facts["data_sha256"] == cards[TRANSFORMER]["data"]["sha256"]
    assert tuple((group.shortest, group.longest) for group in shipped.groups) == LENGTHS
    assert sum(group.sentences for group in shipped.groups) == shipped.sentences


def test_the_counts_of_the_groups_add_up_to_the_bleu_of_the_cards(shipped, cards):
    for name in NETWORKS:
        stated = cards[name]["evaluation"]["greedy"]
        assert shipped.whole(name) == pytest.approx(stated["bleu"], abs=0.01)
        assert shipped.facts["bleu_signature"] == stated["bleu_signature"]
        for group in shipped.groups:
            if group.enough:
                assert group.counts[name].bleu == pytest.approx(group.bleu[name].value, abs=1e-4)
                assert group.bleu[name].low <= group.bleu[name].value <= group.bleu[name].high


def test_bleu_of_all_sentences_and_its_steps_have_bands(shipped):
    for before, name in zip((None, *NETWORKS), NETWORKS, strict=False):
        figure = shipped.bleu[name]
        assert figure.low < figure.value < figure.high
        assert shipped.whole(name) == pytest.approx(figure.value, abs=1e-4)
        if before is not None:
            step = shipped.steps[name]
            assert step.value == pytest.approx(figure.value - shipped.bleu[before].value, abs=1e-4)
            assert step.low < step.value < step.high
            width, *both = (band.high - band.low for band in (step, figure, shipped.bleu[before]))
            assert width < sum(both)  # paired over the same sentences
    assert set(shipped.steps) == set(NETWORKS[1:])


def test_what_differs_besides_the_network_is_read_from_the_cards(cards):
    found = {name: training_differences(name, card) for name, card in cards.items()}
    assert {name: each.epochs for name, each in found.items()} == {
        name: card["training"]["epochs"] for name, card in cards.items()
    }
    assert [each.reads for each in found.values()] == ["backwards", "backwards", "both", "both", "at once"]
    assert all(RecurrentTranslator.load(name, "cpu").config.reads == found[name].reads for name in NETWORKS[:-1])
    assert {name for name, each in found.items() if each.muon} == {TRANSFORMER}
    decays = [found[name].average_decay for name in ("lstm-additive", "lstm-dot", TRANSFORMER)]
    assert decays[0] == 0 < decays[1] < decays[2]


def test_shares_and_their_change_follow_from_the_scores(shipped):
    first, last = shipped.compared
    for name in NETWORKS:
        for group in (first, last):
            share = group.bleu["lstm-vector"].value / group.bleu[name].value
            assert group.share[name].value == pytest.approx(share, abs=1e-4)
        moved = last.share[name].value - first.share[name].value
        assert shipped.change[name].value == pytest.approx(moved, abs=1e-4)
        assert shipped.change[name].low <= moved <= shipped.change[name].high


def test_groups_with_fewer_than_fifty_sentences_do_not_count(shipped):
    assert [group.enough for group in shipped.groups] == [group.sentences >= 50 for group in shipped.groups]
    assert shipped.compared[1].longest == 15 and not shipped.groups[-1].enough


def test_the_alignment_rates_are_of_both_recurrent_networks_and_the_transformer(shipped):
    assert set(shipped.alignment) == {"lstm-additive", "lstm-dot", "transformer", "transformer-head"}
    for rate in shipped.alignment.values():
        for band in (rate.generated, rate.read, rate.recall):
            assert 0 <= band.low <= band.value <= band.high <= 1
    assert shipped.alignment_sentences == shipped.sentences // 2


def test_shipped_rates_agree_with_a_few_pairs_now(shipped, hashes):
    """On four pairs the chosen head finds more links than the mean of its layer, as in the rates."""
    translator = Translator.load(device="cpu")
    links = AlignmentTable.load(TRANSLATOR, translator.card["tokenizer_sha256"])
    pairs = {
        "I want to buy a car.": "Je veux acheter une voiture.",
        "My brother works in a big house.": "Mon frère travaille dans une grande maison.",
        "She reads a book every evening.": "Elle lit un livre chaque soir.",
        "The children are playing in the garden.": "Les enfants jouent dans le jardin.",
    }
    total = {"head": LinkCounts(0, 0, 0), "first layer": LinkCounts(0, 0, 0), "dot": LinkCounts(0, 0, 0)}
    dot = RecurrentTranslator.load("lstm-dot", "cpu")
    for english, french in pairs.items():
        trace = translator.trace(english, target=french)
        reference = find_links(links, trace.source_ids, trace.next_ids)
        weights = trace.attention("cross")
        total["head"] += count_links(weights[shipped.head], reference)
        total["first layer"] += count_links(weights[0].mean(axis=0), reference)
        total["dot"] += count_links(dot.trace(english, target=french).alignment, reference)
    assert total["head"].error < total["dot"].error < total["first layer"].error
    assert shipped.alignment["transformer-head"].generated.value < shipped.alignment["lstm-dot"].generated.value


def test_bleu_of_counts_is_sacrebleus():
    hypotheses = ["Je veux acheter une voiture rouge.", "Il lit un livre sur la table.", "Elle dort."]
    references = ["Je veux acheter une auto rouge.", "Il lit un livre qui est sur la table.", "Elle dort déjà ici."]
    whole = BLEU().corpus_score(hypotheses, [references])
    single = [BLEU(effective_order=True).sentence_score(h, [r]) for h, r in zip(hypotheses, references, strict=True)]
    parts = [BleuCounts(tuple(s.counts), tuple(s.totals), s.sys_len, s.ref_len) for s in single]
    assert (parts[0] + parts[1] + parts[2]).bleu == pytest.approx(whole.score, abs=1e-9)
    assert BleuCounts((1, 0, 0, 0), (2, 1, 0, 0), 2, 2).bleu == 0


def test_a_comparison_of_other_weights_or_a_damaged_one_is_refused(hashes, tmp_path):
    with pytest.raises(CheckpointError, match="There is no comparison.json in .*make comparison"):
        load_comparison(hashes, tmp_path)
    shutil.copy(SHIPPED / FILE, tmp_path / FILE)
    with pytest.raises(CheckpointError, match="belongs to other weights; run `make comparison`"):
        load_comparison(hashes | {"lstm-dot": "0" * 64}, tmp_path)
    content = json.loads((SHIPPED / FILE).read_text())
    for damage in ({"groups": [{}]}, {"head": None}, {"change": 3}):
        (tmp_path / FILE).write_text(json.dumps(content | damage))
        with pytest.raises(CheckpointError, match="is damaged; run `make comparison`"):
            load_comparison(hashes, tmp_path)
