"""Format numbers: three significant digits on screen; tables and downloads contain the full value.

Attention weights and probabilities of tokens are numbers up to 1 (`three_digits`). Shares of a count or a sum,
accuracies and probabilities of a picture's classes are in per cent (`percent`).
"""

import math
import re

from .catalogue import say

NARROW_SPACE = "\u202f"  # before a unit; no line breaks at it
NO_BREAK_SPACE = "\u00a0"
MINUS = "\u2212"  # no line breaks after it


def three_digits(value: float) -> str:
    """Three significant digits: `0.412`, `0.00310`, `58,500`, and `2.40e\u22127` below 0.001 or from a million on.

    A minus is a real one, as on the axes of charts. The components format their read-outs by the same rule; a browser
    test compares the two.
    """
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else str(value)
    mantissa, exponent = f"{value:.2e}".split("e")
    if abs(value) < 1e-3 or int(exponent) >= 6:
        return f"{mantissa}e{int(exponent)}".replace("-", MINUS)
    if int(exponent) >= 3:
        return grouped(round(float(f"{value:.2e}")))
    return f"{value:#.3g}".rstrip(".").replace("-", MINUS)


def short(value: float) -> str:
    """Short enough for a label in a drawing: three digits, of numbers below 1 three decimals, as cells of maps have."""
    if float(value).is_integer():
        return f"{value:.0f}".replace("-", MINUS)
    size = abs(value)
    if size < 0.0005:
        return "\u22480"
    return (f"{value:.3f}" if size < 1 else f"{value:#.3g}".rstrip(".")).replace("-", MINUS)


def signed(value: float) -> str:
    """`three_digits` of a change, with a real minus or a plus: `+0.412`, `\u221219.7`."""
    return ("+" if value > 0 else "") + three_digits(value)


def with_interval(value: float, low: float, high: float) -> str:
    """A figure and its interval, `1.22 (1.13 \u2013 1.31)`; no line breaks inside of the brackets."""
    dash = f"{NO_BREAK_SPACE}\u2013{NO_BREAK_SPACE}"
    return f"{three_digits(value)} ({three_digits(low)}{dash}{three_digits(high)})"


def percent(probability: float) -> str:
    """A share in per cent, one decimal and no line breaks: `97.3 %`, `< 0.1 %`; what is not 1 is no `100.0 %`.

    A millionth is what rounding in single precision leaves of 1.
    """
    if 0 < probability < 0.001:
        return f"<{NO_BREAK_SPACE}0.1{NO_BREAK_SPACE}%"
    if 0.9995 <= probability < 1 - 1e-6:
        return f">{NO_BREAK_SPACE}99.9{NO_BREAK_SPACE}%"
    if -0.001 < probability < 0:
        return f">{NO_BREAK_SPACE}{MINUS}0.1{NO_BREAK_SPACE}%"
    return f"{100 * probability:.1f}{NO_BREAK_SPACE}%".replace("-", MINUS)


def points(change: float) -> str:
    """The change of a probability in percentage points, with its sign: `+1.12 points`."""
    return say("number.points", "{change} points", change=signed(100 * change))


def grouped(count: int) -> str:
    """A count with a comma between groups of three digits, `8,000`, as prose and model cards have it."""
    return f"{count:,}".replace("-", MINUS)


def millions(count: int) -> str:
    """A large count in millions with three digits: `9.42 M`."""
    return f"{three_digits(count / 1e6)}{NARROW_SPACE}M"


def hardware(text: str) -> str:
    """Hardware as figures record it, such as `2 cores of AMD EPYC`, in the user's language."""
    match = re.fullmatch(r"(\d+) cores? of (.+)", text)
    return say("hardware.cores", "{count} cores of {name}", count=match[1], name=match[2]) if match else text
