"""Fixtures built from the toy language: a data file, its corpus and a tokenizer trained on it."""

import pytest

from model.data.corpus import read_corpus
from model.text.tokenizer import Tokenizer, train_tokenizer
from tests.model.toy_language import toy_pairs
from tests.model.traces import traced_network

HELDOUT = 6


@pytest.fixture(scope="session")
def data_file(tmp_path_factory):
    """A `.tsv` of the toy language."""
    path = tmp_path_factory.mktemp("data") / "toy.tsv"
    path.write_text("".join(f"{english}\t{french}\n" for english, french in toy_pairs()), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def corpus(data_file):
    """The toy language with six English sentences held out."""
    return read_corpus(data_file, HELDOUT)


@pytest.fixture(scope="session")
def tokenizer(tmp_path_factory):
    """A tokenizer of a few hundred tokens."""
    lines = (text for pair in toy_pairs() for text in pair)
    return Tokenizer(train_tokenizer(lines, tmp_path_factory.mktemp("tokenizer") / "tokenizer", 340))


@pytest.fixture(scope="module")
def pair(tokenizer):
    """A tiny network and its trace of a pair of sentences."""
    return traced_network(tokenizer)


@pytest.fixture
def network(pair):
    return pair[0]


@pytest.fixture
def trace(pair):
    return pair[1]
