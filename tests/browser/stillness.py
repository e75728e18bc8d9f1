"""How far a view moves while it opens: the cumulative layout shift, of which Web Vitals call 0.1 good."""

from __future__ import annotations

from playwright.sync_api import Page

LARGEST, LARGEST_OF_MAIN = 0.25, 0.1
MAIN_PAGES = ("translate", "lessons", "attention", "heads", "vision")
# An initial script: sums the shifts of each document; what follows an input is left out.
SHIFTS = """window.shifted = 0
new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value
}).observe({ type: "layout-shift", buffered: true })"""


def layout_shift(page: Page) -> float:
    """The layout shift of the open document, which has run `SHIFTS`."""
    return page.evaluate("window.shifted")


def largest_shift(page: str, opens_first: bool) -> float:
    """How far a view may move while it opens by its link."""
    return LARGEST_OF_MAIN if page in MAIN_PAGES and opens_first else LARGEST
