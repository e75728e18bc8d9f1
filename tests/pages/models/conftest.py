"""Tiny checkpoints in the operator's allowlist."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from tests.model.hub import tiny
from tests.new_process import clear_all

NAMES = ("bert", "bert-classes", "gpt2", "gpt-j", "t5", "vit", "dinov2")


@pytest.fixture(scope="package")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Name of an architecture -> folder of that name with a tiny checkpoint."""
    logging.getLogger("transformers").setLevel(logging.ERROR)
    folder = tmp_path_factory.mktemp("checkpoints")
    return {name: tiny.save(name, folder / name) for name in NAMES}


@pytest.fixture
def listed(checkpoints: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Allow all of them, and no other model."""
    monkeypatch.setenv("ATLAS_MODELS", ", ".join(map(str, checkpoints.values())))
    clear_all()
    yield checkpoints
    clear_all()
