"""Formats of numbers."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from views.text.catalogue import TEXT, using_language
from views.text.numbers import grouped, hardware, millions, percent, short, signed, three_digits, with_interval

_ASIDE = re.compile(
    r"\$\$.*?\$\$|\$[^$\n]*\$|```.*?```|`[^`\n]*`|\]\([^)]*\)|<!--.*?-->|https?://\S+|^#[^\n]*",
    re.DOTALL | re.MULTILINE,
)
_UNGROUPED = re.compile(r"(?<![\w.,])(?!(?:19|20)\d\d(?!\d))\d{4,}(?!\w)|(?<![\w.,])\d{1,3}[ \u202f\u2009]\d{3}(?!\d)")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (1, "1.00"),
        (0.9996, "1.00"),
        (0.41234, "0.412"),
        (0.05, "0.0500"),
        (0.0031, "0.00310"),
        (0.000999, "9.99e\u22124"),
        (2.4e-7, "2.40e\u22127"),
        (1e-12, "1.00e\u221212"),
        (123.4, "123"),
        (999.4, "999"),
        (999.6, "1,000"),
        (-1234.5, "\u22121,230"),
        (58_489, "58,500"),
        (999_499, "999,000"),
        (999_600, "1.00e6"),
        (-2.5e7, "\u22122.50e7"),
        (float("nan"), "nan"),
    ],
)
def test_three_digits(value, text):
    assert three_digits(value) == text


@given(st.floats(min_value=1e-30, max_value=1) | st.floats(min_value=1, max_value=1e9))
def test_three_digits_are_rounded_correctly(value):
    assert float(three_digits(value).replace(",", "").replace("\u2212", "-")) == pytest.approx(value, rel=5.01e-3)


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0.0 %"),
        (0.0004, "< 0.1 %"),
        (-0.0004, "> \u22120.1 %"),
        (0.973, "97.3 %"),
        (0.99949, "99.9 %"),
        (0.99996, "> 99.9 %"),
        (1 - 2**-24, "100.0 %"),
        (1, "100.0 %"),
        (-0.405, "\u221240.5 %"),
    ],
)
def test_percent(share, text):
    assert percent(share) == text.replace(" ", "\u00a0")


@pytest.mark.parametrize(  # as web/tests/numbers.test.ts has it
    ("value", "text"),
    [
        (7, "7"),
        (-3.0, "\u22123"),
        (0.0004, "\u22480"),
        (-0.0123, "\u22120.012"),
        (0.9996, "1.000"),
        (-1.234, "\u22121.23"),
        (123.4, "123"),
    ],
)
def test_a_label_in_a_drawing_is_short(value, text):
    assert short(value) == text


def test_an_interval_ends_no_line():
    assert with_interval(1.217, 1.128, 1310) == "1.22 (1.13\u00a0\u2013\u00a01,310)"


def test_counts():
    assert grouped(8000) == "8,000"
    assert grouped(512) == "512"
    assert millions(9_420_000) == "9.42\u202fM"


def test_changes_have_their_sign():
    assert [signed(value) for value in (0.41234, 0, -19.66)] == ["+0.412", "0", "\u221219.7"]


def test_hardware_is_translated_where_it_counts_cores():
    assert hardware("2 cores of AMD EPYC") == "2 cores of AMD EPYC"
    assert hardware("Apple M2") == "Apple M2"
    with using_language("ko"):
        assert hardware("2 cores of AMD EPYC") == "AMD EPYC 코어 2개"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("10,000 of 1,048,576 in 2017, `1024`, $10000^{2i}$", []),
        ("10000, 8 000 and 8\u202f000 of 12", ["10000", "8 000", "8\u202f000"]),
    ],
)
def test_numbers_grouped_in_another_way_are_detected(text: str, found: list[str]):
    assert otherwise_grouped(text) == found


def test_texts_group_digits_as_numbers_do():
    texts = {path: path.read_text(encoding="utf-8") for path in TEXT.glob("*/*.*")}
    by_file = {str(path): found for path, text in texts.items() if (found := otherwise_grouped(text))}
    assert len(texts) > 60 and not by_file


def otherwise_grouped(text: str) -> list[str]:
    """Numbers of four digits or more without commas, outside of code, formulas, links and years."""
    return _UNGROUPED.findall(_ASIDE.sub(" | ", text))
