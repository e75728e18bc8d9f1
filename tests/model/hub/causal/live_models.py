"""Tiny models of many layouts, opened live, each once."""

from __future__ import annotations

import functools

from model.hub.opened_model import OpenedModel
from model.open_model import open_model
from tests.model.hub import tiny


@functools.cache
def live(name: str) -> OpenedModel:
    """The tiny network of this architecture, opened."""
    reader = tiny.processor() if name in tiny.PICTURE_MODELS else tiny.tokenizer()
    return open_model(tiny.network(name), reader=reader)
