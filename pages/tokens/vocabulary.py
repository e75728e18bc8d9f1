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
from views.text.numbers import grouped, three_digits

MOST = 50  # neighbours


def neighbours(request: Request) -> None:
    """The vocabulary sorted by the cosine of its rows with one row."""
    width, tokenizer = request.service.model.config.d_model, request.service.model.tokenizer
    ids = tokenizer.encode_source(request.text)
    source_tokens = tuple(tokenizer.display(ids))
    labels = maps.numbered(source_tokens)
    wide, narrow = st.columns([3, 2], gap="large")
    with wide:
        longest = max(range(len(ids) - 1), key=lambda place: (len(literal.token(source_tokens[place])), place))
        place = labels.index(widgets.select("Piece of your sentence", labels, "near", labels[longest]))
        count = widgets.slider("Neighbours shown", "count", 12, 3, MOST)
    found = request.service.lesson(("neighbourhood", ids[place]), neighbourhood, tokenizer, ids[place], MOST)
    rows = [(near.token, near.id, near.cosine) for near in found.nearest]
    with wide:
        shown = [[literal.token(token), id_, bars.bar(cosine, rows[0][2])] for token, id_, cosine in rows[:count]]
        st.html(bars.table(["piece", "id", "cosine"], shown, f"Nearest pieces to {literal.token(found.token)}"))
    with narrow:
        st.markdown(prose.block("tokens", "Neighbours"))
        chart(
            histogram(found.others, rows[count - 1][2], inputs.theme(), "cosine"),
            "cosines",
            "Histogram of the cosines with all other pieces; the line is the last neighbour shown.",
        )
        st.caption(
            f"All {grouped(len(found.others))} other pieces: mean {three_digits(float(found.others.mean()))}, standard "
            f"deviation {three_digits(float(found.others.std()))}; random directions in {width} "
            f"dimensions would have 0 and {three_digits(width**-0.5)}."
        )
    st.caption(
        prose.block("tokens", "Proof of the neighbours").format(difference=checks.said("cosines", found.difference))
    )
    header = ["piece", "id", "cosine"]
    labelled = [[literal.token(token), id_, cosine] for token, id_, cosine in rows]
    files.download(f"{MOST} neighbours as CSV", lambda: downloads.table_csv(header, labelled), "neighbours.csv")
    files.numbers(lambda: pd.DataFrame(labelled, columns=header), hide_index=True)


def spelling(request: Request) -> None:
    """One word in many spellings."""
    tokenizer = request.service.model.tokenizer
    wide, narrow = st.columns([3, 2], gap="large")
    with narrow:
        st.markdown(prose.block("tokens", "Spelling"))
    with wide:
        with st.container(horizontal=True):
            word = widgets.text("Word", "word", "cat", "A word")
            other = widgets.text("One more spelling, in any script", "other", "\uace0\uc591\uc774", "Another spelling")
        problem = refusal(word) or (refusal(other) if other.strip() else "")
        if problem:
            st.warning(literal.markdown(problem))
            return
        rows = splits(tokenizer, [*spellings(word), ("your other spelling", other)])
        shown = [
            [
                row.name,
                row.text,
                len(row.tokens),
                row.shared,
                bars.Cell(tokens.chips(row.tokens, "encoder")),
            ]
            for row in rows
        ]
        header = ["spelling", "text", "count", "in common", "pieces"]
        st.html(bars.table(header, shown, "Pieces of each spelling"))
        numbers(rows, header)
    back = sum(tokenizer.decode(row.ids) == _normal(row.text) for row in rows)
    st.caption(prose.block("tokens", "Proof of the spelling").format(back=back, all=len(rows)))


def refusal(word: str) -> str:
    """Why `word` cannot be split here, or nothing."""
    if not any(unicodedata.category(char)[0] not in "CZ" for char in word):
        return "There is no word to split yet: type one."
    if len(word) > MAX_WORD:
        return f"That is {len(word)} characters long; this box takes a word of at most {MAX_WORD}."
    return ""


def _normal(text: str) -> str:
    return " ".join(part for part in unicodedata.normalize("NFKC", text).split(" ") if part)


def numbers(rows: list[Split], header: list[str]) -> None:
    """The same as a file and a table."""
    table = [
        [
            row.name,
            row.text,
            len(row.tokens),
            row.shared,
            " | ".join(literal.token(token) for token in row.tokens),
        ]
        for row in rows
    ]
    files.download("Spellings as CSV", lambda: downloads.table_csv(header, table), "spellings.csv")
    files.numbers(lambda: pd.DataFrame(table, columns=header), hide_index=True)
