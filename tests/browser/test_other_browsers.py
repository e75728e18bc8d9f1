"""One whole journey in Firefox and in WebKit: the engines that other tests do not run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.browser import drivers
from tests.browser.app_server import AppServer
from tests.browser.drivers import Driver
from tests.views.components.test_attention_grid import sheet
from views.components import attention_grid, html_export

SENTENCE = "I want to buy a car."
ENTER = "\ue007"  # as WebDriver names it
BOX = 'input[aria-label="English sentence"]'


def wait_for_maps(page: Driver, token: str) -> None:
    """Wait until maps with a token of the sentence are drawn and the page is ready."""
    page.text(f'[data-drawn*="{token}"]')
    page.wait("return document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'")


@pytest.mark.nightly
@pytest.mark.parametrize("start", [drivers.firefox, drivers.webkit], ids=["firefox", "webkit"])
def test_a_journey(start, tmp_path: Path):
    with AppServer() as app, start(tmp_path) as page:
        page.open(app.url)
        wait_for_maps(page, "</s>")
        assert "The black cat" in page.run(f"return document.querySelector({json.dumps(BOX)}).value")

        page.click(BOX)
        page.run(f"document.querySelector({json.dumps(BOX)}).select()")
        page.type(SENTENCE)
        page.wait(f"return document.querySelector({json.dumps(BOX)}).value === {json.dumps(SENTENCE)}")
        page.type(ENTER)
        page.wait("return document.querySelector('.aa-text').textContent.includes('voiture')")
        wait_for_maps(page, "car")

        page.click('.st-key-pages a[href*="attention"]')
        wait_for_maps(page, "car")
        page.click(".grid [role=row]:nth-child(3) [role=gridcell]:nth-child(4)")
        assert page.text(".detail h2") == "Cross-attention, layer 2, head 3"
        page.wait("return new URLSearchParams(location.search).get('head') === '3'")
        assert page.run("return new URLSearchParams(location.search).get('text')") == SENTENCE

        page.run("history.back()")
        page.wait("return document.querySelector('h1')?.textContent.includes('Attention Atlas')")
        wait_for_maps(page, "car")
        assert page.run(f"return document.querySelector({json.dumps(BOX)}).value") == SENTENCE

        page.open(f"{app.url}/vision?view=cls")
        page.text(".picture-root[data-drawn]")
        page.click(".strip-root .tile:nth-child(2) img")
        page.wait("return document.body.textContent.includes('Answer: parachute')")

        saved = tmp_path / "maps.html"
        saved.write_bytes(html_export.to_html("Saved", [], [], attention_grid.snapshot(sheet(5))))
        page.open(saved.as_uri())
        page.text('.grid-root[data-drawn*="piece 4"]')
