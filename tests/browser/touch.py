"""Taps that do not depend on how fast the machine is, and a finger that moves."""

from __future__ import annotations

from collections.abc import Sequence

from playwright.sync_api import Locator, Page

_LISTEN = """() => {
    window.touchOutcome = null
    for (const name of ["click", "touchcancel", "contextmenu"]) {
        addEventListener(name, () => (window.touchOutcome ??= name), { capture: true, once: true, passive: true })
    }
}"""
ATTEMPTS = 10


def tap(target: Locator) -> None:
    """Tap until the browser reports a click.

    While a page's thread is busy, the browser may cancel a touch or take it for a long press; no click follows then.
    """
    page = target.page
    for _ in range(ATTEMPTS):
        page.evaluate(_LISTEN)
        target.tap()
        outcome = page.wait_for_function("() => window.touchOutcome", polling=50).json_value()  # also in the background
        if outcome == "click":
            return
    raise AssertionError(f"No click in {ATTEMPTS} taps")


def drag_finger(page: Page, places: Sequence[tuple[float, float]]) -> None:
    """Touch the first place, move the finger to the others, and lift it."""
    devtools = page.context.new_cdp_session(page)
    for number, (x, y) in enumerate(places):
        kind = "touchMove" if number else "touchStart"
        devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    devtools.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    devtools.detach()
