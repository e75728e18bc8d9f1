"""The payload of an alignment on the stage: its tokens, and weights with four digits."""

import numpy as np

from tests.payloads import read_payload
from views.components.alignment_stage import AlignmentStage, payload


def test_the_payload_has_tokens_without_invisible_characters_and_the_weights():
    weights = np.array([[0.125, 0.875], [0.99999, 0.00001]], np.float32)
    header, arrays = read_payload(
        payload(AlignmentStage("Alignment", ["a\u202e", " "], ["un", "</s>"], "<s>", weights), "dark")
    )
    np.testing.assert_allclose(arrays["cross"], weights, rtol=1e-4)
    assert (header["french"], header["start"], header["title"]) == (["un", "</s>"], "<s>", "Alignment")
    assert "\u202e" not in header["english"][0] and header["english"][1].strip()
    assert header["meaning"].endswith("A full bar is 1.") and header["words"]["frenchName"]
