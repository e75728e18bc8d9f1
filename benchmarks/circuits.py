"""Response times of *Circuits* in headless Chromium: from the Enter key to both grids of patching drawn."""

from __future__ import annotations

from playwright.sync_api import sync_playwright

from benchmarks.clock import Clock
from benchmarks.page import ROUNDS, WIDE, sentences
from benchmarks.timing import Measurement, summarise
from tests.browser.app_server import AppServer
from tests.browser.chromium import launch_chromium
from tests.browser.conftest import open_page

# The pixels of all grids of patching, "" while anything on the page is stale or loading, or a grid is missing.
DRAWN = """(() => {
    if (document.querySelector('[data-testid=stMain] :is([data-stale=true], [data-testid=stSkeleton])')) return ""
    const holders = [...document.querySelectorAll("[data-testid=stMain] *")].filter((holder) => holder.shadowRoot)
    const grids = holders.flatMap((holder) => [...holder.shadowRoot.querySelectorAll(".cell-maps[data-drawn] canvas")])
    return grids.map((grid) => grid.getAttribute("aria-label") + grid.toDataURL()).join()
})()"""
DONE = f"((now) => now && now !== before)({DRAWN})"


def circuits() -> list[Measurement]:
    """A new sentence of twelve words: two translations, layer by position and layer by head, and one cell patched."""
    times = []
    with sync_playwright() as playwright, AppServer() as server:
        browser = launch_chromium(playwright)
        view = browser.new_page(viewport=WIDE)
        clock = Clock(view)
        open_page(view, f"{server.url}/circuits?text=The old man sleeps.")
        box = view.get_by_label("English sentence").first
        for sentence in sentences()[: ROUNDS + 2]:
            clock.remember(DRAWN)
            box.fill(sentence)
            times.append(clock.time("keydown", lambda: box.press("Enter"), DONE))
        browser.close()
    return summarise("new sentence of 12 words until both grids are drawn", {"Circuits page": times[2:]})
