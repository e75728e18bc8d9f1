"""A layer that is opened on the stage: its stations have the trace's numbers, and each link leads to a page."""

import html
import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import html_of
from views import kind_labels
from views.components.opened_layer import LayerRequest, valid_request
from views.controls.sentence_input import TIRED
from views.viewer.attention_maps import from_trace


def opened(app: AppTest, stored: str, request: LayerRequest) -> dict:
    """Store a request as the callback of the stage does; return the answer."""
    app.session_state[stored] = request
    return run_again(app)


def run_again(app: AppTest) -> dict:
    """Run the page; return what its answer has of an opened layer."""
    app.run()
    assert not app.exception
    [answer] = re.findall(r'data-answer="([^"]*)"', html_of(app))
    return json.loads(html.unescape(answer))["layer"]


@pytest.mark.parametrize(("page", "stored"), [("", "stage_layer"), ("decoding", "step_layer")])
def test_seven_stations_of_the_head_with_the_largest_weight(open_app, trace, page, stored):
    app = open_app(page) if page else open_app()
    answer = opened(app, stored, LayerRequest(3, "cross", "4", "mean", 2))
    weights = trace.cross_attention[3, :, 2]  # (head, key)
    head = int(weights.max(axis=1).argmax())
    assert answer["serial"] == 3 and f"layer 4, head {head + 1}" in answer["title"]
    assert answer["note"] == "Of its 8 heads, this one has the largest weight here."
    titles = [station["title"] for station in answer["stations"]]
    assert titles == ["Input", "q, k, v", "Scores", "Softmax", "Weighted mean", "Add & Norm", "Feed-forward"]
    order = (-weights[head]).argsort(kind="stable")[:4]
    rows = answer["stations"][3]["rows"]
    assert [row[1] for row in rows] == [f"{weights[head][key]:.3f}" for key in order]
    assert [row[2] for row in rows] == pytest.approx([float(weights[head][key]) for key in order], rel=1e-4)
    for station in answer["stations"]:
        link = urlsplit(station["link"])
        settings = parse_qs(link.query)
        assert "head" in settings, station
        assert link.path == "./inside" and settings["head"] == [str(head + 1)] and settings["text"]
    assert run_again(app) == answer  # the browser may draw the second run first


def test_masked_keys_are_counted_and_a_place_that_is_gone_is_ignored(open_app, trace):
    app = open_app()
    answer = opened(app, "stage_layer", LayerRequest(1, "decoder", "1", "2", 0))
    assert f"Masked keys: {len(trace.target_tokens) - 1}." in answer["stations"][2]["text"]
    assert answer["note"] == "" and [row[0] for row in answer["stations"][3]["rows"]] == ["<s>"]
    assert opened(app, "stage_layer", LayerRequest(2, "cross", "1", "1", 99)) == {}


def test_a_mean_of_layers_opens_the_last_and_pulls_have_to_be_undone_first(open_app):
    asked = LayerRequest(1, "encoder", "mean", "mean", 0)
    assert opened(open_app(), "stage_layer", asked)["note"].startswith("A mean of layers cannot be opened")
    answer = opened(open_app(text=TIRED, pull="pull:cross:4.1:2.2.1.0"), "stage_layer", asked)
    assert answer["title"].startswith("Undo the pulls first") and answer["stations"] == []


@pytest.mark.parametrize(
    "changes", [{"kind": "x"}, {"layer": "9"}, {"head": 1}, {"query": -1}, {"query": 99}, {"serial": "1"}, {"more": 1}]
)
def test_invalid_requests_are_ignored(trace, changes):
    maps = from_trace(trace, kind_labels.KINDS)
    sent = {"serial": 1, "kind": "cross", "layer": "4", "head": "mean", "query": 2}
    assert valid_request(sent, maps) == LayerRequest(**sent)
    assert valid_request(sent | changes, maps) is None
    assert valid_request(None, maps) is None
