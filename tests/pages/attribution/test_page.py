"""The page *Attribution* renders what `model` computes; invalid input gets one sentence."""

import re

import numpy as np
import pytest

from model.attribution.agreement import (
    GRADIENT,
    METHODS,
    QUICK_METHODS,
    correlate_methods,
    explain,
    read_measured_agreement,
    sum_drops_by_word,
)
from model.attribution.integrated_source import INTEGRATED, integrate_source
from model.attribution.leave_one_out import leave_one_out
from pages.attribution.method_agreement import held_out_text
from tests.pages.charts import check_caption
from tests.pages.conftest import html_of
from tests.pages.drawn import matrices
from tests.pages.reading import number, table
from views.text.numbers import three_digits

CORRELATIONS = "Rank correlation of every method"


@pytest.fixture(scope="module")
def known(translator, trace):
    """Translator, explanation, drops and agreement by way, of the sentence that pages are opened with."""
    explained = explain(translator.network, trace)
    drops = {
        way: sum_drops_by_word(leave_one_out(translator.network, trace, explained.source, way), explained.target)
        for way in ("delete", "mask")
    }
    return translator, explained, drops, {way: correlate_methods(explained, drops[way]) for way in drops}


def test_one_word_by_every_method_and_its_correlations(open_app, known):
    translator, explained, drops, agreed = known
    place = [word.text for word in explained.target].index("voiture")
    app = open_app("attribution", target_word=str(place + 1))
    header, *rows = table(app, "Source words by every method, for voiture")
    assert header[:2] == ["source word", "left out: drop of ln\u00a0p"] and len(header) == 7
    assert [row[0] for row in rows] == ["1 I", "2 want", "3 to", "4 buy", "5 a", "6 car", "7 .", "8 </s>"]
    for at, row in enumerate(rows):
        assert number(row[1]) == pytest.approx(drops["delete"][place, at], rel=0.01, abs=2e-4)
        for cell, method in zip(row[2:], QUICK_METHODS, strict=True):
            assert number(cell) == pytest.approx(explained.scores[method][place, at], rel=0.01, abs=1e-6)
    assert max(rows, key=lambda row: number(row[1]))[0] == "6 car"
    header, *rows = table(app, CORRELATIONS)
    many = read_measured_agreement(translator.weights_sha256)
    assert header == [
        "method", "this word", "sentence", "sentence, top word", "200 held out", "200 held out, top word",
    ]  # fmt: skip
    for row, method in zip(rows, METHODS, strict=True):
        if method == INTEGRATED:  # until it is asked for
            assert row[1:4] == ["not computed"] * 3
        else:
            assert row[1] == three_digits(agreed["delete"].correlations[method][place])
            assert row[2] == three_digits(agreed["delete"].sentence(method))
            assert row[3] == three_digits(agreed["delete"].sentence_top(method))
        figures = many["ways"]["delete"][method]
        for cell, measured in zip(row[4:], (figures, figures["top"]), strict=True):
            assert cell == f"{three_digits(measured['mean'])} \u00b1 {three_digits(measured['standard_error'])}"
    assert "over the sentence\u2019s 7 source words" in check_caption(app, "Each correlation is over")


@pytest.mark.parametrize("place", range(6))
def test_agrees_best_is_stated_only_where_both_measures_do(open_app, known, place):
    _, explained, _, agreed = known
    agreement = agreed["delete"]
    app = open_app("attribution", target_word=str(place + 1))
    text = " ".join(" ".join(part.value for part in app.markdown).split())
    word = explained.target[place].text
    both, best, tops = agreement.best_by_both(place), agreement.best(place), agreement.best_top(place)
    names = lambda methods: ", ".join(f"**{method}**" for method in methods)  # noqa: E731
    if both:
        assert f"{names(both)} agrees best: a rank correlation of" in text
    else:
        assert "no method agrees best by both measures. " + names(best) in text
        found = agreement.top_matches[tops[0]][place] > 0
        assert (f"is the top word of {names(tops)}" if found else "No method has the word whose loss") in text
    if agreement.best_by_both():
        assert f"Over the sentence {names(agreement.best_by_both())} agrees best by both measures" in text
    else:
        assert f"the measures differ: {names(agreement.best())} has the highest rank correlation" in text
    assert word


@pytest.mark.parametrize(
    ("top", "error", "verdict"),
    [
        (0.9, 0.01, "*Gradient relevance* agrees best."),
        (0.9, 0.2, "these sentences do not decide which method agrees best"),
        (0.1, 0.01, "name different methods, so no method agrees best"),
        (0.1, 0.2, "no method agrees best"),
    ],
)
def test_held_out_figures_name_the_best_method_only_where_both_measures_do(known, top, error, verdict):
    def table(means: list[float]) -> dict[str, dict]:
        order = sorted(range(len(means)), key=lambda place: -means[place])
        rival = {place: order[1] if place == order[0] else order[0] for place in order}
        return {
            method: {
                "mean": means[place],
                "standard_error": error,
                "to_rival": {
                    "other": METHODS[rival[place]],
                    "mean": means[place] - means[rival[place]],
                    "standard_error": error,
                },
            }
            for place, method in enumerate(METHODS)
        }

    ranks, tops = table([0.1, 0.2, 0.3, 0.4, 0.9, 0.0]), table([0.5, 0.2, 0.3, 0.4, top, 0.0])
    figures = {method: ranks[method] | {"top": tops[method]} for method in METHODS}
    text = " ".join(held_out_text({"sentences": 10, "target_words": 70}, figures).split())
    assert verdict in text
    assert "percentage points" in text and "by rank correlation *Gradient relevance* is first" in text


def test_the_matrices_and_the_other_way_to_leave_words_out(open_app, known):
    _, explained, drops, agreed = known
    app = open_app("attribution", erase="mask", method_shown="rollout", numbers="as-they-are", target_word="2")
    drawn = matrices(app)
    assert list(drawn) == ["Rollout", "Leave-one-out: drop of ln\u00a0p"]
    header, scores = drawn["Rollout"]
    np.testing.assert_allclose(scores, explained.scores["Rollout"], atol=1e-5)
    assert header["columns"][-1] == "</s>" and header["cursor"][0] == 1
    np.testing.assert_allclose(drawn["Leave-one-out: drop of ln\u00a0p"][1], drops["mask"], atol=2e-4)
    assert table(app, CORRELATIONS)[5][2] == three_digits(agreed["mask"].sentence(GRADIENT))
    scaled = matrices(open_app("attribution", erase="mask"))["Gradient relevance"][1]
    np.testing.assert_allclose(scaled.max(axis=1), 1)


def test_integrated_gradients_are_computed_when_asked_for(open_app, known, trace):
    translator, explained, drops, _ = known
    app = open_app("attribution", target_word="4")
    (button,) = [each for each in app.button if each.key == "integrate_gradients"]
    assert button.label == "Integrate the gradients, too (about 1 second)"
    app = button.click().run()
    assert app.query_params["integrate"] == "1"
    result = integrate_source(translator.network, trace)
    both = explained.add_integrated(result)
    rows = table(app, "Source words by every method")[1:]
    for at, row in enumerate(rows):
        assert number(row[-1]) == pytest.approx(both.scores[INTEGRATED][3, at], rel=0.01, abs=1e-4)
    agreement = correlate_methods(both, drops["delete"])
    assert table(app, CORRELATIONS)[-1][2] == three_digits(agreement.sentence(INTEGRATED))
    line = check_caption(app, "Integrated gradients of")
    assert f"by {three_digits(float(result.rises[3]))} from" in line and "With 32 points" in line
    shown = open_app("attribution", target_word="4", integrate="1", method_shown="integrated", numbers="as-they-are")
    np.testing.assert_allclose(matrices(shown)["Integrated gradients"][1], both.scores[INTEGRATED], atol=1e-4)
    assert not [each for each in shown.button if each.key == "integrate_gradients"]


def test_the_check_is_measured(open_app):
    line = check_caption(open_app("attribution"), "Leaving nothing out").replace("\u2212", "-").replace("\u00a0", " ")
    nothing, alone, rows, rolled, batch = (
        float(re.search(rf"{words} ([\d.e-]*\d)", line)[1])
        for words in (
            "changes ln p by",
            "step by step, differs by at most",
            "1 within",
            "layers differs by at most",
            "alone differs by at most",
        )
    )
    assert nothing == 0 and 0 < alone < 1e-4 and rows < 1e-12 and rolled < 1e-12 and batch < 1e-4
    gradient, slope = (float(re.search(rf"{words}: (-?[\d.e-]+\d)", line)[1]) for words in (r"head \d\)", "weight"))
    assert slope == pytest.approx(gradient, rel=0.05)


def test_fewer_than_three_words_have_no_correlation(open_app):
    app = open_app("attribution", text="Go.")
    assert any("This sentence has 2 source words" in text.value for text in app.markdown)
    assert [row[1] for row in table(app, CORRELATIONS)[1:]] == ["not defined"] * 5 + ["not computed"]


def test_without_held_out_figures_the_page_names_the_command(open_app, monkeypatch):
    monkeypatch.setattr("pages.attribution.method_agreement.read_measured_agreement", lambda weights: None)
    app = open_app("attribution")
    assert len(table(app, CORRELATIONS)[0]) == 4
    assert "make agreement" in check_caption(app, "no figures over many sentences")


@pytest.mark.parametrize("text", ["", "car " * 240])
def test_bad_input_gets_one_sentence(open_app, text):
    app = open_app("attribution")
    app.text_input(key="text").set_value(text).run()
    assert not app.exception
    assert len(app.warning) == 1 and not matrices(app)


def test_unusual_sentences_and_invalid_settings(open_app):
    nonsense = {"erase": "x", "target_word": "99 nobody", "method_shown": "guess", "numbers": "1"}
    app = open_app("attribution", text="<b>a</b> $x$", **nonsense)
    assert "<b>a" not in html_of(app)
    assert all("<b>" not in text.value for text in app.markdown)
    assert list(matrices(app)) == ["Gradient relevance", "Leave-one-out: drop of ln\u00a0p"]
    app.text_input(key="text").set_value("!").run()  # the chosen word may no longer exist
    assert not app.exception
