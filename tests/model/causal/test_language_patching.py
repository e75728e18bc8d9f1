"""What the decoder-only network is patched on: English text to be continued, never a translation."""

import pytest

from model import LanguageModel
from model.causal.causal_error import CausalError


def test_texts_with_one_continuation_are_refused_as_texts_not_as_translations():
    language = LanguageModel.load(device="cpu")
    with pytest.raises(CausalError) as raised:
        language.patch("I want to", "I want to")
    assert str(raised.value) == (
        "Both texts are most probably continued by the same token: they are read as English to be continued, not "
        "translated. State a metric, or change one of the texts."
    )
