"""Lessons about other networks: one vector for a sentence, and pictures as sequences."""

from collections.abc import Mapping

import numpy as np

from model import CheckpointError
from model.course import decoder_outcomes, picture_outcomes
from model.course.decoder_outcomes import RetainedBleuOutcome
from model.course.picture_outcomes import LITTLE, ShuffledPatchesOutcome
from model.lessons.growing_sentence import CLAUSES, NoSharedTokensError, add_clauses, lengthening_losses
from pages.history.by_length import length_range
from pages.history.networks import NAMES
from pages.history.networks_compared import cards_and_comparison
from pages.lessons.lesson_parts import LessonContent, LessonInput, figure_values, last_question, question
from pages.shared.models import load_vision, open_recurrent
from views import map_labels, patch_grid
from views.components.course_lesson import CourseQuestion
from views.controls import samples
from views.figures.overlay import data_url
from views.svg import course_vectors as figures
from views.text.catalogue import say
from views.text.numbers import percent, signed, three_digits


def one_vector(lesson: LessonInput) -> LessonContent:
    """One vector for a sentence: what is left of BLEU at long sentences.

    Raises:
        CheckpointError: the measurements are missing or damaged.
    """
    _, comparison = cards_and_comparison()
    result = decoder_outcomes.read_retained(comparison)
    values = result.share.figures
    names = NAMES[decoder_outcomes.ONE_VECTOR](), NAMES[decoder_outcomes.ADDITIVE]()
    ranges = length_range(result.short), length_range(result.long)
    groups = tuple(say("course.vector.words", "{range} words", range=each) for each in ranges)
    label = say("course.figure.vector", "One vector and attention, and the share of BLEU that one vector reaches")
    drawn = tuple(
        figures.retained_bars(names, (groups[0], groups[1]), values["short"], long, decoder_outcomes.RETAINED, label)
        for long in (None, values["share"])
    )
    ask = lesson.block("ask", short=ranges[0], long=ranges[1], percent=percent(values["short"] / 100))
    return LessonContent(
        lesson.block("aim"),
        drawn,
        question(ask, result.share, vector_reasons(result, ranges)),
        lesson.block("mistake"),
        _clause_question(lesson),
    )


def _clause_question(lesson: LessonInput) -> CourseQuestion | None:
    """Return the question about one more clause; None if the sentence has no room for it."""
    trace = lesson.trace()
    pairs = add_clauses(lesson.service.model, lesson.text, trace.target_text)[:2]
    if len(pairs) < 2:
        return None
    try:
        losses = [
            open_recurrent(name).analysis(("grown", pairs), lengthening_losses, pairs)
            for name in (decoder_outcomes.ONE_VECTOR, decoder_outcomes.ADDITIVE)
        ]
    except (CheckpointError, NoSharedTokensError):
        return None
    outcome = decoder_outcomes.compare_rises(pairs, *losses)
    options = {
        "vector": say("course.vector.one", "That of one vector"),
        "additive": say("course.vector.attention", "That of additive attention"),
    }
    changes = {name: signed(float(outcome.figures[name])) for name in options}
    text = lesson.block("last", sentence=lesson.text, clause=CLAUSES[0][0].strip(" ,"))
    return last_question(text, outcome, lesson.block("last-found", **changes), options)


def pictures(lesson: LessonInput) -> LessonContent:
    """Pictures as sequences: shuffled patches, and where CLS looks."""
    service = load_vision()
    key, trace = service.trace_picture(samples.picture(lesson.picture))
    result = service.analysis(("course", key), picture_outcomes.shuffle_patches, trace)
    pixels = patch_grid.as_bytes(trace.pixels)
    names = [map_labels.ROW_AND_COLUMN(row=row + 1, column=column + 1) for row, column in np.ndindex(*trace.grid)]
    shuffled = rearrange_by(trace.pixels, result.order, trace.grid[0])
    label = say(
        "course.figure.picture",
        "A picture and the same with its patches shuffled, and the answer's probability with and without positions",
    )
    urls = data_url(pixels), data_url(patch_grid.as_bytes(shuffled))
    kinds = say("course.picture.with", "with positions"), say("course.picture.without", "without")
    arguments = urls, result.answers, kinds, label
    are_same = result.change.right == "none"
    drawn = (
        figures.compared_pictures(*arguments, covered=True),
        figures.compared_pictures(*arguments, covered=False, are_same=are_same, patch_names=names),
        figures.compared_pictures(
            *arguments, covered=False, are_same=are_same, patch_names=names, weights=result.weights
        ),
    )
    options = {
        "none": say("course.picture.none", "Not at all"),
        "little": say("course.picture.little", "By up to 0.1"),
        "lot": say("course.picture.lot", "By more than 0.1"),
    }
    place = int(result.strongest.right)
    row, column = divmod(place, trace.grid[1])
    strongest = lesson.block("last-found", row=row + 1, column=column + 1, **figure_values(result.strongest, "weight"))
    return LessonContent(
        lesson.block("aim"),
        drawn,
        question(lesson.block("ask"), result.change, picture_reasons(result), options),
        lesson.block("mistake"),
        last_question(lesson.block("last"), result.strongest, strongest),
    )


def rearrange_by(pixels: np.ndarray, order: np.ndarray, grid: int) -> np.ndarray:
    """Return `(side, side, 3)` pixels with patch `order[i]` at place i, in a square grid of patches."""
    size = len(pixels) // grid
    patches = pixels.reshape(grid, size, grid, size, 3).swapaxes(1, 2).reshape(-1, size, size, 3)[order]
    return patches.reshape(grid, grid, size, size, 3).swapaxes(1, 2).reshape(pixels.shape)


# Why each option of a lesson about other networks holds or does not.


def vector_reasons(result: RetainedBleuOutcome, lengths: tuple[str, str]) -> Mapping[str, str]:
    """Return the reason for each percentage; `lengths` are the numbers of words of short and of long sentences."""
    figures = result.share.figures
    values = {"percent": three_digits(figures["share"])}
    short, long = lengths
    return {
        "90": say(
            "lesson.history-one-word.because.90",
            "**It falls to {percent} %.** Because the vector has the same size for {long} words as for {short}, "
            "something must be left out.",
            **values,
            short=short,
            long=long,
        ),
        "75": say(
            "lesson.history-one-word.because.75",
            "**It falls further,** to {percent} %: BLEU {vector} against {additive}. Because attention keeps one "
            "vector for each word and one vector does not.",
            **values,
            vector=three_digits(figures["vector"]),
            additive=three_digits(figures["additive"]),
        ),
        "60": say(
            "lesson.history-one-word.because.60",
            "**Yes,** {percent} %. Because a longer sentence has to fit into a vector of the same size.",
            **values,
        ),
    }


def picture_reasons(result: ShuffledPatchesOutcome) -> Mapping[str, str]:
    """Return the reason for each option about shuffled patches."""
    figures = result.change.figures
    without = three_digits(figures["without"])
    none = say(
        "lesson.vision-cls.because.none",
        "**Yes** ({without} is rounding). Because without positions a picture is a set of patches, and a shuffled "
        "set is the same set.",
        without=without,
    )
    missed = say(
        "lesson.vision-cls.because.little",
        "**Not even a little** ({without} is rounding). Because nothing but the position vectors tells where a "
        "patch was.",
        without=without,
    )
    with_positions = say(
        "lesson.vision-cls.because.lot",
        "**That is the change with positions:** {with_positions}. Because without them there is nothing that "
        "shuffling could change.",
        with_positions=three_digits(figures["with"]),
    )
    little = figures["with"] <= LITTLE
    return {
        "none": none,
        "little": with_positions if little else missed,
        "lot": missed if little else with_positions,
    }
