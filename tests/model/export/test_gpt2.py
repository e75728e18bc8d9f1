"""The exported decoder-only network, read and run by Hugging Face's own code and by `open_model`."""

import numpy as np
import pytest
import torch
from transformers import AutoTokenizer, GPT2LMHeadModel

from model.open_model import open_model
from model.text.source_text import normalize_source
from tests.model.random_language_model import random_model

TEXTS = [
    "I want to buy a car.",
    "The animal didn't cross the street because it was too tired.",
    "Où es-tu allé, l'été dernier ?",
    "  two   spaces  ",
    "한국어 😀 and ½ of a ﬁne day",
    "a\ttab and a\nline",
    "\u2581mark \u2581",
    "a",
    "",
]


@pytest.fixture(scope="module")
def model():
    return random_model()


@pytest.fixture(scope="module")
def exported(model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("gpt2")
    model.export_gpt2(folder)
    return folder


@pytest.fixture(scope="module")
def theirs(exported):
    return GPT2LMHeadModel.from_pretrained(exported).eval()


@pytest.mark.parametrize("text", TEXTS)
def test_its_tokenizer_is_ours(model, exported, text):
    tokenizer = AutoTokenizer.from_pretrained(exported)
    ids = model.tokenizer.encode(text)
    assert tokenizer.encode(text) == ids
    assert tokenizer.decode(ids, skip_special_tokens=True) == model.tokenizer.decode(ids)
    assert tokenizer.encode(f"{normalize_source(text)}</s>") == model.tokenizer.encode_source(text)


def test_its_logits_are_ours(model, theirs):
    trace = model.trace(TEXTS[1], TEXTS[2])
    with torch.no_grad():
        logits = theirs(torch.tensor([trace.target_ids])).logits[0].numpy()
    assert np.abs(logits - trace.logits).max() < 1e-5 * np.abs(logits).max()


@pytest.mark.parametrize("end", ["", "</s>"])
def test_generate_continues_and_translates_as_ours_does(model, exported, theirs, end):
    tokenizer = AutoTokenizer.from_pretrained(exported)
    for text in TEXTS[:2]:
        prompt = tokenizer(text + end, return_tensors="pt")
        produced = theirs.generate(**prompt, max_new_tokens=12)[0, prompt["input_ids"].shape[1] :]
        written = model.tokenizer.decode([token for token in produced.tolist() if token != model.tokenizer.pad_id])
        if end:
            assert written == model.translate(text, max_length=12)
        else:
            ids = model.tokenizer.encode(text)
            assert model.tokenizer.decode([*ids, *produced.tolist()]) == model.complete(text, max_length=12)


@pytest.mark.nightly
def test_opened_it_has_the_same_maps(model, exported):
    opened = open_model(exported, device="cpu", dtype="float32")
    trace = opened.trace(TEXTS[0])
    source = model.tokenizer.encode(TEXTS[0])
    expected = model.trace_completion(TEXTS[0], [model.tokenizer.eos_id])
    assert trace.source.ids == tuple(source) == expected.target_ids
    assert [kind.name for kind in opened.kinds] == ["decoder"]
    np.testing.assert_allclose(trace.attention("decoder"), expected.attention("decoder"), atol=1e-4)
