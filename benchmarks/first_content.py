"""Time to first content of a cold browser on a warm server, compared with a Streamlit page of one line.

Timed twice: from the start of the browser, and by the page's own clock from the start of navigation.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from playwright.sync_api import Playwright, sync_playwright

from benchmarks.timing import Measurement, summarise
from tests.browser import drawn
from tests.browser.app_server import AppServer
from tests.browser.chromium import launch_chromium

ROUNDS = 9
WIDE = {"width": 1440, "height": 900}
EMPTY = "import streamlit as st\n\nst.write('Here it is.')\n"
# The translation, in the initial page of the server or in the page itself.
TRANSLATED = (
    "[...document.querySelectorAll('[lang=fr]')].some((text) => text.checkVisibility() && text.textContent.trim())"
)
# Likewise all maps.
MAPPED = f"""(document.querySelector('.first .view')?.shadowRoot
    ?.querySelector('.grid-root[data-drawn] .detail[data-drawn]')?.checkVisibility({{visibilityProperty: true}})
    || {drawn.ATTENTION})"""
TRANSLATED_BY_PAGE = "document.querySelector('[data-testid=stMain] [lang=fr]')?.textContent.trim()"
# Checks every frame, installed before the page's own scripts; resolves with the time since navigation started.
WATCH = """(() => {{
    window.contentShown = new Promise((resolve) => {{
        const look = () => ({done}) ? requestAnimationFrame(resolve) : requestAnimationFrame(look)
        requestAnimationFrame(look)
    }})
}})()"""


def first_content() -> list[Measurement]:
    """Milliseconds until the frame that shows it; a new browser each time, the pages interleaved."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        script = Path(folder) / "empty.py"
        script.write_text(EMPTY, encoding="utf-8")
        with AppServer(str(script)) as empty, AppServer() as server:
            pages = {
                "an empty Streamlit page": (empty.url, "document.body?.textContent.includes('Here it is.')"),
                "Translate, the title": (server.url, drawn.TITLE),
                "Translate, the translation": (server.url, TRANSLATED),
                "Translate, the translation in the page that can be worked with": (server.url, TRANSLATED_BY_PAGE),
                "Attention, all maps": (f"{server.url}/attention", MAPPED),
                "Attention, all maps in the page that can be worked with": (f"{server.url}/attention", drawn.ATTENTION),
            }
            rounds = [{name: _time_to(playwright, *page) for name, page in pages.items()} for _ in range(ROUNDS + 1)]
    rows = []
    for place, since in enumerate(("the browser's start", "going to the address")):
        times = {name: [each[name][place] for each in rounds[1:]] for name in pages}  # the first round warms up
        rows += summarise(f"first content since {since}, warm server", times)
    return rows


def _time_to(playwright: Playwright, url: str, done: str) -> tuple[float, float]:
    """Milliseconds since the browser was started, and since navigation to `url` started."""
    started = time.perf_counter()
    browser = launch_chromium(playwright)
    view = browser.new_page(viewport=WIDE)
    view.add_init_script(WATCH.format(done=done))
    view.goto(url, wait_until="commit")
    within = view.evaluate("window.contentShown")
    whole = 1000 * (time.perf_counter() - started)
    browser.close()
    return whole, within
