"""Text that a person typed, or that a model produced, shown as it is and never interpreted.

Streamlit reads Markdown, LaTeX, emoji codes and colour marks in most of its texts, and Plotly reads a little HTML in
its labels. Whatever did not come from this project's own files passes through one of these functions first.
"""

from __future__ import annotations

import html as _html
import string
import unicodedata

_SHOWN_BY_NUMBER = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")  # controls, format characters, surrogates, line breaks
_JOINERS = "\u200c\u200d"  # inside words of several scripts and inside emoji; harmless, so left alone


def html(text: str) -> str:
    """`text` for the inside of an HTML element or a quoted attribute."""
    return _html.escape(without_surrogates(text), quote=True)


def markdown(text: str) -> str:
    """`text` for a place that reads Markdown: every ASCII punctuation mark is escaped, line breaks become spaces."""
    flat = " ".join(without_surrogates(text).split())
    return "".join(f"\\{char}" if char in string.punctuation else char for char in flat)


def piece(label: str) -> str:
    """A piece's label without the space that marks a word's start; a piece that is only that mark shows as a box."""
    return label.strip() or "\u2423"


def plotly(text: str) -> str:
    """`text` for a label of a Plotly figure, which reads a few HTML tags and, between dollar signs, LaTeX."""
    return html(text).replace("$", "&#36;")


def visible(text: str) -> str:
    """`text` with characters nobody could see written as `U+XXXX`."""
    return "".join(
        f"U+{ord(char):04X}" if unicodedata.category(char) in _SHOWN_BY_NUMBER and char not in _JOINERS else char
        for char in text
    )


def without_surrogates(text: str) -> str:
    """`text` with lone surrogates, which UTF-8 cannot carry, replaced by U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
