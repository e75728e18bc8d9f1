"""Values of a wrong kind for arguments of the API: each is answered by a sentence about that argument."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import torch

from model import HeadInterventions, Logit, OpenError, Scale, open_model
from model.hub.errors import FAILED
from model.runtime.messages import UserError
from model.tracing.head_interventions import OneHot
from tests.model.hub import tiny
from tests.model.hub.conftest import PICTURE, TEXT
from tests.model.hub.tiny_pictured import WORDS, build, picture


@functools.cache
def live(name: str):
    return open_model(tiny.network(name), reader=tiny.processor() if name in tiny.PICTURE_MODELS else tiny.tokenizer())


@functools.cache
def traced(name: str):
    return live(name).trace(PICTURE if name in tiny.PICTURE_MODELS else TEXT)


@functools.cache
def with_two_pictures():
    network, processor = build("llava")
    return open_model(network, reader=processor).trace(WORDS, picture=[picture(1), picture(2)])


def changed(*changes):
    return live("gpt2").trace(TEXT, intervention=HeadInterventions(changes))


def tapped(function):
    return live("gpt2").trace(TEXT, intervention=function)


def without_weights():
    network = tiny.network("gpt2")
    with torch.device("meta"):
        return open_model(type(network)(network.config), reader=tiny.tokenizer())


def closed():
    model = open_model(tiny.network("gpt2"), reader=tiny.tokenizer())
    model.close()
    return model


UNUSUAL = {
    "heads, all": (lambda: changed(Scale("decoder", "all")), "pairs of a layer and a head"),
    "heads, numbers": (lambda: changed(Scale("decoder", (0, 1))), "pairs of a layer and a head"),
    "heads, a fraction": (lambda: changed(Scale("decoder", ((0, 1.5),))), "pairs of a layer and a head"),
    "factor, text": (lambda: changed(Scale("decoder", ((0, 1),), "0")), "factor of a change is a number, not '0'"),
    "key, a word": (lambda: changed(OneHot("decoder", ((0, 0),), "the")), "key of a change is a number, not 'the'"),
    "changes, one": (
        lambda: live("gpt2").trace(TEXT, intervention=HeadInterventions(Scale("decoder", ((0, 0),)))),
        "takes a tuple of changes",
    ),
    "function, nothing": (lambda: tapped(lambda name, tensor: None), "must return a tensor of shape"),
    "function, array": (lambda: tapped(lambda name, tensor: tensor.numpy()), "must return a tensor of shape"),
    "function, part": (lambda: tapped(lambda name, tensor: tensor[..., :1]), "must return a tensor of shape"),
    "function, wrong": (lambda: tapped(lambda name, tensor: {}[name]), "fails at decoder.0.self.*: KeyError"),
    "function, of one": (lambda: tapped(lambda name: name), "fails at decoder.0.self.*: TypeError"),
    "second, a number": (lambda: live("bert").trace("A", second=5), "given as text, not as int"),
    "second, with a picture": (lambda: live("vit").trace(PICTURE, second="A"), "one input alone; leave second out"),
    "target, no decoder": (lambda: live("gpt2").trace("A", target="B"), "one input alone; leave target out"),
    "target, a number": (lambda: live("t5").trace("A", target=5), "A target is a text, or the ids"),
    "target, words": (lambda: live("t5").trace("A", target=["a", "b"]), "A target is a text, or the ids"),
    "target, empty": (lambda: live("t5").trace("A", target=()), "no ids; give at least one"),
    "target, unknown": (lambda: live("t5").trace("A", target=(5, 10**6)), "no token 1000000; ids go from 0 to"),
    "target, negative": (lambda: live("t5").trace("A", target=[-5]), "no token -5; ids go from 0 to"),
    "mask, a number": (
        lambda: live("gpt2").trace({"input_ids": [[5, 6]], "attention_mask": 1}),
        "differ in their shape",
    ),
    "attention of a list": (lambda: traced("bert").attention(["a"]), r"no attention of kind \['a'\]; it has encoder"),
    "axes of no kind": (lambda: traced("bert").axes("self"), "no attention of kind self; it has encoder"),
    "ids of no kind": (lambda: traced("bert").ids(None), "no attention of kind None; it has encoder"),
    "tokens of a picture": (lambda: traced("vit").token_axes("vision"), "of a picture alone, so it has no tokens"),
    "axes of two pictures": (lambda: with_two_pictures().axes("vision"), r"several pictures; .*pictures\[0\]\.tower"),
    "score of a text": (lambda: live("gpt2").score(TEXT), "Pass a trace .* this is a str"),
    "labels of a text": (lambda: live("gpt2").scored(TEXT), "Pass a trace .* this is a str"),
    "rollout of nothing": (lambda: live("gpt2").rollout(None), "Pass a trace .* this is a NoneType"),
    "top, no place": (lambda: live("gpt2").top(traced("gpt2"), 999), "no output position 999; there are 14"),
    "top, a word": (lambda: live("gpt2").top(traced("gpt2"), "cat"), "no output position cat"),
    "top, of classes": (lambda: live("vit").top(traced("vit"), 0), "predicts no tokens; read trace.answers"),
    "generate, texts": (lambda: live("gpt2").generate(["A", "B"]), "one input at a time"),
    "generate, nothing": (lambda: live("gpt2").generate(None), "reads text; give it a text"),
    "generate, -1": (lambda: live("gpt2").generate("A", -1), "whole number from 1 on, not -1"),
    "generate, text": (lambda: live("gpt2").generate("A", "5"), "whole number from 1 on, not '5'"),
    "size of nothing": (lambda: live("gpt2").count_weights(None), "reads text; give it a text"),
    "metric, a word": (lambda: live("gpt2").patch("The cat", "The dog", "logit"), "such as Logit.* not a str"),
    "logit, a word": (lambda: live("gpt2").logit_attribution(traced("gpt2"), "cat"), "There is no logit cat"),
    "logit of a metric": (lambda: live("gpt2").patch("The cat", "The dog", Logit("x")), "There is no logit x"),
    "task, a list": (lambda: open_model(tiny.network("gpt2"), task=["complete"]), "There is no task"),
    "reader, a function": (
        lambda: open_model(tiny.network("gpt2"), reader=lambda text: [1]),
        "reads with its tokenizer, not with a value of type function",
    ),
    "no weights": (without_weights, "no weights, as it was built on the device meta"),
    "reader of a closed model": (lambda: closed().reader.vocab_size, "This model is closed; open it again"),
}


@pytest.mark.parametrize("use", UNUSUAL)
def test_a_value_of_a_wrong_kind_is_answered_by_what_is_wrong_with_it(use):
    call, message = UNUSUAL[use]
    with pytest.raises(ValueError, match=message) as error:
        call()
    sentence = str(error.value)
    assert isinstance(error.value, UserError) and error.value.template != FAILED and "\n" not in sentence


def test_the_error_of_a_function_is_kept_as_the_cause():
    with pytest.raises(ValueError) as error:
        tapped(lambda name, tensor: {}["missing"])
    assert isinstance(error.value.__cause__, KeyError)


@pytest.mark.parametrize("device", [None, "gpu", 3.5])
def test_a_device_that_there_is_not_is_named(device):
    with pytest.raises(ValueError, match=f"no device {device!r}; use auto or cpu"):
        open_model(tiny.network("gpt2"), reader=tiny.tokenizer(), device=device)


@pytest.mark.parametrize("form", [list, tuple, np.array, torch.tensor])
def test_ids_of_a_target_may_be_in_any_form(form):
    ids = [2, 5, 6]
    trace = live("t5").trace("A car.", target=form(ids))
    assert list(trace.target.ids) == ids


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_networks_of_any_precision_are_traced(dtype):
    network = tiny.network("gpt2")
    other = type(network)(network.config).to(dtype).eval()
    trace = open_model(other, reader=tiny.tokenizer()).trace(TEXT)
    assert np.isfinite(trace.logits).all() and trace.verify().max_difference < 1e-2


def test_a_network_in_training_stays_so_and_is_traced_without_dropout():
    network = tiny.network("bert")
    network.train()
    traces = [open_model(network, reader=tiny.tokenizer()).trace(TEXT) for _ in range(2)]
    assert network.training
    np.testing.assert_array_equal(traces[0].logits, traces[1].logits)


def test_weights_that_are_no_numbers_are_refused():
    network = tiny.network("gpt2")
    with torch.no_grad():
        network.get_input_embeddings().weight.fill_(float("nan"))
    with pytest.raises(OpenError, match="Weights of this model are NaN or infinite, such as .*wte"):
        open_model(network, reader=tiny.tokenizer())
