"""Every view of the app, opened once and checked for everything; `make walk` opens each in both sizes and themes."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.app_server import AppServer
from tests.browser.conftest import PATIENCE
from tests.browser.policy import Watch
from tests.browser.walker import Visit, check, each_once, go, in_every_way
from tests.every_view import UNFOLDED, VIEWS
from views.text.catalogue import PSEUDO_SWITCH

WALK = in_every_way if os.environ.get("ATLAS_WALK") == "full" else each_once


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Of an app that has the pseudo-language."""
    with AppServer(**{PSEUDO_SWITCH: "1"}) as app:
        yield app.url
        log = app.log()
    assert "Traceback" not in log, log


@pytest.fixture(scope="module")
def watched(browser: Browser, url: str) -> Iterator[tuple[Page, Watch]]:
    """One tab for the whole walk, so that its scripts are compiled once, and who watches it."""
    context, watch = browser.new_context(locale="en-XA", reduced_motion="reduce"), Watch()
    watch.over(context, url.removeprefix("http://"))
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    yield page, watch
    context.close()


@pytest.mark.parametrize("visit", WALK(VIEWS + UNFOLDED), ids=lambda visit: visit.id)
def test_a_view(url: str, watched: tuple[Page, Watch], visit: Visit):
    page, watch = watched
    watch.forget()
    go(page, url, visit)
    check(page, visit.view)
    assert watch.saw_nothing(), watch
