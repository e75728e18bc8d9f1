"""Record refusals by the Content-Security-Policy and failed requests in the browser; open every view."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from playwright.sync_api import BrowserContext, Page, Response

from tests.browser.conftest import open_page, ready
from tests.every_view import VIEWS

# After a deep link Streamlit requests its own routes below the page first, then at the root.
BELOW_A_PAGE = re.compile(r"//[^/]+/\w+/_stcore/(health|host-config)$")

# By a timer, for what a test itself evaluates is exempt.
TRY_WHAT_IS_REFUSED = """() => setTimeout(() => {
    window.refusals = []
    document.addEventListener("securitypolicyviolation", (event) => refusals.push(event.blockedURI))
    const image = document.createElement("img")
    image.src = "https://elsewhere.example/a.png"
    const inline = document.createElement("script")
    inline.textContent = "window.ran = true"
    const frame = document.createElement("iframe")
    frame.src = "/"
    document.body.append(image, inline, frame)
    try { eval("window.ran = true") } catch { /* refused */ }
})"""


@dataclass
class Watch:
    """Invisible errors of a page: refused by the policy, failed scripts, requests to other hosts, failed requests."""

    refused: set[tuple[str, str]] = field(default_factory=set)
    broken: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def attach(self, context: BrowserContext, host: str) -> None:
        """Record the errors of every page of a context from its first line on."""
        context.expose_binding("refused", lambda _, directive, what: self.refused.add((directive, what)))
        context.add_init_script(
            """document.addEventListener("securitypolicyviolation",
                (event) => refused(event.effectiveDirective, event.blockedURI))"""
        )
        context.on("weberror", lambda error: self.broken.append(str(error.error)))
        context.on("request", lambda request: self._note(request.url, host))
        context.on("response", self._note_status)

    def _note(self, url: str, host: str) -> None:
        if not url.startswith(("data:", "blob:", "about:", f"http://{host}/", f"https://{host}/")):
            self.elsewhere.append(url)

    def _note_status(self, response: Response) -> None:
        # what a test opens itself it also looks at: a page that does not exist has an answer of its own
        if response.status >= 400 and not (
            response.request.is_navigation_request() or BELOW_A_PAGE.search(response.url)
        ):
            self.failed.append(f"{response.status} {response.url}")

    def clear(self) -> None:
        """Clear all records."""
        for records in (self.refused, self.broken, self.elsewhere, self.failed):
            records.clear()

    def is_clean(self) -> bool:
        """Whether there was no violation, no error, no request to another host and no failed request."""
        return not (self.refused or self.broken or self.elsewhere or self.failed)


def open_every_page(page: Page, url: str) -> None:
    """Open every page of the app at `url`, and on it every part and every table."""
    tables = page.get_by_text("Numbers as a table")
    for view in VIEWS:
        open_page(page, f"{url}/{view.address()}")
        if tables.count():
            tables.first.click()
            ready(page)
        page.wait_for_load_state("networkidle")
