"""Browsers do not translate the output of a network and its tokens, and screen readers know their language."""

import re
from types import SimpleNamespace

from tests.payloads import read_payload
from views.components import step_view
from views.html import aligned_tokens, generated_tokens
from views.text import literal

CHAT = SimpleNamespace(token="chat", probability=0.5)
PRODUCED = SimpleNamespace(token="chat", probability=0.5, top=[CHAT])


def test_tokens_are_not_translated():
    assert literal.TOKEN == ' data-said="token" translate="no"'
    views = [
        generated_tokens.sentence("Le chat dort.", "fr", [(3, 7)]),
        generated_tokens.sentence_cell("Le chat dort.").html,
        generated_tokens.chips(["Le", "chat"], "decoder", [0.5, 0.5], language="fr"),
        generated_tokens.chips(["The", "cat"], "encoder", language="en"),
        generated_tokens.cards([PRODUCED]),
        aligned_tokens.aligned_tokens(["chat"], ["chien"], [(0, 0)], ("A", "B"), "none"),
    ]
    for html in views:
        marked = re.findall(r"<\w+[^>]*data-said=.token.[^>]*>", html)
        assert marked and all('translate="no"' in element for element in marked)


def test_french_output_states_its_language():
    for html in (
        generated_tokens.sentence("Le chat.", "fr"),
        generated_tokens.sentence_cell("Le chat.").html,
        generated_tokens.chips(["chat"], "decoder", language="fr"),
        generated_tokens.cards([PRODUCED]),
    ):
        assert 'lang="fr"' in html
    assert 'lang="fr"' in generated_tokens.chips(["chat"], "decoder")
    assert 'lang="en"' in generated_tokens.chips(["cat"], "encoder")


def test_tokens_on_the_axes_of_a_step_view_state_their_language():
    source = step_view.Axis("token", "Token", ["cat"], data_kind="token", language="en")
    numbers = step_view.Axis("unit", "Unit", ["1"], data_kind="number")
    view = step_view.StepView((source, numbers), {}, ())
    header, _ = read_payload(step_view.payload(view, "light"))
    assert [axis["language"] for axis in header["axes"]] == ["en", ""]
