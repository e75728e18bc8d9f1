"""Lessons about vectors: words in sentences, positions, and what a layer adds."""

import numpy as np

from model.course import sentences, stream_outcomes
from model.lessons.embedding import recompute_embedding
from pages.lessons.lesson_parts import LessonContent, LessonInput, key_of, last_question, question
from pages.lessons.vector_reasons import layer_reasons, order_reasons, word_reasons
from pages.shared.texts import block
from views.svg import course_vectors as figures
from views.svg.course_parts import shown_token
from views.text import glossary
from views.text.catalogue import say
from views.text.numbers import grouped

LAYER = 1  # of the encoder, from 0


def word_vectors(lesson: LessonInput) -> LessonContent:
    """From words to vectors: one word in two sentences."""
    tokenizer = lesson.service.model.tokenizer
    second, word = sentences.OTHER_SENTENCE
    if lesson.own:
        word = stream_outcomes.word_to_follow(tokenizer, lesson.text)
        second = sentences.with_word(word)
    both = lesson.text, second
    result = lesson.compute(stream_outcomes.compare_word, tokenizer, *both, word)
    strips = []
    for sentence, (place, _) in zip(both, result.followed.places, strict=True):
        steps = lesson.service.lesson(
            ("course strip", sentence), recompute_embedding, tokenizer, tokenizer.encode_source(sentence)
        )
        names = (
            say("course.strip.row", "row \u00d7 \u221ad_model"),
            say("course.strip.wave", "+ wave"),
            say("course.strip.sum", "= input"),
        )
        vectors = np.stack([steps.scaled[place], steps.positions[place], steps.embedded[place]])
        strips.append(figures.WordStrip(steps.tokens[place], steps.ids[place], names, vectors))
    stages = [
        say("course.stage.row", "row"),
        say("course.stage.position", "with position"),
        *(
            say("course.stage.layer", "layer {number}", number=layer + 1)
            for layer in range(len(result.followed.stages) - 2)
        ),
    ]
    heading = say("course.strip.cosines", "Cosine of the two vectors")
    label = say("course.figure.strips", "The first 40 numbers of a word's vectors in two sentences")
    cosines = [float(value) for value in result.followed.cosines[0]]
    drawn = tuple(figures.strips(strips, stages, cosines, heading, label, covered) for covered in (True, False))
    options = {
        "never": say("course.word.never", "Never"),
        "first": say("course.word.first", "Only as rows of the table"),
        "always": say("course.word.always", "Always"),
    }
    most = stream_outcomes.MOST_TOKENS
    counts = {str(count): str(count) for count in range(1, most)}
    counts[str(most)] = say("course.word.more", "{count} or more", count=most)
    tokens = [shown_token(token) for token in tokenizer.display(tokenizer.encode(result.longest))]
    quoted = ", ".join(f"\u201c{token}\u201d" for token in tokens)
    start, end = result.followed.places[0]
    ids = tokenizer.encode_source(lesson.text)[start:end]
    return LessonContent(
        lesson.block("aim"),
        drawn,
        question(
            lesson.block("ask", word=word, first=lesson.text, second=second),
            result.vector,
            word_reasons(result, ids),
            options,
        ),
        lesson.block("mistake"),
        last_question(
            lesson.block("last", word=result.longest),
            result.tokens,
            lesson.block("last-found", count=len(tokens), tokens=quoted),
            counts,
        ),
    )


def order(lesson: LessonInput) -> LessonContent:
    """Order matters: the positions are taken away."""
    trace, tokenizer = lesson.trace(), lesson.service.model.tokenizer
    result = lesson.compute(stream_outcomes.without_positions, tokenizer, trace)
    label = say("course.figure.order", "A sentence, its translation, and the translation without positions")
    heads = (
        say("course.order.english", "English"),
        say("course.order.with", "French, with positions"),
        say("course.order.without", "French, all positions 0"),
    )
    empty = say("course.order.nothing", "(nothing)")
    written = [trace.source_text, trace.target_text]
    drawn = tuple(
        figures.sentences(list(zip(heads, (*written, last), strict=True)), label)
        for last in (None, result.text or empty)
    )
    options = {
        "same": say("course.order.same", "The same translation"),
        "order": say("course.order.order", "The same words in another order"),
        "words": say("course.order.words", "Other words"),
    }
    last = None
    if result.outputs is not None:
        amounts = {
            "none": say("course.order.none", "Not at all"),
            "less": say("course.order.less", "Less than half as much as with them"),
            "as-much": say("course.order.as-much", "About as much as with them"),
        }
        found = lesson.block(
            "last-found",
            without=float(result.outputs.figures["without"]),
            with_positions=float(result.outputs.figures["with"]),
        )
        last = last_question(lesson.block("last", swapped=result.swapped), result.outputs, found, amounts)
    because = order_reasons(result, result.text or empty, lesson.own)
    return LessonContent(
        lesson.block("aim"),
        drawn,
        question(lesson.block("ask"), result.translation, because, options),
        lesson.block("mistake"),
        last,
    )


def layer(lesson: LessonInput) -> LessonContent:
    """A layer: what each sub-layer adds to the stream."""
    trace = lesson.trace()
    result = lesson.compute(stream_outcomes.measure_layer, trace, LAYER, sentences.PRONOUNS)
    place = result.place
    opening = lesson.opening()
    ours = (
        opening.compute(stream_outcomes.measure_layer, opening.trace(), LAYER, sentences.PRONOUNS)
        if lesson.own
        else result
    )
    names = say("course.layer.attention", "attention"), say("course.layer.feed-forward", "feed-forward")
    added = [
        (step, name, float(result.larger.figures[step])) for step, name in zip(("self", "ffn"), names, strict=True)
    ]
    label = say("course.figure.layer", "The length of a vector and of what is added to it, as bars of one scale")
    stream = say("course.layer.stream", "stream")
    drawn = tuple(figures.stream_bars(stream, added, label, covered=covered) for covered in (True, False))
    tenth, third = result.units // 10, result.units // 3
    options = {
        "tenth": say("course.layer.tenth", "Up to {count}", count=tenth),
        "third": say("course.layer.third", "{low} to {high}", low=tenth + 1, high=third),
        "more": say("course.layer.more", "More than {count}", count=third),
    }
    token = key_of(trace, place)
    counts = {"count": round(result.fired.figures["count"]), "units": grouped(result.units)}
    return LessonContent(
        lesson.block("aim"),
        drawn,
        question(lesson.block("ask", token=token), result.larger, layer_reasons(result, ours)),
        lesson.block("mistake"),
        last_question(
            lesson.block("last", token=token, units=grouped(result.units)),
            result.fired,
            lesson.block("last-found", **counts),
            options,
        ),
    )


def refusal(lesson: LessonInput) -> str:
    """Return why the lesson about a word cannot use the sentence; empty if it can."""
    if lesson.own and not stream_outcomes.word_to_follow(lesson.service.model.tokenizer, lesson.text):
        return glossary.plain_text(block("lessons", "no-word"))
    return ""
