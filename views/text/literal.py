"""Text that a person typed, or that a model produced, shown as it is and never interpreted.

Streamlit reads Markdown, LaTeX, emoji codes and colour marks in most of its texts, and Plotly reads a little HTML in
its labels. Whatever did not come from this project's own files passes through one of these functions first.
"""

import html as _html
import re
import string
import unicodedata

_SHOWN_BY_NUMBER = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")  # controls, format characters, surrogates, line breaks
# Where a word joiner goes: inside arrows and signs of comparison, after `www`, inside `://`, before `@`.
_REPLACED = re.compile(r"(?<=[<>~=-])(?=[<>~=-])|(?<=www)(?=\.)|(?<=:)(?=//)|(?<=\S)(?=@)", re.IGNORECASE)
_JOINER = "\u2060"
_THIN_SPACE = "\u2009"  # in labels of tokens, where a word starts
_JOINERS = "\u200c\u200d"  # inside words of several scripts and inside emoji; harmless, so left alone


# Attributes that mark an element as showing what the page does not say itself, in no language.
TOKEN, NUMBER, NAME = (f' data-said="{kind}"' for kind in ("token", "number", "name"))


def tokens_on(*axes: str) -> dict:
    """The `meta` of a Plotly layout: says that these axes, such as "xaxis", show tokens. A chart has no attributes."""
    return {"said": dict.fromkeys(axes, "token")}


def html(text: str) -> str:
    """`text` for the inside of an HTML element or a quoted attribute."""
    return _html.escape(without_surrogates(text), quote=True)


def markdown(text: str) -> str:
    """`text` for a place that reads Markdown: every ASCII punctuation mark is escaped, line breaks become spaces.

    After it has read the marks, Streamlit makes links of addresses and arrows and dashes of `->` and `--`, escaped or
    not. A word joiner, which has no width, keeps their characters apart.
    """
    flat = " ".join(without_surrogates(text).split())
    apart = _REPLACED.sub(_JOINER, flat)
    return "".join(f"\\{char}" if char in string.punctuation else char for char in apart)


def with_code(text: str) -> str:
    """Like `markdown`, but what stands between single backticks is code, for sentences of this project's own."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return markdown(text)
    return "".join(f"`{part}`" if place % 2 and part else _with_outer_spaces(part) for place, part in enumerate(parts))


def _with_outer_spaces(text: str) -> str:
    """`markdown`, which drops spaces at both ends, with those spaces."""
    front, back = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{front}{markdown(text)}{back}" if text.strip() else text


def token(label: str) -> str:
    """A token's label without the space that marks a word's start; a token that is only that mark shows as a box."""
    return label.strip() or "\u2423"


def as_typed(label: str) -> str:
    """A token's label as it stands in the sentence: without the mark of a word's start, which alone is a space."""
    return label.replace(_THIN_SPACE, " ").strip(" ") or " "


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
