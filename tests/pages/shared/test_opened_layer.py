"""A layer that is opened on the stage: its stations have the trace's numbers, and each link leads to a page."""

from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from tests.drawn_rows import row_names
from tests.pages.translate.test_stage import answers_of
from tests.payloads import read_payload
from views.components.opened_layer import LayerRequest, valid_request
from views.components.requests import INVALID, InvalidRequest
from views.controls.sentence_input import TIRED
from views.text.numbers import short


def opened(
    app: AppTest, stored: str, serial: int, kind: str, layer: str, head: str, query: int, **changes: str
) -> dict:
    """Store a request as the callback of the stage does, about what is shown; return the answer."""
    known = {name: answers_of(app)[name] for name in ("state", "pulls")} | {"text": sentence_of(app), **changes}
    app.session_state[stored] = LayerRequest(
        serial, known["state"], known["text"], known["pulls"], kind, layer, head, query
    )
    return run_again(app)


def sentence_of(app: AppTest) -> str:
    [stage] = [part for part in app.get("bidi_component") if part.proto.component_name.endswith("stage")]
    return read_payload(stage.proto.bytes)[0]["sentence"]


def run_again(app: AppTest) -> dict:
    """Run the page; return what its answer has of an opened layer."""
    app.run()
    assert not app.exception
    [answer] = answers_of(app)["layer"]
    return answer


@pytest.mark.parametrize(("page", "stored"), [("", "stage_layer"), ("decoding", "step_layer")])
def test_seven_stations_of_the_head_with_the_largest_weight(open_app, trace, page, stored):
    app = open_app(page) if page else open_app()
    answer = opened(app, stored, 3, "cross", "4", "mean", 2)
    weights = trace.cross_attention[3, :, 2]  # (head, key)
    head = int(weights.max(axis=1).argmax())
    place = f"Cross-attention at {row_names(trace, 'cross')[2]}: layer 4, head {head + 1}"
    assert answer["serial"] == 3 and answer["title"] == f"{place}; the stage shows layer 4, mean over heads"
    assert answer["note"] == "Of its 8 heads, this one has the largest weight here."
    titles = [station["title"] for station in answer["stations"]]
    assert titles == ["Input", "q, k, v", "Scores", "Softmax", "Weighted mean", "Add & Norm", "Feed-forward"]
    order = (-weights[head]).argsort(kind="stable")[:4]
    rows = answer["stations"][3]["rows"]
    assert [row[1] for row in rows] == [short(float(weights[head][key])) for key in order]
    assert [row[2] for row in rows] == pytest.approx([float(weights[head][key]) for key in order], rel=1e-4)
    for station in answer["stations"]:
        link = urlsplit(station["link"])
        settings = parse_qs(link.query)
        assert "head" in settings, station
        assert link.path == "./inside" and settings["head"] == [str(head + 1)] and settings["text"]
    assert run_again(app) == answer  # the browser may draw the second run first


def test_masked_keys_are_counted_and_what_is_not_there_is_refused(open_app, trace):
    app = open_app()
    answer = opened(app, "stage_layer", 1, "decoder", "1", "2", 0)
    assert f"Masked keys: {len(trace.target_tokens) - 1}." in answer["stations"][2]["text"]
    assert answer["title"] == "Masked decoder self-attention at <s> \u2192 Je: layer 1, head 2"
    assert answer["note"] == "" and [row[0] for row in answer["stations"][3]["rows"]] == ["<s>"]
    for serial, place in enumerate((("cross", "1", "1", 99), ("cross", "9", "1", 0), ("other", "1", "1", 0)), 2):
        assert opened(app, "stage_layer", serial, *place) == {
            "serial": serial,
            "status": "refused",
            "reason": INVALID(),
        }
    assert opened(app, "stage_layer", 5, "cross", "1", "1", 0, state="other")["status"] == "outdated"
    assert opened(app, "stage_layer", 6, "cross", "1", "1", 0, text="Where?")["status"] == "outdated"


def test_a_mean_of_layers_opens_the_last_and_pulls_have_to_be_undone_first(open_app):
    asked = 1, "encoder", "mean", "mean", 0
    answer = opened(open_app(), "stage_layer", *asked)
    assert answer["note"].startswith("A mean of layers cannot be opened")
    assert answer["title"].endswith("; the stage shows mean over all layers and heads")
    answer = opened(open_app(text=TIRED, pull="pull:cross:4.1:2.2.1.0"), "stage_layer", *asked)
    assert answer["status"] == "refused" and answer["reason"].startswith("Undo the pulls first")


@pytest.mark.parametrize(
    "changes", [{"kind": 1}, {"head": 1}, {"query": -1}, {"text": 1}, {"pulls": None}, {"more": 1}]
)
def test_invalid_requests_get_an_answer(changes):
    known = {"text": "Where?", "pulls": "", "kind": "cross", "layer": "4", "head": "mean", "query": 2}
    sent = {"serial": 1, "state": "one", **known}
    assert valid_request(sent) == LayerRequest(**sent)
    assert valid_request(sent | changes) == InvalidRequest(1, "one")
    assert valid_request(None) is valid_request(sent | {"serial": "1"}) is None
