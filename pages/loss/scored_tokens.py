"""Tokens with their probabilities as a reader types them, and the logarithm that their losses are taken in."""

import math
from dataclasses import dataclass

import streamlit as st

from model.runtime.messages import ReaderError
from views.controls import widgets
from views.text import literal
from views.text.catalogue import Message, say, say_error

# A sum to do by hand: the right tokens of "Je suis un etudiant" and what a model might give them.
EXAMPLE = "Je 0.8; suis 0.6; un 0.7; \u00e9tudiant 0.5; </s> 0.9"
MOST, LONGEST = 40, 40  # tokens, and characters of one


@dataclass(frozen=True)
class Logarithm:
    """What a loss is counted in.

    Attributes:
        base: of the logarithm.
        sign: as formulas have it, such as `log2`.
        unit: what one of it is called.
    """

    base: float
    sign: str
    unit: Message

    @property
    def nats(self) -> float:
        """How many nats one of it is; a loss in nats is divided by this."""
        return math.log(self.base)


LOGARITHMS = {
    "e": Logarithm(math.e, "ln", Message("loss.unit.nats", "nats")),
    "2": Logarithm(2, "log\u2082", Message("loss.unit.bits", "bits")),
    "10": Logarithm(10, "log\u2081\u2080", Message("loss.unit.dits", "decimal digits")),
}
NATURAL = LOGARITHMS["e"]


def choose_logarithm() -> Logarithm:
    """The reader's choice."""
    signs = {
        id: say("loss.logarithm.option", "{log}: {unit}", log=logarithm.sign, unit=logarithm.unit())
        for id, logarithm in LOGARITHMS.items()
    }
    return LOGARITHMS[widgets.pick(say("loss.logarithm", "Logarithm"), signs, "log")]


def read_typed_tokens() -> tuple[tuple[str, float], ...] | None:
    """Tokens with their probabilities, or None and a sentence that says what to type."""
    typed = widgets.text(
        say("loss.typed", "Tokens, each with its probability; a semicolon between them"), "tokens", EXAMPLE
    )
    try:
        return parse_tokens(typed)
    except ReaderError as error:
        st.warning(literal.markdown(say_error(error)))
        return None


def parse_tokens(text: str) -> tuple[tuple[str, float], ...]:
    """Tokens with their probabilities from text, such as `Je 0.8; suis 0.6`.

    Raises:
        ReaderError: it does not hold such pairs.
    """
    pairs = [part.split() for part in text.split(";") if part.strip()]
    if not 1 <= len(pairs) <= MOST or any(len(pair) != 2 or len(pair[0]) > LONGEST for pair in pairs):
        raise ReaderError(
            "Type one to {most} tokens, each with its probability after a space, such as {example}.",
            most=MOST,
            example="Je 0.8; suis 0.6",
        )
    try:
        found = tuple((token, float(probability)) for token, probability in pairs)
    except ValueError:
        found = ()
    if not found or not all(0 < probability <= 1 for _, probability in found):
        raise ReaderError("A probability is a number above 0 and at most 1 with a decimal point, such as 0.8.")
    return found
