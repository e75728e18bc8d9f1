"""Things that researchers give by mistake: each is answered by one sentence that says what to do."""

from __future__ import annotations

import importlib.util
import json
import re
from types import SimpleNamespace

import pytest
import transformers
from torch import nn

from attention_atlas import show
from model import HeadInterventions, OpenError, Scale, Translator, open_model
from model.hub import library_version, loading
from model.runtime.messages import UserError
from tests.model.hub import tiny
from tests.model.hub.conftest import PICTURE, TEXT


def live(name: str, **options):
    vision = name in tiny.PICTURE_MODELS
    return open_model(tiny.network(name), reader=tiny.processor() if vision else tiny.tokenizer(), **options)


def closed():
    with live("gpt2") as model:
        return model


def pipeline():
    return transformers.pipeline("fill-mask", model=tiny.network("bert"), tokenizer=tiny.tokenizer())


def with_layers_of_bits(layer: str, network: str = "llama"):
    """A live model with a layer that is named as those of bitsandbytes are."""
    module = tiny.network(network)
    kind = type(layer, (nn.Linear,), {"__module__": "bitsandbytes.nn.modules"})
    module.model.layers[0].self_attn.q_proj = kind(32, 32)
    return open_model(module, reader=tiny.tokenizer())


def stored_in_bits(folder, **plan):
    """A folder whose configuration states that its weights are stored in fewer bits."""
    tiny.save("gpt2", folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"quantization_config": plan}))
    return open_model(folder, device="cpu")


FOUR = {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}
EIGHT = {"quant_method": "bitsandbytes", "load_in_8bit": True}
FULL = r"open_model\(model\.dequantize\(torch\.float32\), reader=tokenizer\)"  # without the type, bitsandbytes fails

WRONG = {
    "unknown task": (
        lambda folder: live("bert", task="ner"),
        "no task 'ner'; choose one of classify, classify-text, translate, fill, complete, encode",
    ),
    "unknown kind": (
        lambda folder: live("bert").trace(TEXT).attention("self"),
        "no attention of kind self; it has encoder",
    ),
    "unknown kind of a change": (
        lambda folder: live("bert").trace(TEXT, intervention=HeadInterventions((Scale("self", ((0, 0),)),))),
        "no attention of kind 'self' here; choose one of encoder",
    ),
    "unknown layer": (
        lambda folder: live("gpt2").trace(TEXT, keep=9),
        "no attention in layer 9; counted from 0, this model has it in 0, 1",
    ),
    "unknown layer of a view": (
        lambda folder: show(live("gpt2").trace(TEXT), layers=[9]),
        "There are 2 layers, counted from 0; 9 is not among them",
    ),
    "path of a picture": (
        lambda folder: live("vit").trace(str(folder / "cat.jpg")),
        r"reads pictures, not '.*'; open a file first: from PIL import Image",
    ),
    "text to a ViT": (lambda folder: live("vit").trace(TEXT), "reads pictures, not 'The quick"),
    "no tokenizer": (
        lambda folder: open_model(tiny.network("bert")),
        r"needs its tokenizer; give it: open_model\(model, reader=tokenizer\)",
    ),
    "no image processor": (lambda folder: open_model(tiny.network("vit")), r"needs its image processor"),
    "another reader": (
        lambda folder: open_model(tiny.network("bert"), reader=tiny.processor()),
        "reads with its tokenizer, not with a ViTImageProcessor",
    ),
    "pipeline": (
        lambda folder: open_model(pipeline()),
        r"A pipeline is not a model; .*open_model\(pipeline.model, reader=pipeline.tokenizer\)",
    ),
    "config": (
        lambda folder: open_model(tiny.network("bert").config),
        "A configuration has no weights; give a folder, an id of the hub, or a live model",
    ),
    "tokenizer": (lambda folder: open_model(tiny.tokenizer()), "has no weights; give a folder"),
    "class": (lambda folder: open_model(transformers.BertModel), "The class BertModel is not a source of a model"),
    "other module": (
        lambda folder: open_model(tiny.network("bert").bert.embeddings, reader=tiny.tokenizer()),
        "BertEmbeddings is not a model of the library transformers",
    ),
    "reader of a folder": (
        lambda folder: open_model(tiny.save("gpt2", folder), reader=tiny.tokenizer()),
        "has its own tokenizer or image processor; leave `reader` out",
    ),
    "four bits": (
        lambda folder: stored_in_bits(folder, **FOUR),
        "in 4 bits by the library bitsandbytes, which is not installed; install it, load",
    ),
    "layers of four bits": (lambda folder: with_layers_of_bits("Linear4bit"), FULL),
    "layers of eight bits": (lambda folder: with_layers_of_bits("Linear8bitLt"), FULL),
    "closed": (lambda folder: closed().trace(TEXT), "This model is closed; open it again with open_model"),
    "closed, its device": (lambda folder: closed().device_name, "This model is closed"),
    "no intervention": (
        lambda folder: live("gpt2").trace(TEXT, intervention="decoder"),
        "HeadInterventions, or a function of the name and the tensor, not str",
    ),
    "one change": (
        lambda folder: live("gpt2").trace(TEXT, intervention=Scale("decoder", ((0, 0),))),
        r"one change alone; give HeadInterventions\(\(change,\)\)",
    ),
    "picture to a translator": (lambda folder: Translator.load(device="cpu").trace(PICTURE), "Pass a sentence as text"),
}


@pytest.mark.parametrize("use", WRONG)
def test_a_wrong_use_is_answered_by_what_to_do(use, tmp_path, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(loading, "find_spec", lambda name: None if name == "bitsandbytes" else found(name))
    call, message = WRONG[use]
    with pytest.raises(ValueError, match=message) as error:
        call(tmp_path)
    sentence = str(error.value)
    assert sentence.endswith(".") and "\n" not in sentence and type(error.value) is not ValueError


SESSION = (  # ten uses in a row, as in the session that the package was tried with
    "unknown task", "unknown kind", "unknown layer", "path of a picture", "text to a ViT", "no tokenizer", "pipeline",
    "config", "four bits", "closed",
)  # fmt: skip


def test_a_session_of_ten_wrong_uses_gets_ten_sentences(tmp_path, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(loading, "find_spec", lambda name: None if name == "bitsandbytes" else found(name))
    sentences = []
    for use in SESSION:
        call, _ = WRONG[use]
        try:
            call(tmp_path)
        except Exception as error:
            assert isinstance(error, UserError), f"{use}: {error!r}"
            sentences.append(str(error))
    assert len(set(sentences)) == len(SESSION) == 10
    asked = re.compile(r"\b(choose|give|open|install|load|it has|counted from)\b")
    assert [sentence for sentence in sentences if not asked.search(sentence)] == []


BITS = {  # what a configuration states -> what the sentence says of it
    "eight": (EIGHT, "8 bits by the library bitsandbytes", "bitsandbytes"),
    "four": (FOUR, "4 bits by the library bitsandbytes", "bitsandbytes"),
    "gptq, four": ({"quant_method": "gptq", "bits": 4}, "4 bits by the library gptqmodel", "gptqmodel"),
    "gptq, eight": ({"quant_method": "gptq", "bits": 8}, "8 bits by the library gptqmodel", "gptqmodel"),
    "awq": ({"quant_method": "awq", "bits": 4}, "4 bits by the library gptqmodel", "gptqmodel"),
    "hqq": ({"quant_method": "hqq", "quant_config": {}}, "fewer bits by the library hqq", "hqq"),
}


@pytest.mark.parametrize("installed", [False, True])
@pytest.mark.parametrize("stored", BITS)
def test_weights_of_few_bits_get_one_sentence(stored, installed, tmp_path, monkeypatch):
    plan, stated, library = BITS[stored]
    found = importlib.util.find_spec
    monkeypatch.setattr(loading, "find_spec", lambda name: installed or None if name == library else found(name))
    with pytest.raises(OpenError, match=FULL) as error:
        stored_in_bits(tmp_path, **plan)
    sentence = str(error.value)
    assert (stated if not installed else stated.replace("the library ", "")) in sentence and sentence.endswith(".")
    assert ("is not installed; install it" in sentence) == (not installed) and "\n" not in sentence


def test_a_method_that_is_not_known_is_named(tmp_path):
    with pytest.raises(OpenError, match="in fewer bits by mxfp4; load it with from_pretrained"):
        stored_in_bits(tmp_path, quant_method="mxfp4")


def test_layers_of_few_bits_open_after_they_are_turned_into_full_precision():
    """What `dequantize` of the library leaves: plain layers, and a configuration that states no bits."""
    network = tiny.network("llama")
    own = network.model.layers[0].self_attn.q_proj
    kind = type("Linear8bitLt", (nn.Linear,), {"__module__": "bitsandbytes.nn.modules"})
    network.model.layers[0].self_attn.q_proj = kind(32, 32)
    with pytest.raises(OpenError, match="8 or 4 bits"):
        open_model(network, reader=tiny.tokenizer())
    network.model.layers[0].self_attn.q_proj = own
    assert open_model(network, reader=tiny.tokenizer()).trace(TEXT).verify().max_difference < 1e-5


@pytest.mark.parametrize("installed", ["4.57.6", "6.0.0.dev0"])
def test_another_major_version_of_the_library_is_named(installed, monkeypatch):
    monkeypatch.setattr("transformers.__version__", installed)
    with pytest.raises(OpenError, match=rf"Version {installed} .* from 5\.0 to below 6; run: pip install 'transf"):
        open_model("gpt2", download=False)


@pytest.mark.parametrize("version", ["5.0.0", "5.23.0", "5.99.1rc1"])
def test_versions_of_the_range_are_accepted(version, monkeypatch):
    monkeypatch.setattr("transformers.__version__", version)
    library_version.check_library_version()


def test_an_old_pytorch_is_named(monkeypatch):
    import torch

    monkeypatch.setattr(torch, "__version__", "2.5.1")
    with pytest.raises(OpenError, match=r"Version 2\.5\.1 of PyTorch is too old .* install PyTorch 2\.6 or later"):
        open_model("gpt2", download=False)


def test_a_pipeline_of_pictures_names_its_processor():
    from model.hub.source import PIPELINE, check_source

    module, _, name = PIPELINE.rpartition(".")
    base = type(name, (), {"__module__": module})
    given = base()
    given.model = SimpleNamespace(main_input_name="pixel_values")
    with pytest.raises(OpenError, match=r"reader=pipeline\.image_processor"):
        check_source(given, None)
