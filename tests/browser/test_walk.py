"""Run all checks on the first view of a few pages, nightly of each; `make walk` opens all views, in every way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.app_server import AppServer
from tests.browser.axe import violations
from tests.browser.conftest import PATIENCE, open_page, ready
from tests.browser.keys import tab_to
from tests.browser.overflow import WIDE
from tests.browser.policy import Watch
from tests.browser.stillness import SHIFTS
from tests.browser.uncatalogued import uncatalogued
from tests.browser.walker import FULL, Visit, all_visits, check, first_visits, open_visit
from tests.every_view import UNFOLDED, VIEWS
from tests.tiers import nightly
from views.text.catalogue import PSEUDO_SWITCH

WALK = all_visits if FULL else first_visits
PAGES = ("models", "translate")  # of which `make test` opens the first view


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """URL of an app with the pseudo-language."""
    with AppServer(**{PSEUDO_SWITCH: "1"}) as app:
        yield app.url
        log = app.log()
    assert "Traceback" not in log, log


@pytest.fixture(scope="module")
def watched(browser: Browser, url: str) -> Iterator[tuple[Page, Watch]]:
    """One tab for the whole walk, so that its scripts are compiled once, with a record of its errors."""
    context, watch = browser.new_context(locale="en-XA", reduced_motion="reduce"), Watch()
    watch.attach(context, url.removeprefix("http://"))
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.add_init_script(SHIFTS)
    yield page, watch
    context.close()


def walked() -> list:
    """Return the visits as parameters; `make test` makes those of `PAGES`."""
    return [
        pytest.param(visit, id=visit.id, marks=[] if FULL or visit.view.page in PAGES else pytest.mark.nightly)
        for visit in WALK(VIEWS + UNFOLDED)
    ]


@pytest.mark.parametrize("visit", walked())
def test_a_view_passes_all_checks(url: str, watched: tuple[Page, Watch], visit: Visit):
    page, watch = watched
    watch.clear()
    open_visit(page, url, visit)
    check(page, visit.view)
    assert watch.is_clean(), watch


def first_canvas(page: Page) -> None:
    tab_to(page.locator(".map canvas[role]").first)
    page.keyboard.press("ArrowRight")


def move_slider(page: Page) -> None:
    tab_to(page.locator(".step-view input[type=range]").first)
    page.keyboard.press("ArrowRight")


def press_token(page: Page) -> None:
    tab_to(page.locator(".side .token").first)
    page.keyboard.press("ArrowDown")


@pytest.mark.parametrize(
    ("address", "press"),
    [
        nightly("compare?b=other", first_canvas),
        nightly("history?part=gates", move_slider),
        ("attention?look=lines", press_token),
    ],
)
def test_screen_reader_texts_are_in_the_catalogue(
    url: str, watched: tuple[Page, Watch], address: str, press: Callable[[Page], None]
):
    page, _ = watched
    page.set_viewport_size(WIDE)
    open_page(page, f"{url}/{address}")
    press(page)
    expect(page.locator(".heard").filter(has_text=re.compile(r"\w")).first).to_be_attached()
    assert uncatalogued(page) == []


@pytest.mark.nightly
def test_texts_of_the_frame_are_in_the_catalogue(url: str, watched: tuple[Page, Watch]):
    """The model card and the texts about the app."""
    page, _ = watched
    page.set_viewport_size(WIDE)
    open_page(page, url)
    page.get_by_test_id("stExpandSidebarButton").click()
    page.get_by_role("button", name="Model card").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    ready(page)
    assert uncatalogued(page) == []
    assert violations(page) == []
