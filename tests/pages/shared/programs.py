"""Helpers for the test cases of the pages' programs, `tests/pages/<page>/programs.py`; `test_code.py` runs them.

There, `CASES` has for each program two settings and a function that computes the page's numbers from one of them:
from the setting alone, or also from the network, the sentence's trace or the translator.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from model import RecurrentTranslator, Trace
from tests.pages.conftest import SENTENCE, loaded

Values = dict[str, object]
Expected = dict[str, object]  # name in the program -> what the page computes
Case = tuple[Values, Values, Callable[[Values], Expected]]

COOK = "Where did you learn to cook?"
OWN = {"sentence": SENTENCE, "target_ids": None}
OTHER = {"sentence": COOK, "target_ids": (220, 15, 3)}


@cache
def _traced(sentence: str, ids: tuple[int, ...] | None) -> Trace:
    return loaded().trace(sentence, target_ids=ids)


def traced(values: Values) -> Trace:
    """Return the trace of a sentence with the target of a program."""
    return _traced(values["sentence"], values["target_ids"])


@cache
def load_recurrent(name: str) -> RecurrentTranslator:
    """Load a network before the Transformer."""
    return RecurrentTranslator.load(name, device="cpu")


def of_a_sentence(compute: Callable[..., Expected]) -> Callable[[Values], Expected]:
    """Call `compute` with the network, the trace and the values."""
    return lambda values: compute(loaded().network, traced(values), values)


def of_a_run(compute: Callable[..., Expected]) -> Callable[[Values], Expected]:
    """Call `compute` with the translator, the trace and the values."""
    return lambda values: compute(loaded(), traced(values), values)


def of_the_network(compute: Callable[..., Expected]) -> Callable[[Values], Expected]:
    """Call `compute` with the network and the values."""
    return lambda values: compute(loaded().network, values)


def of_the_translator(compute: Callable[..., Expected]) -> Callable[[Values], Expected]:
    """Call `compute` with the translator and the values."""
    return lambda values: compute(loaded(), values)
