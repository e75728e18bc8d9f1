"""Take the screenshots of the README from the running app: `python -m tests.browser.screenshots`."""

from __future__ import annotations

from playwright.sync_api import sync_playwright

from tests.browser.app_server import AppServer
from tests.browser.chromium import launch_chromium
from tests.browser.conftest import open_page
from tests.browser.drawn import wait_until_drawn
from tests.processes import ROOT

SIZE = {"width": 1360, "height": 980}
VIEWS = {
    "translate": "/",
    "attention": "/attention?kind=Cross&layer=4&head=mean",
    "vision": "/vision?view=CLS+attention&picture=church",
}


def main() -> None:
    """Write docs/translate.png, docs/attention.png and docs/vision.png."""
    folder = ROOT / "docs"
    folder.mkdir(exist_ok=True)
    with AppServer() as app, sync_playwright() as playwright:
        browser = launch_chromium(playwright)
        page = browser.new_page(viewport=SIZE)
        for name, address in VIEWS.items():
            # the Vision page has its maps below the picture and the answer
            page.set_viewport_size({**SIZE, "height": 1760} if name == "vision" else SIZE)
            open_page(page, app.url + address)
            if name == "attention":
                wait_until_drawn(page)
            page.wait_for_load_state("networkidle")
            page.screenshot(path=folder / f"{name}.png", animations="disabled")
        browser.close()


if __name__ == "__main__":
    main()
