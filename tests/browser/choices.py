"""Find and select the controls of a page: in rows of buttons, and some below "Options"."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page


def option(page: Page, name: str) -> Locator:
    """Return an option of a row of buttons, visible or not."""
    return page.get_by_role("radio", name=name, exact=True, include_hidden=True)


def show_option(page: Page, name: str) -> None:
    """Open the fold "Options" that contains an option, if it is closed."""
    if not option(page, name).is_visible():
        fold = page.get_by_test_id("stExpander").filter(has=option(page, name))
        (fold.locator("summary") if fold.count() else page.get_by_role("button", name=re.compile("^Options"))).click()


def choose(page: Page, name: str) -> None:
    """Select an option as a user does, below "Options" if needed."""
    show_option(page, name)
    option(page, name).click()
