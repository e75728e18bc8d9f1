"""Statements of the prose that a small computation decides."""

from __future__ import annotations

import re

import pytest
import torch

from model import RecurrentTranslator
from model.attribution.agreement import METHODS
from model.attribution.rollout import INTEGRATED
from model.attribution.rollout import METHODS as PICTURE_METHODS
from model.lessons.position_schemes import scheme_matrix
from model.networks.recurrent import RecurrentNetwork
from model.recurrent_translator import SHIPPED
from views.text import glossary, prose

NUMBERS = {4: "four", 5: "five", 6: "six"}


def text(page: str, id: str) -> str:
    """A block of a page in one line, terms without their links."""
    return " ".join(glossary.unlink_terms(prose.block(page, id)).split())


def test_the_numbers_of_compared_methods_are_those_of_the_code():
    words, pictures, all_of_pictures = (
        NUMBERS[len(each)] for each in (METHODS, PICTURE_METHODS, (*PICTURE_METHODS, INTEGRATED))
    )
    assert f"*Attribution* compares {words} methods, *Vision* {all_of_pictures}." in text("glossary", "attribution")
    assert f"{words} attribution methods" in " ".join(prose.lead("attribution").split())
    assert f"{pictures.capitalize()} methods of attribution" in " ".join(prose.lead("vision_layers").split())


def test_a_head_loses_what_is_orthogonal_to_the_span_of_its_columns(translator):
    assert "orthogonal to their span" in text("positions", "vectors-basis")
    assert "columns of $W^Q$" in text("positions", "vectors-basis")
    attention = translator.network.encoder[0].self_attention
    width, heads = attention.query.weight.shape[1], translator.network.config.n_heads
    matrix = attention.query.weight.detach().double()[: width // heads].T  # W^Q of head 1, (d_model, d_k)
    token = torch.randn(width, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    span = torch.linalg.qr(matrix).Q  # of the columns
    inside = span @ (span.T @ token)
    torch.testing.assert_close(inside @ matrix, token @ matrix, atol=1e-12, rtol=0)
    assert (token - inside).norm() > 0.5 * token.norm()  # the part that is lost, and it is not small
    rows = torch.linalg.qr(matrix.T).Q  # the rows span everything of a head: nothing would be lost
    assert rows.shape == (width // heads, width // heads)


def test_t5_shares_one_bucket_from_the_distance_that_is_named():
    named = int(re.search(r"from (\d+) on all share one", text("positions", "numbered-t5"))[1])
    after = scheme_matrix("t5", 300, 1, 64)[0]  # of the keys that come after the query
    assert (after[named:] == after[-1]).all() and after[named - 1] != after[-1]


@pytest.mark.parametrize("name", ["rnn-vector", "lstm-vector"])
def test_one_vector_only_starts_the_decoder(name):
    assert "starts the decoder, and nothing else of the source reaches it" in text("history", "one-vector")
    assert "Cho et al. (2014) have one vector, too, but feed it to the decoder at every step" in text(
        "history", "one-vector"
    )
    assert "Cho et al." in RecurrentNetwork.__doc__
    network = RecurrentTranslator.load(SHIPPED / name, "cpu").network
    with torch.inference_mode():
        memory = network.encode(network.ids([5, 6, 7]))
    assert memory[1:] == (None,) * 4  # what the decoder gets is a state; no keys, no values, nothing for later steps
    assert network.readout.in_features == network.config.decoder_width  # nor for the output layer


def test_a_longer_vector_exceeds_at_angles_that_are_not_small():
    assert "up to 90 degrees" in text("history_projections", "how-to-read")
    for block in ("how-to-read", "pairs-fail"):
        assert "nearly the same way" not in text("history_projections", block)
        assert "angle between the two is small" not in text("history_projections", block)
