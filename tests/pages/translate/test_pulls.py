"""Pulls on the stage: what the page answers to requests of the browser, and what its address states."""

import base64
import html
import json
import re
from dataclasses import asdict
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from model import HeadInterventions
from tests.fixed_examples import PULLS
from tests.pages.conftest import html_of
from tests.payloads import read_payload
from tests.tiers import nightly
from views import kind_labels
from views.components.stage import StageRequest, valid_request
from views.components.stage_examples import EXAMPLES
from views.controls.sentence_input import TIRED
from views.viewer.attention_maps import from_trace

SWEEP = StageRequest(1, "sweep", "cross", "4", "mean", "layer", 14, 1, 0.0)


def ask(app: AppTest, serial: int, action: str, **changes) -> dict:
    """Send a request as the component's callback stores it; return the answer."""
    app.session_state["stage_request"] = StageRequest(
        **{**asdict(SWEEP), "serial": serial, "action": action, **changes}
    )
    app.run()
    assert not app.exception
    return answer_of(app)


def answer_of(app: AppTest) -> dict:
    [answer] = re.findall(r'data-answer="([^"]*)"', html_of(app))
    return json.loads(html.unescape(answer))


def header_of(app: AppTest) -> dict:
    """The header of the payload, with the changes of pulls next to it as the browser applies them."""
    [stage] = [part for part in app.get("bidi_component") if part.proto.component_name == "stage"]
    header, _ = read_payload(stage.proto.bytes)
    sent = re.findall(r'data-changes="([^"]*)"', html_of(app))
    if not sent[0]:
        return header | {"pulled": None}
    changes, _ = read_payload(base64.b64decode(sent[0]))
    assert changes["of"] == header["name"]
    others = changes["places"]
    places = [others.get(str(place)) or header["places"][place] for place in range(len(changes["french"]))]
    return header | changes | {"places": places, "text": changes["pulled"]["now"]}


def place_of_stage(block) -> int | None:
    """The number of elements before the stage in its container."""
    for place, child in block.children.items():
        if getattr(child, "proto", None) is not None and getattr(child.proto, "component_name", "") == "stage":
            return place
        if hasattr(child, "children") and (inner := place_of_stage(child)) is not None:
            return inner
    return None


def pulls_in_address(app: AppTest) -> HeadInterventions:
    return HeadInterventions.from_text("".join(app.query_params.get("pull", [])))


def test_a_pull_does_not_move_the_stage(open_app):
    """The browser would mount it anew: the keyboard's focus and an opened layer would be lost."""
    app = open_app(text=TIRED)
    before = place_of_stage(app.main)
    assert before is not None
    ask(app, 1, "pull", weight=1.0)
    assert header_of(app)["pulled"]
    assert place_of_stage(app.main) == before
    ask(app, 2, "undo")
    assert place_of_stage(app.main) == before


def test_a_sweep_states_the_token_at_each_weight_and_changes_nothing(open_app):
    app = open_app(text=TIRED)
    before = header_of(app)
    answer = ask(app, 7, "sweep")
    assert answer["serial"] == 7 and answer["before"] == pytest.approx(0.001, abs=1e-3)
    assert answer["weights"] == [number / 16 for number in range(17)]
    assert answer["tokens"][0] == "elle" and answer["tokens"][12] == "il"
    assert "qu'il" in answer["texts"][answer["of"][12]]
    assert header_of(app) == before and before["pulled"] is None
    assert "pull" not in app.query_params


def test_a_pull_its_control_and_undo(open_app):
    app = open_app(text=TIRED)
    former = header_of(app)
    ask(app, 1, "pull", weight=0.75)
    after = header_of(app)
    pulled = after["pulled"]
    assert after["french"][14] == "il" and "qu'il" in pulled["now"] and pulled["before"] == former["text"]
    assert (pulled["query"], pulled["key"], pulled["count"]) == (14, 1, 1)
    assert pulled["forced"] == "You forced this weight."
    _, *pairs = former["places"][14]
    was = dict(zip(pairs[::2], pairs[1::2], strict=True))
    assert pulled["former"][:2] == pytest.approx([was["il"], was["elle"]], abs=1e-3)
    assert any(line.startswith("Loss of the former translation: 0.145 before, 0.246 after") for line in pulled["lines"])
    [change] = pulls_in_address(app).changes
    assert (change.query, change.key) == (14, 1) and change.delta == pytest.approx(8.85, abs=0.01)
    control = " ".join(ask(app, 2, "control")["control"])
    assert "7 of 16" in control and "Hiding \u201canimal\u201d in every layer leaves \u201celle\u201d" in control
    ask(app, 3, "pull", weight=0.0, query=10, key=8)
    assert header_of(app)["pulled"]["count"] == 2
    ask(app, 4, "undo")
    assert header_of(app)["pulled"]["count"] == 1
    ask(app, 5, "reset")
    assert header_of(app) == former and "pull" not in app.query_params


def test_a_request_that_comes_again_is_answered_as_before_and_changes_nothing(open_app):
    """As the browser sends it where it has no answer yet; later runs repeat the answer, which it may not have drawn."""
    app = open_app(text=TIRED)
    sweep = ask(app, 1, "sweep")
    app.run()
    assert answer_of(app) == ask(app, 1, "sweep") == sweep
    for serial, weight in ((2, 0.75), (2, 0.75), (3, 0.5), (3, 0.5)):
        assert ask(app, serial, "pull", weight=weight) == {"serial": serial}
        assert header_of(app)["pulled"]["count"] == serial - 1
    control = ask(app, 4, "control")
    assert control["control"] and ask(app, 4, "control") == control
    for _ in range(2):
        ask(app, 5, "undo")
        assert len(pulls_in_address(app).changes) == 1
    refused = ask(app, 6, "pull", kind="decoder", query=0, key=0, weight=0.5)
    assert refused["error"] and ask(app, 6, "pull", kind="decoder", query=0, key=0, weight=0.5) == refused


def test_an_earlier_pull_states_the_token_at_which_it_was_set(open_app):
    app = open_app(text=TIRED, pull="nonsense")
    assert "leftOut" not in ask(app, 1, "pull", weight=0.75)  # about the address before it
    ask(app, 2, "pull", weight=1.0, query=9, key=1, scope="all")
    header = header_of(app)
    earlier, last, loss = header["pulled"]["lines"]
    assert "animal" in earlier and "(set at \u201celle\u201d)" in earlier and "set at" not in last + loss
    ask(app, 3, "undo")
    assert len(header_of(app)["pulled"]["lines"]) == 2


def test_another_sentence_has_no_pulls_and_a_link_has_them(open_app):
    app = open_app(text=TIRED)
    ask(app, 1, "pull", weight=0.75)
    link = "".join(app.query_params["pull"])
    app.text_input(key="text").set_value("Where?").run()
    assert header_of(app)["pulled"] is None and "pull" not in app.query_params
    again = open_app(text=TIRED, pull=link)
    assert header_of(again)["french"][14] == "il"


@pytest.mark.parametrize(
    ("pull", "reason"),
    [
        ("pull:cross:4.1:40.2.1.0", "There is no key 40; there are 17"),
        nightly("scale:cross:4.1:0", "The stage shows pulls alone"),
        ("pull:cross:4.1-8:15.2:8.847", "That text describes no intervention"),
        nightly("pull:cross:9.1:1.1.1.0", "There is no head 1 in layer 9"),
        nightly(";".join(f"pull:cross:4.1:{key}.2.1.0" for key in range(1, 14)), "There are 13 pulls"),
    ],
)
def test_a_pull_that_does_not_fit_leaves_the_translation_and_says_why(open_app, pull, reason):
    app = open_app(text=TIRED, pull=pull)
    assert not app.exception and header_of(app)["pulled"] is None
    assert answer_of(app)["leftOut"].startswith(f"The pull in the address is left out: {reason}")


def test_a_weight_that_no_score_changes_gets_one_sentence(open_app):
    app = open_app(text=TIRED, pull="nonsense")
    answer = ask(app, 1, "pull", kind="decoder", query=0, key=0, weight=0.5)
    assert "whatever its score" in answer["error"] and answer["leftOut"]  # no weight was pulled yet
    assert header_of(app)["pulled"] is None


@pytest.mark.parametrize(
    "example", [example if example is EXAMPLES[0] else nightly(example, id=example.label.id) for example in EXAMPLES]
)
def test_each_example_shows_its_whole_translation(open_app, example):
    expected = PULLS[example.label.id.removeprefix("stage.example.")]
    query = {name: values[0] for name, values in parse_qs(example.query.removeprefix("?")).items()}
    header = header_of(open_app(**query))
    pulled = header["pulled"]
    assert (pulled["before"], pulled["now"]) == (expected.before, expected.after)
    assert header["french"][pulled["query"]] == expected.word
    assert [link for _, link in header["examples"]][0] == example.query


@pytest.mark.parametrize(
    "changes",
    [
        {"serial": -1},
        {"serial": True},
        {"action": "erase"},
        {"kind": "vision"},
        {"kind": ["cross"]},
        {"layer": "9"},
        {"head": 3},
        {"scope": "network"},
        {"query": 99},
        {"key": 1.5},
        {"weight": 1.01},
        {"weight": "0.5"},
        {"weight": float("nan")},
        {"more": 1},
    ],
)
def test_invalid_requests_are_ignored(trace, changes):
    maps = from_trace(trace, kind_labels.KINDS)
    sound = {**asdict(SWEEP), "query": 0, "key": 1}
    assert valid_request(sound, maps) == StageRequest(**sound)
    assert valid_request({**sound, **changes}, maps) is None
