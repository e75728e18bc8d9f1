"""The vectors of one word in three sentences, layer by layer."""

import numpy as np
import streamlit as st

from model import InputError
from model.lessons.contexts import WordInContexts, follow_word, with_adjective
from pages.shared import checks, files
from pages.shared.charts import chart, curves
from pages.shared.code import render_program
from pages.shared.experiment import render_experiment
from pages.shared.page_header import Request, is_usable, sentence_box
from pages.shared.texts import block, fold_check, paragraph
from views.controls import sentence_input, widgets
from views.figures.line_chart import ChartLine, category_ticks, lines
from views.text import literal
from views.text.catalogue import say, say_error
from views.text.numbers import percent, three_digits

# Styles of the curves of pairs, in one colour: colours belong to the sentences.
DASHES = {(0, 1): "solid", (0, 2): "dash", (1, 2): "dot", (0, 3): "longdashdot"}
SENTENCES = ("the cat that I raise", "the cat that catches sparrows", "the cat character in a game")


def render(request: Request) -> None:
    """Show the word's vectors: their cosines by layer, and their paths in a plane."""
    paragraph("tokens", "contexts")
    about = say("tokens.contexts.word.placeholder", "A word that all three sentences have")
    word = widgets.text(say("tokens.contexts.word", "Word to follow"), "word", "cat", about)
    names, sentences = [], []
    for number, (column, initial) in enumerate(zip(st.columns(3), SENTENCES, strict=True), 1):
        names.append(say("tokens.contexts.sentence", "Sentence {number}", number=number))
        with column:
            sentences.append(sentence_box(names[-1], f"s{number}", initial))
    label = say("tokens.contexts.adjective", "Adjective before the word, in sentence 1")
    adjective = widgets.text(label, "adjective", "", say("tokens.contexts.adjective.placeholder", "Such as: cute"))
    if adjective.strip():
        names.append(
            say("tokens.contexts.longer", "Sentence 1 with \u201c{adjective}\u201d", adjective=adjective.strip())
        )
        sentences.append(with_adjective(sentences[0], word, adjective))
    if not all(is_usable(request, sentence, name) for name, sentence in zip(names, sentences, strict=True)):
        return
    key, arguments = ("contexts", word, *sentences), (request.service.model.tokenizer, sentences, word)
    try:
        contexts = request.service.lesson(key, follow_word, *arguments)
    except InputError as error:
        st.warning(literal.markdown(say_error(error)))
        return
    render_charts(contexts, names)
    result = None
    if sentences[0] == sentences[1]:
        of_last_layer = dict(zip(contexts.pairs, contexts.cosines[:, -1], strict=True))
        result = {"same": float(of_last_layer[0, 1]), "other": float(of_last_layer[0, 2])}
    render_experiment("tokens-contexts", {"s2": sentences[0]}, result)
    if adjective.strip():
        cosines = dict(zip(contexts.pairs, contexts.cosines, strict=True))[0, 3]
        words = {"adjective": literal.markdown(adjective.strip()), "word": literal.markdown(word.strip())}
        paragraph(
            "tokens", "contexts-adjective", **words, first=three_digits(cosines[2]), last=three_digits(cosines[-1])
        )
    apart = abs(contexts.vectors[1:, 0] - contexts.vectors[:-1, 0]).max()
    fold_check(
        "tokens",
        "contexts-check",
        apart=apart,
        difference=checks.format_difference("cosines", contexts.difference),
    )
    header = [say("tokens.contexts.pair", "sentences"), *stage_labels(len(contexts.stages))]
    rows = [[_pair_label(pair), *map(float, row)] for pair, row in listed_pairs(contexts)]
    files.csv_and_table(header, rows, "contexts", say("tokens.contexts.csv", "Cosines as CSV"))
    render_program("tokens", "contexts", sentences=tuple(sentences), places=contexts.places)


def render_charts(contexts: WordInContexts, names: list[str]) -> None:
    """Show both charts; `names` are those of the sentences."""
    left, right = st.columns(2, gap="large")
    stages = stage_labels(len(contexts.stages))
    places = list(range(len(stages)))
    cosines = [
        ChartLine(_pair_label(pair), places, cosines, None, DASHES[pair], marks=True)
        for pair, cosines in listed_pairs(contexts)
    ]
    paths = [
        ChartLine(names[number], path[:, 0], path[:, 1], number, marks=True, labels=stages)
        for number, path in enumerate(contexts.projection)
    ]
    with left:
        st.markdown(say("tokens.contexts.cosines", "**Cosine between the sentences, stage by stage**"))
        figure = lines(cosines, sentence_input.theme(), say("axis.stage", "stage"), say("cosine", "cosine"))
        chart(category_ticks(figure, stages), "cosine", block("tokens", "contexts-cosines-alt"))
    with right:
        st.markdown(say("tokens.contexts.plane", "**The same vectors as paths in a plane**"))
        first, second = (percent(float(share)) for share in contexts.explained)
        x = say("tokens.contexts.first", "first direction, {share} of the variance", share=first)
        y = say("tokens.contexts.second", "second direction, {share}", share=second)
        curves(paths, x, y, "plane", block("tokens", "contexts-plane-alt"))


def listed_pairs(contexts: WordInContexts) -> list[tuple[tuple[int, int], np.ndarray]]:
    """Return pairs of sentences with their cosines; the one with an adjective is paired only with the same without."""
    return [
        (pair, cosines)
        for pair, cosines in zip(contexts.pairs, contexts.cosines, strict=True)
        if pair[1] < len(SENTENCES) or pair[0] == 0
    ]


def _pair_label(pair: tuple[int, int]) -> str:
    return say("tokens.contexts.pair.one", "sentences {first} and {second}", first=pair[0] + 1, second=pair[1] + 1)


def stage_labels(count: int) -> tuple[str, ...]:
    """Return the labels of the stages at which vectors are read; see `model.lessons.contexts.stage_names`."""
    return (
        say("tokens.stage.embedding", "embedding"),
        say("tokens.stage.position", "with position"),
        *(say("tokens.stage.layer", "layer {layer}", layer=layer) for layer in range(1, count - 1)),
    )
