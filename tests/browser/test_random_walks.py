"""Random walks: `WALKS=50 STEPS=40 python -m pytest tests/browser/test_random_walks.py` takes more and longer ones."""

from __future__ import annotations

import os

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Server
from tests.browser.random_walk import Walk

WALKS, STEPS = int(os.environ.get("WALKS", 1)), int(os.environ.get("STEPS", 6))


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(WALKS))
def test_every_step_of_a_random_walk_shows_the_expected_state(server: Server, browser: Browser, seed: int):
    walk = Walk(browser, server.url, seed)
    try:
        for _ in range(STEPS):
            walk.step()
    except BaseException as error:
        error.add_note(f"walk {seed}: {', '.join(walk.steps)}; expected {walk.model.view}; found {walk.page.url}")
        raise
    finally:
        walk.context.close()
