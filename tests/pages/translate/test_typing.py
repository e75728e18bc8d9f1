"""What is typed is translated on the stage before it is entered, and changes nothing else."""

import html
import json
import re

import pytest

from tests.pages.conftest import html_of
from tests.pages.translate.test_pulls import ask, header_of, pulls_in_address
from views.components.stage import TypedSentence, valid_typing
from views.controls.sentence_input import TIRED


def type_text(app, serial: int, text: str, entered: str = TIRED) -> dict:
    """Store what the component's callback stores; return the answer."""
    app.session_state["stage_typed"] = entered, TypedSentence(serial, text)
    app.run()
    assert not app.exception
    [answer] = re.findall(r'data-answer="([^"]*)"', html_of(app))
    return json.loads(html.unescape(answer))


def test_typed_text_is_translated_and_the_address_stays(open_app):
    app = open_app(text=TIRED)
    address = dict(app.query_params)
    assert type_text(app, 3, "She reads a ")["typed"] == 3
    header = header_of(app)
    assert header["english"][0] == "She" and header["text"].startswith("Elle")
    assert (header["sentence"].strip(), header["entered"]) == ("She reads a", TIRED)
    assert dict(app.query_params) == address and app.text_input(key="text").value == TIRED
    assert type_text(app, 4, TIRED) | {"serial": -1} == {"serial": -1, "typed": 4}
    assert header_of(app)["sentence"] == TIRED


def test_an_entered_sentence_ends_typing(open_app):
    app = open_app(text=TIRED)
    type_text(app, 1, "She reads")
    app.text_input(key="text").set_value("She reads.").run()
    header = header_of(app)
    assert header["sentence"] == header["entered"] == "She reads."
    app.text_input(key="text").set_value(TIRED).run()
    assert header_of(app)["sentence"] == TIRED


@pytest.mark.parametrize("text", ["", "  ", "word " * 300])
def test_text_without_translation_leaves_the_last_one(open_app, text):
    app = open_app(text=TIRED)
    answer = type_text(app, 2, text)
    assert header_of(app)["sentence"] == TIRED
    assert ("refused" in answer) == bool(text.strip())


def test_pulls_of_the_page_stay_while_another_sentence_is_typed(open_app):
    app = open_app(text=TIRED)
    ask(app, 1, "pull", weight=0.75)
    before = pulls_in_address(app)
    type_text(app, 1, "She reads.")
    assert header_of(app)["pulled"] is None
    assert "Press Enter" in ask(app, 2, "sweep", query=0, key=0)["error"]
    type_text(app, 2, TIRED)
    assert header_of(app)["french"][14] == "il" and pulls_in_address(app) == before


@pytest.mark.parametrize(
    "sent",
    [
        None,
        "text",
        {"serial": 1},
        {"serial": -1, "text": ""},
        {"serial": 1, "text": 5},
        {"serial": 1, "text": "x" * 2001},
    ],
)
def test_invalid_messages_are_ignored(sent):
    assert valid_typing({"serial": 1, "text": "caf\u00e9 \ud800"}) == TypedSentence(1, "caf\u00e9 ")
    assert valid_typing(sent) is None
