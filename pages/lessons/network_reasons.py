"""Why each option of a lesson about other networks holds or does not."""

from collections.abc import Mapping

from model.course.decoder_outcomes import RetainedBleuOutcome
from model.course.picture_outcomes import LITTLE, ShuffledPatchesOutcome
from views.text.catalogue import say
from views.text.numbers import three_digits


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
