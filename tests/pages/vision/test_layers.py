"""Through the layers: maps and curves equal the classifier's, and the verdict follows from the areas."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch

from model import Logit
from model.attribution.agreement import average_ranks
from model.attribution.faithfulness import OcclusionCurves, average_curves, class_probabilities, rank_patches
from model.attribution.rollout import METHODS, attention_scores
from model.classifier import SHIPPED
from model.runtime.checkpoint import read_json
from pages.vision.faithfulness import (
    CENTRE,
    PAGE,
    RANDOM,
    FaithfulnessCurves,
    areas_table,
    card_ranks,
    card_verdict,
    verdict,
)
from pages.vision.layers import FUSIONS, METHOD_HEADINGS
from tests.model.images import CLASSES
from tests.pages.charts import charts, check_caption, numbers
from tests.pages.reading import table
from tests.pages.vision.views import open_view, service, trace
from tests.payloads import read_payload
from views.text import prose
from views.text.numbers import percent, signed, three_digits

ONE_EACH = torch.eye(9, dtype=torch.bool)  # a patch is covered in each case


def lines(chart: dict) -> dict[str, np.ndarray]:
    """Return the probabilities, drawn in per cent, by the name of the curve, without its area."""
    named = [line for line in chart["data"] if line.get("name")]
    return {line["name"].split(":")[0]: np.asarray(numbers(line["y"])) / 100 for line in named}


def drawn_maps(app) -> tuple[dict, np.ndarray]:
    """Return the header and the payload `(layer, fusion, method, 1 + patch)` of all choices."""
    (element,) = [each for each in app.get("bidi_component") if each.proto.component_name.endswith("patch_picture")]
    header, arrays = read_payload(element.proto.bytes)
    return header, arrays["weights"]


def text_of(app) -> str:
    return "\n".join(element.value for element in [*app.markdown, *app.caption, *app.info])


@pytest.mark.parametrize("index", range(len(CLASSES)))
def test_curves_equal_the_classifiers(index):
    app = open_view("layers", explain=str(index + 1))
    classifier = service().model
    expected = classifier.faithfulness(trace(), classifier.explain(trace(), index), index)
    deletion, insertion = (lines(chart) for chart in charts(app))
    assert set(deletion) == {*METHODS, CENTRE, RANDOM}
    for name, curve in expected.items():
        label = {"random": RANDOM, "centre": CENTRE}.get(name, name)
        np.testing.assert_allclose(deletion[label], curve.deletion, atol=1e-6)
        np.testing.assert_allclose(insertion[label], curve.insertion, atol=1e-6)
    assert f"Explained: **{CLASSES[index]}**, {percent(float(trace().probabilities[index]))}" in text_of(app)
    best = min(METHODS, key=lambda method: expected[method].deletion_area)
    assert f"**{best}** has the smallest deletion area, {three_digits(expected[best].deletion_area)}" in text_of(app)


def test_integrated_gradients_and_leave_one_out_are_added_once_they_are_asked_for():
    app = open_view("layers")
    assert "integrated gradients" not in lines(charts(app)[0])
    app = app.button(key="integrate_gradients").click().run()
    classifier, answer = service().model, trace().answer
    gradients = classifier.integrated_gradients(trace(), Logit(answer))
    scores = classifier.explain(trace(), answer, integrated=True)
    expected = classifier.faithfulness(trace(), scores, answer)["integrated gradients"]
    np.testing.assert_allclose(lines(charts(app)[0])["integrated gradients"], expected.deletion, atol=1e-6)
    np.testing.assert_allclose(drawn_maps(app)[1][0, 0, 4, 1:], gradients.attributions["patches"], rtol=1e-4, atol=1e-6)
    (line,) = [" ".join(each.value.split()) for each in app.caption if "is missing" in each.value]
    numbers_of = (gradients.value, gradients.baseline, gradients.attributions["patches"].sum())
    assert all(three_digits(float(number)) in line for number in numbers_of)
    assert f"is missing, with {gradients.points} points" in line
    covered = class_probabilities(
        classifier.network, torch.from_numpy(trace().pixels).permute(2, 0, 1) * 2 - 1, ONE_EACH
    )
    header, *rows = table(app, "Areas of every order")
    column = [row[header.index("Rank correlation with leave-one-out")] for row in rows]
    ranks = [average_ranks(values) for values in (scores["raw gradient"], -covered[:, answer])]
    assert column[3] == signed(float(np.corrcoef(ranks)[0, 1])) and column[5:] == ["", ""] and len(column) == 7


def test_answer_is_explained_unless_another_class_is_selected():
    app = open_view("layers")
    assert f"Explained: **{CLASSES[trace().answer]}**" in text_of(app)
    other = (trace().answer - 1) % len(CLASSES)
    app.selectbox(key="explain").set_value(str(other + 1)).run()
    assert f"Explained: **{CLASSES[other]}**" in text_of(app)


def test_fusion_and_layer_decide_the_maps_of_attention():
    for fusion, layer in (("mean", 2), ("max", 2), ("min", 1)):
        app = open_view("layers", fusion=fusion, upto=str(layer))
        header, maps = drawn_maps(app)
        assert (header["along"], header["names"][1]) == (["upto", "fusion"], list(FUSIONS))
        scores = attention_scores(trace().attention, fusion, layer - 1)
        classifier, answer = service().model, trace().answer
        for method, score in scores.items():
            (expected,) = classifier.occlusions(trace(), rank_patches(score)[None])
            np.testing.assert_allclose(lines(charts(app)[0])[method], expected.curves(answer).deletion, atol=1e-6)
            assert [panel["title"] for panel in header["panels"]] == [METHOD_HEADINGS[name].english for name in METHODS]
            drawn = maps[layer - 1, list(FUSIONS).index(fusion), METHODS.index(method), 1:]
            np.testing.assert_allclose(drawn, score.ravel(), rtol=1e-6)


def test_setting_recomputes_only_what_it_changes(monkeypatch):
    app = open_view("layers")
    covered, classifier = [], service().model
    whole = classifier.occlusions
    monkeypatch.setattr(classifier, "occlusions", lambda trace, orders: covered.extend(orders) or whole(trace, orders))
    app.run()
    assert not covered
    classes = [name for place, name in enumerate(CLASSES) if place != trace().answer]
    service().analyses._entries.clear()
    open_view("layers")
    first = len(covered)
    assert first <= len(METHODS) + 1 + 4  # at most one order a method, the centre first, and the random ones
    open_view("layers", explain=classes[0])
    assert len(covered) - first <= 2  # the two gradients; attention and the baselines are the same for every class


def test_nonsense_in_the_address_falls_back():
    app = open_view("layers", explain="dragon", upto="99", fusion="median")
    assert f"Explained: **{CLASSES[trace().answer]}**" in text_of(app)
    np.testing.assert_allclose(lines(charts(app)[0])["rollout"], lines(charts(open_view("layers"))[0])["rollout"])
    assert not app.warning and not app.error


def test_class_of_small_probability_has_a_warning():
    small, large = int(trace().probabilities.argmin()), trace().answer
    assert trace().probabilities[small] < 0.1 < trace().probabilities[large]
    assert "show little" in text_of(open_view("layers", explain=str(small + 1)))
    assert "show little" not in text_of(open_view("layers", explain=str(large + 1)))


def test_check_is_below_its_bound():
    line = check_caption(open_view("layers"), "recomputed")
    match = re.search(r"difference (\S+); its rows sum to 1 within (\S+)\. .* from its length by (\S+) of", line, re.S)
    rollout, rows, slope = map(float, match.groups())
    assert max(rollout, rows) < 1e-12 and slope < 1e-2
    assert float(re.search(r"within (\S+)\.$", line).group(1)) < 1e-5


def test_table_is_built_when_it_is_opened():
    app = open_view("layers")
    assert not app.dataframe
    app.session_state["scores"] = True
    app.run()
    scores = app.dataframe[0].value
    expected = service().model.explain(trace(), trace().answer)
    assert list(scores.columns) == ["row", "column", *METHODS]
    np.testing.assert_allclose(scores[list(METHODS)].to_numpy().T, list(expected.values()), rtol=1e-5)
    assert scores[["row", "column"]].to_numpy().tolist() == [[row, column] for row in (1, 2, 3) for column in (1, 2, 3)]


def flat(area: float) -> OcclusionCurves:
    return OcclusionCurves(np.array([0.0, 1.0]), np.full(2, area), np.full(2, 1 - area))


def measured(*areas: float, centre: float = 0.44) -> FaithfulnessCurves:
    return FaithfulnessCurves(
        {method: flat(area) for method, area in zip(METHODS, areas, strict=True)},
        flat(centre),
        average_curves([flat(0.4), flat(0.6)]),
    )


def test_verdict_names_methods_better_and_worse_than_random():
    message = verdict(measured(0.3, 0.45, 0.2, 0.7))
    assert "**raw gradient**" not in message
    assert (
        "**gradient relevance** has the smallest deletion area, 0.200; random orders have 0.500 (0.400 to 0.600)"
        in message
    )
    assert "Better than every random order: CLS attention, gradient relevance." in message
    assert "**Not better than random here: rollout, raw gradient.**" in message


def test_the_verdict_when_all_or_none_are_better():
    all_better = verdict(measured(0.1, 0.2, 0.3, 0.39))
    assert "Not better" not in all_better and "none of these maps" not in all_better
    assert "**By this test none of these maps explains this answer.**" in verdict(measured(0.5, 0.6, 0.41, 0.7))


def test_verdict_compares_with_the_centre_first():
    message = verdict(measured(0.3, 0.45, 0.2, 0.25, centre=0.25))
    assert "Covering the centre first leaves 0.250; better than that: gradient relevance." in message
    nothing = verdict(measured(0.3, 0.45, 0.26, 0.27, centre=0.25))
    assert "leaves 0.250: no method is better here than an order that does not depend" in nothing
    assert "better than that" not in nothing


def card(*differences: float, gains: tuple[float, ...] = ()) -> dict:
    """Return a card; with `gains` over the centre first, the ends of their bands are 0.02 to both sides."""
    figures = {
        name: {
            "deletion": {"mean": 0.25, "sd": 0.125},
            "insertion": {"mean": 0.75, "sd": 0.0625},
            "difference": {"mean": difference, "standard_error": 0.01},
            "below_random": 0.875,
        }
        for name, difference in zip((*METHODS, "random"), (*differences, 0.0), strict=True)
    }
    if gains:
        figures["centre"] = dict(figures["random"])
        for figure, gain in zip(figures.values(), (*gains, 0.0, 0.0), strict=True):
            band = {"mean": gain, "low": gain - 0.02, "high": gain + 0.02}
            figure["over_centre"] = {"deletion": band, "insertion": {**band, "low": band["low"] - 0.02}}
    return {"evaluation": {"explained": 200, "faithfulness": figures}}


def test_figures_over_many_pictures_come_from_the_card():
    areas = areas_table(measured(0.3, 0.45, 0.2, 0.7), card(-0.1, -0.1, -0.1, -0.015))
    assert areas["Deletion area"].tolist() == ["0.300", "0.450", "0.200", "0.700", "0.440", "0.500"]
    assert areas["Deletion, many pictures"].tolist() == ["0.250 \u00b1 0.125"] * 4 + ["", "0.250 \u00b1 0.125"]
    assert areas["Insertion, many pictures"].tolist() == ["0.750 \u00b1 0.0625"] * 4 + ["", "0.750 \u00b1 0.0625"]
    assert areas["Below random on"].tolist() == ["87.5\u00a0%"] * 4 + ["", ""]
    message = card_verdict(card(-0.1, -0.1, -0.1, -0.015))
    assert "are 200 that" in message and "not shown to be better than random: raw gradient." in message
    assert prose.block(PAGE, "card-better") in card_verdict(card(-0.1, -0.1, -0.1, -0.1))


def test_gains_over_the_centre_first_come_from_the_card():
    content = card(-0.1, -0.1, -0.1, -0.1, gains=(-0.01, 0.03, 0.05, 0.0))
    areas = areas_table(measured(0.3, 0.45, 0.2, 0.7), content)
    assert areas["Order by"].tolist() == [*METHODS, CENTRE, RANDOM]
    assert areas["Deletion, better than centre first by"].tolist() == [
        "\u22120.0100 (\u22120.0300 to +0.0100)",
        "+0.0300 (+0.0100 to +0.0500)",
        "+0.0500 (+0.0300 to +0.0700)",
        "0 (\u22120.0200 to +0.0200)",
        "",
        "0 (\u22120.0200 to +0.0200)",
    ]
    assert areas["Insertion, better than centre first by"][2] == "+0.0500 (+0.0100 to +0.0700)"
    message = card_verdict(content)  # rollout's band of insertion reaches below 0
    assert "above 0 for deletion and for insertion: gradient relevance. Not proven" in " ".join(message.split())
    assert message.endswith("where the middle is: CLS attention, rollout, raw gradient.")
    assert "Every method is better than the centre first too" in card_verdict(card(*[-0.1] * 4, gains=(0.1,) * 4))
    assert "No method is better than the centre first" in card_verdict(card(*[-0.1] * 4, gains=(0.01,) * 4))


def test_rank_correlations_over_many_pictures_come_from_the_card():
    content = card(-0.1, -0.1, -0.1, -0.1)
    first = {"mean": 0.5, "standard_error": 0.02, "top": {"mean": 0.125}}
    second = {"mean": -0.25, "standard_error": 0.02, "top": {"mean": 0.25}}
    content["leave_one_out"] = {"pictures": 50, "methods": {"integrated gradients": first, "centre": second}}
    areas = areas_table(measured(0.3, 0.45, 0.2, 0.7), content)
    title = "Rank correlation with leave-one-out, many pictures"
    assert areas[title].tolist() == ["", "", "", "", "\u22120.250 \u00b1 0.0200", ""]
    message = " ".join(card_verdict(content).split())
    assert "Over 50 such pictures the scores of **integrated gradients** have the highest rank correlation" in message
    assert "+0.500 \u00b1 0.0200 on average, and those of **centre first** most often" in message
    assert message.endswith("on 25.0 % of them.")
    shipped = card_ranks(read_json(SHIPPED / "card.json"))
    assert set(shipped) == {*METHODS, "integrated gradients", CENTRE}


def test_card_of_an_earlier_version_does_not_mention_the_centre():
    assert "centre first" not in card_verdict(card(-0.1, -0.1, -0.1, -0.1))


def test_card_without_figures_has_no_text():
    assert card_verdict({}) == ""
    assert list(areas_table(measured(0.3, 0.45, 0.2, 0.7), {}).columns) == [
        "Order by",
        "Deletion area",
        "Insertion area",
    ]


def test_files_contain_every_curve():
    expected = measured(0.3, 0.45, 0.2, 0.7)
    header, rows = expected.table()
    assert header[:3] == ["share", "CLS attention, deletion", "CLS attention, insertion"]
    assert rows[0][:3] == (0.0, 0.3, 0.7) and len(rows) == 2 and len(rows[0]) == len(header) == 13
    arrays = expected.arrays()
    np.testing.assert_array_equal(arrays["random order, deletion"], [0.5, 0.5])
