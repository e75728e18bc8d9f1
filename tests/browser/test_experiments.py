"""The result of "Try it" stays on the screen, whatever the page above it does."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, open_page, ready
from tests.every_view import PARTS
from tests.pages.shared.test_experiment import PROPOSED
from tests.tiers import nightly

OFTEN = {("laptop", "vision-what-if")}
# How far the box is outside of what is visible between the bars, in pixels; a box that is taller must begin there.
OUTSIDE = """(box) => {
    const { top, bottom, height } = box.getBoundingClientRect()
    const low = document.querySelector("[data-testid=stHeader]").getBoundingClientRect().bottom
    return Math.max(low - top, height > innerHeight - low ? top - low : bottom - innerHeight, 0)
}"""


@pytest.mark.parametrize(
    ("either", "id"),
    [case if case in OFTEN else nightly(*case) for id in PROPOSED for case in (("laptop", id), ("handset", id))],
    indirect=["either"],
)
def test_the_result_stays_on_the_screen(either: Page, server: Server, id: str):
    page, part = PROPOSED[id]
    open_page(either, f"{server.url}/{page}?{PARTS[page][0]}={part}")
    box = either.locator(f".st-key-experiment-{id}")
    button = box.get_by_role("button", name="Try it")
    box.scroll_into_view_if_needed()
    button.click()
    expect(button).to_have_count(0)
    ready(either)
    # until charts have their height, and the box has been on the screen for a second without moving
    either.evaluate("() => { window.seen = [0, 0] }")
    either.wait_for_function(
        f"""(box) => {{
            const {{ top }} = box.getBoundingClientRect()
            if (Math.abs(top - seen[0]) > 1 || ({OUTSIDE})(box) > 1) window.seen = [top, performance.now()]
            return performance.now() - seen[1] > 1000
        }}""",
        arg=box.element_handle(),
        polling="raf",
    )
    assert "{" not in box.inner_text() and box.inner_text().strip()
