"""Tiny models, each built, saved and opened once."""

from __future__ import annotations

import functools
import logging

import pytest
from PIL import Image

from model.hub.opened_model import OpenedModel
from model.open_model import open_model
from tests.model.hub import tiny

TEXT = "The quick fox wants a car."
PICTURE = Image.linear_gradient("L").resize((48, 40)).convert("RGB")


@pytest.fixture(scope="session")
def opened(tmp_path_factory: pytest.TempPathFactory):
    """A function: name of an architecture -> its tiny network, saved and opened."""
    logging.getLogger("transformers").setLevel(logging.ERROR)

    @functools.cache
    def open_tiny(name: str) -> OpenedModel:
        return open_model(tiny.save(name, tmp_path_factory.mktemp(name)), dtype="float32", device="cpu")

    return open_tiny


def example_input(model: OpenedModel) -> str | Image.Image:
    """An input for this model."""
    return PICTURE if model.vision else TEXT
