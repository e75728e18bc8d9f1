"""The decoder-only network for notebooks, with random weights and as the training program writes it."""

import json
import shutil

import numpy as np
import pytest
import torch

from model import CheckpointError, DecodingOptions, InputError
from model.language_model import TOKENIZER, LanguageModel
from model.networks.tap import Intervention
from model.runtime.checkpoint import sha256_of, write_json
from model.tracing.traced_model import TracedModel
from tests.model.random_language_model import random_model
from training.card import write_weights

TEXT = "The animal didn't cross the street because it was too tired."
PROMPTS = ["I want to", "The", TEXT]


@pytest.fixture(scope="module")
def model():
    return random_model()


@pytest.fixture
def folder(model, tmp_path):
    """A folder as training writes it, without figures."""
    folder = tmp_path / "language"
    folder.mkdir()
    write_json(folder / "config.json", model.config.to_dict())
    card = write_weights(folder, model.network) | {"tokenizer_sha256": sha256_of(TOKENIZER)}
    write_json(folder / "card.json", card)
    (folder / "card.md").write_text("# Model card\n")
    return folder


def test_it_is_a_traced_model_with_one_kind_of_attention(model):
    assert isinstance(model, TracedModel)
    assert [kind.name for kind in model.kinds] == ["decoder"] and model.kinds[0].causal and model.kinds[0].square
    assert model.capabilities == {"translate", "complete", "export"}


def greedy_without_cache(model: LanguageModel, prompt: list[int], count: int) -> list[int]:
    """The ids of greedy decoding, each by a whole pass over the sequence."""
    ids = list(prompt)
    for _ in range(count):
        logits = model.network.project(model.network.states(model.network.ids(ids)))[0, -1]
        logits[list(model.config.never_generated)] = -torch.inf
        ids.append(int(logits.argmax()))
        if ids[-1] == model.config.eos_id:
            break
    return ids[len(prompt) :]


@pytest.mark.parametrize("text", PROMPTS)
def test_greedy_with_the_cache_equals_greedy_without(model, text):
    tokenizer = model.tokenizer
    source, prompt = tokenizer.encode_source(text), tokenizer.encode(text)
    assert model.translate(text, max_length=12) == tokenizer.decode(greedy_without_cache(model, source, 12))
    completed = model.complete(text, max_length=12)
    assert completed == tokenizer.decode([*prompt, *greedy_without_cache(model, prompt, 12)])
    assert completed.startswith(text)


@pytest.mark.parametrize("method", ["greedy", "sampling", "beam"])
def test_a_translation_ends_where_its_stream_ends(model, method):
    options = DecodingOptions(method, seed=2, beam=3, max_length=9)
    steps = list(model.stream(TEXT, options))
    assert [step.finished for step in steps] == [False] * (len(steps) - 1) + [True]
    assert model.translate(TEXT, options) == steps[-1].text


def test_sampling_is_repeatable_and_completions_vary_with_the_seed(model):
    texts = [model.complete("I", seed=seed, max_length=8) for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


@pytest.mark.parametrize("max_length", [100, 5000])
def test_a_continuation_ends_at_the_last_position(max_length):
    model = random_model(1)
    model.network.norm.bias.add_(3 * model.network.embedding.weight[500])  # never `</s>`
    text = "a " * 120
    prompt = model.tokenizer.encode(text)
    completed = model.complete(text, method="sampling", seed=1, max_length=max_length)
    longest = model.config.max_positions - len(prompt) + 1
    assert len(completed) > len(text) and longest > 100
    assert len(list(model.stream(text, DecodingOptions("sampling", max_length=max_length)))) <= longest


def test_a_trace_has_every_layer_and_verifies_itself(model):
    trace = model.trace(TEXT, "L'animal était fatigué.")
    source, following = model.read_ids(TEXT), model.read_ids("L'animal était fatigué.")
    count = len(source) + len(following) - 1
    assert trace.source_ids == tuple(source) and trace.prompt_length == len(source)
    assert trace.target_ids == tuple([*source, *following][:-1]) and trace.next_ids == tuple([*source, *following][1:])
    assert trace.target_text == "L'animal était fatigué."
    assert trace.decoder_attention.shape == (3, 4, count, count)
    assert trace.decoder_stream.shape == (4, count, 32) and trace.decoder_hidden.shape == (3, count, 64)
    checked = trace.verify()
    assert checked.max_difference < 1e-5 and checked.row_sum_error < 1e-5 and checked.masked_weight == 0
    assert not np.triu(trace.decoder_attention, 1).any()
    assert trace.axes("decoder") == (trace.target_tokens, trace.target_tokens)
    states = model.network.states(model.network.ids(trace.target_ids))
    np.testing.assert_allclose(trace.logits, model.network.project(states)[0].numpy(), atol=1e-4)
    nll = -torch.from_numpy(trace.logits).double().log_softmax(dim=-1)[range(count), list(trace.next_ids)]
    np.testing.assert_allclose(model.score(trace), nll.numpy(), atol=1e-6)


def test_a_tampered_record_does_not_verify(model):
    record = model.trace("The", "Le").records["decoder"]
    record.weights[1, 2, 1, :2] = record.weights[1, 2, 1, 1::-1] + 0.01
    assert record.verify().max_difference > 1e-3


def test_a_trace_by_default_has_what_the_model_writes(model):
    trace = model.trace("The")
    *_, last = model.stream("The")
    assert [*trace.source_ids, *last.ids][1:] == list(trace.next_ids)
    completion = model.trace_completion("I want to")
    text = model.tokenizer.decode([*completion.source_ids, *completion.next_ids[completion.prompt_length - 1 :]])
    assert text == model.complete("I want to")
    assert completion.source_ids == tuple(model.tokenizer.encode("I want to"))


def test_an_intervention_changes_the_trace(model):
    off = Intervention({"decoder.1.self.outputs": lambda outputs: outputs * 0})
    one, other = model.trace("The", "Le chat."), model.trace("The", "Le chat.", intervention=off)
    assert np.array_equal(one.decoder_stream[:2], other.decoder_stream[:2])
    assert not np.allclose(one.logits, other.logits)
    assert not other.records["decoder"].outputs[1].any()


@pytest.mark.parametrize("call", [LanguageModel.translate, LanguageModel.complete, LanguageModel.trace_completion])
@pytest.mark.parametrize(("text", "message"), [(" \n", "nothing to translate yet"), ("a " * 300, "at most 128")])
def test_text_that_cannot_be_read_is_refused(model, call, text, message):
    with pytest.raises(InputError, match=message):
        call(model, text)


def test_a_folder_loads_with_the_translators_tokenizer(folder, model):
    loaded = LanguageModel.load(folder, "cpu")
    assert loaded.folder == folder and loaded.card_markdown == "# Model card\n"
    assert loaded.parameters == sum(parameter.numel() for parameter in model.network.parameters())
    for name, tensor in loaded.network.state_dict().items():
        assert torch.equal(tensor, model.network.state_dict()[name].half().float())
    trace = loaded.trace(TEXT)
    assert trace.verify().max_difference < 1e-5
    *_, last = loaded.stream(TEXT)
    assert list(trace.next_ids[trace.prompt_length - 1 :]) == list(last.ids)  # packed weights change nothing


def test_damaged_and_missing_files_are_named(folder, tmp_path):
    card = json.loads((folder / "card.json").read_text())
    shutil.copy(TOKENIZER, folder / "tokenizer.model")
    write_json(folder / "card.json", card | {"tokenizer_sha256": "0" * 64})
    with pytest.raises(CheckpointError, match=r"tokenizer[.]model.* does not match"):
        LanguageModel.load(folder)
    write_json(folder / "card.json", card | {"weights_sha256": "0" * 64})
    with pytest.raises(CheckpointError, match=r"model[.]safetensors.* does not match"):
        LanguageModel.load(folder)
    with pytest.raises(CheckpointError, match=r"card[.]json is missing"):
        LanguageModel.load(tmp_path / "none")
