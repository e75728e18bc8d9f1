"""The result of a question: which option holds, and which are nearly tied."""

import pytest

from model.course.outcome import AskedOutcome, interval_of, largest_of, number_among


def test_an_option_holds_is_nearly_tied_or_does_not_hold():
    outcome = largest_of([0.2, 0.41, 0.39], 0.05)
    assert [outcome.verdict(option) for option in outcome.options] == ["not", "held", "nearly"]
    with pytest.raises(ValueError, match="There is no option '3'; choose one of 0, 1, 2"):
        outcome.verdict("3")


def test_a_second_is_nearly_right_from_a_share_of_the_largest_on():
    assert largest_of([0.2, 0.6, 0.1], 0.05, second_from=1 / 3).near == {"0"}
    assert largest_of([0.19, 0.6, 0.1], 0.05, second_from=1 / 3).near == frozenset()
    assert largest_of([0.6], 0.05, second_from=1 / 3).near == frozenset()


@pytest.mark.parametrize(
    ("value", "right", "near"),
    [
        (1.0, "same", set()),
        (1.19, "double", {"same"}),
        (1.95, "double", {"more"}),
        (2.05, "more", {"double"}),
        (9, "more", set()),
    ],
)
def test_a_value_next_to_a_bound_is_nearly_tied(value, right, near):
    outcome = interval_of(value, {"same": 1.15, "double": 2.0}, "more", 0.05)
    assert (outcome.right, outcome.near, outcome.options) == (right, near, ("same", "double", "more"))


def test_numbers_to_choose_from_are_distinct_and_ascending():
    outcome, numbers = number_among(3.0, [5.0, 1.0, 3.01])
    assert numbers == (1.0, 3.0, 5.0) and outcome.right == "1" and outcome.options == ("0", "1", "2")
    assert number_among(0.0, [0.0])[1] == (0.0,)
    assert AskedOutcome("a", ("a", "b")).near == frozenset()
