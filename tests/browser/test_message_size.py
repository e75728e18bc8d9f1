"""What the server sends for a new sentence: no program, no style, and no number that the browser can compute."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, open_page, ready

pytestmark = pytest.mark.nightly

SENTENCE = "The red dog is running on the grass."


@pytest.mark.parametrize(
    ("path", "drawn", "most"), [("attention", ".grid-root", 64_000), ("heads", ".list-root .detail", 75_000)]
)
def test_a_new_sentence_is_sent_in_few_bytes(server: Server, page: Page, path: str, drawn: str, most: int):
    received: list[int] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(len(frame))))
    open_page(page, f"{server.url}/{path}?text={SENTENCE}")  # computed, so that no progress is sent below
    open_page(page, f"{server.url}/{path}")
    expect(page.locator(f"{drawn}[data-drawn*=chair]")).to_be_visible()
    received.clear()
    box = page.get_by_label("English sentence")
    box.fill(SENTENCE)
    box.press("Enter")
    expect(page.locator(f"{drawn}[data-drawn*=grass]")).to_be_visible()
    ready(page)
    assert sum(received) < most
