"""How far a view moves while it opens: the cumulative layout shift, of which Web Vitals call 0.1 good.

`python -m tests.browser.stillness [VIEW ...]` prints that of every view, or of those named, such as `vision/cls`, with
the median: opened by its link on a wide screen and on a phone. It fails if one is too large.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator

from playwright.sync_api import Page, sync_playwright

from tests.browser.app_server import AppServer
from tests.browser.chromium import launch_chromium
from tests.browser.overflow import PHONE, WIDE
from tests.every_view import VIEWS, View

LARGEST, LARGEST_OF_MAIN, LARGEST_OF_MEDIAN = 0.25, 0.1, 0.1
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


def measure(views: tuple[View, ...]) -> Iterator[tuple[View, str, float]]:
    """Open each view on both screens in a fresh visit of a warm server; yield the view, the screen and its shift."""
    from tests.browser.conftest import open_page

    with AppServer() as app, sync_playwright() as playwright:
        browser = launch_chromium(playwright)
        for name, size in (("wide", WIDE), ("phone", PHONE)):
            for view in views:
                context = browser.new_context(viewport=size, reduced_motion="reduce")
                page = context.new_page()
                page.add_init_script(SHIFTS)
                open_page(page, f"{app.url}/{view.address()}")
                page.wait_for_timeout(1000)  # what moves later is counted, too
                yield view, name, layout_shift(page)
                context.close()
        browser.close()


def main(names: list[str]) -> int:
    """Print shifts and their median; return 1 if a view or the median moves too far."""
    views = tuple(view for view in VIEWS if not names or view.page in names or view.id in names)
    shifts, failed = [], 0
    for view, screen, shift in measure(views):
        too_far = shift > largest_shift(view.page, view.opens_first)
        print(f"{shift:.3f}  {view.id} {screen}{'  too far' if too_far else ''}", flush=True)
        shifts.append(shift)
        failed |= too_far
    median = statistics.median(shifts)
    print(f"{median:.3f}  median of {len(shifts)}, largest {max(shifts):.3f}")
    return int(failed or median > LARGEST_OF_MEDIAN)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
