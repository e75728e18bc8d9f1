"""Drag a slider of a component and count the messages that the page sends meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Locator, Page

_COUNT = """() => {
    if ("sent" in window) return
    const send = WebSocket.prototype.send
    WebSocket.prototype.send = function (...values) { window.sent++; return send.apply(this, values) }
}"""
# Longer than any component waits before it sends a selection.
_FRAMES = """() => new Promise((done) => {
    const wait = (left) => (left ? requestAnimationFrame(() => wait(left - 1)) : done())
    wait(40)
})"""


def count_messages(page: Page) -> None:
    """Count the messages that the page sends to the server from now on, in `window.sent`."""
    page.evaluate(_COUNT)
    page.evaluate("() => { window.sent = 0 }")


@contextmanager
def dragged(page: Page, slider: Locator, share: float) -> Iterator[None]:
    """Drag `slider` to a share of its length and release it at the end; assert that nothing is sent meanwhile."""
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    count_messages(page)
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * share, middle, steps=4)
    yield
    page.evaluate(_FRAMES)
    assert page.evaluate("window.sent") == 0
    page.mouse.up()
