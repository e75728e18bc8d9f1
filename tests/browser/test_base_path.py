"""Two pages below a path of a site: they work, and nothing outside of the path is requested."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser

from tests.browser.app_server import AppServer
from tests.browser.conftest import open_page, ready
from tests.processes import answers_http

BASE = "/tools/atlas"


class ServerBelowPath(AppServer):
    def answers(self) -> bool:
        return answers_http(f"{self.url}{BASE}/_stcore/health")


@pytest.mark.nightly  # a server of its own; tests/server/test_base_path.py has the paths
def test_two_pages_work_below_a_path(browser: Browser):
    with ServerBelowPath("app.py", f"--server.baseUrlPath={BASE}") as server, browser.new_context() as context:
        page, requested, failed = context.new_page(), [], []
        page.on("request", lambda request: requested.append(request.url))
        page.on("response", lambda answer: failed.append(answer.url) if answer.status >= 400 else None)
        page.on("console", lambda message: failed.append(message.text) if message.type == "error" else None)
        open_page(page, f"{server.url}{BASE}/?text=I+want+to+buy+a+house.")
        assert page.locator(".aa-text").first.inner_text() == "Je veux acheter une maison."
        page.get_by_role("link", name="Attention", exact=True).first.click()
        page.wait_for_url(f"**{BASE}/attention?text=I+want+to+buy+a+house.**")
        ready(page)
        assert page.locator("[data-testid=stBidiComponentIsolated]").count()
        page.get_by_role("link", name="Translate", exact=True).first.click()
        page.wait_for_url(f"**{BASE}/?text=I+want+to+buy+a+house.**")
        ready(page)
        paths = [urlsplit(url).path for url in requested if url.startswith(("http", "ws"))]
        assert not failed
        assert [path for path in paths if not path.startswith(f"{BASE}/")] == []
