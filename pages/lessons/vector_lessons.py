"""Lessons about vectors: words in sentences, positions, and what a layer adds."""

from collections.abc import Mapping, Sequence

import numpy as np

from model.course import sentences, stream_outcomes
from model.course.stream_outcomes import NEAR_SHARE, LayerOutcome, WithoutPositionsOutcome, WordOutcome
from model.lessons.embedding import recompute_embedding
from pages.lessons.lesson_parts import LessonContent, LessonInput, key_of, last_question, question
from pages.shared.texts import block
from views.svg import course_vectors as figures
from views.svg.course_parts import shown_token
from views.text import glossary
from views.text.catalogue import say
from views.text.numbers import grouped, three_digits

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


# Why each option of a lesson about vectors holds or does not.


def word_reasons(result: WordOutcome, ids: Sequence[int]) -> Mapping[str, str]:
    """Return the reason for each option about one word in two sentences; `ids` are of its tokens."""
    values = {
        name: three_digits(result.vector.figures[figure]) for name, figure in (("start", "first"), ("end", "last"))
    }
    if result.vector.right == "never":
        apart = say(
            "lesson.tokens-step-by-step.because.never-missed",
            "**Not even as rows:** cosine {start}. Because the two sentences divide the word into different tokens, "
            "they look up different rows.",
            **values,
        )
        held = say(
            "lesson.tokens-step-by-step.because.never-right",
            "**As predicted:** cosine {start} as rows of the table, {end} after the last layer. Because the two "
            "sentences divide the word into different tokens.",
            **values,
        )
        return {"never": held, "first": apart, "always": apart}
    return {
        "never": say(
            "lesson.tokens-step-by-step.because.never",
            "**They are equal once:** as rows of the table, cosine {start}. Because both sentences look up the same "
            "number, {numbers}.",
            **values,
            numbers=", ".join(map(str, ids)),
        ),
        "first": say(
            "lesson.tokens-step-by-step.because.first",
            "**Yes:** {start} as rows, {end} after the last layer. Because each layer mixes in the other words of its "
            "own sentence.",
            **values,
        ),
        "always": say(
            "lesson.tokens-step-by-step.because.always",
            "**Only at the start:** {end} after the last layer. Because the position and the other words of each "
            "sentence are added to the row.",
            **values,
        ),
    }


def order_reasons(result: WithoutPositionsOutcome, text: str, own: bool) -> Mapping[str, str]:
    """Return the reason for each option about a translation without positions; `text` is what is written."""
    right = result.translation.right
    same = (
        say(
            "lesson.positions-table.because.same-own",
            "**It wrote** “{text}” Because without positions your sentence is a set of words.",
            text=text,
        )
        if own
        else say(
            "lesson.positions-table.because.same",
            "**It wrote** “{text}” Because without positions “The chair is in the garden” and “The garden is in the "
            "chair” are the same set of words.",
            text=text,
        )
    )
    order = say(
        "lesson.positions-table.because.order",
        "**Yes:** “{text}” Because the words are still in their rows, and only their order was in the positions.",
        text=text,
    )
    words = say(
        "lesson.positions-table.because.words",
        "**The words stayed:** “{text}” Because each word is still in its own row; only the order was in the "
        "positions.",
        text=text,
    )
    if right == "same":
        same = say(
            "lesson.positions-table.because.same-right",
            "**As predicted, the same:** “{text}” The words alone were enough here; try a sentence whose words can "
            "change places.",
            text=text,
        )
        order = say(
            "lesson.positions-table.because.order-same",
            "**The order stayed, too:** “{text}” The words alone were enough here.",
            text=text,
        )
    if right == "words":
        words = say(
            "lesson.positions-table.because.words-right",
            "**As predicted, other words:** “{text}” Losing the order changed the words as well.",
            text=text,
        )
        order = say(
            "lesson.positions-table.because.order-words",
            "**Other words, too:** “{text}” Losing the order changed the words as well.",
            text=text,
        )
    return {"same": same, "order": order, "words": words}


def layer_reasons(result: LayerOutcome, opening: LayerOutcome) -> Mapping[str, str]:
    """Return the reason for each sub-layer; `opening` is of the lesson's own sentence."""
    larger = result.larger
    values = {
        name: three_digits(larger.figures[step]) for name, step in (("attention", "self"), ("feed_forward", "ffn"))
    }
    ours = {
        name: three_digits(opening.larger.figures[step])
        for name, step in (("our_attention", "self"), ("our_feed_forward", "ffn"))
    }
    if larger.right == "ffn":
        attention = say(
            "lesson.inside-add-norm.because.self",
            "**Here it adds less:** {attention} of the stream’s length against {feed_forward}. Because attention "
            "fetches from other words, it is easily taken for the whole layer; the feed-forward part has most of the "
            "numbers.",
            **values,
        )
        feed_forward = say(
            "lesson.inside-add-norm.because.ffn",
            "**Yes:** {feed_forward} against {attention} of the stream’s length. Because it works on each word alone "
            "with {units} units, it can write a lot.",
            **values,
            units=grouped(result.units),
        )
    else:
        attention = say(
            "lesson.inside-add-norm.because.self-right",
            "**As predicted:** {attention} against {feed_forward} at this word. In the lesson’s own sentence it is the "
            "other way round ({our_attention} and {our_feed_forward}).",
            **values,
            **ours,
        )
        feed_forward = say(
            "lesson.inside-add-norm.because.ffn-missed",
            "**Here it adds less:** {feed_forward} of the stream’s length against {attention}. In the lesson’s own "
            "sentence it is the other way round ({our_feed_forward} and {our_attention}).",
            **values,
            **ours,
        )
    if larger.near:
        nearly = say(
            "lesson.inside-add-norm.because.nearly",
            "**Both add about as much here:** {attention} and {feed_forward}. Because the difference is below "
            "{margin}, either answer holds.",
            **values,
            margin=three_digits(NEAR_SHARE),
        )
        return {
            option: nearly if option in larger.near else each
            for option, each in (("self", attention), ("ffn", feed_forward))
        }
    return {"self": attention, "ffn": feed_forward}
