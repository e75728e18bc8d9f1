"""The pictures of the README show the app as it is."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Server
from tests.browser.screenshots import FOLDER, VIEWS, describe_content, hash_of, open_view


@pytest.mark.parametrize("name", VIEWS)
def test_a_picture_shows_what_the_app_shows(browser: Browser, server: Server, name: str):
    """If this fails, run `python -m tests.browser.screenshots` and look at the pictures."""
    page = browser.new_page()
    open_view(page, server.url, name)
    content = describe_content(page, name)
    page.close()
    assert content == json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    assert content["headings"] and content["drawn"] and (FOLDER / f"{name}.png").exists()


def test_another_word_has_another_hash_and_another_number_has_not():
    assert hash_of("chat 0.945") == hash_of("chat  0.946") != hash_of("chien 0.945")
