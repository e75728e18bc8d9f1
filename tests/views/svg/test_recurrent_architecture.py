"""The diagrams of recurrent networks contain their sizes and link to the parts about them."""

import xml.etree.ElementTree as ElementTree
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.every_view import PARTS
from views.svg.recurrent_architecture import DESTINATIONS, RecurrentSizes, recurrent_architecture

SVG = "{http://www.w3.org/2000/svg}"
VECTOR = RecurrentSizes(8000, "lstm", "none", 256, 448, 448, "backwards")
ADDITIVE = RecurrentSizes(8000, "lstm", "additive", 256, 192, 384, "both")
DOT = RecurrentSizes(8000, "lstm", "dot", 256, 224, 448, "both")
RNN = RecurrentSizes(8000, "rnn", "none", 256, 448, 448, "backwards")
PAGES = {"tokens": "Tokens", "history": "Before", "decoding": "Decoding", "loss": "Loss"}


def texts(sizes):
    root = ElementTree.fromstring(recurrent_architecture(sizes))
    return [element.text for element in root.iter(f"{SVG}text")]


def links(sizes, pages=PAGES, **keep):
    root = ElementTree.fromstring(recurrent_architecture(sizes, pages, keep))
    assert root.get("role") == "group"
    return {link.get("aria-label").split(":")[0]: urlsplit(link.get("href")) for link in root.iter(f"{SVG}a")}


def test_sizes_are_shown():
    labels = texts(VECTOR)
    assert labels.count("LSTM cells") == 2 and "8,000 \u00d7 256" in labels
    assert "reads backwards, 448 units" in labels and "last h and c: 2 \u00d7 448 numbers" in labels
    assert texts(RNN).count("RNN cells") == 2 and "last state: 448 numbers" in texts(RNN)
    assert "reads both ways, 2 \u00d7 192 units" in texts(ADDITIVE) and "one step a token, 384 units" in texts(ADDITIVE)


def test_each_network_shows_the_input_of_the_decoder():
    assert "One vector" in texts(VECTOR) and not any("attention" in text for text in texts(VECTOR))
    assert {"Additive attention", "query: the state before", "context vector"} <= set(texts(ADDITIVE))
    assert {"Dot-product attention", "query: the state of this step", "context vector"} <= set(texts(DOT))
    assert "One vector" not in texts(ADDITIVE) + texts(DOT)


@pytest.mark.parametrize(
    ("sizes", "block", "part"),
    [
        (RNN, "RNN, encoder", "one-word"),
        (VECTOR, "LSTM, decoder", "gates"),
        (VECTOR, "One vector", "one-vector"),
        (ADDITIVE, "Additive attention", "attention-over-states"),
        (DOT, "Dot-product attention", "attention-over-states"),
        (DOT, "Each step waits", "recurrence"),
    ],
)
def test_blocks_link_to_the_part_about_them_with_the_sentence(sizes, block, part):
    address = links(sizes, text='I "want" & 100 %')[block]
    assert (address.scheme, address.netloc, address.path) == ("", "", "history")
    assert parse_qs(address.query) == {"part": [part], "text": ['I "want" & 100 %']}


def test_without_pages_nothing_is_a_link():
    assert links(VECTOR, {}) == {}
    assert {address.path for address in links(VECTOR, {"loss": "Loss"}).values()} == {"loss"}


def test_every_part_that_a_block_links_to_exists():
    for page, settings in DESTINATIONS.values():
        name, parts = PARTS[page]
        assert settings.keys() <= {name} and set(settings.values()) <= set(parts)
