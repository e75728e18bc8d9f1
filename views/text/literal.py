"""Escape text that a user typed or a model produced, so that it is shown literally and never interpreted.

Streamlit interprets Markdown, LaTeX, emoji codes and colour marks in most of its texts, and Plotly some HTML in its
labels. All text that is not from this project's own files passes through one of these functions first.
"""

import html as _html
import re
import string
import unicodedata

from . import invisible

# Where a word joiner is inserted: inside arrows and signs of comparison, after `www`, inside `://`, before `@`.
_REPLACED = re.compile(r"(?<=[<>~=-])(?=[<>~=-])|(?<=www)(?=\.)|(?<=:)(?=//)|(?<=\S)(?=@)", re.IGNORECASE)
_JOINER = "\u2060"
_THIN_SPACE = "\u2009"  # in labels of tokens, where a word starts

# the blocks of scripts that are written from right to left; the same in web/src/core/labels.ts
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\U00010800-\U00010fff\U0001e800-\U0001efff]")


# no-break spaces as messages of the page write them: ln p, (n = 12), 0.1 %, 86 M, 1.1 - 1.3; and every other space
_OWN_SPACES = (
    r"(?<=\bln)\u00a0(?=p\b)|(?<=\blog)\u00a0(?=p\b)|(?<=\bn)\u00a0(?==)|(?<==)\u00a0(?=\d)"
    r"|(?<=\d)[\u00a0\u202f](?=[%M\u2013])|(?<=\u2013)\u00a0(?=\d)|(?<=<)\u00a0(?=\d)"
)
_SPACES = re.compile(f"({_OWN_SPACES})|[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_ISOLATED = re.compile("(\u2068[^\u2068\u2069]*\u2069)")

# Attributes that mark an element whose text is data, not a translated message of the page.
TOKEN, NUMBER, NAME, CODE = (f' data-said="{kind}"' for kind in ("token", "number", "name", "code"))
TOKEN += ' translate="no"'  # else translators of browsers replace the output of a network by another


def attributes_of(what: str) -> str:
    """The attributes of an element with data of the kind `what`: "token", "number", "name" or "code"."""
    return TOKEN if what == "token" else f' data-said="{what}"'


def token_in(language: str) -> str:
    """The attributes of an element with a token of a language; of an unknown one if `language` is empty."""
    return f'{TOKEN} lang="{language}"' if language else TOKEN


def tokens_on(*axes: str) -> dict:
    """The `meta` of a Plotly layout that marks axes, such as "xaxis", as showing tokens: a chart has no attributes."""
    return {"said": dict.fromkeys(axes, "token")}


def html(text: str) -> str:
    """`text` for the inside of an HTML element or a quoted attribute."""
    return _html.escape(without_surrogates(text), quote=True)


def markdown(text: str) -> str:
    """`text` where Markdown is interpreted: every ASCII punctuation mark is escaped, line breaks become spaces.

    After Markdown, Streamlit makes links of URLs and arrows and dashes of `->` and `--`, escaped or not. A word joiner,
    which has no width, separates their characters.
    """
    flat = " ".join(without_surrogates(text).split())
    separated = _REPLACED.sub(_JOINER, flat)
    return "".join(f"\\{char}" if char in string.punctuation else char for char in separated)


def with_code(text: str) -> str:
    """Like `markdown`, but text between single backticks is code, for this project's own sentences."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return markdown(text)
    return "".join(f"`{part}`" if index % 2 and part else _with_outer_spaces(part) for index, part in enumerate(parts))


def _with_outer_spaces(text: str) -> str:
    """`markdown` with the spaces at both ends, which that function drops."""
    front, back = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{front}{markdown(text)}{back}" if text.strip() else text


def token(label: str) -> str:
    """A token's label without the space that marks a word's start; a token that is only that mark shows as a box."""
    shown = _write_codes(label.strip(f" {_THIN_SPACE}"), spaces=True).replace(_THIN_SPACE, f"U+{ord(_THIN_SPACE):04X}")
    return shown or "\u2423"


def drawn_token(label: str, letters: int) -> tuple[str, str]:
    """A token as every drawing writes it: what shows nothing is visible, and what does not fit is cut.

    Returns:
        The label, and the whole of it for its title.
    """
    whole = token(label)
    return fit(whole, letters), whole


def drawn_name(name: str, letters: int) -> tuple[str, str]:
    """Like `drawn_token`, for a name that is or contains a message of the page, whose no-break spaces stay."""
    coded = visible(name.strip(f" {_THIN_SPACE}"))
    whole = _SPACES.sub(lambda space: space[0] if space[1] else f"U+{ord(space[0]):04X}", coded)
    return fit(whole, letters), whole


def as_typed(label: str) -> str:
    """A token's label as in the sentence: without the mark of a word's start; the mark alone is a space."""
    return label.replace(_THIN_SPACE, " ").strip(" ") or " "


def plotly(text: str) -> str:
    """`text` for a label of a Plotly figure, which interprets a few HTML tags and, between dollar signs, LaTeX.

    What shows nothing in it is visible, and a label in Arabic or Hebrew changes the order of nothing around it.
    """
    return html(isolated(visible(text))).replace("$", "&#36;")


def visible(text: str) -> str:
    """`text` with every character that shows nothing written as `U+XXXX`; see `views.text.invisible`.

    What is `isolated` stays so.
    """
    return _write_codes(text)


def _write_codes(text: str, spaces: bool = False) -> str:
    parts = _ISOLATED.split(text) if "\u2068" in text else [text]
    return "".join(
        isolated(invisible.write_codes(part[1:-1], spaces))
        if place % 2 and _RIGHT_TO_LEFT.search(part)
        else invisible.write_codes(part, spaces)
        for place, part in enumerate(parts)
    )


def isolated(text: str) -> str:
    """`text`, already made visible, so that its writing direction changes the order of nothing around it.

    For texts without elements; in HTML a `bdi` element does the same. Text from left to right is not changed, nor is
    one of parts that are isolated already.
    """
    return f"\u2068{text}\u2069" if _RIGHT_TO_LEFT.search(text) and not _ISOLATED.search(text) else text


def without_isolates(text: str) -> str:
    """`text` without the isolates that `isolated` wrote, for files of values and for fonts."""
    return text.replace("\u2068", "").replace("\u2069", "")


def fit(label: str, letters: int) -> str:
    """A label cut to `letters` of `columns`, with an ellipsis in place of its end; whole if it fits."""
    if columns(label) <= letters:
        return label
    kept = ""
    for char in label:
        if columns(kept + char) > letters - 1:
            break
        kept += char
    return kept.rstrip() + "\u2026" + "\u2069" * (kept.count("\u2068") - kept.count("\u2069"))


def columns(text: str) -> int:
    """The width of `text` in letters: a wide character, such as a syllable of Hangul, takes the place of two."""
    return sum(
        0
        if unicodedata.combining(char) or char in "\u2068\u2069"
        else 2
        if unicodedata.east_asian_width(char) in "WF"
        else 1
        for char in text
    )


def without_surrogates(text: str) -> str:
    """`text` with lone surrogates, which UTF-8 cannot carry, replaced by U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
