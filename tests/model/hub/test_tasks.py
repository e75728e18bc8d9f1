"""The task of a model is that of its class, and another head is left out: its body opens, and nothing is answered."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from model import OpenError
from model.hub.tasks import task_of, task_of_network
from model.open_model import open_model
from tests.model.hub import tiny
from tests.model.hub.conftest import PICTURE, TEXT

BERT, T5, BART, GPT2 = (tiny.TEXT_MODELS[name][2] for name in ("bert", "t5", "bart", "gpt2"))
ELECTRA = tiny.TEXT_SIZES | {"embedding_size": 16}
VIT = tiny.PICTURE | {"num_labels": 3}


def build(config: str, architecture: str, sizes: dict) -> transformers.PreTrainedModel:
    torch.manual_seed(1)
    return getattr(transformers, architecture)(getattr(transformers, f"{config}Config")(**sizes)).eval()


def save(folder, network: transformers.PreTrainedModel):
    network.save_pretrained(folder)
    vision = network.main_input_name == "pixel_values"
    (tiny.processor() if vision else tiny.tokenizer()).save_pretrained(folder)
    return folder


def change_config(folder, **settings: object) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | settings))


def body_output(network: transformers.PreTrainedModel, trace) -> np.ndarray:
    """Last hidden states of a network's body for the input of a trace."""
    body = network.base_model
    if trace.source is None:
        inputs = {"pixel_values": torch.from_numpy(trace.received)[None]}
    else:
        inputs = {"input_ids": torch.tensor([trace.source.ids])}
        if trace.target is not None:
            inputs["decoder_input_ids"] = torch.tensor([trace.target.ids])
    with torch.no_grad():
        return body(**inputs).last_hidden_state[0].numpy()


OTHER_HEADS = [
    ("Bert", "BertForTokenClassification", BERT), ("Bert", "BertForQuestionAnswering", BERT),
    ("Bert", "BertForNextSentencePrediction", BERT), ("Bert", "BertForMultipleChoice", BERT),
    ("Electra", "ElectraForPreTraining", ELECTRA), ("DistilBert", "DistilBertForTokenClassification",
     tiny.TEXT_MODELS["distilbert"][2]), ("GPT2", "GPT2ForTokenClassification", GPT2),
    ("Bart", "BartForQuestionAnswering", BART), ("Roberta", "RobertaForTokenClassification",
     tiny.TEXT_MODELS["roberta"][2]), ("T5", "T5EncoderModel", T5), ("ViT", "ViTForMaskedImageModeling", VIT),
    ("Yolos", "YolosForObjectDetection", tiny.PICTURE | {"image_size": [32, 32], "num_detection_tokens": 3}),
]  # fmt: skip


@pytest.mark.parametrize(("config", "architecture", "sizes"), OTHER_HEADS, ids=lambda part: str(part)[:40])
def test_a_folder_with_another_head_opens_as_its_body(tmp_path, config, architecture, sizes):
    network = build(config, architecture, sizes)
    model = open_model(save(tmp_path, network), device="cpu", dtype="float32")
    assert model.task == "encode"
    assert model.head == (None if architecture == "T5EncoderModel" else architecture)
    if model.vision and architecture.startswith("Yolos"):
        return  # its positions are those of the test of pictures
    trace = model.trace(PICTURE if model.vision else TEXT)
    np.testing.assert_allclose(trace.logits, body_output(network, trace), atol=1e-4)
    assert trace.verify().max_difference < 1e-5
    with pytest.raises(OpenError, match="predicts nothing"):
        model.score(trace)
    assert "ablate" not in model.capabilities


@pytest.mark.parametrize(
    ("config", "architecture", "sizes", "named"),
    [
        ("Bert", "BertModel", BERT, "BertForMaskedLM"),
        ("Roberta", "RobertaModel", tiny.TEXT_MODELS["roberta"][2], "RobertaForSequenceClassification"),
        ("ViT", "ViTModel", tiny.PICTURE, "ViTForImageClassification"),
        ("Bert", "BertModel", BERT, None),
        ("Electra", "ElectraModel", ELECTRA, "ElectraForMaskedLM"),
    ],
)
def test_base_weights_whose_configuration_names_a_head_open_as_their_body(tmp_path, config, architecture, sizes, named):
    network = build(config, architecture, sizes)
    save(tmp_path, network)
    change_config(tmp_path, architectures=None if named is None else [named])
    model = open_model(tmp_path, device="cpu", dtype="float32")
    assert (model.task, model.head) == ("encode", named)
    trace = model.trace(PICTURE if model.vision else TEXT)
    np.testing.assert_allclose(trace.logits, body_output(network, trace), atol=1e-4)
    with pytest.raises(OpenError, match="weights lack"):
        open_model(tmp_path, device="cpu", dtype="float32", task="classify" if model.vision else "fill")


@pytest.mark.parametrize(
    ("name", "lost"),
    [
        ("bert", "encoder.layer.1.output.dense.weight"), ("vit", "layernorm.weight"),
        ("bert-classes", "embeddings.LayerNorm.bias"), ("t5", "shared.weight"),
    ],
)  # fmt: skip
def test_a_body_that_is_not_complete_is_refused(tmp_path, name, lost):
    tiny.save(name, tmp_path)
    weights = load_file(tmp_path / "model.safetensors")
    lacking = {key: tensor for key, tensor in weights.items() if not key.endswith(lost)}
    assert len(lacking) < len(weights)
    save_file(lacking, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(OpenError, match="weights lack"):
        open_model(tmp_path, device="cpu", dtype="float32")


@pytest.mark.parametrize("name", ["bert", "vit"])
def test_a_body_without_its_pooler_opens(tmp_path, name):
    """A classifier is saved without the pooler that the body alone has; nothing that is shown depends on it."""
    network = tiny.network(name)
    save(tmp_path, network)
    change_config(tmp_path, architectures=[type(network.base_model).__name__])
    model = open_model(tmp_path, device="cpu", dtype="float32")
    assert model.task == "encode"
    assert np.isfinite(model.trace(PICTURE if model.vision else TEXT).logits).all()


LIVE = [
    ("Bert", "BertModel", BERT, "encode"), ("Bert", "BertForMaskedLM", BERT, "fill"),
    ("Bert", "BertLMHeadModel", BERT | {"is_decoder": True}, "complete"), ("GPT2", "GPT2Model", GPT2, "encode"),
    ("GPT2", "GPT2LMHeadModel", GPT2, "complete"), ("T5", "T5EncoderModel", T5, "encode"),
    ("T5", "T5Model", T5, "encode"), ("Bert", "BertForTokenClassification", BERT, "encode"),
    ("Bart", "BartForConditionalGeneration", BART, "translate"), ("ViT", "ViTModel", tiny.PICTURE, "encode"),
    ("ViT", "ViTForImageClassification", VIT, "classify"),
]  # fmt: skip


@pytest.mark.parametrize(("config", "architecture", "sizes", "task"), LIVE, ids=lambda part: str(part)[:40])
@pytest.mark.parametrize("named", [None, "BertForMaskedLM", "GPT2LMHeadModel"])
def test_the_task_of_a_live_model_is_that_of_its_class(config, architecture, sizes, task, named):
    network = build(config, architecture, sizes)
    network.config.architectures = None if named is None else [named]
    reader = tiny.processor() if network.main_input_name == "pixel_values" else tiny.tokenizer()
    model = open_model(network, reader=reader)
    assert model.task == task
    assert model.head == ("BertForTokenClassification" if "Token" in architecture else None)
    if task == "encode":
        trace = model.trace(PICTURE if model.vision else TEXT)
        np.testing.assert_allclose(trace.logits, body_output(network, trace), atol=1e-4)
        with pytest.raises(OpenError, match="not complete; open a model with another head"):
            open_model(network, reader=reader, task="complete")


def test_a_class_derived_from_one_of_the_library_has_its_task():
    class Own(transformers.GPT2LMHeadModel):
        """A class of a user."""

    network = Own(transformers.GPT2Config(**GPT2)).eval()
    assert task_of_network(network) == "complete"
    assert open_model(network, reader=tiny.tokenizer()).task == "complete"


def test_old_names_of_classes_still_have_their_task():
    config = transformers.T5Config(**T5)
    for name, task in (("T5WithLMHeadModel", "translate"), ("T5EncoderModel", "encode"), ("T5Model", "encode")):
        config.architectures = [name]
        assert task_of(config) == task
