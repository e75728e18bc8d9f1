"""One word in many spellings, and how the tokenizer splits each."""

from __future__ import annotations

import unicodedata

import pandas as pd
import streamlit as st

from model.text.spelling import MAX_WORD, Split, spellings, splits
from pages.shared import files
from pages.shared.opening import Request
from views.controls import widgets
from views.export import downloads
from views.html import bars, tokens
from views.text import literal, prose
from views.text.catalogue import Message, say

SPELLINGS = {  # id of a spelling, see `model.text.spelling` -> what it is called
    "as-typed": Message("tokens.spelling.as-typed", "as typed"),
    "lower-case": Message("tokens.spelling.lower-case", "lower case"),
    "title-case": Message("tokens.spelling.title-case", "Title Case"),
    "upper-case": Message("tokens.spelling.upper-case", "UPPER CASE"),
    "plural": Message("tokens.spelling.plural", "plural"),
    "doubled": Message("tokens.spelling.doubled", "a letter doubled"),
    "swapped": Message("tokens.spelling.swapped", "two letters swapped"),
    "first-missing": Message("tokens.spelling.first-missing", "first letter missing"),
    "accents": Message("tokens.spelling.accents", "with accents"),
    "apart": Message("tokens.spelling.apart", "letters apart"),
    "other": Message("tokens.spelling.other", "your other spelling"),
}


def show(request: Request) -> None:
    """One word in many spellings."""
    tokenizer = request.service.model.tokenizer
    wide, narrow = st.columns([3, 2], gap="large")
    with narrow:
        st.markdown(prose.block("tokens", "spelling"))
    with wide:
        with st.container(horizontal=True):
            word = widgets.text(say("tokens.word", "Word"), "word", "cat", say("tokens.word.placeholder", "A word"))
            other = widgets.text(
                say("tokens.other", "One more spelling, in any script"),
                "other",
                "\uace0\uc591\uc774",
                say("tokens.other.placeholder", "Another spelling"),
            )
        problem = refusal(word) or (refusal(other) if other.strip() else "")
        if problem:
            st.warning(literal.markdown(problem))
            return
        rows = splits(tokenizer, [*spellings(word), ("other", other)])
        shown = [
            [
                SPELLINGS[row.name](),
                bars.data(row.text, "token"),
                len(row.tokens),
                row.shared,
                bars.Cell(tokens.chips(row.tokens, "encoder")),
            ]
            for row in rows
        ]
        header = [
            say("tokens.spelling.column.spelling", "spelling"),
            say("tokens.spelling.column.text", "text"),
            say("tokens.spelling.column.count", "count"),
            say("tokens.spelling.column.common", "in common"),
            say("tokens.spelling.column.tokens", "tokens"),
        ]
        st.html(bars.table(header, shown, say("tokens.spelling.table", "Tokens of each spelling")))
        numbers(rows, header)
    back = sum(tokenizer.decode(row.ids) == _normal(row.text) for row in rows)
    st.caption(prose.block("tokens", "spelling-check", back=back, all=len(rows)))


def refusal(word: str) -> str:
    """Why `word` cannot be split here, or nothing."""
    if not any(unicodedata.category(char)[0] not in "CZ" for char in word):
        return say("tokens.word.none", "There is no word to split yet: type one.")
    if len(word) > MAX_WORD:
        return say(
            "tokens.word.long",
            "That is {length} characters long; this box takes a word of at most {most}.",
            length=len(word),
            most=MAX_WORD,
        )
    return ""


def _normal(text: str) -> str:
    return " ".join(part for part in unicodedata.normalize("NFKC", text).split(" ") if part)


def numbers(rows: list[Split], header: list[str]) -> None:
    """The same as a file and a table."""
    table = [
        [
            SPELLINGS[row.name](),
            row.text,
            len(row.tokens),
            row.shared,
            " | ".join(literal.token(token) for token in row.tokens),
        ]
        for row in rows
    ]
    files.download(
        say("tokens.spelling.csv", "Spellings as CSV"), lambda: downloads.table_csv(header, table), "spellings.csv"
    )
    files.numbers(lambda: pd.DataFrame(table, columns=header), hide_index=True)
