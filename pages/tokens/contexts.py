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
from views.text.catalogue import say, say_error
from views.text.numbers import percent, three_digits

SENTENCES = ("the cat that I raise", "the cat that catches sparrows", "the cat character in a game")


def show(request: Request) -> None:
    """The word's vectors, cosine by layer and as paths in a plane."""
    st.markdown(prose.block("tokens", "contexts"))
    word = widgets.text(
        say("tokens.contexts.word", "Word to follow"),
        "word",
        "cat",
        say("tokens.contexts.word.placeholder", "A word that all three sentences have"),
    )
    boxes = zip(st.columns(3), enumerate(SENTENCES, 1), strict=True)
    typed = say("sentence.placeholder", "Type an English sentence")
    names = [say("tokens.contexts.sentence", "Sentence {number}", number=number) for number in (1, 2, 3)]
    sentences = []
    for column, (number, sentence) in boxes:
        with column:
            sentences.append(widgets.text(names[number - 1], f"s{number}", sentence, typed))
    if not all(usable(request, sentence, name) for name, sentence in zip(names, sentences, strict=True)):
        return
    try:
        found = request.service.lesson(
            ("contexts", word, *sentences),
            word_in_contexts,
            *(request.service.model.tokenizer, sentences, word),
        )
    except InputError as error:
        st.warning(literal.markdown(say_error(error)))
        return
    drawn(found, names)
    apart = abs(found.vectors[1:, 0] - found.vectors[:-1, 0]).max()
    st.caption(
        prose.block(
            "tokens",
            "contexts-check",
            apart=three_digits(float(apart)),
            difference=checks.said("cosines", found.difference),
        )
    )
    header = [say("tokens.contexts.pair", "sentences"), *stages(len(found.stages))]
    rows = [[_pair(pair), *map(float, row)] for pair, row in zip(found.pairs, found.cosines, strict=True)]
    files.download(
        say("tokens.contexts.csv", "Cosines as CSV"), lambda: downloads.table_csv(header, rows), "contexts.csv"
    )
    files.numbers(lambda: pd.DataFrame(rows, columns=header), hide_index=True)


def drawn(found: WordInContexts, names: list[str]) -> None:
    """Both pictures, side by side; `names` are those of the sentences."""
    left, right = st.columns(2, gap="large")
    named = stages(len(found.stages))
    places = list(range(len(named)))
    curves = [
        Line(_pair(pair), places, cosines, place, marks=True)
        for place, (pair, cosines) in enumerate(zip(found.pairs, found.cosines, strict=True))
    ]
    paths = [
        Line(names[number], path[:, 0], path[:, 1], number, marks=True, labels=named)
        for number, path in enumerate(found.projection)
    ]
    theme = inputs.theme()
    with left:
        st.markdown(say("tokens.contexts.cosines", "**Cosine between the sentences, stage by stage**"))
        figure = category_ticks(lines(curves, theme, say("axis.stage", "stage"), say("cosine", "cosine")), named)
        alt = say(
            "tokens.contexts.cosines.alt",
            "Cosine of the word\u2019s vectors for each pair of sentences; the table has the numbers.",
        )
        chart(figure, "cosine", alt)
    with right:
        st.markdown(say("tokens.contexts.plane", "**The same vectors as paths in a plane**"))
        shares = [percent(float(share)) for share in found.explained]
        titles = (
            say("tokens.contexts.first", "first direction, {share} of the variance", share=shares[0]),
            say("tokens.contexts.second", "second direction, {share}", share=shares[1]),
        )
        chart(
            lines(paths, theme, *titles),
            "plane",
            say(
                "tokens.contexts.plane.alt",
                "Two-dimensional projection: one path for each sentence, one mark for each stage, all from the same "
                "start.",
            ),
        )


def _pair(pair: tuple[int, int]) -> str:
    return say("tokens.contexts.pair.one", "sentences {first} and {second}", first=pair[0] + 1, second=pair[1] + 1)


def stages(count: int) -> tuple[str, ...]:
    """What the places are called where a vector is read; see `model.lessons.contexts.stage_names`."""
    return (
        say("tokens.stage.embedding", "embedding"),
        say("tokens.stage.position", "with position"),
        *(say("tokens.stage.layer", "layer {layer}", layer=layer) for layer in range(1, count - 1)),
    )
