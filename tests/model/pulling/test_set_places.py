"""Where a pull was set: the token at its place when it was made, and another one there since."""

import pytest

from model import HeadInterventions, OneHot, Pull, Scale, Translator
from model.pulling.set_places import tokens_when_set

HEADS = ((0, 0),)
LATE = Pull("cross", HEADS, 1, 2, 3.0)
EARLY = Pull("decoder", HEADS, 0, 1, 2.0)


class Labels:
    """A tokenizer whose labels are the ids."""

    def labels(self, ids):
        return [str(token) for token in ids]


def generate(plan: HeadInterventions) -> list[int]:
    """A translation whose third token follows from `EARLY` and from encoder changes; `LATE` replaces it."""
    third = 30 + (EARLY in plan.changes) + 5 * any(change.kind == "encoder" for change in plan.changes)
    return [10, 21 if EARLY in plan.changes else 20, 99 if LATE in plan.changes else third, 3]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ((LATE,), (None,)),  # what a pull does to its own place does not count
        ((EARLY, LATE), (None, None)),
        ((LATE, EARLY), ("30", None)),  # a change at an earlier place came later
        ((LATE, Pull("encoder", HEADS, 0, 0, 1.0)), ("30", None)),
        ((LATE, Scale("decoder", HEADS, 0.5)), (None, None)),
        ((OneHot("cross", HEADS, 1), OneHot("cross", HEADS, 1, 9)), (None, None)),  # every row; behind the end
    ],
)
def test_a_pull_states_its_former_token_only_if_other_changes_put_another_one_there(changes, expected):
    assert tokens_when_set(generate, Labels(), HeadInterventions(changes)) == expected


def test_each_translation_is_made_once():
    made = []

    def counted(plan: HeadInterventions) -> list[int]:
        made.append(plan)
        return generate(plan)

    tokens_when_set(counted, Labels(), HeadInterventions((LATE, EARLY)))
    assert len(made) == len(set(made)) == 3  # without any, with each alone


def test_undoing_an_earlier_change_of_the_shipped_translator_is_stated():
    """The first pull changes the word at the place of the second one."""
    translator = Translator.load(device="cpu")
    trace = translator.trace("The animal didn't cross the street because it was too tired.")
    heads = tuple((3, head) for head in range(8))
    first = Pull("cross", heads, 1, 14, 8.0)  # "elle" becomes "il"
    ids = translator.generate_under(trace, HeadInterventions((first,))).ids
    place = next(number for number, pair in enumerate(zip(ids, trace.next_ids, strict=False)) if pair[0] != pair[1])
    second = Pull("decoder", ((0, 0),), 0, place, 0.5)
    before, after = (translator.tokenizer.labels([row[place]])[0] for row in (trace.next_ids, ids))
    assert translator.tokens_when_pulled(trace, HeadInterventions((second,))) == (None,)
    assert translator.tokens_when_pulled(trace, HeadInterventions((second, first))) == (before, None)
    assert translator.tokens_when_pulled(trace, HeadInterventions((first, second)))[1] is None and before != after
