"""Weights that become NaN or infinite after a model was opened are never traced silently."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from model import HeadInterventions, OpenError, Pull, open_model
from tests.model.hub import tiny, tiny_pictured
from tests.model.hub.conftest import PICTURE, TEXT

NAMES = ("gpt2", "bert", "t5", "vit")


def open_live(name: str):
    """A live network, which is opened, and what it reads."""
    if name in ("llava", "qwen2.5-vl"):
        network, processor = tiny_pictured.build(name)
        network = copy.deepcopy(network)
        return network, open_model(network, reader=processor), {"picture": tiny_pictured.picture()}
    network = tiny.network(name)
    return network, open_model(network, reader=tiny.processor() if name == "vit" else tiny.tokenizer()), {}


@pytest.mark.parametrize("number", [np.nan, np.inf])
@pytest.mark.parametrize("name", [*NAMES, "llava", "qwen2.5-vl"])
def test_weights_that_are_not_finite_any_more(name, number):
    network, model, options = open_live(name)
    given = PICTURE if name == "vit" else tiny_pictured.WORDS if options else TEXT
    model.trace(given, **options)
    words = ("mlp", "fc", "wi", "intermediate")  # of every other layer than attention
    weights = {key: tensor for key, tensor in network.named_parameters() if any(word in key for word in words)}
    name, tensor = list(weights.items())[0]
    with torch.no_grad():
        tensor.fill_(number)
    with pytest.raises(OpenError, match=r"^Weights of this model are NaN or infinite, such as .*; load or save the"):
        model.trace(given, **options)


@pytest.mark.parametrize("batch", [[TEXT, TEXT + " " + TEXT], [TEXT]])
def test_a_batch(batch):
    network, model, _ = open_live("bert")
    model.trace(batch)
    network.bert.encoder.layer[0].attention.self.query.weight.data[0, 0] = np.nan
    with pytest.raises(OpenError, match=r"such as bert\.encoder\.layer\.0\.attention\.self\.query\.weight"):
        model.trace(batch)


def test_numbers_too_large_for_float16(tmp_path):
    network = tiny.network("gpt2")
    network.transformer.h[0].mlp.c_proj.weight.data *= 1e8
    network.save_pretrained(tmp_path)
    tiny.tokenizer().save_pretrained(tmp_path)
    with pytest.raises(OpenError, match=r"are infinite, such as .*, as float16 has no numbers above 65,504"):
        open_model(tmp_path, device="cpu", dtype="float16")
    network = tiny.network("gpt2")
    network.transformer.h[0].mlp.c_fc.bias.data.fill_(60000)
    network.transformer.h[0].mlp.c_proj.weight.data.fill_(1)
    network.save_pretrained(tmp_path)
    with pytest.raises(OpenError, match=r"its weights are finite, as float16 has no numbers above 65,504; open it in"):
        open_model(tmp_path, device="cpu", dtype="float16")
    assert np.isfinite(open_model(tmp_path, device="cpu", dtype="float32").trace(TEXT).logits).all()


def test_float16_that_overflows_for_one_input_only(tmp_path):
    network = tiny.network("gpt2")
    reader = tiny.tokenizer()
    network.transformer.wpe.weight.data[40, 0] = 65000
    network.transformer.h[0].attn.c_proj.bias.data[0] = 1000
    network.save_pretrained(tmp_path)
    reader.save_pretrained(tmp_path)
    model = open_model(tmp_path, device="cpu", dtype="float16")
    model.trace([0] * 40)
    with pytest.raises(OpenError, match="as float16 has no numbers above 65,504"):
        model.trace([0] * 41)


def test_a_body_without_its_pooler_is_not_blamed_on_the_pooler(tmp_path):
    network = tiny.network("bert").bert
    network.save_pretrained(tmp_path)
    tiny.tokenizer().save_pretrained(tmp_path)
    weights = load_file(tmp_path / "model.safetensors")
    save_file({name: tensor for name, tensor in weights.items() if "pool" not in name}, tmp_path / "model.safetensors",
              {"format": "pt"})  # fmt: skip
    model = open_model(tmp_path, device="cpu")
    model.trace(TEXT)
    model.network.encoder.layer[0].output.dense.bias.data.fill_(np.nan)
    with pytest.raises(OpenError, match=r"such as encoder\.layer\.0\.output\.dense\.bias"):
        model.trace(TEXT)


def test_an_intervention_that_gives_nan():
    _, model, _ = open_live("gpt2")
    with pytest.raises(OpenError, match="Under this intervention the model computes numbers that are NaN"):
        model.trace(TEXT, intervention=lambda name, tensor: tensor * np.nan if name.endswith("outputs") else tensor)
    pulled = model.trace(TEXT, intervention=HeadInterventions((Pull("decoder", ((0, 0),), 0, 1, 1000.0),)))
    assert np.isfinite(pulled.logits).all()


def test_the_model_is_used_again_once_its_weights_are_finite():
    network, model, _ = open_live("gpt2")
    weight = network.transformer.h[1].attn.c_attn.weight
    before = weight.detach().clone()
    weight.data.fill_(np.nan)
    with pytest.raises(OpenError):
        model.trace(TEXT)
    weight.data.copy_(before)
    assert np.isfinite(model.trace(TEXT).logits).all()
