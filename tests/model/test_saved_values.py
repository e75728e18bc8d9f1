"""Values of a recipe that was changed, or belongs to another version, are refused in a sentence."""

from __future__ import annotations

import numpy as np
import pytest

from model import InputError, Translator
from model.runtime.messages import UserError

SENTENCE = "The cat sat."


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load(device="cpu")


@pytest.mark.parametrize(
    "ids", [[], [-1], [10**9], [10**40], [1.5], ["5"], [None], [True], [[5]], "55", 5, {}, [np.nan]]
)
def test_other_ids_than_there_are(translator, ids):
    last = f"{len(translator.tokenizer) - 1:,}"
    with pytest.raises(InputError) as caught:
        translator.trace(SENTENCE, target_ids=ids)
    assert str(caught.value) == f"Ids of a target are whole numbers from 0 to {last}, and at least one."


def test_ids_in_other_containers_are_read(translator):
    trace = translator.trace(SENTENCE)
    for ids in (list(trace.next_ids), np.array(trace.next_ids), iter(trace.next_ids)):
        assert translator.trace(SENTENCE, target_ids=ids).next_ids == trace.next_ids


@pytest.mark.parametrize("kind", ["", "vision", None, 3, ["encoder"]])
def test_another_kind_of_attention(translator, kind):
    with pytest.raises(UserError) as caught:
        translator.trace(SENTENCE).attention(kind)
    assert str(caught.value) == f"This trace has no attention of kind {kind}; it has encoder, decoder, cross."
