"""Why each option of a lesson about vectors holds or does not."""

from collections.abc import Mapping, Sequence

from model.course.stream_outcomes import NEAR_SHARE, LayerOutcome, WithoutPositionsOutcome, WordOutcome
from views.text.catalogue import say
from views.text.numbers import grouped, three_digits


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
