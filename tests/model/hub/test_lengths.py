"""A text or a target with more tokens than positions is refused in the same sentence, before anything runs."""

from __future__ import annotations

import pytest
import torch
import transformers

from model import OpenError
from model.open_model import open_model
from tests.model.hub import tiny
from tests.model.hub.test_tasks import build

SENTENCE = r"This text has (\d+) tokens, and the model has {most} positions; shorten the text\."
ROBERTA = tiny.TEXT_MODELS["roberta"][2] | {"max_position_embeddings": 24, "pad_token_id": 1}
SMALL = {"max_position_embeddings": 20}
COMPOSED = {"hidden_size": 32, "num_attention_heads": 4, "num_hidden_layers": 2, "intermediate_size": 40}

# configuration, class, sizes, positions of the source, and of the target
LIMITED = [
    ("Roberta", "RobertaForMaskedLM", ROBERTA, 22, None),  # rows 0 and 1 are reserved for padding
    ("XLMRoberta", "XLMRobertaForMaskedLM", ROBERTA, 22, None),
    ("Camembert", "CamembertModel", ROBERTA | {"pad_token_id": 0}, 23, None),
    ("MPNet", "MPNetForMaskedLM", tiny.TEXT_SIZES | {"max_position_embeddings": 24}, 22, None),
    ("Bert", "BertForMaskedLM", tiny.TEXT_SIZES | SMALL, 20, None),
    ("GPT2", "GPT2LMHeadModel", tiny.TEXT_MODELS["gpt2"][2] | {"n_positions": 20}, 20, None),
    ("OPT", "OPTForCausalLM", {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "ffn_dim": 40,
     "word_embed_proj_dim": 32, "vocab_size": tiny.VOCABULARY, **SMALL}, 20, None),
    ("Llama", "LlamaForCausalLM", tiny.GROUPED | SMALL, 20, None),
    ("Bart", "BartForConditionalGeneration", tiny.BART | SMALL, 20, 20),
    ("Marian", "MarianMTModel", tiny.BART | SMALL, 20, 20),
    ("Blenderbot", "BlenderbotForConditionalGeneration", tiny.BART | SMALL, 20, 20),
    ("Gemma3", "Gemma3ForConditionalGeneration", {"text_config": tiny.GROUPED | SMALL | {"sliding_window": 4},
     "vision_config": COMPOSED | {"image_size": 32, "patch_size": 8}, "mm_tokens_per_image": 16}, 20, None),
]  # fmt: skip


def refused(positions: int):
    return pytest.raises(OpenError, match=SENTENCE.format(most=positions))


def text_of(model, count: int) -> str:
    """A text of exactly `count` tokens."""
    word = " a"
    frame = len(model.reader(word)["input_ids"]) - 1
    text = word * (count - frame)
    assert len(model.reader(text)["input_ids"]) == count
    return text


@pytest.mark.parametrize(
    ("config", "architecture", "sizes", "source", "target"), LIMITED, ids=[limited[1] for limited in LIMITED]
)
def test_as_many_tokens_as_positions_and_no_more(monkeypatch, config, architecture, sizes, source, target):
    network = build(config, architecture, sizes)
    model = open_model(network, reader=tiny.tokenizer())
    assert (model.limits.source, model.limits.target) == (source, target)
    options = {} if target is None else {"target": " a"}
    trace = model.trace(text_of(model, source), **options)
    assert len(trace.source.ids) == source
    too_long = text_of(model, source + 1)
    if target is not None:
        longest = text_of(model, target)[:-2]  # its end token is not read, its start is
        assert len(model.trace("A fox.", target=longest + " a").target.ids) == target
        for run in (model.trace, model.count_weights):
            with refused(target):
                run("A fox.", target=too_long + " a")
        with refused(target):
            model.trace("A fox.", target=(2,) * (target + 1))
    monkeypatch.setattr("model.hub.opened_model.run_network", _never)
    monkeypatch.setattr("model.hub.opened_reading.greedy_in_steps", _never)
    for run in (model.trace, model.count_weights, model.generate):
        if run == model.generate and model.task not in ("complete", "translate"):
            continue
        with refused(source):
            run(too_long)


def _never(*_, **__):
    raise AssertionError("it ran")


def test_an_encoder_and_a_decoder_of_different_lengths():
    sides = [tiny.TEXT_SIZES | {"max_position_embeddings": most} for most in (24, 16)]
    config = transformers.EncoderDecoderConfig.from_encoder_decoder_configs(
        transformers.BertConfig(**sides[0]),
        transformers.BertConfig(**sides[1], is_decoder=True, add_cross_attention=True),
    )
    config.decoder_start_token_id, config.pad_token_id, config.eos_token_id = 2, 0, 3
    torch.manual_seed(1)
    model = open_model(transformers.EncoderDecoderModel(config).eval(), reader=tiny.tokenizer(), task="translate")
    assert (model.limits.source, model.limits.target) == (24, 16)
    with refused(24):
        model.trace(text_of(model, 25), target="A fox.")
    with refused(16):
        model.trace("A fox.", target=text_of(model, 17) + " a")


@pytest.mark.parametrize("name", ["t5", "bloom"])
def test_positions_without_a_limit(opened, name):
    model = opened(name)
    assert model.limits.source is None
    assert len(model.trace(text_of(model, 100), **({"target": " a"} if name == "t5" else {})).source.ids) == 100


def test_generation_ends_at_the_last_position(opened):
    network = build("GPT2", "GPT2LMHeadModel", tiny.TEXT_MODELS["gpt2"][2] | {"n_positions": 16, "eos_token_id": None})
    model = open_model(network, reader=tiny.tokenizer())
    text = text_of(model, 14)
    assert model.generate(text, 20) is not None
    assert len(model._source(text).ids) == 14
