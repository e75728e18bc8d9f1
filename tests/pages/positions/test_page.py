"""The Positions page: the chosen encoding is drawn, and changed positions change the trained model's output."""

import json
import re

import numpy as np
import pytest

from model.lessons.column_overlap import measure_overlap
from model.lessons.far_positions import measure_far_positions
from model.lessons.fourier import fourier_coefficients
from model.lessons.position_basis import curve as target_curve
from model.lessons.position_basis import fit_columns, harmonics
from model.lessons.position_effects import POSITION_CHANGES, STACKS, position_losses_in_steps
from model.lessons.position_geometry import find_shift_matrix, measure_similarity
from model.lessons.position_schemes import scheme_matrix, spread
from model.networks.positional import positional_table, wavelengths
from model.runtime.progress import as_one_call
from tests.every_view import PARTS
from tests.pages.charts import charts, check_caption, curve, numbers
from tests.pages.conftest import SENTENCE, html_of
from tests.pages.drawn import metrics
from tests.pages.reading import table
from views.components.vector_view import parse
from views.text import glossary
from views.text.numbers import three_digits

FACETS = PARTS["positions"][1]


def last_number(line: str) -> float:
    return float(re.findall(r"\d[\d.]*(?:e-?\d+)?", line.replace("\u2212", "-").rstrip("."))[-1].rstrip("."))


@pytest.mark.parametrize(("form", "name"), [("paper", "paper"), ("column", "column")])
@pytest.mark.parametrize(("length", "width"), [(4, 4), (64, 256)])
def test_table_and_curves(open_app, form, name, length, width):
    app = open_app("positions", form=form, length=str(length), width=str(width), column="1")
    heat, curves = sorted(charts(app), key=lambda chart: chart["data"][0]["type"] != "heatmap")
    table = positional_table(length, width, name)
    np.testing.assert_allclose(numbers(heat["data"][0]["z"]), table, atol=1e-6)
    np.testing.assert_allclose(curve(curves, "dimension 1, cosine")[1], table[:, 1], atol=1e-6)
    np.testing.assert_allclose(curve(curves, "dimension 0, sine")[1], table[:, 0], atol=1e-6)
    captions = " ".join(c.value for c in app.caption)
    assert ("This model uses it" in captions) == (name == "paper")
    assert ("not this one" in captions) == (name == "column")
    assert ("inside the loaded network; largest" in captions) == (name == "paper" and width == 256)


def test_page_has_the_worked_example(open_app):
    expected = {
        "paper": [np.cos(n) for n in range(4)],
        "column": [1.0, 0.9950041653, 0.9800665778, 0.9553364891],
    }
    for form, column in expected.items():
        app = open_app("positions", form=form, length="4", width="4")
        app.session_state["table"] = True
        app.run()
        values = app.dataframe[0].value.to_numpy()
        np.testing.assert_allclose(values[:, 0], [0.0, 0.8414709848, 0.9092974268, 0.1411200081], atol=1e-10)
        np.testing.assert_allclose(values[:, 1], column, atol=1e-10)


def test_table_equals_the_networks(open_app):
    assert (
        last_number(check_caption(open_app("positions"), "inside the loaded network").split(", the rounding")[0]) < 1e-6
    )


def test_up_to_512_by_512(open_app):
    app = open_app("positions", length="512", width="512")
    shapes = [numbers(trace["z"]).shape for figure in charts(app) for trace in figure["data"] if "z" in trace]
    assert shapes == [(512, 512)]


def test_angles_of_the_table(open_app):
    app = open_app("positions", cells="angles", length="8", width="512")
    (values,) = (numbers(trace["z"]) for figure in charts(app) for trace in figure["data"] if "z" in trace)
    assert values.shape == (8, 512) and values[7, 0] == 7
    assert values[7, 511] == pytest.approx(7 / 10000 ** (510 / 512), rel=1e-5)
    assert "7 for position 7" in " ".join(caption.value for caption in app.caption)


@pytest.mark.parametrize("form", ["paper", "column"])
@pytest.mark.parametrize("length", ["2", "8", "512"])
@pytest.mark.parametrize(
    "query",
    [
        {"cells": "angles", "width": "4"},
        {"cells": "encoding", "width": "512"},
        {"facet": "similarity", "width": "6"},
        {"facet": "rotation", "width": "8", "shift": "100"},
    ],
    ids=["angles", "encoding", "similarity", "rotation"],
)
def test_colours_reach_from_the_smallest_to_the_largest_number(open_app, form, length, query):
    app = open_app("positions", form=form, length=length, **query)
    for heat in (trace for figure in charts(app) for trace in figure["data"] if trace["type"] == "heatmap"):
        values = numbers(heat["z"])
        assert heat["zmin"] - 1e-6 <= values.min() and values.max() <= heat["zmax"] + 1e-6
        assert heat["zmin"] in (0, -heat["zmax"])
    if query.get("cells") == "angles":
        (heat,) = (trace for figure in charts(app) for trace in figure["data"] if trace["type"] == "heatmap")
        assert heat["zmax"] == int(length) - 1  # the angle of the last position in column 0


def test_small_tables_have_their_numbers_in_the_cells_and_all_digits_below(open_app):
    app = open_app("positions", form="column", length="7", width="4")
    (heat,) = (trace for figure in charts(app) for trace in figure["data"] if trace["type"] == "heatmap")
    assert heat["texttemplate"] == "%{text}"
    assert [row[0] for row in heat["text"]][:4] == ["0", "0.841", "0.909", "0.141"]
    rows = table(app, "The same with all digits")[1:]
    assert len(rows) == 7
    assert [row[1] for row in rows[:4]] == ["0.0", "0.8414709848078965", "0.9092974268256817", "0.1411200080598672"]
    assert [row[2] for row in rows[:4]] == ["1.0", "0.9950041652780258", "0.9800665778412416", "0.955336489125606"]
    angles = open_app("positions", cells="angles", form="column", length="8", width="4")
    assert table(angles, "The same with all digits")[8][1] == "7.0"
    large = open_app("positions", length="64", width="256")
    assert "texttemplate" not in next(
        trace for figure in charts(large) for trace in figure["data"] if trace["type"] == "heatmap"
    )
    assert "The same with all digits" not in html_of(large)


def test_the_formula_is_that_of_the_chosen_form(open_app):
    for form, exponent in (("paper", "10000^{2i/d_{model}}"), ("column", "10000^{c/d_{model}}")):
        text = " ".join(each.value for each in open_app("positions", form=form).markdown)
        assert exponent in text
        assert ("{2i/" in text) == (form == "paper")


def test_another_base_sets_the_longest_wave(open_app):
    app = open_app("positions", facet="wavelengths", width="512", base="100")
    _, drawn = curve(charts(app)[0], "base 100")
    np.testing.assert_allclose(drawn, wavelengths(512, base=100).numpy(), rtol=1e-6)
    text = " ".join(part.value for part in app.markdown)
    assert "base 100 gives 256 different" in " ".join(text.split()) and "**617**" in text


def test_a_small_base_is_not_said_to_make_far_positions_alike(open_app):
    app = open_app("positions", facet="wavelengths", width="512", base="100")
    text = " ".join(glossary.unlink_terms(" ".join(part.value for part in app.markdown)).split())
    small, paper = (measure_far_positions(wavelengths(512, base=base).numpy()) for base in (100, 10_000))
    assert f"cosine of at most **{three_digits(small.largest)}**; with 10,000, {three_digits(paper.largest)}." in text
    assert f"above one half up to distance {small.half - 1}; with 10,000, up to {paper.half - 1}." in text


def test_the_lowest_dimensions_vary_fastest(open_app):
    app = open_app("positions", facet="wavelengths", width="8", length="40")
    title = "Paper: 2 of 8 dimensions turn at least once within 40 positions; the slowest needs 6,283"
    assert f">{title}<" in html_of(app)
    (figure,) = charts(app)
    x, paper = curve(figure, "Paper")
    np.testing.assert_allclose(paper, wavelengths(8).numpy(), rtol=1e-6)
    np.testing.assert_allclose(paper[::2], 2 * np.pi * 10000 ** (np.arange(4) * 2 / 8), rtol=1e-6)
    assert (np.diff(paper) >= 0).all()
    assert (np.diff(curve(figure, "Column index")[1]) > 0).all()


def test_three_schemes_on_two_lengths(open_app):
    app = open_app("positions", facet="why-sinusoids", short="5", long="9", wave="0")
    (figure,) = charts(app)
    drawn = {(trace["name"], trace["yaxis"]): numbers(trace["y"]) for trace in figure["data"]}
    np.testing.assert_allclose(drawn["9 positions", "y"], np.arange(9))
    np.testing.assert_allclose(drawn["5 positions", "y2"], np.linspace(0, 1, 5))
    np.testing.assert_allclose(drawn["9 positions", "y2"], np.linspace(0, 1, 9))
    np.testing.assert_allclose(drawn["9 positions", "y3"], np.sin(np.arange(9)), atol=1e-6)
    assert "0 for integers, 0.500 for normalised positions, 0 for sinusoids" in check_caption(
        app, "Check on the 5 positions"
    )


@pytest.mark.parametrize(("form", "name"), [("paper", "paper"), ("column", "column")])
def test_similarity(open_app, form, name):
    app = open_app("positions", facet="similarity", length="20", width="16", form=form)
    heat, lines, _ = charts(app)  # the last is the overlap of the dimensions
    expected = measure_similarity(20, 16, name)
    np.testing.assert_allclose(numbers(heat["data"][0]["z"]), expected.products, atol=1e-5)
    np.testing.assert_allclose(curve(lines, "mean")[1], expected.by_distance, atol=1e-5)
    spread = expected.spread.max()
    assert (spread < 1e-12) == (name == "paper")
    captions = " ".join(" ".join(caption.value for caption in app.caption).split())
    sentence = f"{expected.exceeded} of 20 positions have a larger product with another one"
    assert (sentence in captions) == (name == "column")


def test_overlap_of_the_dimensions(open_app):
    app = open_app("positions", facet="similarity")
    overlap = measure_overlap(64, 256)
    heat = next(
        figure["data"][0] for figure in charts(app) if "another dimension" in json.dumps(figure["layout"]["xaxis"])
    )
    np.testing.assert_allclose(numbers(heat["z"]), overlap.cosines, atol=1e-6)
    shown = metrics(app)
    assert shown["Mean |cosine| of two dimensions"] == three_digits(overlap.mean)
    assert shown["Of random columns"] == "0.100" and shown["With a whole period"] == "0.127"  # as the text says
    assert "0.127 and 0.100" in " ".join(" ".join(each.value.split()) for each in app.markdown)
    short = open_app("positions", facet="similarity", length="4", width="2")
    assert metrics(short)["With a whole period"] == "\u2013"


def test_the_rotation_has_a_residual_below_a_millionth(open_app):
    app = open_app("positions", facet="rotation", shift="7", pair="1")
    (figure,) = charts(app)
    np.testing.assert_allclose(
        numbers(figure["data"][0]["z"]), find_shift_matrix(64, 256, 7).matrix[:16, :16], atol=1e-6
    )
    residual = re.search(r"R PE\(pos\)\| is ([\d.e-]+?)\. A matrix", check_caption(app, "Check: "))[1]
    assert float(residual) < 1e-6
    latex = app.latex[0].value
    assert three_digits(np.cos(7 / 10000 ** (2 / 256))) in latex
    assert "R_{7}^{(1)}" in latex
    variant = check_caption(open_app("positions", facet="rotation", form="column"), "In the variant")
    assert "residual of 1.36" in variant


def test_orthogonality(open_app):
    assert "one whole period of the slower wave: 0;" in check_caption(
        open_app("positions", facet="orthogonality"), "Over one"
    )
    assert "slower wave: 1.00" in check_caption(
        open_app("positions", facet="orthogonality", first="3", second="3"), "Over one"
    )
    app = open_app("positions", facet="orthogonality", first="4", second="20")
    (figure,) = charts(app)
    at_whole = curve(figure, "over whole periods of the slower wave")[1]
    assert abs(at_whole[-1]) < 0.02
    assert last_number(check_caption(app, "Over one")) < 1e-6


@pytest.mark.parametrize("basis", ["columns", "harmonics"])
def test_a_curve_is_fitted_with_the_first_columns(open_app, basis):
    query = {"facet": "basis", "curve": "triangle", "basis": basis, "columns": "16", "width": "32", "length": "50"}
    app = open_app("positions", **query)
    drawn, residuals, series = charts(app)
    target = target_curve("triangle", 50)
    table = positional_table(50, 32) if basis == "columns" else harmonics(50, 32)
    expected = fit_columns(target, table, 16)
    np.testing.assert_allclose(curve(drawn, "triangle")[1], target, atol=1e-6)
    np.testing.assert_allclose(curve(drawn, "sum of columns: 16")[1], expected.approximation, atol=1e-6)
    left = curve(residuals, "residual")[1]
    np.testing.assert_allclose(left, expected.residuals, atol=1e-6)
    assert (np.diff(left) <= 0).all()
    assert left[-1] < left[0]
    coefficients = fourier_coefficients(target)
    np.testing.assert_allclose(curve(series, "a\u2099")[1], coefficients.a, atol=1e-6)
    np.testing.assert_allclose(curve(series, "b\u2099")[1], coefficients.b, atol=1e-6)
    assert last_number(check_caption(app, "Strongest: 3 whole turns")) < 1e-12


def test_changed_positions_change_the_translation(open_app, translator):
    app = open_app("positions", facet="trained-model", reference="Je veux acheter une voiture.", change="reversed")
    tokenizer = translator.tokenizer
    following = tokenizer.encode_source("Je veux acheter une voiture.")
    losses = as_one_call(position_losses_in_steps)(translator.network, tokenizer.encode_source(SENTENCE), following)
    html = html_of(app)
    for where in STACKS:
        for change in POSITION_CHANGES:
            assert f">{three_digits(losses.mean(where, change))}</span>" in html
    assert losses.mean("encoder", "reversed") > losses.mean("encoder", "kept") + 0.5
    translations = re.findall(r'lang="fr" dir="auto".*?>(.*?)</p>', html)
    assert len(translations) == 2
    assert translations[0] == translator.translate(SENTENCE)
    assert translations[1] != translations[0]
    assert last_number(check_caption(app, "taken off and put back").split(" from a pass")[0]) < 1e-4


def test_another_shuffle_changes_the_result(open_app):
    losses = {
        re.search(r">Shuffled</th>.*?</tr>", html_of(open_app("positions", facet="trained-model", shuffle=seed)))[0]
        for seed in ("0", "1")
    }
    assert len(losses) == 2


def test_unusable_reference_gets_one_sentence(open_app):
    app = open_app("positions", facet="trained-model", reference="mot " * 300)
    (warning,) = app.warning
    assert "Reference" in warning.value
    assert "tokens" in warning.value


@pytest.mark.parametrize("facet", FACETS)
def test_nonsense_in_the_address_falls_back(open_app, facet):
    wrong = dict.fromkeys(("column", "first", "second", "shift", "pair", "columns", "shuffle", "by", "short"), "-4")
    wrong |= dict.fromkeys(("form", "curve", "basis", "change", "where"), "zz") | {"length": "9999", "width": "7"}
    app = open_app("positions", facet=facet, **wrong)
    assert not app.warning
    assert open_app("positions", facet="bogus").get("plotly_chart")


def test_smallest_width_works_in_every_section(open_app):
    for facet in FACETS:
        assert not open_app("positions", facet=facet, width="2", length="2").exception


@pytest.mark.parametrize("text", ["", "  ", "car " * 240])
def test_bad_input_gets_one_sentence(open_app, text):
    app = open_app("positions", facet="why-sinusoids")
    app.text_input(key="text").set_value(text).run()
    assert not app.exception
    assert len(app.warning) == 1


@pytest.mark.parametrize("scheme", ["sinusoids", "learned", "t5", "rotary", "alibi"])
def test_scores_of_other_models(open_app, scheme):
    app = open_app("positions", facet="other-models", numbered=scheme, places="12", slope="3")
    heat, by_distance = sorted(charts(app), key=lambda chart: chart["data"][0]["type"] != "heatmap")[
        :: 1 + (scheme == "learned")
    ]
    drawn = numbers(heat["data"][0]["z"])
    if scheme == "alibi":
        np.testing.assert_allclose(drawn, scheme_matrix("alibi", 12, 3, 256), atol=1e-6)
    if scheme != "learned":
        assert last_number(check_caption(app, "only the distance counts").split(": only")[0]) <= 1e-5
        np.testing.assert_allclose(drawn[1:, 1:], drawn[:-1, :-1], atol=1e-5)
    else:
        assert drawn.shape == (12, 12) and f"by up to {three_digits(spread(drawn))}:" in check_caption(
            app, "one and the same"
        )
    np.testing.assert_allclose(curve(by_distance, "query at position 0")[1], drawn[0], atol=1e-6)


def test_two_vectors_in_space_and_a_sum_of_0(open_app):
    app = open_app("positions", facet="vectors", space="pair")
    assert not app.exception
    line = check_caption(app, "The area")
    assert "rank 2" in line and three_digits(54**0.5) in line and "something is wrong" not in line
    app.button(key="try-positions-vectors").click().run()  # v becomes twice u
    assert not app.exception
    assert "rank 1" in check_caption(app, "The area")
    assert parse("".join(app.query_params["vectors23"]), 3, 2).vectors == ((2, -1, 0), (4, -2, 0))
