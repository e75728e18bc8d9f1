"""The Heads view of the Vision page, on a tiny network: effects, labels and checks equal the classifier's."""

import re

import numpy as np
import pytest

from model.attribution.head_labels import vision_scores
from tests.model.images import CLASSES
from tests.pages.charts import check_caption
from tests.pages.listed import listed_heads
from tests.pages.reading import number, table
from tests.pages.vision.views import open_view, service, trace
from views.text.numbers import percent, points, signed


@pytest.fixture(scope="module")
def effects():
    return service().model.ablate_heads(trace())


@pytest.mark.parametrize("measure", ["logit", "probability"])
def test_all_heads_ranked_for_any_class(effects, measure):
    app = open_view("heads", explain="2", measure=measure)
    expected = effects.logit_changes(1) if measure == "logit" else effects.probability_changes(1)
    rows = listed_heads(app)["rows"]
    assert len(rows) == expected.size
    for row in rows:
        layer, head = (int(number) - 1 for number in row["name"].removeprefix("vision ").split("."))
        assert row["effect"] == pytest.approx(expected[layer, head], rel=2**-15)  # lengths of bars have 16 bits
        write = signed if measure == "logit" else points
        assert row["effect_words"] == write(float(expected[layer, head]))
        assert row["here"].startswith(
            vision_scores(trace().attention, trace().grid, trace().pixels).label(layer, head).name
        )
        assert row["weights"] == list(trace().grid)
    sizes = [abs(row["effect"]) for row in rows]
    assert sizes == sorted(sizes, reverse=True)
    assert listed_heads(app)["columns"][1] == f"change of the {measure}"


def test_the_open_head(effects):
    app = open_view("heads", vsort="Place", vshown="vision 2.1")
    rows_by_class = {row[0]: row for row in table(app, "Answer with vision 2.1 ablated")[1:]}
    for index, name in enumerate(CLASSES):
        change = (effects.without - effects.logits)[1, 0, index]
        assert number(rows_by_class[name][3]) == pytest.approx(change, rel=0.01, abs=1e-5)
        assert rows_by_class[name][1] == percent(float(trace().probabilities[index]))
        assert rows_by_class[name][2] == percent(float(effects.probabilities[1, 0, index]))
    assert float(re.search(r"to the list: (\S+)\.$", check_caption(app, "Checked apart"))[1]) < 1e-5
    scores = vision_scores(trace().attention, trace().grid, trace().pixels)
    rows = {row[0]: row for row in table(app, "Scores of vision 2.1")[1:]}
    assert number(rows["neighbours"][1]) == pytest.approx(scores.scores["neighbours"][1, 0], rel=0.01)
    # the statistics that ship belong to the shipped weights, not to these
    assert listed_heads(app)["columns"][3] == ""
    assert any("belongs to other weights" in caption.value.replace("\\", "") for caption in app.caption)
    app.session_state["vision_heads_table"] = True
    app.run()
    np.testing.assert_allclose(
        sorted(app.dataframe[0].value.iloc[:, 1]), sorted(effects.logit_changes(trace().answer).ravel()), atol=1e-6
    )


def test_open_head_links_to_its_maps():
    app = open_view("heads", vshown="vision 1.2")
    next(button for button in app.button if button.label == "Open it under CLS attention").click().run()
    assert app.query_params["view"] == "cls"
    assert (app.query_params["layer"], app.query_params["head"]) == ("1", "2")


def test_nonsense_in_the_address_falls_back():
    app = open_view("heads", explain="x", measure="-1", vsort="x", vshown="vision 9.9")
    assert len(listed_heads(app)["rows"]) == 4
