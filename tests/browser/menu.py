"""The menu of a wide screen: a row of links, and behind a button those for which the row has no room."""

from __future__ import annotations

from playwright.sync_api import Locator, Page


def link_to(page: Page, title: str) -> Locator:
    """The link to a page of the app, which can be pressed then: the rest of the menu is opened if it is there."""
    link = page.get_by_test_id("stTopNavLink").get_by_text(title, exact=True)
    if not link.locator("xpath=ancestor::*[@aria-hidden='true']").count():
        return link
    rest = page.get_by_test_id("stTopNavSection").last
    if rest.get_attribute("aria-expanded") != "true":
        rest.click()
    return page.get_by_test_id("stTopNavDropdownLink").get_by_text(title, exact=True)
