"""A cold browser comes to a warm server: when the first content stands, beside a page of Streamlit with one line.

Timed twice: from the moment in which the browser is started, as a person meets it, and by the page's own clock from the
moment in which it goes to the address.
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
# What the reader sees, which the first page that the server sends has already, and the same as the page's own.
TRANSLATED = (
    "[...document.querySelectorAll('[lang=fr]')].some((text) => text.checkVisibility() && text.textContent.trim())"
)
# Likewise all maps.
MAPPED = f"""(document.querySelector('.first .view')?.shadowRoot
    ?.querySelector('.grid-root[data-drawn] .detail[data-drawn]')?.checkVisibility({{visibilityProperty: true}})
    || {drawn.ATTENTION})"""
TRANSLATED_BY_PAGE = "document.querySelector('[data-testid=stMain] [lang=fr]')?.textContent.trim()"
# Who looks at every frame, from before the page's own scripts on, and knows the time since navigation began.
WATCH = """(() => {{
    window.stands = new Promise((resolve) => {{
        const look = () => ({done}) ? requestAnimationFrame(resolve) : requestAnimationFrame(look)
        requestAnimationFrame(look)
    }})
}})()"""


def first_content() -> list[Measurement]:
    """Milliseconds until the frame that shows it; a fresh browser each time, the pages in turns."""
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
            rounds = [{name: _stands(playwright, *page) for name, page in pages.items()} for _ in range(ROUNDS + 1)]
    rows = []
    for place, since in enumerate(("the browser's start", "going to the address")):
        times = {name: [each[name][place] for each in rounds[1:]] for name in pages}  # the first round warms up
        rows += summarise(f"first content since {since}, warm server", times)
    return rows


def _stands(playwright: Playwright, url: str, done: str) -> tuple[float, float]:
    """Since the browser was started, and since it went to `url`."""
    started = time.perf_counter()
    browser = launch_chromium(playwright)
    view = browser.new_page(viewport=WIDE)
    view.add_init_script(WATCH.format(done=done))
    view.goto(url, wait_until="commit")
    within = view.evaluate("window.stands")
    whole = 1000 * (time.perf_counter() - started)
    browser.close()
    return whole, within
