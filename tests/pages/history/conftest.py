"""The networks of the page, apart from those that the pages have loaded."""

import pytest

from model import RecurrentTranslator


@pytest.fixture(scope="session")
def recurrent() -> dict[str, RecurrentTranslator]:
    """The four recurrent networks by name."""
    names = ("rnn-vector", "lstm-vector", "lstm-additive", "lstm-dot")
    return {name: RecurrentTranslator.load(name, "cpu") for name in names}
