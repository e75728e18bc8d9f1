"""Methods of a trace that its model computes: the same results, and a sentence where the model is not known."""

from __future__ import annotations

import copy
import gc

import numpy as np
import pytest

from model.causal.causal_error import CausalError
from model.classifier import VisionClassifier
from model.hub.opened_pictures import patch_trace
from model.open_model import open_model
from tests.model.hub import tiny
from tests.model.hub.causal.live_models import live
from tests.model.hub.conftest import PICTURE
from tests.model.images import tiny_vision
from tests.model.random_language_model import random_model

TEXT = "The quick brown fox"
PIXELS = np.random.default_rng(0).random((12, 12, 3)).astype(np.float32)


def own_language():
    model = random_model(3)
    return model, model.trace_completion("I want to go")


def own_vision():
    model = VisionClassifier(tiny_vision(3).requires_grad_(False))
    return model, model.trace(PIXELS)


def opened_text():
    model = live("llama")
    return model, model.trace(TEXT)


def opened_batch():
    model = live("llama")
    return model, model.trace([TEXT, "I want to go home"])[1]


def opened_patches():
    model = live("vit")
    return model, patch_trace(model.trace(PICTURE))


@pytest.mark.parametrize("make", [own_language, own_vision, opened_text, opened_batch, opened_patches])
def test_a_trace_has_the_lens_and_the_parts_of_a_logit_that_its_model_computes(make):
    model, trace = make()
    lens, expected = trace.logit_lens(top=2), model.logit_lens(trace, top=2)
    np.testing.assert_array_equal(lens.probabilities, expected.probabilities)
    np.testing.assert_array_equal(lens.top_ids, expected.top_ids)
    parts, expected_parts = trace.logit_attribution(1, other=0), model.logit_attribution(trace, 1, 0)
    assert parts.tables.keys() == expected_parts.tables.keys()
    for name, table in parts.tables.items():
        np.testing.assert_array_equal(table.values, expected_parts.tables[name].values)


def test_a_trace_of_our_own_network_keeps_it_and_one_of_an_opened_model_does_not():
    trace = own_vision()[1]
    gc.collect()
    assert trace.logit_lens().difference < 1e-5
    opened = open_model(tiny.network("gpt2"), reader=tiny.tokenizer())
    trace = opened.trace(TEXT)
    del opened
    gc.collect()
    with pytest.raises(CausalError, match=r"no longer in memory; open it again and call model\.logit_lens\(trace\)"):
        trace.logit_lens()


def test_a_trace_under_an_intervention_is_refused():
    model, without = own_language()
    with pytest.raises(CausalError, match="recorded under an intervention"):
        model.trace_completion("I want to go", intervention=lambda name, tensor: tensor).logit_attribution()
    with pytest.raises(CausalError, match="recorded under an intervention"):
        live("llama").trace(TEXT, intervention=lambda name, tensor: tensor).logit_lens()
    assert without.logit_lens().difference < 1e-5


@pytest.mark.parametrize("make", [own_vision, opened_text])
def test_a_copied_trace_knows_no_model(make):
    model, trace = make()
    copied = copy.deepcopy(trace)
    with pytest.raises(CausalError, match="has no link to the model that recorded it"):
        copied.logit_lens()
    np.testing.assert_array_equal(model.logit_lens(copied).probabilities, trace.logit_lens().probabilities)
