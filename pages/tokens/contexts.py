"""One word in three sentences."""

import numpy as np
import streamlit as st

from model import InputError
from model.lessons.contexts import WordInContexts, follow_word, with_adjective
from pages.shared import checks, files
from pages.shared.charts import chart, curves
from pages.shared.code import render_program
from pages.shared.experiment import render_experiment
from pages.shared.page_header import Request, is_usable, sentence_box
from pages.shared.texts import block, caption, paragraph
from views.controls import sentence_input, widgets
from views.figures.line_chart import ChartLine, category_ticks, lines
from views.text import literal
from views.text.catalogue import say, say_error
from views.text.numbers import percent, three_digits

SENTENCES = ("the cat that I raise", "the cat that catches sparrows", "the cat character in a game")


def render(request: Request) -> None:
    """The word's vectors, cosine by layer and as paths in a plane."""
    paragraph("tokens", "contexts")
    about = say("tokens.contexts.word.placeholder", "A word that all three sentences have")
    word = widgets.text(say("tokens.contexts.word", "Word to follow"), "word", "cat", about)
    names, sentences = [], []
    for number, (column, first) in enumerate(zip(st.columns(3), SENTENCES, strict=True), 1):
        names.append(say("tokens.contexts.sentence", "Sentence {number}", number=number))
        with column:
            sentences.append(sentence_box(names[-1], f"s{number}", first))
    label = say("tokens.contexts.adjective", "Adjective before the word, in sentence 1")
    adjective = widgets.text(label, "adjective", "", say("tokens.contexts.adjective.placeholder", "Such as: cute"))
    if adjective.strip():
        names.append(
            say("tokens.contexts.longer", "Sentence 1 with \u201c{adjective}\u201d", adjective=adjective.strip())
        )
        sentences.append(with_adjective(sentences[0], word, adjective))
    if not all(is_usable(request, sentence, name) for name, sentence in zip(names, sentences, strict=True)):
        return
    key, given = ("contexts", word, *sentences), (request.service.model.tokenizer, sentences, word)
    try:
        found = request.service.lesson(key, follow_word, *given)
    except InputError as error:
        st.warning(literal.markdown(say_error(error)))
        return
    render_charts(found, names)
    result = None
    if sentences[0] == sentences[1]:
        last = dict(zip(found.pairs, found.cosines[:, -1], strict=True))
        result = {"same": float(last[0, 1]), "other": float(last[0, 2])}
    render_experiment("tokens-contexts", {"s2": sentences[0]}, result)
    if adjective.strip():
        one = dict(zip(found.pairs, found.cosines, strict=True))[0, 3]
        told = {"adjective": literal.markdown(adjective.strip()), "word": literal.markdown(word.strip())}
        paragraph("tokens", "contexts-adjective", **told, first=three_digits(one[2]), last=three_digits(one[-1]))
    apart = abs(found.vectors[1:, 0] - found.vectors[:-1, 0]).max()
    caption("tokens", "contexts-check", apart=apart, difference=checks.format_difference("cosines", found.difference))
    header = [say("tokens.contexts.pair", "sentences"), *stage_labels(len(found.stages))]
    rows = [[_pair_label(pair), *map(float, row)] for pair, row in listed_pairs(found)]
    files.csv_and_table(header, rows, "contexts", say("tokens.contexts.csv", "Cosines as CSV"))
    render_program("tokens", "contexts", sentences=tuple(sentences), places=found.places)


def render_charts(found: WordInContexts, names: list[str]) -> None:
    """Both pictures, side by side; `names` are those of the sentences."""
    left, right = st.columns(2, gap="large")
    named = stage_labels(len(found.stages))
    places = list(range(len(named)))
    cosines = [
        ChartLine(_pair_label(pair), places, cosines, place, marks=True)
        for place, (pair, cosines) in enumerate(listed_pairs(found))
    ]
    paths = [
        ChartLine(names[number], path[:, 0], path[:, 1], number, marks=True, labels=named)
        for number, path in enumerate(found.projection)
    ]
    with left:
        st.markdown(say("tokens.contexts.cosines", "**Cosine between the sentences, stage by stage**"))
        figure = lines(cosines, sentence_input.theme(), say("axis.stage", "stage"), say("cosine", "cosine"))
        chart(category_ticks(figure, named), "cosine", block("tokens", "contexts-cosines-alt"))
    with right:
        st.markdown(say("tokens.contexts.plane", "**The same vectors as paths in a plane**"))
        first, second = (percent(float(share)) for share in found.explained)
        x = say("tokens.contexts.first", "first direction, {share} of the variance", share=first)
        y = say("tokens.contexts.second", "second direction, {share}", share=second)
        curves(paths, x, y, "plane", block("tokens", "contexts-plane-alt"))


def listed_pairs(found: WordInContexts) -> list[tuple[tuple[int, int], np.ndarray]]:
    """Every two sentences with the cosines; the one with an adjective stands beside the same without it alone."""
    return [
        (pair, cosines)
        for pair, cosines in zip(found.pairs, found.cosines, strict=True)
        if pair[1] < len(SENTENCES) or pair[0] == 0
    ]


def _pair_label(pair: tuple[int, int]) -> str:
    return say("tokens.contexts.pair.one", "sentences {first} and {second}", first=pair[0] + 1, second=pair[1] + 1)


def stage_labels(count: int) -> tuple[str, ...]:
    """What the places are called where a vector is read; see `model.lessons.contexts.stage_names`."""
    return (
        say("tokens.stage.embedding", "embedding"),
        say("tokens.stage.position", "with position"),
        *(say("tokens.stage.layer", "layer {layer}", layer=layer) for layer in range(1, count - 1)),
    )
