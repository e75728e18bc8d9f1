"""Whatever the tokens of an opened model contain, each part writes them as one label; see `tests/pages`."""

from __future__ import annotations

import pytest

from tests.pages import hostile_tokens
from tests.pages.conftest import visit
from tests.tiers import nightly

VIEWS = [
    ("gpt2", {"part": "attention"}),
    ("gpt2", {"part": "what-if", "heads1": ["2"]}),
    ("gpt2", {"part": "causes", "cause": "lens"}),
    nightly("gpt2", {"part": "heads"}),
    nightly("gpt2", {"part": "attribution"}),
    nightly("gpt2", {"part": "causes", "cause": "patching"}),
    nightly("bert", {"part": "attention", "look": "lines"}),
    nightly("bert", {"part": "heads"}),
    nightly("t5", {"part": "attention"}),
    nightly("t5", {"part": "what-if"}),
]


@pytest.fixture
def labels(listed, monkeypatch):
    yield from hostile_tokens.install(monkeypatch)


@pytest.mark.parametrize(("model", "settings"), VIEWS, ids=str)
def test_every_part_writes_a_token_by_the_one_label_function(labels, model: str, settings: dict):
    app = visit("models", model=model, text="The quick fox jumps.", **settings)
    assert hostile_tokens.faults(app, labels) == []
    assert hostile_tokens.hostile_texts(app, labels)
