"""A model that reads more than text says what it does not read here; layers with heads of different width open."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from model.lessons.one_weight import recompute_softmax
from model.open_model import open_model
from tests.model.hub import tiny
from tests.model.hub.conftest import TEXT
from tests.model.hub.test_tasks import build

EYE = {"hidden_size": 32, "num_attention_heads": 4, "num_hidden_layers": 2, "intermediate_size": 40, "image_size": 32,
       "patch_size": 8}  # fmt: skip
EAR = {"d_model": 32, "encoder_layers": 2, "encoder_attention_heads": 4, "encoder_ffn_dim": 40, "num_mel_bins": 8}
GEMMA3 = {"text_config": tiny.GROUPED | {"sliding_window": 4}, "vision_config": EYE, "mm_tokens_per_image": 16}
LLAVA = {
    "text_config": {"model_type": "llama", **tiny.GROUPED},
    "vision_config": {"model_type": "clip_vision_model", **EYE},
}
WIDTHS = tiny.GROUPED | {
    "num_hidden_layers": 4, "global_head_dim": 16, "sliding_window": 4, "hidden_size_per_layer_input": 8,
    "layer_types": ["sliding_attention", "full_attention"] * 2, "vocab_size_per_layer_input": tiny.VOCABULARY,
    "num_kv_shared_layers": 0,
}  # fmt: skip
HALVES = [
    ("Gemma3", "Gemma3ForConditionalGeneration", GEMMA3, "complete"),
    ("Gemma3", "Gemma3Model", GEMMA3, "encode"),
    ("Llava", "LlavaForConditionalGeneration", LLAVA, "complete"),
]  # fmt: skip


@pytest.mark.parametrize(("config", "architecture", "sizes", "task"), HALVES, ids=[half[1] for half in HALVES])
def test_a_model_of_pictures_and_text_says_that_it_reads_text_alone(config, architecture, sizes, task):
    network = build(config, architecture, sizes)
    model = open_model(network, reader=tiny.tokenizer())
    assert (model.task, model.unread) == (task, ("pictures",))
    trace = model.trace(TEXT)
    assert trace.verify().max_difference < 1e-5 and trace.source is not None


def test_a_model_of_sound_and_text_without_an_encoder_of_text_goes_on_writing(tmp_path):
    """The library lists it among the translators, which have a decoder besides their encoder."""
    sizes = {"text_config": {"model_type": "llama", **tiny.GROUPED}, "audio_config": EAR}
    network = build("Qwen2Audio", "Qwen2AudioForConditionalGeneration", sizes)
    network.save_pretrained(tmp_path)
    tiny.tokenizer().save_pretrained(tmp_path)
    for model in (open_model(network, reader=tiny.tokenizer()), open_model(tmp_path, device="cpu")):
        assert (model.task, model.unread, model.has_decoder) == ("complete", ("sound",), False)
        trace = model.trace(TEXT)
        losses = torch.from_numpy(trace.logits).double().log_softmax(dim=-1)
        expected = [-float(losses[place, id_]) for place, id_ in enumerate(trace.source.ids[1:])]
        np.testing.assert_allclose(model.score(trace), expected, atol=1e-6)
        assert model.generate(TEXT, 3) is not None


@pytest.mark.parametrize("name", ["bert", "gpt2", "t5", "vit", "gemma3", "llama"])
def test_a_model_of_one_kind_of_input_leaves_nothing_unread(opened, name):
    assert opened(name).unread == ()


def test_layers_whose_heads_differ_in_width(tmp_path):
    network = build("Gemma4Text", "Gemma4ForCausalLM", WIDTHS)
    model = open_model(network, reader=tiny.tokenizer())
    trace = model.trace(TEXT)
    record = trace.records["decoder"]
    assert record.weights.shape[:2] == (4, 4) and record.verification.max_difference < 1e-5
    assert (record.queries, record.forms) == (None, ())
    assert model.trace(TEXT, keep=1).records["decoder"].queries.shape[-1] == 16
    network.set_attn_implementation("eager")
    with torch.no_grad():
        own = network(torch.tensor([trace.source.ids]), output_attentions=True).attentions
    np.testing.assert_allclose(record.weights, torch.cat(list(own)).numpy(), atol=1e-5)
    one = recompute_softmax(record, 1, 2, 4, 1)
    assert one.weight == pytest.approx(float(record.weights[1, 2, 4, 1]), abs=1e-6)
