"""What is typed is translated on the stage before it is entered, and changes nothing else."""

import html
import re

import pytest

from pages.shared.requests import answer_request
from tests.pages.conftest import html_of
from tests.pages.translate.test_stage import answers_of, ask, header_of, pulls_in_address
from views.components.requests import INVALID, InvalidRequest
from views.components.stage import TypedSentence, valid_typing
from views.controls.sentence_input import TIRED


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
