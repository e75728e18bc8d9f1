"""Does anything on the page reach beyond the right edge of the screen?"""

from __future__ import annotations

from playwright.sync_api import Page

WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}

# Inside a box that scrolls by itself, content may be wider than the screen.
_RIGHTMOST = """() => {
    const inside = (element) => element.parentElement?.closest('[style*="overflow"], .stDataFrame, .katex-mathml')
    const boxes = [...document.querySelectorAll('[data-testid="stMain"] *')]
    const main = document.querySelector('[data-testid="stMain"]')
    return Math.max(document.documentElement.scrollWidth, main.getBoundingClientRect().left + main.scrollWidth,
        ...boxes.filter((box) => !inside(box)).map((box) => box.getBoundingClientRect().right))
}"""


def rightmost(page: Page) -> float:
    """Pixels from the left edge of the window to the right end of whatever reaches farthest."""
    return page.evaluate(_RIGHTMOST)


def assert_nothing_overflows(page: Page) -> None:
    """On a wide screen and on a phone. The page must be drawn; it is left in the phone's size."""
    for size in (WIDE, PHONE):
        page.set_viewport_size(size)
        # charts follow the new width one frame later
        page.wait_for_function(f"width => ({_RIGHTMOST})() <= width", arg=size["width"])
        assert rightmost(page) <= size["width"]
