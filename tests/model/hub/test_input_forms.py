"""Texts, ids, batches and chats give an opened model the same as each text alone."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch

from model import HeadInterventions, OpenError, Scale, open_model
from tests.model.hub import tiny
from tests.model.hub.conftest import PICTURE, TEXT

TEXTS = ["A car.", "The quick brown fox wants to buy a car, and sells one.", "She was tired."]
TOGETHER = ["bert", "roberta", "modernbert", "gpt2", "llama", "gemma2", "gpt-oss"]
ONE_BY_ONE = ["deberta", "gpt-j", "bloom", "t5"]


def assert_alike(one, other) -> None:
    assert one.source == other.source and list(one.records) == list(other.records)
    np.testing.assert_allclose(one.logits, other.logits, atol=1e-5 * max(1, np.abs(other.logits).max()))
    for kind, record in one.records.items():
        assert record.layers == other.records[kind].layers
        np.testing.assert_allclose(record.weights, other.records[kind].weights, atol=1e-5)
        if record.allowed is not None:
            np.testing.assert_array_equal(record.allowed, other.records[kind].allowed)
    assert list(one.stream) == list(other.stream)
    for stack, states in one.stream.items():
        np.testing.assert_allclose(states, other.stream[stack], atol=1e-4)
    assert one.verify().max_difference < 3e-5


@pytest.mark.parametrize("name", [*TOGETHER, *ONE_BY_ONE])
def test_texts_of_a_batch_give_what_each_gives_alone(name, opened):
    model = opened(name)
    traces = model.trace(TEXTS)
    for text, trace in zip(TEXTS, traces, strict=True):
        assert_alike(trace, model.trace(text))
    assert model._padding_is_neutral is (True if name in TOGETHER else None)


def test_a_classifier_reads_a_batch():
    model = open_model(tiny.network("bert-classes"), reader=tiny.tokenizer())
    for text, trace in zip(TEXTS, model.trace(TEXTS), strict=True):
        assert_alike(trace, model.trace(text))
        assert trace.logits.shape == (3,)


def test_a_network_that_sees_padding_reads_its_texts_one_by_one():
    network = tiny.network("bert")
    network.embeddings_of = network.bert.embeddings.register_forward_hook(
        lambda module, inputs, output: output * output.shape[1]  # as one that normalises over positions
    )
    model = open_model(network, reader=tiny.tokenizer())
    for text, trace in zip(TEXTS, model.trace(TEXTS), strict=True):
        assert_alike(trace, model.trace(text))
    assert model._padding_is_neutral is False


@pytest.mark.parametrize("name", TOGETHER)
@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_of_a_tokenizer_is_left_out_on_either_side(name, side, opened):
    model = opened(name)
    encoding = tiny.tokenizer()(TEXTS, padding=True, padding_side=side, return_tensors="pt")
    for text, trace in zip(TEXTS, model.trace(encoding), strict=True):
        assert_alike(trace, model.trace(text))


def test_ids_in_every_form(opened):
    model = opened("gpt2")
    ids, expected = tiny.tokenizer()(TEXT)["input_ids"], model.trace(TEXT)
    for form in (ids, tuple(ids), np.array(ids), torch.tensor(ids), expected.source):
        np.testing.assert_array_equal(model.trace(form).logits, expected.logits)
    assert model.trace(ids).source.labels == expected.source.labels
    for trace in model.trace([ids, ids[:3]]):
        np.testing.assert_allclose(trace.logits, expected.logits[: len(trace.logits)], atol=1e-5)
    np.testing.assert_allclose(model.trace(torch.tensor([ids]))[0].logits, expected.logits, atol=1e-5)


def test_interventions_act_on_every_text_of_a_batch(opened):
    model = opened("gpt2")
    without = HeadInterventions((Scale("decoder", ((0, 1),), 0.0),))
    for text, trace in zip(TEXTS, model.trace(TEXTS, intervention=without), strict=True):
        np.testing.assert_array_equal(trace.logits, model.trace(text, intervention=without).logits)


def test_no_special_tokens(opened):
    trace = opened("bert").trace("A car.", add_special_tokens=False)
    assert trace.source.ids == tuple(tiny.tokenizer()("A car.", add_special_tokens=False)["input_ids"])
    assert not any(trace.source.special)


TEMPLATE = (
    "{% for message in messages %}[CLS]{{ message.role }}: {{ message.content }}[SEP]{% endfor %}"
    "{% if add_generation_prompt %}[CLS]bot:{% endif %}"
)


def test_a_chat_is_read_as_its_template_writes_it():
    reader = copy.deepcopy(tiny.tokenizer())
    reader.chat_template = TEMPLATE
    model = open_model(tiny.network("gpt2"), reader=reader)
    question = [{"role": "user", "content": "A car?"}]
    trace = model.trace(messages=question)
    assert list(trace.source.ids) == reader("[CLS]user: A car?[SEP][CLS]bot:", add_special_tokens=False)["input_ids"]
    assert sum(trace.source.special) == 3
    answered = model.trace(messages=[*question, {"role": "bot", "content": "No."}])
    assert answered.source.labels[-1] == "[SEP]"  # nothing is begun after an answer
    reader.chat_template = "{{ cycler.__init__.__globals__ }}"
    with pytest.raises(
        OpenError, match=r"template of this tokenizer refuses these messages \(\w+: .+\); see their roles"
    ):
        model.trace(messages=question)


@pytest.mark.parametrize(
    ("name", "given", "options", "message"),
    [
        ("bert", [], {}, "This batch is empty"),
        ("bert", ["A car.", [1, 2]], {}, "texts only, or lists of ids only"),
        ("bert", [[]], {}, "There are no ids"),
        ("bert", [1, 999], {}, "no token 999; ids go from 0 to 319"),
        ("bert", {"ids": [1]}, {}, "no input_ids"),
        ("bert", {"input_ids": [[1, 2]], "attention_mask": [[1]]}, {}, "differ in their shape"),
        ("bert", TEXTS, {"second": "A car."}, "trace pairs one by one"),
        ("bert", [2, 5, 3], {"second": "A car."}, "goes with a text, not with ids"),
        ("bert", PICTURE, {}, "reads text, not pictures"),
        ("bert", None, {}, "This model reads text; give it a text, ids"),
        ("bert", TEXT, {"messages": [{"role": "user", "content": "A car?"}]}, "not both"),
        ("bert", None, {"messages": [{"role": "user", "content": "A car?"}]}, "no template for chats"),
        ("bert", None, {"messages": ["A car?"]}, "A chat is a list of messages"),
        ("bert", TEXT, {"keep": "some"}, "no keep='some'; choose auto, all, weights, or the number"),
        ("vit", np.zeros((8, 8, 5), dtype=np.uint8), {}, "3 or 4 channels, not 8 x 8 x 5"),
        ("vit", 5, {}, "reads pictures; give it one picture"),
    ],
)
def test_other_inputs_are_refused_in_one_sentence(name, given, options, message, opened):
    with pytest.raises(OpenError, match=message) as error:
        opened(name).trace(given, **options)
    assert str(error.value).endswith(".") and "\n" not in str(error.value)
