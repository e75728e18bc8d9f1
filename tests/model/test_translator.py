"""The shipped translator for pages and notebooks."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from model import CheckpointError, DecodingOptions, InputError, Translator
from model.translator import SHIPPED


@pytest.fixture(scope="module")
def shipped():
    return Translator.load(device="cpu")


def test_it_translates_simple_sentences(shipped):
    assert shipped.translate("I want to buy a car.") == "Je veux acheter une voiture."
    assert shipped.translate("I am a student.") in ("Je suis étudiant.", "Je suis un étudiant.", "Je suis étudiante.")


def test_a_stream_ends_in_the_same_translation_and_has_the_most_probable_tokens(shipped):
    steps = list(shipped.stream("Where is the station?"))
    assert steps[-1].finished and not any(step.finished for step in steps[:-1])
    assert steps[-1].text == shipped.translate("Where is the station?")
    for step in steps:
        assert step.top[0].id == step.id
        assert step.top[0].probability == step.probability
        assert 0 < sum(candidate.probability for candidate in step.top) <= 1 + 1e-6


@pytest.mark.parametrize("method", ["greedy", "sampling", "beam"])
@pytest.mark.parametrize("max_length", [1, 4, 128])
def test_a_translation_ends_where_its_stream_ends(shipped, method, max_length):
    options = DecodingOptions(method, seed=2, max_length=max_length)
    for text in ("The animal didn't cross the street because it was too tired.", "나는 학생입니다."):
        last = list(shipped.stream(text, options))[-1]
        assert len(last.ids) <= max_length
        assert shipped.translate(text, options) == last.text


def test_a_streams_probabilities_are_those_of_the_trace(shipped):
    text = "She reads a book every evening."
    steps = list(shipped.stream(text))
    tokens = shipped.trace(text).predictions()
    assert [token.id for token in tokens] == [step.id for step in steps]
    differences = [abs(token.probability - step.probability) for token, step in zip(tokens, steps, strict=True)]
    assert max(differences) < 1e-4


def test_a_trace_is_teacher_forced_on_a_given_target(shipped):
    trace = shipped.trace("I am a student.", target="Elle est là.")
    assert trace.target_text == "Elle est là."
    assert trace.target_tokens[0] == "<s>" and trace.next_tokens[-1] == "</s>"


def test_a_trace_can_be_forced_on_the_tokens_of_a_stream(shipped):
    last = list(shipped.stream("I am tired.", DecodingOptions("sampling", seed=4)))[-1]
    assert shipped.trace("I am tired.", target_ids=last.ids).next_ids == last.ids


@pytest.mark.parametrize(
    "text", ["The animal didn't cross the street because it was too tired.", "나는 학생입니다.", "😀 שלום", "a\x00b"]
)
def test_the_check_holds_on_the_shipped_weights(shipped, text):
    trace = shipped.trace(text)
    figures = trace.verify()
    assert figures.max_difference < 1e-5
    assert figures.row_sum_error < 1e-5
    assert figures.masked_weight == 0
    assert np.isfinite(trace.logits).all()


def test_keywords_choose_the_method(shipped):
    text = "Do you have any questions?"
    beam = DecodingOptions("beam", beam=4)
    assert shipped.translate(text, beam=4) == shipped.translate(text, beam)
    assert shipped.translate(text, beam=1) == shipped.translate(text)
    sample = DecodingOptions("sampling", temperature=2.0, seed=5)
    assert shipped.translate(text, temperature=2.0, seed=5) == shipped.translate(text, sample)
    with pytest.raises(ValueError, match="temperature is -1"):
        shipped.translate(text, temperature=-1)


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\u200b\u200d", "\x00\x01", "\u2028"])
def test_text_without_visible_characters_is_refused(shipped, text):
    with pytest.raises(InputError, match="nothing to translate"):
        shipped.translate(text)


@pytest.mark.parametrize("text", [None, 3, b"I am a student.", ["I", "am"], Path("I am")])
def test_what_is_no_text_is_refused(shipped, text):
    with pytest.raises(InputError, match=f"Pass a sentence as text; this is a {type(text).__name__}"):
        shipped.trace(text)
    with pytest.raises(InputError, match="Pass a sentence as text"):
        shipped.translate(text)


def test_a_long_sentence_is_refused_with_its_count_and_not_truncated(shipped):
    text = "word " * 400
    count = len(shipped.tokenizer.encode(text))
    with pytest.raises(InputError, match=f"has {count} tokens and the model reads at most 128"):
        shipped.trace(text)
    with pytest.raises(InputError, match="tokens and the model"):
        shipped.trace("I am a student.", target=text)
    with pytest.raises(InputError, match="1,000,000 characters"):
        shipped.check("x" * 1_000_000)


def test_exactly_128_tokens_are_accepted(shipped):
    ids = shipped.tokenizer.encode("a")
    text = " ".join(["a"] * (128 // len(ids)))
    assert len(shipped.check(text)) == 128
    assert shipped.trace(text, target="oui").encoder_attention.shape[-1] == 129


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "**bold** $x$ `code`", "</s> <s> <pad>", "\ud800 lone"])
def test_markup_and_lone_surrogates_are_ordinary_text(shipped, text):
    trace = shipped.trace(text)
    assert shipped.tokenizer.eos_id not in trace.source_ids[:-1]
    assert trace.verify().masked_weight == 0


def test_the_shipped_files_are_small_and_described(shipped):
    assert (SHIPPED / "model.safetensors").stat().st_size < 30e6
    assert shipped.card["weights_sha256"] == shipped.weights_sha256
    evaluation = shipped.card["evaluation"]
    assert evaluation["sentences"] == 2000
    assert evaluation["greedy"]["bleu_signature"].startswith("nrefs:var")
    for figure in ("bleu", "chrf"):
        assert f"{evaluation['greedy'][figure]:.2f}" in shipped.card_markdown
    assert evaluation["greedy"]["bleu"] >= 42 and evaluation["greedy"]["chrf"] >= 61


@pytest.fixture
def copy(tmp_path):
    shutil.copytree(SHIPPED, tmp_path / "translator", ignore=shutil.ignore_patterns("checkpoint*"))
    return tmp_path / "translator"


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.model", "card.json"])
def test_a_missing_file_is_reported_with_what_to_do(copy, name):
    (copy / name).unlink()
    with pytest.raises(CheckpointError, match=rf"(?s){name}.*restore it with `git checkout") as caught:
        Translator.load(copy)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.model"])
def test_an_altered_file_is_reported_with_what_to_do(copy, name):
    content = bytearray((copy / name).read_bytes())
    content[len(content) // 2] ^= 1
    (copy / name).write_bytes(content)
    with pytest.raises(CheckpointError, match=rf"{name}.*SHA-256.*restore it"):
        Translator.load(copy)


def test_a_config_of_other_sizes_gives_one_sentence(copy):
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps({**config, "d_ff": 512}))
    with pytest.raises(CheckpointError, match="do not fit the sizes"):
        Translator.load(copy)
    (copy / "config.json").write_text(json.dumps({**config, "d_model": 250}))
    with pytest.raises(CheckpointError, match="not divisible"):
        Translator.load(copy)
    (copy / "config.json").write_text(json.dumps({**config, "n_heads": 4}))  # the weights would fit
    with pytest.raises(CheckpointError, match=r"config\.json .*does not match its recorded SHA-256; restore it"):
        Translator.load(copy)


def test_an_unavailable_device_is_refused_by_name():
    with pytest.raises(ValueError, match="no device 'cuda:99'"):
        Translator.load(device="cuda:99")
