"""Recurrent translators for pages and notebooks, with networks trained by the program itself."""

import json
import shutil

import pytest

from model import CheckpointError, DecodingOptions, InputError, RecurrentTranslator, recurrent_translator
from model.decoding.search import greedy_batch
from model.networks.recurrent_config import VARIANTS
from model.networks.tap import AtEveryStep, hold_gate, identity_tap
from model.recurrent_translator import TOKENIZER
from model.text.tokenizer import Tokenizer
from tests.model.networks import tiny_recurrent
from tests.training.programs import run_in_process, toy_recurrent
from tests.training.small_recurrent import SMALL

TEXT = "The cat sees a boat."
every_kind = pytest.mark.parametrize("kind", VARIANTS)


@pytest.fixture(scope="module")
def translators():
    """One of each kind with the shipped tokenizer and random weights, whose translations vary."""
    tokenizer = Tokenizer(TOKENIZER)
    return {
        kind: RecurrentTranslator(tiny_recurrent(kind, 4, vocabulary_size=len(tokenizer)), tokenizer)
        for kind in VARIANTS
    }


@pytest.fixture(scope="module")
def trained_folder(data_file, tokenizer, tmp_path_factory):
    """The folder of a short run of the training program."""
    out = tmp_path_factory.mktemp("recurrent") / "lstm-dot"
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(VARIANTS, "lstm-dot", SMALL["lstm-dot"])
        run_in_process(*toy_recurrent(data_file, out, tokenizer.path, "lstm-dot", epochs=1))
    return out


@pytest.fixture
def copy(trained_folder, tmp_path):
    shutil.copytree(trained_folder, tmp_path / "copy", ignore=shutil.ignore_patterns("checkpoint*"))
    return tmp_path / "copy"


@every_kind
@pytest.mark.parametrize("method", ["greedy", "sampling", "beam"])
@pytest.mark.parametrize("max_length", [1, 9])
def test_a_translation_ends_where_its_stream_ends(translators, kind, method, max_length):
    options = DecodingOptions(method, seed=2, beam=3, max_length=max_length)
    steps = list(translators[kind].stream(TEXT, options))
    assert [step.finished for step in steps] == [False] * (len(steps) - 1) + [True]
    assert len(steps[-1].ids) <= max_length
    assert translators[kind].translate(TEXT, options) == steps[-1].text


@every_kind
def test_a_streams_probabilities_are_those_of_the_trace(translators, kind):
    steps = list(translators[kind].stream(TEXT, DecodingOptions(max_length=9)))
    tokens = translators[kind].trace(TEXT, target_ids=steps[-1].ids).predictions()
    assert [token.id for token in tokens] == [step.id for step in steps]
    for token, step in zip(tokens, steps, strict=True):
        assert token.probability == pytest.approx(step.probability, rel=1e-4)
        assert token.rank == 1 or step.id != step.top[0].id  # a token that is never generated may be more probable


@every_kind
def test_many_sentences_at_once_translate_as_each_alone(translators, kind):
    translator = translators[kind]
    sources = [translator.tokenizer.encode_source(text) for text in (TEXT, "Yes.", "Where is the old station?")]
    together = greedy_batch(translator.network, sources, 9)
    assert together == [greedy_batch(translator.network, [source], 9)[0] for source in sources]


@every_kind
def test_translating_under_a_tap_that_does_nothing_changes_nothing(translators, kind):
    translator = translators[kind]
    plain = translator.translate(TEXT, max_length=9)
    assert translator.translate_under(TEXT, identity_tap, 9) == plain
    translation = translator.translate_under(TEXT, AtEveryStep({"decoder.output_gate": hold_gate(0)}), 9)
    assert (translation == plain) == (kind == "rnn-vector")  # which has no gates


def test_a_trace_follows_a_given_target_and_bad_input_is_refused(translators):
    translator = translators["lstm-additive"]
    trace = translator.trace(TEXT, target="Elle est là.")
    assert trace.target_text == "Elle est là." and trace.source_text == TEXT
    with pytest.raises(InputError, match="nothing to translate"):
        translator.trace("  ")
    with pytest.raises(InputError, match="reads at most 63"):
        translator.translate_under("word " * 400, identity_tap)


def test_a_trained_folder_loads_with_its_own_tokenizer_and_its_check_holds(copy):
    translator = RecurrentTranslator.load(copy, "cpu")
    assert len(translator.tokenizer) == translator.config.vocabulary_size == 340
    assert translator.weights_sha256 == translator.card["weights_sha256"] and translator.device_name == "CPU"
    figures = translator.trace(TEXT).verify()
    assert figures.max_difference < 1e-5 and figures.row_sum_error < 1e-6
    assert translator.parameters == translator.card["parameters"]


def test_an_unknown_name_is_refused_with_the_known_names(tmp_path):
    with pytest.raises(CheckpointError, match="no network 'gru'; choose one of rnn-vector, lstm-vector"):
        RecurrentTranslator.load("gru")
    with pytest.raises(CheckpointError, match="or a folder"):
        RecurrentTranslator.load(tmp_path / "none")


def test_a_missing_folder_of_a_known_network_is_reported(monkeypatch, tmp_path):
    monkeypatch.setattr(recurrent_translator, "SHIPPED", tmp_path)
    with pytest.raises(CheckpointError, match=r"card\.json is missing from .*lstm-dot; restore it with `git checkout"):
        RecurrentTranslator.load("lstm-dot")


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "card.json"])
def test_a_missing_file_is_reported_with_what_to_do(copy, name):
    (copy / name).unlink()
    with pytest.raises(CheckpointError, match=rf"(?s){name}.*restore it with `git checkout") as caught:
        RecurrentTranslator.load(copy)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.model"])
def test_an_altered_file_is_reported_with_what_to_do(copy, name):
    content = bytearray((copy / name).read_bytes())
    content[len(content) // 2] ^= 1
    (copy / name).write_bytes(content)
    with pytest.raises(CheckpointError, match=rf"{name}.*SHA-256.*restore it"):
        RecurrentTranslator.load(copy)


def test_a_network_without_its_own_tokenizer_needs_the_one_it_was_trained_with(copy):
    (copy / "tokenizer.model").unlink()
    with pytest.raises(CheckpointError, match=r"tokenizer\.model .*does not match its recorded SHA-256"):
        RecurrentTranslator.load(copy)


def test_a_config_of_other_sizes_gives_one_sentence(copy):
    config = json.loads((copy / "config.json").read_text())
    for changes, message in [
        ({"decoder_width": 500}, "must be alike"),
        ({"d_model": 255}, "do not fit the sizes"),
        ({"heads": 8}, "unknown keys: heads"),
        ({"dropout": 0.3}, r"config\.json .*does not match its recorded SHA-256; restore it"),
    ]:
        (copy / "config.json").write_text(json.dumps({**config, **changes}))
        with pytest.raises(CheckpointError, match=message):
            RecurrentTranslator.load(copy)


def test_an_unavailable_device_is_refused_by_name(copy):
    with pytest.raises(ValueError, match="no device 'cuda:99'"):
        RecurrentTranslator.load(copy, "cuda:99")
