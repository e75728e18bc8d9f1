"""Pulls on the stage: what the page answers to requests of the browser, and what its address states."""

import base64
import html
import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import asdict, replace
from urllib.parse import parse_qs

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model import HeadInterventions, Translator
from pages.shared.requests import answer_request
from tests.fixed_examples import PULLS
from tests.pages.conftest import html_of, visit
from tests.pages.recipes import record_files, run_recipe
from tests.payloads import read_payload
from tests.tiers import nightly
from views.components.requests import INVALID, InvalidRequest
from views.components.stage import StageRequest, TypedSentence, valid_request, valid_typing
from views.components.stage_examples import EXAMPLES
from views.controls.sentence_input import TIRED

TOO_MANY = "There are more than 12 pulls, as many as the stage shows."
LAYERS = "cross:" + "_".join(f"{layer}.1.2.3.4.5.6.7.8" for layer in range(1, 5))
SWEEP = StageRequest(1, "", TIRED, "", "cross", "4", "mean", 14, "sweep", "layer", 1, 0.0)


def ask(app: AppTest, serial: int, action: str, **changes) -> dict:
    """Send a request as the component's callback stores it, about what is shown; return the answer to it."""
    before = answers_of(app)
    known = {"state": before["state"], "pulls": before["pulls"], "text": header_of(app)["sentence"]}
    app.session_state["stage_ask"] = replace(SWEEP, **{**known, "serial": serial, "action": action, **changes})
    app.run()
    assert not app.exception
    [answer] = [each for each in answers_of(app)["ask"] if each["serial"] == serial]
    return answer


def answers_of(app: AppTest) -> dict:
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
    assert answers_of(app)["ask"] == [sweep] == [ask(app, 1, "sweep")]
    for serial, weight in ((2, 0.75), (2, 0.75), (3, 0.5), (3, 0.5)):
        assert ask(app, serial, "pull", weight=weight) == {"serial": serial, "status": "done"}
        assert header_of(app)["pulled"]["count"] == serial - 1
    control = ask(app, 4, "control")
    assert control["control"] and ask(app, 4, "control") == control
    for _ in range(2):
        ask(app, 5, "undo")
        assert len(pulls_in_address(app).changes) == 1
    refused = ask(app, 6, "pull", kind="decoder", query=0, key=0, weight=0.5)
    assert (
        refused["status"] == "refused"
        and refused["reason"]
        and ask(app, 6, "pull", kind="decoder", query=0, key=0, weight=0.5) == refused
    )


def test_an_earlier_pull_states_the_token_at_which_it_was_set(open_app):
    app = open_app(text=TIRED, pull="nonsense")
    ask(app, 1, "pull", weight=0.75)
    assert "leftOut" not in answers_of(app)  # about the address before it
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
        nightly(";".join(f"pull:cross:4.1:{key}.2.1.0" for key in range(1, 14)), TOO_MANY),
        (";".join(f"pull:{LAYERS}:{1 + number % 9}.2.1.0" for number in range(300)), TOO_MANY),
        nightly(";".join(f"pull:{LAYERS}:{1 + number % 9}.2.1.0" for number in range(3000)), TOO_MANY),
    ],
)
def test_a_pull_that_does_not_fit_leaves_the_translation_and_says_why(open_app, pull, reason):
    app = open_app(text=TIRED, pull=pull)
    assert not app.exception and header_of(app)["pulled"] is None
    assert answers_of(app)["leftOut"].startswith(f"The pull in the address is left out: {reason}")


def test_a_weight_that_no_score_changes_gets_one_sentence(open_app):
    app = open_app(text=TIRED, pull="nonsense")
    answer = ask(app, 1, "pull", kind="decoder", query=0, key=0, weight=0.5)
    assert "whatever its score" in answer["reason"] and answers_of(app)["leftOut"]  # no weight was pulled yet
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


def test_a_request_about_another_sentence_or_other_pulls_is_outdated_and_changes_nothing(open_app):
    app = open_app(text=TIRED)
    state = answers_of(app)["state"]
    ask(app, 1, "pull", weight=0.75)
    pulls = answers_of(app)["pulls"]
    assert HeadInterventions.from_text(pulls) == pulls_in_address(app)
    for serial, action in ((2, "pull"), (3, "undo")):
        assert ask(app, serial, action, pulls="", weight=0.5) == {"serial": serial, "status": "outdated"}
    assert ask(app, 1, "pull", weight=0.25) == {"serial": 1, "status": "outdated"}  # an older one
    assert answers_of(app)["pulls"] == pulls
    app.text_input(key="text").set_value("Where is the old house?").run()
    assert answers_of(app)["state"] != state
    for serial, changes in enumerate(({"state": state}, {"text": TIRED}), 4):
        assert ask(app, serial, "pull", query=1, key=1, weight=0.5, **changes) == {
            "serial": serial,
            "status": "outdated",
        }
    assert header_of(app)["pulled"] is None and "pull" not in app.query_params
    assert ask(app, 6, "pull", query=1, key=1, weight=0.5)["status"] == "done"
    assert header_of(app)["pulled"]["count"] == 1


def test_the_answer_is_that_of_the_pulls_in_the_request(open_app):
    app = open_app(text=TIRED)
    ask(app, 1, "pull", weight=0.75)
    pulls = answers_of(app)["pulls"]
    control, sweep = ask(app, 2, "control"), ask(app, 3, "sweep", query=10, key=8)
    ask(app, 4, "reset")
    assert ask(app, 5, "control", pulls=pulls)["control"] == control["control"]
    assert ask(app, 6, "sweep", query=10, key=8, pulls=pulls)["texts"] == sweep["texts"]
    assert ask(app, 7, "sweep", pulls="nonsense")["reason"].startswith("That text describes no intervention")
    assert answers_of(app)["pulls"] == ""
    ask(app, 8, "pull", weight=0.75)
    assert ask(app, 9, "reset", pulls="")["status"] == "done" and answers_of(app)["pulls"] == ""  # whatever there is


def test_a_place_that_the_translation_does_not_have_is_refused(open_app):
    app = open_app(text="Where?")
    for serial, changes in enumerate(({"query": 99}, {"key": 99}, {"kind": "vision"}, {"layer": "9"}, {"head": "9"})):
        answer = ask(app, serial, "pull", **{"query": 0, "key": 0, "weight": 0.5, **changes})
        assert answer == {"serial": serial, "status": "refused", "reason": INVALID()}


@pytest.mark.parametrize(
    "changes",
    [
        {"action": "erase"},
        {"kind": ["cross"]},
        {"layer": "9" * 65},
        {"head": 3},
        {"scope": "network"},
        {"query": -1},
        {"key": 1.5},
        {"weight": 1.01},
        {"weight": "0.5"},
        {"weight": float("nan")},
        {"text": None},
        {"pulls": "x" * 8001},
        {"more": 1},
        {"state": 1},
        {"state": "x" * 65},
    ],
)
def test_invalid_requests_get_an_answer(changes):
    sound = {**asdict(SWEEP), "state": "one"}
    assert valid_request(sound) == StageRequest(**sound)
    request = valid_request({**sound, **changes})
    assert request == InvalidRequest(1, "" if "state" in changes else "one")
    answer = answer_request(request, "one", {}, lambda request: pytest.fail("it was done"))
    assert answer == {"serial": 1, "status": "refused", "reason": INVALID()}


@pytest.mark.parametrize("changes", [{"serial": -1}, {"serial": True}, {"serial": "1"}, {"serial": 1 << 53}, None])
def test_what_has_no_serial_number_is_ignored(changes):
    assert valid_request(changes and {**asdict(SWEEP), **changes}) is None


@pytest.fixture
def makers(monkeypatch):
    return record_files(monkeypatch)


def open_files(captioned=True, **query):
    app = visit(**query)
    app.session_state["stage_files"] = True
    app.session_state["stage_caption"] = captioned
    app.run()
    assert not app.exception


def words_of(svg: str) -> list[str]:
    return [each.text or "" for each in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.nightly
def test_nothing_is_made_before_the_fold_is_opened_and_the_caption_has_the_sentence(makers):
    assert "stage.png" not in makers
    open_files(text="Where is the cat?", kind="decoder", layer="mean", head="3")
    words = words_of(makers["stage.svg"]())
    assert words[0] == "Masked decoder self-attention, head 3, mean of 4 layers"
    assert {"Where", "cat", "<s>", "chat"} <= set(words)
    caption = " ".join(words)
    assert "Where is the cat? \u2192 " in caption and "A ribbon shows where values are read" in caption
    assert "This is the mean of 4 heads" in caption and "forced" not in caption
    open_files(captioned=False, text="Where is the cat?", kind="decoder", layer="mean", head="3")
    assert "Where is the cat?" not in " ".join(words_of(makers["stage.svg"]()))


def test_a_pull_is_in_the_caption_with_its_control_and_in_the_recipe(makers, translator, tmp_path, monkeypatch):
    sentence, plan = EXAMPLES[-1].sentence, EXAMPLES[-1].pull
    open_files(text=sentence, pull=plan)
    assert makers["stage.png"]().startswith(b"\x89PNG")
    caption = " ".join(words_of(makers["stage.svg"]()))
    for part in ("Pulled: +8.85 on the score of", "You forced this weight.", "7 of 16", "Now: ", "Before: "):
        assert part in caption
    open_files(captioned=False, text=sentence, pull=plan)
    assert words_of(makers["stage.svg"]())[-1] == "You forced this weight."  # without a caption, too
    monkeypatch.setattr(Translator, "load", lambda: translator)
    printed, settings = run_recipe(makers, "stage", tmp_path, monkeypatch, "stage.zip")
    assert len(printed) == 1 and float(printed[0]) < 1e-5
    assert settings["input"]["pulls"] == plan and "pull=" in settings["link"]
    stored = np.load(tmp_path / "stage.npz")
    assert sorted(stored) == ["cross", "decoder", "encoder"] and stored["cross"].shape == (4, 8, 20, 17)


def type_text(app, serial: int, text: str, state: str = "") -> dict:
    """Store what the component's callback stores; return the answer."""
    app.session_state["stage_type"] = TypedSentence(serial, state or answers_of(app)["state"], text)
    app.run()
    assert not app.exception
    [answer] = [each for each in answers_of(app)["type"] if each["serial"] == serial]
    return answer


def line_of(app) -> str:
    """The translation line of the page, of which there is one."""
    [line] = re.findall(r'class="aa-line">(.*?)</div>', html_of(app))
    return html.unescape(re.sub("<[^>]*>", "", line))


def test_typed_text_is_translated_and_the_address_stays(open_app):
    app = open_app(text=TIRED)
    address = dict(app.query_params)
    assert type_text(app, 3, "She reads a ") == {"serial": 3, "status": "done"}
    header = header_of(app)
    assert header["english"][0] == "She" and header["text"].startswith("Elle")
    assert (header["sentence"].strip(), header["entered"]) == ("She reads a", TIRED)
    assert line_of(app) == f"Translation{header['text']}"
    assert dict(app.query_params) == address and app.text_input(key="text").value == TIRED
    assert type_text(app, 4, TIRED) == {"serial": 4, "status": "done"}
    header = header_of(app)
    assert header["sentence"] == TIRED and line_of(app) == f"Translation{header['text']}"


def test_an_entered_sentence_ends_typing_and_no_draft_that_comes_later_is_shown(open_app):
    app = open_app(text=TIRED)
    state = answers_of(app)["state"]
    type_text(app, 1, "She reads")
    app.text_input(key="text").set_value("She reads.").run()
    for serial, sent in ((1, "She reads"), (2, "She "), (0, "She reads a book.")):
        answer = type_text(app, serial, sent, state)
        assert answer["status"] == ("done" if serial == 1 else "outdated")  # answered before
        header = header_of(app)
        assert header["sentence"] == header["entered"] == "She reads."
        assert line_of(app) == f"Translation{header['text']}"
    app.text_input(key="text").set_value(TIRED).run()
    assert header_of(app)["sentence"] == TIRED


@pytest.mark.parametrize("text", ["word " * 300, "\u200b"])
def test_text_without_translation_is_refused_and_leaves_what_was_typed_before(open_app, text):
    app = open_app(text=TIRED)
    type_text(app, 1, "She reads.")
    answer = type_text(app, 2, text)
    assert answer["status"] == "refused" and answer["reason"].endswith((".", "sentence."))
    assert type_text(app, 2, text) == answer
    assert header_of(app)["sentence"] == "She reads."


def test_pulls_of_the_page_stay_while_another_sentence_is_typed(open_app):
    app = open_app(text=TIRED)
    ask(app, 1, "pull", weight=0.75)
    before = pulls_in_address(app)
    pulled = header_of(app)["text"]
    assert line_of(app) == f"Translation{pulled}" and "<mark>" in html_of(app)
    type_text(app, 1, "She reads.")
    assert header_of(app)["pulled"] is None and answers_of(app)["pulls"] == ""
    refused = ask(app, 2, "sweep", query=0, key=0)
    assert (refused["status"], refused["reason"]) == ("refused", "Press Enter, then pull a weight.")
    type_text(app, 2, TIRED)
    assert header_of(app)["french"][14] == "il" and pulls_in_address(app) == before
    assert line_of(app) == f"Translation{pulled}"


@pytest.mark.parametrize(
    "sent",
    [{"state": ""}, {"state": "", "text": 5}, {"state": "", "text": "x" * 2001}, {"state": "", "text": "", "more": 1}],
)
def test_invalid_messages_get_an_answer(sent):
    known = {"serial": 1, "state": "one"}
    assert valid_typing({**known, "text": "caf\u00e9 \ud800"}) == TypedSentence(1, "one", "caf\u00e9 ")
    request = valid_typing({"serial": 1, **sent})
    assert request == InvalidRequest(1, "")
    assert answer_request(request, "", {}, dict) == {"serial": 1, "status": "refused", "reason": INVALID()}
    assert valid_typing(None) is valid_typing("text") is valid_typing({"state": "", "text": ""}) is None
