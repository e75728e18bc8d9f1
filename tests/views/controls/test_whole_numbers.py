"""Lists of numbers as users type them."""

import pytest

from views.controls.whole_numbers import parse

RULES = ("lengths", (1, 4), (1, 40))


@pytest.mark.parametrize(
    "text", ["3 5", "3,5", " 3 ;5\n", "3, 5", "03 5", "[3, 5]", "(3, 5)", "tensor([3., 5.])", "[[3], [5]]"]
)
def test_separators(text):
    assert parse(text, *RULES) == [3, 5]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "numbers from 1 to 40 with spaces or commas between them."),
        ("3 x", "Something here"),
        ("3.5", "Something here"),
        ("-3", "outside this range"),
        ("\u0663", "Something here"),
        ("<script>", "Something here"),
        ("9" * 5000, "outside"),
        ("1000000", "outside"),
        ("[3, x]", "Something here"),
        ("[1, 2, 3, 4, 5]", "There are 5"),
        ("[]", "between them."),
        ("1 1 1 1 1", "There are 5"),
        ("0", "outside"),
        ("41", "outside"),
    ],
)
def test_errors_state_what_to_type_without_the_typed_text(text, reason):
    with pytest.raises(ValueError) as error:
        parse(text, *RULES)
    assert reason in str(error.value)
    assert str(error.value).startswith("Type 1 to 4 lengths") and str(error.value).endswith(".")
    assert "<" not in str(error.value)


def test_minus_signs_as_typed_and_as_typeset():
    assert (
        parse("(-1, 200)", "sizes", (1, 6), (-1, 1000))
        == parse("\u22121 200", "sizes", (1, 6), (-1, 1000))
        == [-1, 200]
    )
