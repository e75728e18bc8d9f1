"""Two texts: of models with two types of segments, with one, and without any; the others read one text."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import transformers
from tokenizers import processors

from model import OpenError
from model.open_model import open_model
from tests.model.hub import tiny
from tests.model.hub.test_tasks import build

SIZES = tiny.TEXT_SIZES
XLNET = {"vocab_size": tiny.VOCABULARY, "d_model": 32, "n_layer": 2, "n_head": 4, "d_inner": 40, "num_labels": 3}
PAIRED = [
    ("Bert", "BertForMaskedLM", SIZES, True),
    ("Bert", "BertForSequenceClassification", SIZES | {"num_labels": 3}, True),
    ("Albert", "AlbertForMaskedLM", SIZES | {"embedding_size": 16}, True),
    ("Roberta", "RobertaForMaskedLM", SIZES | {"type_vocab_size": 1}, False),
    ("XLMRoberta", "XLMRobertaForSequenceClassification", SIZES | {"type_vocab_size": 1, "num_labels": 3}, False),
    ("Camembert", "CamembertModel", SIZES | {"type_vocab_size": 1}, False),
    ("DistilBert", "DistilBertForMaskedLM", tiny.TEXT_MODELS["distilbert"][2], False),
    ("MPNet", "MPNetForMaskedLM", SIZES, False),
    ("ModernBert", "ModernBertForMaskedLM", tiny.TEXT_MODELS["modernbert"][2], False),
    ("DebertaV2", "DebertaV2ForMaskedLM", tiny.TEXT_MODELS["deberta"][2] | {"type_vocab_size": 0}, False),
    ("XLNet", "XLNetForSequenceClassification", XLNET, True),
]  # fmt: skip


@pytest.mark.parametrize(("config", "architecture", "sizes", "typed"), PAIRED, ids=[paired[1] for paired in PAIRED])
@pytest.mark.parametrize("types", [True, False])
def test_a_second_text_is_read_as_the_library_reads_it(config, architecture, sizes, typed, types):
    """Whether the tokenizer gives types or not, which some tokenizers of models without segments do."""
    network = build(config, architecture, sizes)
    reader = tiny.tokenizer()
    if not types and not typed:
        reader.backend_tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] [SEP] $B [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
    model = open_model(network, reader=reader)
    assert model.takes_two_texts
    trace = model.trace("A fox.", second="A dog.")
    ids = torch.tensor([trace.source.ids])
    options = {"token_type_ids": torch.tensor([trace.source.segments])} if typed else {}
    with torch.no_grad():
        output = network(input_ids=ids, **options)
    own = output.logits if hasattr(output, "logits") else output.last_hidden_state
    np.testing.assert_allclose(trace.logits, own[0].numpy(), atol=1e-4)
    assert trace.verify().max_difference < 1e-5
    first, second = (trace.source.labels[trace.source.segments.index(part) :] for part in (0, 1))
    assert len(second) < len(first) and set(trace.source.segments) == {0, 1}
    assert (model.score(trace).size > 0) if model.task != "encode" else True
    tiny.tokenizer.cache_clear()


@pytest.mark.parametrize("name", ["gpt2", "llama", "t5", "bart", "gpt-j"])
def test_a_model_that_writes_reads_one_text(opened, name):
    model = opened(name)
    assert not model.takes_two_texts
    with pytest.raises(OpenError, match="reads one text at a time"):
        model.trace("A fox.", second="A dog.")
    with pytest.raises(OpenError, match="reads one text at a time"):
        model.count_weights("A fox.", second="A dog.")


def test_a_tokenizer_that_does_not_separate_two_texts():
    reader = tiny.tokenizer()
    reader.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A", pair="[CLS] $A $B", special_tokens=[("[CLS]", 2)]
    )
    network = transformers.BertForMaskedLM(transformers.BertConfig(**SIZES)).eval()
    assert not open_model(network, reader=reader).takes_two_texts
    tiny.tokenizer.cache_clear()
