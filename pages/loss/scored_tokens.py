"""Typed tokens with their probabilities, and the logarithm of their losses."""

import math
import re
from dataclasses import dataclass

import streamlit as st

from model.runtime.messages import UserError
from views.controls import widgets
from views.text import literal
from views.text.catalogue import Message, say, say_error

# to compute by hand: the right tokens of "Je suis un etudiant" with possible probabilities
EXAMPLE = "Je 0.8; suis 0.6; un 0.7; \u00e9tudiant 0.5; </s> 0.9"
MOST, LONGEST = 40, 40  # tokens, and characters of one
# pairs as Python writes them: `("Je", 0.8)`, `["Je", 0.8]` or `"Je": 0.8`
_QUOTED = re.compile(r"""[\[({\s]*(?:"([^"\s]+)"|'([^'\s]+)')\s*[:,]?\s*([^\s\[\](){},;:"']+)[\])}\s]*(?:[,;]|$)""")


@dataclass(frozen=True)
class Logarithm:
    """The unit of a loss."""

    base: float  # of the logarithm
    sign: str  # as formulas have it, such as `log2`
    unit: Message  # its name

    @property
    def nats(self) -> float:
        """Nats per unit; a loss in nats is divided by this."""
        return math.log(self.base)


LOGARITHMS = {
    "e": Logarithm(math.e, "ln", Message("loss.unit.nats", "nats")),
    "2": Logarithm(2, "log\u2082", Message("loss.unit.bits", "bits")),
    "10": Logarithm(10, "log\u2081\u2080", Message("loss.unit.dits", "decimal digits")),
}
NATURAL = LOGARITHMS["e"]


def choose_logarithm() -> Logarithm:
    """Choose a logarithm."""
    signs = {
        id: say("loss.logarithm.option", "{log}: {unit}", log=logarithm.sign, unit=logarithm.unit())
        for id, logarithm in LOGARITHMS.items()
    }
    return LOGARITHMS[widgets.pick(say("loss.logarithm", "Logarithm"), signs, "log")]


def read_typed_tokens() -> tuple[tuple[str, float], ...] | None:
    """Return the typed tokens with their probabilities; None, with a warning on the page, if they are invalid."""
    typed = widgets.text(
        say("loss.typed", "Tokens, each with its probability; a semicolon between them"), "tokens", EXAMPLE
    )
    try:
        return parse_tokens(typed)
    except UserError as error:
        st.warning(literal.markdown(say_error(error)))
        return None


def parse_tokens(text: str) -> tuple[tuple[str, float], ...]:
    """Parse tokens with their probabilities, such as `Je 0.8; suis 0.6` or `[("Je", 0.8), ("suis", 0.6)]`.

    Raises:
        UserError: the text is not a list of such pairs.
    """
    pairs = _quoted_pairs(text) or [part.split() for part in re.split(r"[;\n]", text) if part.strip()]
    if not 1 <= len(pairs) <= MOST or any(len(pair) != 2 or len(pair[0]) > LONGEST for pair in pairs):
        raise UserError(
            "Type one to {most} tokens, each with its probability after a space, such as {example}.",
            most=MOST,
            example="Je 0.8; suis 0.6",
        )
    try:
        tokens = tuple((token, float(probability)) for token, probability in pairs)
    except ValueError:
        tokens = ()
    if not tokens or not all(0 < probability <= 1 for _, probability in tokens):
        raise UserError("A probability is a number above 0 and at most 1 with a decimal point, such as 0.8.")
    return tokens


def _quoted_pairs(text: str) -> list[list[str]]:
    """Split pairs in the notation of Python; empty if the text is not made of them alone."""
    pairs, end = [], 0
    while match := _QUOTED.match(text, end):  # not `finditer`, which would try every place of a long run of brackets
        pairs.append([match[1] or match[2], match[3]])
        end = match.end()
    return pairs if not re.sub(r"[\s\])},;]", "", text[end:]) else []
