"""Valid and invalid values of settings in URLs."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from views.url_state.codecs import AnyOf, AnyText, Decimal, OneOf, WholeNumber

JUNK = ["", " ", "nan", "inf", "-inf", "1e400", "-1e400", "9" * 5000, "1_000", "0x10", "\u0663", "1..2", "<b>", "None"]


@pytest.mark.parametrize("raw", JUNK)
@pytest.mark.parametrize(
    "codec", [WholeNumber(0, 1000), Decimal(0.0, 1000.0), OneOf(("Greedy", "Beam")), AnyOf(("1", "2"))]
)
def test_junk_is_no_value(codec, raw):
    empty_choice = isinstance(codec, AnyOf) and raw == ""
    assert codec.read((raw,)) == ([] if empty_choice else None)


@given(st.text())
def test_any_utf_8_text_can_be_read_back(text):
    codec = AnyText()
    assert codec.read(codec.write(text)) == text


def test_lone_surrogates_are_replaced():
    assert AnyText().valid("a\ud800b") == "a\ufffdb"
    assert OneOf(("\ud800",)).read(OneOf(("\ud800",)).write("\ud800")) == "\ud800"


@given(st.integers(-50, 50), st.integers(0, 100), st.integers(1, 7), st.integers(-300, 300))
def test_whole_numbers_are_on_a_step_between_the_limits(low, span, step, number):
    codec = WholeNumber(low, low + span, step)
    value = codec.read((str(number),))
    if low <= number <= low + span:
        assert value == low + (number - low) // step * step
        assert codec.read(codec.write(value)) == value
    else:
        assert value is None


def test_a_widget_s_value_moves_to_the_nearest_limit_and_a_url_s_does_not():
    codec = WholeNumber(1, 10, nearest=True)
    assert (codec.valid(45), codec.valid(-3), codec.read(("45",))) == (10, 1, None)
    assert WholeNumber(1, 10).valid(45) is None
    assert codec.valid(True) is None and codec.valid("3") is None and codec.valid(3.0) is None


@given(st.floats(0.05, 3.0))
def test_decimals_can_be_read_back(number):
    codec = Decimal(0.05, 3.0)
    assert math.isclose(codec.read(codec.write(number)), number, rel_tol=1e-9)


def test_numbers_are_written_short():
    assert (Decimal(0, 4).write(1.0), Decimal(0, 4).write(0.6), WholeNumber(0, 9).write(7)) == (
        ("1",),
        ("0.6",),
        ("7",),
    )


@given(st.lists(st.sampled_from("abc"), unique=True))
def test_several_options_are_read_in_the_options_order(chosen):
    codec = AnyOf(("a", "b", "c"))
    assert codec.read(codec.write(chosen)) == sorted(chosen)
    assert codec.read((*codec.write(chosen), "gone")) == (sorted(chosen) or None)
