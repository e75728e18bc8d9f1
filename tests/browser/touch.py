"""Taps that do not depend on how fast the machine is."""

from __future__ import annotations

from playwright.sync_api import Locator

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
