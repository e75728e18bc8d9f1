"""The exported checkpoint, read and run by Hugging Face's own code."""

import pytest
import torch
from transformers import MarianMTModel

from model import Translator
from model.decoding.search import greedy_batch

SENTENCES = [
    "I am a student.",
    "I want to buy a car.",
    "The animal didn't cross the street because it was too tired.",
    "Do you know where my keys are?",
    "한국어 😀",
]


@pytest.fixture(scope="module")
def shipped():
    return Translator.load(device="cpu")


@pytest.fixture(scope="module")
def exported(shipped, tmp_path_factory):
    folder = tmp_path_factory.mktemp("marian")
    shipped.export_marian(folder)
    return folder


def test_generate_returns_our_greedy_translations(shipped, exported):
    theirs = MarianMTModel.from_pretrained(exported).eval()
    for sentence in SENTENCES:
        source = shipped.tokenizer.encode_source(sentence)
        ours = greedy_batch(shipped.network, [source])[0]
        produced = theirs.generate(torch.tensor([source]), attention_mask=torch.ones(1, len(source)))
        assert produced[0, 1:].tolist() == ours


def test_its_logits_are_ours_to_1e_4(shipped, exported):
    theirs = MarianMTModel.from_pretrained(exported).eval()
    trace = shipped.trace(SENTENCES[2])
    with torch.no_grad():
        out = theirs(input_ids=torch.tensor([trace.source_ids]), decoder_input_ids=torch.tensor([trace.target_ids]))
    assert (torch.from_numpy(trace.logits) - out.logits[0]).abs().max() < 1e-4


def test_its_vocabulary_and_tokenizer_files_are_complete(shipped, exported):
    import json

    vocabulary = json.loads((exported / "vocab.json").read_text(encoding="utf-8"))
    assert len(vocabulary) == len(shipped.tokenizer)
    assert sorted(vocabulary.values()) == list(range(len(vocabulary)))
    for side in ("source", "target"):
        assert (exported / f"{side}.spm").read_bytes() == shipped.tokenizer.path.read_bytes()
