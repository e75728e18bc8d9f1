"""The split into training, validation and test sentences, and what cards say about it."""

import json
import random
import shutil

import pytest

from model.data.corpus import CorpusError, read_corpus, read_split
from model.data.near_duplicates import normalize_english, normalize_french, without_near_duplicates
from model.lessons.network_comparison import DISTINCT
from model.translator import Translator
from tests.model.toy_language import toy_pairs
from tests.training.conftest import ALONE
from tests.training.programs import run_in_process, toy_training
from training.__main__ import main
from training.card import evaluate_translator
from training.evaluate import DECODINGS, evaluate
from training.readable_card import fill_near_duplicates
from training.study import held_out_card
from training.templates import fill
from training.translation import TranslationTask, describe_data

TEST, VALIDATION = 9, 12


@pytest.fixture(scope="module")
def near_file(tmp_path_factory):
    """The toy language, where many sentences are also written in capitals or have another's French."""
    pairs = toy_pairs()
    shouted = [(english.upper().replace(".", "!"), f"Oh : {french}") for english, french in pairs[::3]]
    borrowed = [(f"Indeed, {english}", french.replace(".", " !")) for english, french in pairs[1::3]]
    lines = [f"{english}\t{french}\n" for english, french in pairs + shouted + borrowed]
    path = tmp_path_factory.mktemp("near") / "near.tsv"
    path.write_text("".join(lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def split(near_file):
    return read_split(near_file, TEST, VALIDATION)


def test_the_test_sentences_are_those_of_the_split_without_validation(near_file, split):
    before = read_corpus(near_file, TEST)
    assert list(split.heldout.items()) == list(before.heldout.items())
    assert sorted(split.outside_test) == sorted(before.train)
    assert read_split(near_file, TEST, 0) == before


def test_no_training_pair_is_a_near_duplicate_of_a_test_or_validation_sentence(split):
    held = split.heldout | split.validation
    english = {normalize_english(text) for text in held}
    french = {normalize_french(text) for translations in held.values() for text in translations}
    assert len(split.validation) == VALIDATION and not split.validation.keys() & split.heldout.keys()
    assert split.train and split.same_english and split.same_french
    for pair in split.train:
        assert normalize_english(pair[0]) not in english and normalize_french(pair[1]) not in french
    assert all(normalize_english(pair[0]) in english for pair in split.same_english)
    for pair in split.same_french:
        assert normalize_english(pair[0]) not in english and normalize_french(pair[1]) in french
    assert without_near_duplicates(held, split.train) == held


def test_validation_sentences_are_no_near_duplicates_of_test_sentences(split):
    pairs = [(english, french) for english, options in split.heldout.items() for french in options]
    assert without_near_duplicates(split.validation, pairs) == split.validation


def test_the_counts_are_of_every_pair_once(near_file, split):
    counts = split.counts()
    assert counts["test_sentences"] == TEST and counts["validation_sentences"] == VALIDATION
    parts = ("test_pairs", "validation_pairs", "same_english_left_out", "same_french_left_out", "training_pairs")
    assert sum(counts[part] for part in parts) == len(near_file.read_text(encoding="utf-8").splitlines())


def test_the_order_of_lines_and_further_spellings_do_not_change_the_validation_sentences(near_file, split, tmp_path):
    lines = near_file.read_text(encoding="utf-8").splitlines(keepends=True)
    random.Random(1).shuffle(lines)
    path = tmp_path / "shuffled.tsv"
    path.write_text("".join(lines), encoding="utf-8")
    again = read_split(path, TEST, VALIDATION)
    assert again.validation.keys() == split.validation.keys()
    assert sorted(again.train) == sorted(split.train)
    assert read_split(near_file, TEST, VALIDATION - 3).validation.keys() < split.validation.keys()


def test_the_validation_sentences_are_these_in_every_version(tmp_path):
    lines = "".join(f"Sentence {number}.\tPhrase {number}.\n" for number in range(12))
    path = tmp_path / "pairs.tsv"
    path.write_text(lines, encoding="utf-8")
    assert list(read_split(path, 3, 3).validation) == ["Sentence 7.", "Sentence 5.", "Sentence 11."]


@pytest.mark.parametrize("validation", [-1, 30, 9])
def test_a_split_that_is_not_possible_is_refused_in_one_sentence(tmp_path, validation):
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"Sentence {number}.\tPhrase {number}.\n" for number in range(12)), encoding="utf-8")
    with pytest.raises(CorpusError, match=r"^[^\n]+[.]$") as error:
        read_split(path, 3, validation)
    assert ("too few different sentences" in str(error.value)) == (validation > 0)


def test_training_is_measured_on_the_validation_sentences(split, tokenizer, make_task):
    task = make_task(data=split)
    assert [pair.source for pair in task.heldout] == [tokenizer.encode_source(text) for text in split.validation]
    before = task.validate(task.network, ALONE.device)
    other = make_task(data=read_split_without(split))
    assert isinstance(other, TranslationTask) and before != other.validate(other.network, ALONE.device)
    assert describe_data(split).endswith(f"{TEST} English sentences held out, {VALIDATION} for validation")


def read_split_without(split):
    """The same split, without its validation sentences."""
    return type(split)(split.train, split.heldout, split.sha256)


@pytest.fixture(scope="module")
def split_run(near_file, tmp_path_factory):
    """The folder of a run of one epoch on the new split."""
    out = tmp_path_factory.mktemp("split") / "run"
    run_in_process(*toy_training(near_file, out, epochs=1, heldout=TEST, validation=VALIDATION, batch_tokens=240))
    return out


@pytest.mark.nightly
def test_the_card_of_a_new_run_has_the_counts_and_the_scores_of_each_part(split_run, split):
    card, text = json.loads((split_run / "card.json").read_text()), (split_run / "card.md").read_text()
    assert card["data"]["split"] == split.counts()
    assert fill("split", split=card["data"]["split"]) in text and "every choice was made\n  on them" in text
    evaluation = card["evaluation"]
    near = evaluation["near_duplicates"]
    distinct = without_near_duplicates(split.heldout, split.outside_test)
    assert near["sentences"] == TEST - len(distinct) > 0
    assert near["trained_references"] == 0  # they left the training data
    translator = Translator.load(split_run, "cpu")
    assert evaluation[DISTINCT]["sentences"] == len(distinct)
    for name, beam in DECODINGS.items():
        expected = evaluate(translator, distinct, beam)
        assert (evaluation[DISTINCT][name]["bleu"], evaluation[DISTINCT][name]["chrf"]) == (
            expected.bleu,
            expected.chrf,
        )
    assert evaluation["validation"]["sentences"] == VALIDATION
    assert evaluation["validation"]["greedy"]["bleu"] == evaluate(translator, split.validation).bleu
    assert fill_near_duplicates(evaluation) in text
    rows = [json.loads(line) for line in (split_run / "metrics.jsonl").read_text().splitlines()]
    ends = [row["heldout_nll"] for row in rows if row["event"] == "epoch"]
    assert evaluation["validation"]["heldout_nll"] == pytest.approx(ends[-1], rel=1e-2)  # in half precision


@pytest.mark.nightly
def test_evaluating_a_new_run_by_command_uses_its_split(split_run, near_file, tmp_path):
    folder = shutil.copytree(split_run, tmp_path / "copy")
    before = json.loads((folder / "card.json").read_text())
    run_in_process("evaluate", "--data", near_file, "--heldout", TEST, "--model", folder, "--device", "cpu")
    after = json.loads((folder / "card.json").read_text())
    assert after["data"] == before["data"]
    assert after["evaluation"]["validation"]["heldout_nll"] == before["evaluation"]["validation"]["heldout_nll"]
    run_in_process("evaluate", "--data", near_file, "--heldout", TEST - 2, "--model", folder, "--device", "cpu")
    fewer = json.loads((folder / "card.json").read_text())["evaluation"]
    assert fewer["sentences"] == TEST - 2 and "validation" not in fewer


@pytest.mark.nightly
def test_sentences_that_a_network_was_trained_on_are_refused(split_run, near_file, trained, data_file):
    with pytest.raises(ValueError, match="trained on some of these held-out sentences; give a smaller --heldout"):
        held_out_card(split_run, read_corpus(near_file, TEST + 1))
    with pytest.raises(ValueError, match="trained on some of these validation sentences; give --validation 0"):
        held_out_card(split_run, read_split(near_file, TEST, VALIDATION + 1))
    with pytest.raises(ValueError, match="trained on some of these validation sentences"):
        held_out_card(trained, read_split(data_file, 6, 3))  # trained before there were validation sentences
    assert held_out_card(split_run, read_split(near_file, TEST, VALIDATION - 1))


def test_the_card_of_an_earlier_run_says_that_choices_were_made_on_the_test_sentences(trained, corpus):
    card, text = json.loads((trained / "card.json").read_text()), (trained / "card.md").read_text()
    assert "split" not in card["data"]
    assert "decoding were chosen on the test sentences" in text
    near = card["evaluation"]["near_duplicates"]
    french = {french for _, french in corpus.train}
    known = [text for options in corpus.heldout.values() for text in options if text in french]
    assert near["trained_references"] == len(known)
    assert near["one_word_apart"] == len(corpus.heldout)  # the toy language has every combination of its words


@pytest.mark.nightly
def test_one_decoding_alone_leaves_the_scores_of_the_other(split_run, near_file, tmp_path, capsys):
    folder = shutil.copytree(split_run, tmp_path / "copy")
    before = json.loads((folder / "card.json").read_text())
    before["evaluation"]["beam 4"]["bleu"] = before["evaluation"]["greedy"]["bleu"] = 12.5
    (folder / "card.json").write_text(json.dumps(before))
    words = ["evaluate", "--data", near_file, "--model", folder, "--device", "cpu", "--decoding", "greedy", "--heldout"]
    run_in_process(*words, TEST)
    after = json.loads((folder / "card.json").read_text())["evaluation"]
    assert after["beam 4"] == before["evaluation"]["beam 4"] and after["greedy"]["bleu"] != 12.5
    assert after[DISTINCT] == before["evaluation"][DISTINCT]
    del after[DISTINCT]["beam 4"]
    assert "| beam 4 |" not in fill_near_duplicates(after) and "| greedy |" in fill_near_duplicates(after)
    assert main([str(word) for word in (*words, TEST - 1)]) == 2
    assert "no scores of beam 4 on these sentences; run every decoding" in capsys.readouterr().err


def test_equal_scores_retain_the_shorter_time(trained, corpus, tmp_path):
    folder = shutil.copytree(trained, tmp_path / "copy")
    card = json.loads((folder / "card.json").read_text())
    card["evaluation"]["greedy"] |= {"seconds": -1.0, "tokens_per_second": 10**9}
    card["evaluation"]["beam 4"] |= {"seconds": -1.0, "bleu": 1.0}
    (folder / "card.json").write_text(json.dumps(card))
    evaluation = evaluate_translator(folder, corpus, "cpu")["evaluation"]
    assert (evaluation["greedy"]["seconds"], evaluation["greedy"]["tokens_per_second"]) == (-1.0, 10**9)
    assert evaluation["beam 4"]["seconds"] >= 0 and evaluation["beam 4"]["bleu"] != 1.0


def test_equal_scores_on_other_hardware_retain_times_and_hardware(trained, corpus, tmp_path):
    folder = shutil.copytree(trained, tmp_path / "copy")
    card = json.loads((folder / "card.json").read_text())
    card["evaluation"] |= {"hardware": "another machine"}
    card["evaluation"]["greedy"] |= {"seconds": 1e6, "tokens_per_second": 3}
    (folder / "card.json").write_text(json.dumps(card))
    evaluation = evaluate_translator(folder, corpus, "cpu")["evaluation"]
    assert evaluation["hardware"] == "another machine"
    assert (evaluation["greedy"]["seconds"], evaluation["greedy"]["tokens_per_second"]) == (1e6, 3)
    evaluation["beam 4"]["bleu"] -= 1
    (folder / "card.json").write_text(json.dumps(card | {"evaluation": evaluation}))
    evaluation = evaluate_translator(folder, corpus, "cpu")["evaluation"]
    assert evaluation["hardware"] != "another machine" and evaluation["greedy"]["seconds"] < 1e6
