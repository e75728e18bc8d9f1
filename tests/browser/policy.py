"""What a page's Content-Security-Policy refuses, seen from inside the browser; a walk through all that there is."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import BrowserContext, Page

from tests.browser.conftest import open_page, ready
from views.frame import PAGES

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
    """What went wrong on a page without anyone seeing it: refused by the policy, broken, asked of another host."""

    refused: set[tuple[str, str]] = field(default_factory=set)
    broken: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)

    def over(self, context: BrowserContext, host: str) -> None:
        """Watch every page of a context from its first line on."""
        context.expose_binding("refused", lambda _, directive, what: self.refused.add((directive, what)))
        context.add_init_script(
            """document.addEventListener("securitypolicyviolation",
                (event) => refused(event.effectiveDirective, event.blockedURI))"""
        )
        context.on("weberror", lambda error: self.broken.append(str(error.error)))
        context.on("request", lambda asked: self._note(asked.url, host))

    def _note(self, url: str, host: str) -> None:
        if not url.startswith(("data:", "blob:", "about:", f"http://{host}/", f"https://{host}/")):
            self.elsewhere.append(url)

    def saw_nothing(self) -> bool:
        """Whether the policy refused nothing, nothing broke and nobody else was asked."""
        return not (self.refused or self.broken or self.elsewhere)


def see_everything(page: Page, url: str) -> None:
    """Open every page of the app at `url`, and on it every part and every table."""
    for path, title, _ in PAGES:
        open_page(page, f"{url}/{'' if title == PAGES[0][1] else Path(path).stem}")
        tables = page.get_by_text("Numbers as a table")
        parts = page.locator('[data-testid="stMain"] [data-testid="stButtonGroup"]').first.get_by_role("radio")
        for place in range(max(1, parts.count())):
            if parts.count():
                parts.nth(place).click()
                ready(page)
            if tables.count():
                tables.first.click()
                ready(page)
        page.wait_for_load_state("networkidle")
