"""Notices about text that is not English, and about translations that were cut off."""

from dataclasses import fields

import pytest

from model import DecodingOptions
from tests.pages.conftest import SENTENCE, html_of, visit
from views import navigation
from views.text import prose

PAGES = [place.id for place in navigation.PAGES if place.id != "vision"]
KOREAN, FRENCH = "저는 학생입니다.", "Je voudrais acheter une voiture."
NOT_ENGLISH = prose.block("notices", "not-english")
ENDLESS = "z" * 35  # the model repeats it up to the limit
LIMIT = 40  # set by a test, for speed; the other sentences end earlier
LOWER = 16  # where no other sentence is translated


@pytest.fixture
def limited(monkeypatch):
    """Return a function that lowers the default length limit of translations."""

    def end_at(limit: int) -> None:
        defaults = (limit if option.name == "max_length" else option.default for option in fields(DecodingOptions))
        monkeypatch.setattr(DecodingOptions.__init__, "__defaults__", tuple(defaults))

    return end_at


def cut_off_notice(which: str = "", **values: str) -> str:
    return prose.block("notices", f"cut-off-{which}".rstrip("-"), **values)


def test_text_that_is_not_english_is_translated_too(translator):
    for text in (KOREAN, FRENCH):
        app = visit("attention", text=text)
        assert [warning.value for warning in app.warning] == [NOT_ENGLISH]
        written = translator.translate(text)
        assert written and f">{written.split()[0]}" in html_of(app)


@pytest.mark.parametrize("text", ["Hi", "OK", "123", "?", "\U0001f600", "Tom", "I ate 김치 for dinner.", SENTENCE])
def test_no_warning_for_short_and_mixed_text(text):
    app = visit("translate", text=text)
    assert not app.exception and not app.warning


def test_a_refused_text_gets_no_language_warning():
    app = visit("translate", text="학" * 400)
    (warning,) = app.warning
    assert "at most 128" in warning.value


@pytest.mark.parametrize(
    ("page", "query", "names"),
    [
        ("compare", {"b": "Another sentence", "other": KOREAN}, ["Sentence B"]),
        ("tokens", {"part": "Word order", "o1": KOREAN, "o2": FRENCH}, ["First sentence", "Second sentence"]),
        ("tokens", {"part": "contexts", "word": "학생", "s2": "학생 학생"}, ["Sentence 2"]),
        ("positions", {"facet": "trained-model", "reference": FRENCH}, []),  # French is what belongs there
        ("loss", {"target": FRENCH}, []),
    ],
)
def test_a_pages_own_boxes_warn_of_text_that_is_not_english(page, query, names):
    app = visit(page, **query)
    warnings = [warning.value for warning in app.warning]
    expected = [prose.block("notices", "not-english-in-a-box", name=name) for name in names]
    assert [sentence for sentence in warnings if "reads only English" in sentence] == expected


@pytest.mark.parametrize(
    ("page", "query", "others"),
    [
        ("translate", {}, []),
        ("attention", {}, []),
        ("heads", {}, []),
        ("compare", {"of": "decoder"}, [cut_off_notice("before"), cut_off_notice("after")]),
        (
            "compare",
            {"b": "Another sentence", "other": ENDLESS},
            [cut_off_notice("of", side="A"), cut_off_notice("of", side="B")],
        ),
        ("attribution", {}, []),
        ("positions", {"facet": "trained-model"}, [cut_off_notice("this")] * 2),
        ("masks", {}, []),
        ("masks", {"masks": "Causality"}, []),
        *(("inside", {"inside": part}, []) for part in ("Seven steps", "One query", "Heads")),
        ("inside", {"inside": "Scaling"}, [cut_off_notice("this")] * 2),
        *(("inside", {"inside": part}, []) for part in ("Feed-forward", "Add & Norm")),
        ("decoding", {"part": "Step by step"}, []),
        ("decoding", {"part": "Linear + softmax"}, []),
        ("decoding", {"part": "Teacher forcing"}, []),
        ("decoding", {"part": "Teacher forcing", "target": "Oui."}, [cut_off_notice("free")]),
        ("loss", {"part": "Piece by piece"}, []),
        ("loss", {"part": "Smoothing and gradient"}, []),
        ("loss", {"part": "Training curves"}, []),
    ],
)
def test_every_page_reports_a_translation_that_was_cut_off(limited, page, query, others):
    limited(LOWER)
    app = visit(page, text=ENDLESS, **query)
    assert [notice.value for notice in app.info] == [cut_off_notice(), *others]


def test_sections_with_several_translations_report_each(limited):
    limited(LIMIT)
    beam = visit("decoding", text=ENDLESS, part="Beam search")
    assert [notice.value for notice in beam.info] == [cut_off_notice("best"), cut_off_notice("greedy")]
    order = visit("tokens", part="Word order", o1=ENDLESS)
    assert [notice.value for notice in order.info] == [cut_off_notice("this")]


def test_sampling_is_cut_off_at_128_tokens_with_a_notice():
    app = visit("translate", method="Sampling", temperature="3.0", seed="0")
    assert "decoder generates 128 tokens" in html_of(app)
    assert [notice.value for notice in app.info] == [cut_off_notice()]
