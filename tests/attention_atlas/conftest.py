"""Fixtures of the tests of the package for notebooks."""

from __future__ import annotations

import pytest

from attention_atlas import Translator

SENTENCE = "I didn't want to buy a car."


@pytest.fixture(scope="session")
def translated():
    """A trace of the shipped translator."""
    return Translator.load(device="cpu").trace(SENTENCE)
