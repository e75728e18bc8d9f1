"""Classifiers with one output answer with a score, those of several labels with a probability for each."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import transformers

from model import HeadInterventions, OpenError
from model.hub.ablation import ablate
from model.open_model import open_model
from model.tracing.head_interventions import Scale
from tests.model.hub import tiny
from tests.model.hub.conftest import PICTURE, TEXT

TYPES = [("Bert", "BertForSequenceClassification", "bert"), ("Roberta", "RobertaForSequenceClassification", "roberta"),
         ("DistilBert", "DistilBertForSequenceClassification", "distilbert"),
         ("Llama", "LlamaForSequenceClassification", "llama"), ("ViT", "ViTForImageClassification", "vit"),
         ("Dinov2", "Dinov2ForImageClassification", "dinov2")]  # fmt: skip


def build(config: str, architecture: str, name: str, **settings: object):
    sizes = {**tiny.TEXT_MODELS, **tiny.PICTURE_MODELS}[name][2] | settings
    torch.manual_seed(1)
    network = getattr(transformers, architecture)(getattr(transformers, f"{config}Config")(**sizes)).eval()
    for parameter in network.parameters():
        if parameter.ndim > 1:
            torch.nn.init.normal_(parameter, std=0.3)
    return network


def opened_and_logits(network):
    """An opened model, its trace, and the logits that the network itself has for the same input."""
    vision = network.main_input_name == "pixel_values"
    model = open_model(network, reader=tiny.processor() if vision else tiny.tokenizer())
    trace = model.trace(PICTURE if vision else TEXT)
    with torch.no_grad():
        if vision:
            own = network(pixel_values=torch.from_numpy(trace.received)[None]).logits
        else:
            own = network(input_ids=torch.tensor([trace.source.ids])).logits
    return model, trace, own[0].double()


@pytest.mark.parametrize(("config", "architecture", "name"), TYPES)
@pytest.mark.parametrize("settings", [{"num_labels": 1}, {"num_labels": 3, "problem_type": "regression"}])
def test_outputs_of_a_regression_are_scores(config, architecture, name, settings):
    model, trace, own = opened_and_logits(build(config, architecture, name, **settings))
    assert (trace.form, model.form) == ("scores", "scores")
    np.testing.assert_allclose(trace.answers.reshape(-1), own.numpy(), atol=1e-4)
    np.testing.assert_allclose(model.score(trace).reshape(-1), own.numpy(), atol=1e-4)
    with pytest.raises(OpenError, match="not probabilities"):
        _ = trace.probabilities
    assert "explain" not in model.capabilities
    _check_effects(model, trace)


@pytest.mark.parametrize(("config", "architecture", "name"), TYPES)
@pytest.mark.parametrize("count", [1, 4])
def test_several_labels_at_once_each_have_their_sigmoid(config, architecture, name, count):
    network = build(config, architecture, name, num_labels=count, problem_type="multi_label_classification")
    model, trace, own = opened_and_logits(network)
    assert trace.form == "labels"
    np.testing.assert_allclose(trace.probabilities.reshape(-1), own.sigmoid().numpy(), atol=1e-5)
    np.testing.assert_allclose(model.score(trace).reshape(-1), -own.sigmoid().log().numpy(), atol=1e-4)
    assert model.scored(trace) == trace.classes == tuple(f"LABEL_{place}" for place in range(count))
    _check_effects(model, trace)


@pytest.mark.parametrize(("config", "architecture", "name"), TYPES)
def test_one_class_of_several_has_a_softmax(config, architecture, name):
    model, trace, own = opened_and_logits(build(config, architecture, name, num_labels=3))
    assert trace.form == "classes"
    np.testing.assert_allclose(trace.probabilities.reshape(-1), own.softmax(dim=-1).numpy(), atol=1e-5)
    np.testing.assert_allclose(model.score(trace).reshape(-1), -own.log_softmax(dim=-1).numpy(), atol=1e-4)


def _check_effects(model, trace) -> None:
    """The effect of a head is the change of what `score` scores of the strongest answer."""
    given = PICTURE if model.vision else TEXT
    best = int(trace.answers.reshape(-1).argmax())
    kind = model.kinds[0].name
    effects = ablate(model, trace, given, {}, best)[kind]
    without = HeadInterventions((Scale(kind, ((1, 2),), 0.0),))
    changed = model.score(model.trace(given, intervention=without), without).reshape(-1)[best]
    assert effects[1, 2] == pytest.approx(changed - model.score(trace).reshape(-1)[best], abs=1e-6)
    assert np.abs(effects).max() > 1e-6


@pytest.mark.parametrize("architecture", ["Bart", "MBart", pytest.param("PLBart", marks=pytest.mark.nightly), "T5"])
def test_a_classifier_with_a_decoder_feeds_it_the_text(architecture):
    network = build(architecture, f"{architecture}ForSequenceClassification", "t5" if architecture == "T5" else "bart",
                    num_labels=3)  # fmt: skip
    model = open_model(network, reader=tiny.tokenizer())
    trace = model.trace(TEXT)
    with torch.no_grad():
        own = network(input_ids=torch.tensor([trace.source.ids])).logits[0]
    np.testing.assert_allclose(trace.logits, own, atol=1e-5)
    assert set(trace.records) == {"encoder", "decoder", "cross"}
    assert trace.verify().max_difference < 1e-5
    with pytest.raises(OpenError, match="reads the text itself; leave the target out"):
        model.trace(TEXT, target="A car.")
