"""Take the screenshots of the README from the running app: `python -m tests.browser.screenshots`.

Beside each picture a JSON file states what it shows; `tests/browser/test_screenshots.py` compares it with the app.
"""

from __future__ import annotations

import hashlib
import json
import re

from playwright.sync_api import Page, sync_playwright

from tests.browser.app_server import AppServer
from tests.browser.chromium import launch_chromium
from tests.browser.conftest import open_page
from tests.browser.drawn import wait_until_drawn
from tests.processes import ROOT

FOLDER = ROOT / "docs"
SIZE = {"width": 1360, "height": 980}
VIEWS = {
    "translate": "/",
    "attention": "/attention?kind=Cross&layer=4&head=mean",
    "vision": "/vision?view=CLS+attention&picture=church",
}
WEIGHTS = {"translate": "translator", "attention": "translator", "vision": "vision"}  # folders in assets
CONTENT = """() => {
    const texts = (places) => [...document.querySelectorAll(places)]
        .filter((element) => element.checkVisibility({ visibilityProperty: true }))
        .map((element) => element.textContent.trim())
    const drawn = {}
    for (const holder of document.querySelectorAll("[data-testid=stBidiComponentIsolated]")) {
        const root = holder.shadowRoot?.querySelector("div[class*=-root]")
        if (!root || !holder.checkVisibility()) continue
        const copy = root.cloneNode(true)
        copy.querySelectorAll("style, script").forEach((element) => element.remove())
        drawn[root.className.match(/[\\w-]+-root/)[0]] = copy.textContent
    }
    return {
        menu: [...texts(".st-key-sections a"), ...texts(".st-key-pages a")],
        headings: texts("[data-testid=stMain] :is(h1, h2, h3)"),
        drawn,
    }
}"""


def open_view(page: Page, url: str, name: str) -> None:
    """Open a view of the README in the size of its picture, and wait until it is drawn."""
    # the Vision page has its maps below the picture and the answer
    page.set_viewport_size({**SIZE, "height": 1760} if name == "vision" else SIZE)
    open_page(page, url + VIEWS[name])
    if name == "attention":
        wait_until_drawn(page)
    page.wait_for_load_state("networkidle")


def describe_content(page: Page, name: str) -> dict:
    """State what a view shows: menu, headings, a hash of what each component draws, and of the weights behind it.

    Digits are left out of the drawn texts: the last ones differ between processors.
    """
    content = page.evaluate(CONTENT)
    card = json.loads((ROOT / "assets" / WEIGHTS[name] / "card.json").read_text("utf-8"))
    return {
        "address": VIEWS[name],
        **content,
        "drawn": {part: hash_of(text) for part, text in sorted(content["drawn"].items())},
        "weights_sha256": card["weights_sha256"],
    }


def hash_of(text: str) -> str:
    """Hash a text without its numbers and spaces."""
    words = re.sub(r"[\s\d.,\u2212+]+", " ", text)
    return hashlib.sha256(words.encode()).hexdigest()


def main() -> None:
    """Write the pictures and their content to docs."""
    with AppServer() as app, sync_playwright() as playwright:
        browser = launch_chromium(playwright)
        page = browser.new_page()
        for name in VIEWS:
            open_view(page, app.url, name)
            page.screenshot(path=FOLDER / f"{name}.png", animations="disabled")
            content = json.dumps(describe_content(page, name), ensure_ascii=False, indent=1)
            (FOLDER / f"{name}.json").write_text(content + "\n", "utf-8")
        browser.close()


if __name__ == "__main__":
    main()
