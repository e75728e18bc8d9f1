"""Find links in the menu: to the sections, and below them to the pages of the open one."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import ready
from views import navigation

SECTIONS, PAGES = ".st-key-sections", ".st-key-pages"


def link_to(page: Page, title: str) -> Locator:
    """Return the link to a page by its title or its name in the menu; open its section if needed."""
    place = next(place for place in navigation.PAGES if title in (place.title(), place.label()))
    section = navigation.section_of(place)
    link = page.locator(PAGES).get_by_role("link", name=place.label(), exact=True)
    if section.name and link.count():
        return link
    to_section = page.locator(SECTIONS).get_by_role("link", name=section.label(), exact=True)
    if place is section.pages[0]:
        return to_section
    to_section.click()
    expect(page.locator('[data-testid="stMain"] h1')).to_have_text(section.pages[0].title())
    ready(page)
    return link
