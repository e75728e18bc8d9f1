"""Find and select the controls of a page: in rows of buttons, and some below "Options"."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page


def option(page: Page, name: str) -> Locator:
    """Return an option of a row of buttons, visible or not."""
    return page.get_by_role("radio", name=name, exact=True, include_hidden=True)


def choose(page: Page, name: str) -> None:
    """Select an option as a user does, below "Options" if needed."""
    if not option(page, name).is_visible():
        page.get_by_role("button", name=re.compile("^Options")).click()
    option(page, name).click()
