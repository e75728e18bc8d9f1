"""All networks have one interface: kinds, capabilities, a trace with checked records, a score."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import Image

from model import ConvolutionClassifier, RecurrentTranslator, Translator, VisionClassifier
from model.attribution.head_labels import head_scores
from model.tracing.kinds import CROSS, DECODER, ENCODER, KINDS, TRANSLATION, VISION, attention_module
from model.tracing.traced_model import TracedModel
from tests.model.images import tiny_convolution, tiny_vision
from tests.model.networks import tiny_network, tiny_recurrent


@pytest.fixture(scope="module")
def models(tokenizer):
    """One of each, untrained, with an input."""
    size = len(tokenizer)
    picture = Image.fromarray(np.arange(3 * 40 * 40, dtype=np.uint8).reshape(40, 40, 3))
    return {
        "transformer": (Translator(tiny_network(vocabulary_size=size), tokenizer), "the dog sleeps"),
        "additive": (
            RecurrentTranslator(tiny_recurrent("lstm-additive", 4, vocabulary_size=size), tokenizer),
            "the dog",
        ),
        "vector": (RecurrentTranslator(tiny_recurrent("lstm-vector", 4, vocabulary_size=size), tokenizer), "the dog"),
        "vit": (VisionClassifier(tiny_vision()), picture),
        "convolution": (ConvolutionClassifier(tiny_convolution()), picture),
    }


NAMES = ("transformer", "additive", "vector", "vit", "convolution")


@pytest.mark.parametrize("name", NAMES)
def test_a_trace_has_a_checked_record_of_every_kind_only(models, name):
    model, model_input = models[name]
    assert isinstance(model, TracedModel)
    trace = model.trace(model_input)
    assert tuple(trace.records) == tuple(kind.name for kind in model.kinds)
    for kind in model.kinds:
        record, (queries, keys) = trace.records[kind.name], trace.axes(kind.name)
        assert record.weights.shape[2:] == (len(queries), len(keys))
        assert (len(queries) == len(keys)) or not kind.square
        assert record.verification is record.verification  # computed once
        assert record.verification.max_difference < 1e-5
        assert (record.allowed is not None) == kind.causal


def test_capabilities_of_each_model(models):
    assert models["transformer"][0].capabilities == {"translate", "ablate", "intervene", "export", "pull"}
    assert models["additive"][0].capabilities == models["vector"][0].capabilities == {"translate", "intervene"}
    assert models["convolution"][0].capabilities == {"classify"}
    assert models["vit"][0].capabilities == {"classify", "ablate", "intervene", "explain", "export"}
    assert [models[name][0].kinds for name in NAMES] == [
        TRANSLATION,
        (replace(CROSS, score="additive"),),
        (),
        (VISION,),
        (),
    ]


@pytest.mark.parametrize("name", NAMES)
def test_the_score_is_minus_ln_p_of_pytorchs_softmax(models, name):
    model, model_input = models[name]
    trace = model.trace(model_input)
    expected = -torch.from_numpy(trace.logits).double().log_softmax(dim=-1).numpy()
    if "translate" in model.capabilities:
        expected = expected[np.arange(len(trace.next_ids)), list(trace.next_ids)]
    np.testing.assert_allclose(model.score(trace), expected, atol=1e-6)


def test_kinds_name_the_tokens_that_they_relate(models):
    trace = models["transformer"][0].trace("the dog sleeps")
    assert [kind.square for kind in TRANSLATION] == [True, True, False]
    assert [kind.causal for kind in TRANSLATION] == [False, True, False]
    assert trace.ids("cross") == (trace.target_ids, trace.source_ids)
    assert trace.axes("encoder") == (trace.source_tokens, trace.source_tokens)
    assert CROSS.tap_name(3) == "decoder.3.cross"
    assert list(KINDS) == ["encoder", "decoder", "cross", "vision", "prefix"]
    assert list(head_scores(trace)) == ["encoder", "decoder", "cross"]


def test_the_module_of_a_kind_is_the_one_that_computes_it(models):
    transformer, vit = models["transformer"][0].network, models["vit"][0].network
    assert attention_module(transformer, ENCODER, 1) is transformer.encoder[1].self_attention
    assert attention_module(transformer, DECODER, 1) is transformer.decoder[1].self_attention
    assert attention_module(transformer, CROSS, 0) is transformer.decoder[0].cross_attention
    assert attention_module(vit, VISION, 1) is vit.layers[1].attention


def test_an_ablation_and_its_check_come_from_the_model(models):
    model = models["transformer"][0]
    trace = model.trace("the dog sleeps")
    *parts, last = model.ablate_in_steps(trace)
    assert last.done == last.total == len(parts) + 1
    assert model.loss_without(trace, ("cross", 1, 0)) != pytest.approx(float(model.score(trace).mean()), abs=1e-9)
