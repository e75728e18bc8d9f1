"""One word in three sentences."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from model import InputError
from model.lessons.contexts import WordInContexts, word_in_contexts
from pages.shared import checks, files
from pages.shared.charts import chart
from pages.shared.opening import Request, usable
from views.controls import inputs, widgets
from views.export import downloads
from views.figures.lines import Line, category_ticks, lines
from views.text import literal, prose
from views.text.numbers import percent, three_digits

SENTENCES = ("the cat that I raise", "the cat that catches sparrows", "the cat character in a game")


def show(request: Request) -> None:
    """The word's vectors, cosine by layer and as paths in a plane."""
    st.markdown(prose.block("tokens", "Contexts"))
    word = widgets.text("Word to follow", "word", "cat", "A word that all three sentences have")
    boxes = zip(st.columns(3), enumerate(SENTENCES, 1), strict=True)
    sentences = []
    for column, (number, sentence) in boxes:
        with column:
            sentences.append(widgets.text(f"Sentence {number}", f"s{number}", sentence, "Type an English sentence"))
    if not all(usable(request, sentence, f"Sentence {number}") for number, sentence in enumerate(sentences, 1)):
        return
    try:
        found = request.service.lesson(
            ("contexts", word, *sentences),
            word_in_contexts,
            *(request.service.model.tokenizer, sentences, word),
        )
    except InputError as error:
        st.warning(literal.markdown(str(error)))
        return
    drawn(found)
    apart = abs(found.vectors[1:, 0] - found.vectors[:-1, 0]).max()
    st.caption(
        prose.block("tokens", "Proof of the contexts").format(
            apart=three_digits(float(apart)), difference=checks.said("cosines", found.difference)
        )
    )
    header = ["sentences", *found.stages]
    rows = [[_pair(pair), *map(float, row)] for pair, row in zip(found.pairs, found.cosines, strict=True)]
    files.download("Cosines as CSV", lambda: downloads.table_csv(header, rows), "contexts.csv")
    files.numbers(lambda: pd.DataFrame(rows, columns=header), hide_index=True)


def drawn(found: WordInContexts) -> None:
    """Both pictures, side by side."""
    left, right = st.columns(2, gap="large")
    places = list(range(len(found.stages)))
    curves = [
        Line(f"sentences {_pair(pair)}", places, cosines, place, marks=True)
        for place, (pair, cosines) in enumerate(zip(found.pairs, found.cosines, strict=True))
    ]
    paths = [
        Line(f"sentence {number + 1}", path[:, 0], path[:, 1], number, marks=True, labels=found.stages)
        for number, path in enumerate(found.projection)
    ]
    theme = inputs.theme()
    with left:
        st.markdown("**Cosine between the sentences, stage by stage**")
        figure = category_ticks(lines(curves, theme, "stage", "cosine"), found.stages)
        chart(figure, "cosine", "Cosine of the word's vectors for each pair of sentences; the table has the numbers.")
    with right:
        st.markdown("**The same vectors as paths in a plane**")
        shares = [percent(float(share)) for share in found.explained]
        titles = f"first direction, {shares[0]} of the variance", f"second direction, {shares[1]}"
        chart(
            lines(paths, theme, *titles),
            "plane",
            "Two-dimensional projection: one path a sentence, one mark a stage, all from the same start.",
        )


def _pair(pair: tuple[int, int]) -> str:
    return f"{pair[0] + 1} and {pair[1] + 1}"
