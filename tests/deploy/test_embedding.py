"""Behind nginx too, the listed sites show the app in a frame, and a visitor works in it on one replica."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import PATIENCE, READY
from tests.browser.test_embedding import (
    course,
    embedding_browser,
    open_framed,
    tab,
    test_a_listed_site_shows_the_app_and_a_visitor_works_in_it,
    test_another_site_shows_nothing,
)
from tests.deploy.replicas import Site
from tests.deploy.visitor import COOKIE, request

__all__ = [
    "course",
    "embedding_browser",
    "tab",
    "test_a_listed_site_shows_the_app_and_a_visitor_works_in_it",
    "test_another_site_shows_nothing",
]  # fixtures and tests for this site too

pytestmark = pytest.mark.deploy


@pytest.fixture(scope="module")
def framed_app(course: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Two replicas and a proxy that list one site."""
    with Site(tmp_path_factory.mktemp("framed"), 2, ATLAS_EMBED=course) as site:
        yield site


@pytest.mark.parametrize("path", ["/", "/vision", "/nothing"])
def test_every_answer_names_the_listed_site(framed_app: Site, course: str, path: str):
    headers = request(framed_app.url, path).headers
    (policy,) = headers["content-security-policy"].splitlines()
    assert f"frame-ancestors 'self' {course};" in f"{policy};"
    assert "x-frame-options" not in headers


def test_a_site_without_a_list_allows_no_frame(site: Site):
    headers = request(site.url, "/").headers
    assert "frame-ancestors 'none'" in headers["content-security-policy"]


def test_a_visitor_in_a_frame_stays_on_one_replica(tab: Page, course: str, framed_app: Site):
    frame = open_framed(tab, course, framed_app.url)
    frame.wait_for_function(READY, timeout=PATIENCE)
    (cookie,) = [cookie for cookie in tab.context.cookies() if cookie["name"] == COOKIE]
    assert (cookie["sameSite"], cookie["secure"], cookie["httpOnly"]) == ("None", True, True)
    assert cookie["partitionKey"].startswith(course.rpartition(":")[0])
    assert framed_app.of(int(cookie["value"])) in framed_app.replicas
    frame.get_by_role("link", name="Attention").first.click()
    frame.wait_for_function("() => location.pathname === '/attention'", timeout=PATIENCE)
    frame.wait_for_function(READY, timeout=PATIENCE)
    (after,) = [cookie for cookie in tab.context.cookies() if cookie["name"] == COOKIE]
    assert after["value"] == cookie["value"]
