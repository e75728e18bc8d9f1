"""Settings that were saved with a model change nothing in our runs, but for those that choose among its tokens."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from model import OpenError
from model.hub.forward_run import read_config
from model.open_model import open_model
from model.runtime.progress import run_to_end
from tests.model.hub import tiny, tiny_pictured

RETURNED = {"return_dict": False, "output_hidden_states": True, "output_attentions": True}
KINDS = {"bert-classes": "encoder", "gpt2": "decoder", "bart": "cross", "t5": "cross", "vit": "vision"}
SENTENCE = "The fox is too tired."


def change(file: Path, **settings: object) -> None:
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | settings), encoding="utf-8")


def given_to(name: str):
    return np.zeros((3, 32, 32), np.float32) if name == "vit" else SENTENCE


@pytest.mark.parametrize("name", ["bart", "vit"])
def test_what_a_configuration_asks_to_be_returned_changes_no_trace(name, tmp_path):
    reader = tiny.processor() if name == "vit" else tiny.tokenizer()
    expected = open_model(tiny.network(name), reader=reader, device="cpu").trace(given_to(name))
    change(tiny.save(name, tmp_path) / "config.json", **RETURNED)
    trace = open_model(tmp_path, device="cpu").trace(given_to(name))
    np.testing.assert_array_equal(trace.attention(KINDS[name]), expected.attention(KINDS[name]))
    np.testing.assert_array_equal(trace.logits, expected.logits)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("t5", {"attn_implementation": "flash_attention_2"}),  # is not installed
        ("vit", {"_attn_implementation": "kernels-community/flash-attn"}),  # code of the hub
        ("gpt2", {"attn_implementation": 7, "experts_implementation": "other"}),
        ("bart", {"_attn_implementation": "sdpa", "output_attentions": True}),  # which the library refuses together
        ("bert-classes", {"attn_implementation": {"": "flex_attention"}, "dtype": {"": "float32"}}),
    ],
)
def test_the_form_of_attention_of_a_configuration_changes_no_trace(name, settings, tmp_path):
    expected = open_model(tiny.save(name, tmp_path), device="cpu").trace(given_to(name))
    change(tmp_path / "config.json", **settings)
    trace = open_model(tmp_path, device="cpu").trace(given_to(name))
    np.testing.assert_array_equal(trace.attention(KINDS[name]), expected.attention(KINDS[name]))
    np.testing.assert_array_equal(trace.logits, expected.logits)


def test_nor_does_that_of_a_configuration_inside(tmp_path):
    network, processor = tiny_pictured.build("llava")
    network.save_pretrained(tmp_path)
    processor.save_pretrained(tmp_path)
    picture = tiny_pictured.picture(0)
    expected = open_model(tmp_path, device="cpu").trace("A fox", picture=picture)
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    inside = {"attn_implementation": "flash_attention_3", "_attn_implementation": "nowhere", "dtype": "float16"}
    change(tmp_path / "config.json", **{part: config[part] | inside for part in ("text_config", "vision_config")})
    trace = open_model(tmp_path, device="cpu").trace("A fox", picture=picture)
    np.testing.assert_array_equal(trace.attention("decoder"), expected.attention("decoder"))
    np.testing.assert_array_equal(trace.logits, expected.logits)


@pytest.mark.parametrize("key", ["dtype", "torch_dtype"])
def test_a_precision_of_the_configuration_is_that_of_the_network(key, tmp_path):
    expected = open_model(tiny.save("gpt2", tmp_path), device="cpu", dtype="bfloat16").trace(SENTENCE)
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    del config["dtype"]
    (tmp_path / "config.json").write_text(json.dumps(config | {key: "bfloat16"}), encoding="utf-8")
    opened = open_model(tmp_path, device="cpu")
    assert {parameter.dtype for parameter in opened.network.parameters()} == {torch.bfloat16}
    np.testing.assert_array_equal(opened.trace(SENTENCE).attention("decoder"), expected.attention("decoder"))


@pytest.mark.parametrize("stated", ["auto", "torch.bfloat16", "int8", "float8_e4m3fn", ["float16"], 5, {"": "other"}])
def test_a_precision_that_no_network_has_is_named(stated, tmp_path):
    network, _ = tiny_pictured.build("llava")
    network.config.save_pretrained(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    change(tmp_path / "config.json", text_config=config["text_config"] | {"torch_dtype": stated})
    shown = stated.get("") if isinstance(stated, dict) else stated
    with pytest.raises(OpenError) as caught:
        read_config(tmp_path)
    assert str(caught.value).startswith(f"config.json states the precision {shown}, in which the library builds no")


def test_the_sentence_reaches_who_opens_the_folder(tmp_path):
    change(tiny.save("gpt2", tmp_path) / "config.json", dtype="auto")
    with pytest.raises(OpenError, match="states the precision auto, in which the library builds no network; write"):
        open_model(tmp_path, device="cpu")


@pytest.mark.parametrize("name", ["gpt2", "t5", "vit", "mistral", "gemma3"])
def test_a_configuration_is_read_as_the_library_does(name, tmp_path):
    tiny.network(name).config.save_pretrained(tmp_path)
    if name == "mistral":
        change(tmp_path / "config.json", layer_types=["full_attention", "sliding_attention"])
    theirs, ours = transformers.AutoConfig.from_pretrained(tmp_path), read_config(tmp_path)
    assert type(ours) is type(theirs) and ours.to_dict() == theirs.to_dict()
    assert ours.name_or_path == theirs.name_or_path


@pytest.mark.parametrize("name", ["bert-classes", "bart", "t5"])
def test_live_models_too_and_they_stay_as_they_are(name):
    network = tiny.network(name)
    network.set_attn_implementation("eager")
    for module in network.modules():  # T5's stacks have copies
        if isinstance(config := getattr(module, "config", None), transformers.PretrainedConfig):
            config.return_dict, config.output_attentions = False, True
    opened = open_model(network, reader=tiny.tokenizer(), device="cpu")
    plain = open_model(tiny.network(name), reader=tiny.tokenizer(), device="cpu")
    kind = KINDS[name]
    ours, expected = (each.trace(SENTENCE).attention(kind) for each in (opened, plain))
    np.testing.assert_allclose(ours, expected, atol=1e-6)
    assert (network.config.return_dict, network.config.output_attentions) == (False, True)


@pytest.mark.parametrize(
    "settings",
    [
        {"return_dict_in_generate": True, "output_scores": True},
        {"return_dict_in_generate": True, "output_logits": True, "output_hidden_states": True},
        {"return_dict_in_generate": True, "output_attentions": True, "use_cache": False},
        {"num_beams": 4, "num_return_sequences": 3, "do_sample": True, "top_k": 3},
        {"num_return_sequences": 3},
        {"num_beams": 4, "num_beam_groups": 2, "diversity_penalty": 0.5, "length_penalty": 2.0},
        {"max_time": 1e-6},
        {"stop_strings": ["nowhere"]},
        {"cache_implementation": "quantized"},
        {"cache_implementation": "offloaded"},
        {"cache_implementation": "static"},
        {"assistant_early_exit": 1, "num_assistant_tokens": 5},
        {"is_assistant": True},
        {"prompt_lookup_num_tokens": 3},
        {"penalty_alpha": 0.6, "top_k": 4},
        {"dola_layers": "low"},
        {"constraints": ["x"]},
        {"force_words_ids": [[5]]},
        {"token_healing": True},
        {"prefill_chunk_size": 2},
        {"compile_config": {}},
        {"return_legacy_cache": True, "low_memory": True},
        {"use_mtp": True, "custom_generate": "nowhere"},
    ],
)
@pytest.mark.parametrize("name", ["gpt2", "bart"])
def test_generation_gives_greedy_ids_whatever_was_saved(name, settings):
    network = tiny.network(name)
    expected = open_model(network, reader=tiny.tokenizer(), device="cpu").generate(SENTENCE, 12)
    for key, value in settings.items():
        setattr(network.generation_config, key, value)
    opened = open_model(network, reader=tiny.tokenizer(), device="cpu")
    assert opened.generate(SENTENCE, 12) == expected
    for own in (network, opened.network):
        assert {key: getattr(own.generation_config, key) for key in settings} == settings


@pytest.mark.parametrize(
    "settings",
    [
        {"suppress_tokens": [40, 41, 42], "begin_suppress_tokens": list(range(60, 200))},
        {"min_new_tokens": 11, "forced_bos_token_id": 77},
        {"exponential_decay_length_penalty": [6, 1.5], "repetition_penalty": 1.3},
        {"no_repeat_ngram_size": 2, "bad_words_ids": [[40], [41]]},
        {"forced_eos_token_id": 3},
        {"watermarking_config": {"greenlist_ratio": 0.25, "bias": 2.0}},
        {"sequence_bias": [[[5], 9.0]]},
    ],
)
@pytest.mark.parametrize("name", ["gpt2", "bart"])
def test_settings_that_choose_among_tokens_act_as_in_the_library(name, settings):
    """20 tokens are generated in parts of 8, and some settings count from the end of the prompt."""
    network = tiny.network(name)
    for key, value in settings.items():
        setattr(network.generation_config, key, value)
    reader = tiny.tokenizer()
    opened = open_model(network, reader=reader, device="cpu")
    ids = reader(SENTENCE, return_tensors="pt")
    inputs = {"input_ids": ids["input_ids"], "attention_mask": ids["attention_mask"]}
    with torch.inference_mode():
        first = 1 if name == "bart" else inputs["input_ids"].shape[1]
        expected = network.generate(**inputs, max_length=first + 20, do_sample=False, num_beams=1)[0, first:]
    assert opened.generate(SENTENCE, 20) == reader.decode(expected, skip_special_tokens=True)


@pytest.mark.parametrize("name", ["gpt2", "bart"])
@pytest.mark.parametrize("last", [4, 7, 8, 9])  # 8 tokens are generated at a time
def test_a_text_that_ends_the_answer_ends_it(name, last):
    network, reader = tiny.network(name), tiny.tokenizer()
    network.generation_config.no_repeat_ngram_size = 1  # no two tokens are equal
    plain = open_model(network, reader=reader, device="cpu")
    ids = list(run_to_end(plain._generated(plain._source(SENTENCE), 16, None)))
    network.generation_config.stop_strings = reader.convert_ids_to_tokens(ids[last])
    opened = open_model(network, reader=reader, device="cpu")
    inputs = {key: value for key, value in reader(SENTENCE, return_tensors="pt").items() if key != "token_type_ids"}
    with torch.inference_mode():
        new = network.generate(**inputs, max_new_tokens=16, do_sample=False, tokenizer=reader)[0]
    expected = new[1 if name == "bart" else inputs["input_ids"].shape[1] :].tolist()
    assert list(run_to_end(opened._generated(opened._source(SENTENCE), 16, None))) == expected


def test_a_text_with_a_picture_too():
    built, processor = tiny_pictured.build("llava")
    network = copy.deepcopy(built)  # other tests use what was built
    expected = open_model(network, reader=processor, device="cpu").generate(
        "A fox", 4, picture=tiny_pictured.picture(0)
    )
    settings = network.generation_config
    settings.return_dict_in_generate, settings.output_scores = True, True
    settings.stop_strings, settings.num_return_sequences = ["nowhere"], 2
    opened = open_model(network, reader=processor, device="cpu")
    assert opened.generate("A fox", 4, picture=tiny_pictured.picture(0)) == expected


def test_networks_inside_are_switched_where_the_library_leaves_them_out(monkeypatch):
    """As transformers 5.19 does with T5's stacks, whose configurations are copies of the same class."""

    def only_the_outermost(network, name):
        network.config._attn_implementation_internal = name

    monkeypatch.setattr(transformers.PreTrainedModel, "set_attn_implementation", only_the_outermost)
    opened = open_model(tiny.network("t5"), reader=tiny.tokenizer(), device="cpu")
    assert [kind.name for kind in opened.kinds] == ["encoder", "decoder", "cross"]
    assert opened.proof.by_interface
