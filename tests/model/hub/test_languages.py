"""Translators of several languages: the target's is chosen, and its code is given, not answered."""

from __future__ import annotations

import json

import numpy as np
import pytest
import sentencepiece
import torch
import transformers

from model import OpenError
from model.hub.ablation import ablate
from model.hub.languages import TargetLanguages
from model.open_model import open_model
from tests.model.hub import languages, tiny
from tests.model.hub.conftest import TEXT

SOURCE, TARGET = "a fox", "le renard."
KINDS = ["nllb", "mbart", pytest.param("mbart50", marks=pytest.mark.nightly)]


@pytest.fixture(scope="module")
def opened_pair():
    def open_pair(name: str):
        network, reader = languages.pair(name)
        return open_model(network, reader=reader)

    return open_pair


@pytest.mark.parametrize("name", KINDS)
def test_a_typed_target_is_fed_and_scored_as_in_training(opened_pair, name):
    model, code = opened_pair(name), languages.KINDS[name][3]
    network, reader = languages.pair(name)
    trace = model.trace(SOURCE, target=TARGET, target_language=code)
    assert reader.tgt_lang is None  # the user's tokenizer is not changed
    reader.tgt_lang = code
    inputs = reader(SOURCE, text_target=TARGET, return_tensors="pt")
    reader.tgt_lang = None
    labels = inputs["labels"]
    if name == "mbart":  # the library turns the code at the end to the start
        fed = [labels[0, -1].item(), *labels[0, :-1].tolist()]
        fed, answered = fed[:-1], labels[0, :-1]
    else:
        fed, answered = [2, *labels[0, :-1].tolist()], labels[0, 1:]
    assert list(trace.target.ids) == fed
    with torch.no_grad():
        logits = network(input_ids=inputs["input_ids"], decoder_input_ids=torch.tensor([fed])).logits[0]
    own = torch.nn.functional.cross_entropy(logits[-len(answered) :], answered, reduction="none")
    np.testing.assert_allclose(model.score(trace), own.numpy(), atol=1e-4)
    assert len(model.scored(trace)) == len(answered) and code not in model.scored(trace)
    assert [label for label, mark in zip(trace.target.labels, trace.target.special, strict=True) if mark][-1] == code


@pytest.mark.parametrize("name", KINDS)
def test_the_chosen_language_is_generated_as_by_the_library(opened_pair, name):
    model, code = opened_pair(name), languages.KINDS[name][3]
    network, reader = languages.pair(name)
    id_ = reader.convert_tokens_to_ids(code)
    choice = {"decoder_start_token_id" if name == "mbart" else "forced_bos_token_id": id_}
    inputs = reader(SOURCE, return_tensors="pt")
    own = network.generate(**inputs, **choice, max_new_tokens=12, do_sample=False, num_beams=1)
    assert model.generate(SOURCE, 12, target_language=code) == reader.decode(own[0], skip_special_tokens=True)
    trace = model.trace(SOURCE, target_language=code)
    assert id_ in trace.target.ids[:2] and list(trace.target.ids[:8]) == own[0, :8].tolist()
    other = next(other for other in model.languages.ids if other != code)
    assert model.trace(SOURCE, target_language=other).target.ids[:2] != trace.target.ids[:2]


def test_no_head_is_ranked_by_the_code_s_loss(opened_pair):
    model = opened_pair("nllb")
    options = {"target": TARGET, "target_language": "fra_Latn"}
    trace = model.trace(SOURCE, **options)
    changes = ablate(model, trace, SOURCE, options, kinds=["cross"])["cross"]
    assert changes.shape == (2, 4) and np.isfinite(changes).all() and changes.any()


def test_a_language_is_chosen_unless_the_model_states_one(opened_pair):
    model = opened_pair("nllb")
    assert len(model.languages.ids) == 202 and model.languages.default is None
    with pytest.raises(OpenError, match="writes in 202 languages; choose one by `target_language`, such as ace_Arab"):
        model.trace(SOURCE)
    with pytest.raises(OpenError, match="no target language klingon; choose one of its 202, such as ace_Arab"):
        model.generate(SOURCE, target_language="klingon")
    reader = languages.tokenizer("nllb")
    forced = languages.network("nllb", len(reader), reader.convert_tokens_to_ids("deu_Latn"))
    stated = open_model(forced, reader=reader)
    assert stated.languages.default == "deu_Latn"
    assert stated.trace(SOURCE).tokens("target").labels[1] == "deu_Latn"


def test_codes_of_another_tokenizer_are_found_by_what_the_configuration_forces():
    reader = tiny.tokenizer().__class__(tokenizer_object=tiny.tokenizer().backend_tokenizer, **{
        "pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]",
        "extra_special_tokens": ["__en__", "__pt_BR__", "<mark>"],
    })  # fmt: skip
    network = languages.network("mbart50", len(reader), reader.convert_tokens_to_ids("__pt_BR__"))
    model = open_model(network, reader=reader)
    assert list(model.languages.ids) == ["en", "pt_BR"] and model.languages.default == "pt_BR"
    trace = model.trace(TEXT, target="O fox.", target_language="en")
    assert trace.target.special[:2] == (True, True) and "__en__" not in model.scored(trace)


def test_a_model_of_one_language_has_no_choice(opened):
    model = opened("marian")
    assert model.languages == TargetLanguages()
    with pytest.raises(OpenError, match="no choice of target languages"):
        model.trace(TEXT, target=TEXT, target_language="fra_Latn")


@pytest.mark.nightly
def test_m2m100_names_languages_by_its_own_codes(tmp_path):
    (tmp_path / "text.txt").write_text("\n".join(tiny.TEXT * 20))
    numbers = {f"{name}_id": number for number, name in enumerate(("bos", "pad", "eos", "unk"))}
    prefix = str(tmp_path / "letters")
    sentencepiece.SentencePieceTrainer.train(
        input=str(tmp_path / "text.txt"), model_prefix=prefix, vocab_size=50, minloglevel=2, **numbers
    )
    pieces = sentencepiece.SentencePieceProcessor(model_file=f"{prefix}.model")
    words = {pieces.id_to_piece(number): number for number in range(pieces.get_piece_size())}
    (tmp_path / "vocab.json").write_text(json.dumps(words))
    reader = transformers.M2M100Tokenizer(str(tmp_path / "vocab.json"), f"{prefix}.model", src_lang="en")
    model = open_model(languages.network("nllb", 320), reader=reader)
    trace = model.trace(TEXT, target=TEXT, target_language="fr")
    reader.tgt_lang = "fr"
    assert list(trace.target.ids) == [2, *reader(text_target=TEXT)["input_ids"][:-1]]
    assert trace.target.labels[1] == "__fr__" and trace.target.special[1] and "__fr__" not in model.scored(trace)
