"""Templates of cards: placeholders, shares, conditions and tables; each template has a use."""

import re
from types import SimpleNamespace

import pytest

from training import readable_card
from training.study_commands import PICTURE_STUDIES, TEXT_STUDIES
from training.templates import TEMPLATES, fill_text, table_header, table_rows

WHOLE = ("translation", "pictures", "positions-study", "formation")
PARTS = ("training", "restart", "split", "near_duplicates", "perplexity", "faithfulness")
NETWORKS = ("translator", "recurrent", "language", "positions", "vision", "convolution")


def test_placeholders_are_formatted_by_item_and_attribute():
    values = {"scores": {"beam 4": {"bleu": 41.257}}, "pairs": 1234, "stats": SimpleNamespace(inputs=3)}
    text = "{scores[beam 4][bleu]:.2f} over {pairs:,} pairs, {stats.inputs} kinds\n"
    assert fill_text(text, values) == "41.26 over 1,234 pairs, 3 kinds\n"


def test_a_share_becomes_a_percentage():
    assert fill_text("{a:.1f %}, {b:+.0f %}, {c:g %}", {"a": 0.98765, "b": -0.02, "c": 0.5}) == "98.8 %, -2 %, 50 %"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, "start\nnone\nend\n"),
        ({"outer": {}}, "start\nnone\nend\n"),
        ({"outer": {"inner": 0}}, "start\nouter\nend\n"),
        ({"outer": {"inner": 7}}, "start\nouter\ninner 7\nend\n"),
    ],
)
def test_lines_remain_where_their_value_is_there_and_not_empty(values, expected):
    template = """start
<!-- if outer -->
outer
<!-- if outer[inner] -->
inner {outer[inner]}
<!-- end -->
<!-- end -->
<!-- unless outer -->
none
<!-- end -->
end
"""
    assert fill_text(template, values) == expected


@pytest.mark.parametrize(
    "template", ["<!-- end -->\n", "<!-- if a -->\n", "<!-- if a -->\n<!-- end -->\n<!-- end -->\n"]
)
def test_ends_that_do_not_fit_their_conditions_are_refused(template):
    with pytest.raises(ValueError, match="A template has a"):
        fill_text(template, {"a": 1})


def test_a_placeholder_without_a_value_is_refused():
    with pytest.raises(KeyError, match="missing"):
        fill_text("{missing}", {"there": 1})


def test_a_table_has_a_line_for_each_row_and_empty_cells():
    assert table_header(["word", "share"]) == "| word | share |\n| --- | --- |"
    assert table_rows([["cat", 1], ["", "none"]]) == "| cat | 1 |\n|  | none |"


def test_each_template_has_a_use_and_only_known_marks():
    studies = {study.template for study in (*TEXT_STUDIES, *PICTURE_STUDIES) if study.template}
    assert {path.stem for path in TEMPLATES.glob("*.md")} == {*WHOLE, *PARTS, *NETWORKS, *studies}
    for path in TEMPLATES.glob("*.md"):
        marks = re.findall(r"^.*<!--.*$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert all(re.fullmatch(r"<!-- (if \S+|unless \S+|end) -->", mark) for mark in marks), path.name


def test_a_study_with_a_template_has_its_block_in_a_card():
    with_template = {study.template for study in (*TEXT_STUDIES, *PICTURE_STUDIES) if study.template}
    assert {study.template for study in readable_card.STUDIES} == with_template
    assert all(study.read is not None for study in readable_card.STUDIES)
