"""Tokens of the vocabulary: the nearest ones to a token, and how spellings of a word are split."""

from __future__ import annotations

import unicodedata

import pandas as pd
import streamlit as st

from model.lessons.embedding import neighbourhood
from model.text.spelling import MAX_WORD, Split, spellings, splits
from pages.shared import checks, files
from pages.shared.charts import chart
from pages.shared.opening import Request
from views import maps
from views.controls import inputs, widgets
from views.export import downloads
from views.figures.histogram import histogram
from views.html import bars, tokens
from views.text import literal, prose
from views.text.catalogue import Message, say, say_count
from views.text.numbers import grouped, three_digits

MOST = 50  # neighbours
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


def neighbours(request: Request) -> None:
    """The vocabulary sorted by the cosine of its rows with one row."""
    width, tokenizer = request.service.model.config.d_model, request.service.model.tokenizer
    ids = tokenizer.encode_source(request.text)
    source_tokens = tuple(tokenizer.display(ids))
    labels = maps.numbered(source_tokens)
    wide, narrow = st.columns([3, 2], gap="large")
    with wide:
        longest = max(range(len(ids) - 1), key=lambda place: (len(literal.token(source_tokens[place])), place))
        choices = {str(number): label for number, label in enumerate(labels, 1)}
        near = widgets.select(say("tokens.near", "Token of your sentence"), choices, "near", str(longest + 1))
        place = int(near) - 1
        count = widgets.slider(say("tokens.near.count", "Neighbours shown"), "count", 12, 3, MOST)
    found = request.service.lesson(("neighbourhood", ids[place]), neighbourhood, tokenizer, ids[place], MOST)
    header = [say("column.token", "token"), say("column.id", "id"), say("cosine", "cosine")]
    rows = [(near.token, near.id, near.cosine) for near in found.nearest]
    with wide:
        shown = [
            [bars.data(literal.token(token), "token"), id_, bars.bar(cosine, rows[0][2])]
            for token, id_, cosine in rows[:count]
        ]
        name = say("tokens.near.table", "Nearest tokens to {token}", token=literal.token(found.token))
        st.html(bars.table(header, shown, name))
    with narrow:
        st.markdown(prose.block("tokens", "neighbours"))
        chart(
            histogram(found.others, rows[count - 1][2], inputs.theme(), header[2]),
            "cosines",
            say(
                "tokens.near.alt",
                "Histogram of the cosines with all other tokens; the line is the last neighbour shown.",
            ),
        )
        st.caption(
            say(
                "tokens.near.spread",
                "The other {others} tokens: mean {mean}, standard deviation {deviation}; random directions in {width} "
                "dimensions would have 0 and {random}.",
                others=grouped(len(found.others)),
                mean=three_digits(float(found.others.mean())),
                deviation=three_digits(float(found.others.std())),
                width=width,
                random=three_digits(width**-0.5),
            )
        )
    st.caption(prose.block("tokens", "neighbours-check", difference=checks.said("cosines", found.difference)))
    labelled = [[literal.token(token), id_, cosine] for token, id_, cosine in rows]
    many = say_count("tokens.near.csv", "{count} neighbour as CSV", "{count} neighbours as CSV", MOST)
    files.download(many, lambda: downloads.table_csv(header, labelled), "neighbours.csv")
    files.numbers(lambda: pd.DataFrame(labelled, columns=header), hide_index=True)


def spelling(request: Request) -> None:
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
