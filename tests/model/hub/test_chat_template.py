"""A chat template that loops, fills the memory or writes without end is one sentence, within seconds."""

from __future__ import annotations

import copy
import sys
import time

import pytest

from model import OpenError, open_model
from model.hub import chats
from model.hub.chats import apply_template
from tests.model.hub import tiny

CHAT = [{"role": "user", "content": "The cat sat."}, {"role": "assistant", "content": "Caf\u00e9 \U0001f600 \ud800"}]
TOO_MUCH = (
    r"^The chat template of this tokenizer takes more than \d+ seconds or 0\.5 GB for these messages, or makes more "
    r"than 1,000,000 characters of them; write the whole text yourself and give that\.$"
)
HOSTILE = {
    "loops": "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "a long product": "{{ 'a' * 10 ** 10 }}",
    "a long list": "{{ [0] * 10 ** 10 }}",
    "a wide format": "{{ '%9999999999d' % 1 }}",
    "doubling": "{% set n = namespace(x='a') %}{% for i in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}{{ n.x }}",
    "a huge power": "{{ 9 ** (9 ** 9) }}",
    "output without end": "{% for a in range(99999) %}{{ 'a' * 1000 }}{% endfor %}",
    "a million and one": "{{ 'a' * 1000001 }}",
}


@pytest.fixture
def tokenizer():
    return copy.deepcopy(tiny.tokenizer())  # which other tests use too


@pytest.mark.skipif(sys.platform != "linux", reason="limits of a process are those of Linux")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_template_is_one_sentence(tokenizer, monkeypatch, name):
    monkeypatch.setattr(chats, "SECONDS", 1.5)
    tokenizer.chat_template = HOSTILE[name]
    start = time.monotonic()
    with pytest.raises(OpenError, match=TOO_MUCH):
        apply_template(tokenizer, CHAT)
    assert time.monotonic() - start < 20


def test_an_opened_model_refuses_it_and_goes_on(tokenizer, monkeypatch):
    tokenizer.chat_template = HOSTILE["a million and one"]
    model = open_model(tiny.network("gpt2"), reader=tokenizer)
    with pytest.raises(OpenError, match=TOO_MUCH):
        model.trace(messages=CHAT[:1])
    tokenizer.chat_template = "{% for message in messages %}{{ message['content'] }}{% endfor %}"
    assert model.trace(messages=CHAT[:1]).source.ids == model.trace("The cat sat.", add_special_tokens=False).source.ids


@pytest.mark.parametrize("forks", [True, False] if sys.platform == "linux" else [False])
def test_an_honest_template_renders_as_in_the_library(tokenizer, monkeypatch, forks):
    monkeypatch.setattr(chats, "FORKS", forks)
    tokenizer.chat_template = (
        "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}{{ add_generation_prompt }}"
    )
    expected = tokenizer.apply_chat_template(CHAT, tokenize=False, add_generation_prompt=True)
    assert apply_template(tokenizer, CHAT, add_generation_prompt=True) == expected
    other = "{{ messages | length }}"
    assert apply_template(tokenizer, CHAT, chat_template=other) == "2"
    tokenizer.chat_template = "{{ 'a' * 1000000 }}"
    assert len(apply_template(tokenizer, CHAT)) == 1_000_000


@pytest.mark.parametrize("forks", [True, False] if sys.platform == "linux" else [False])
@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{{ raise_exception('roles must alternate') }}", r"\(TemplateError: roles must alternate\)"),
        ("{% for %}", r"\(TemplateSyntaxError: "),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", r"\(RecursionError: "),
        ("{{ messages.__class__.__mro__ }}", r"\(SecurityError: "),
    ],
)
def test_the_reason_of_a_template_is_stated(tokenizer, monkeypatch, template, message, forks):
    monkeypatch.setattr(chats, "FORKS", forks)
    tokenizer.chat_template = template
    model = open_model(tiny.network("gpt2"), reader=tokenizer)
    with pytest.raises(OpenError, match=f"refuses these messages {message}"):
        model.trace(messages=CHAT[:1])
