"""Response times of the Vision page and the teaching pages in headless Chromium: uploads, clicks, sliders, pages."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.clock import Clock
from benchmarks.page import WIDE
from benchmarks.timing import Measurement, summarise
from tests.browser import drawn
from tests.browser.app_server import AppServer
from tests.browser.chromium import launch_chromium
from tests.browser.conftest import open_page, ready
from tests.browser.menu import link_to
from tests.browser.uploads import upload
from views import navigation

ROUNDS = 10
WARM_UP = 2

# Nothing on the page is stale, and the script has ended.
SETTLED = """(document.querySelector('[data-testid="stApp"]').dataset.testScriptState === "notRunning"
    && !document.querySelector('[data-testid="stMain"] [data-stale=true]'))"""
# The server's answer as text: HTML, captions and the pixels of heatmaps, without the controls.
ANSWER = """[...document.querySelectorAll('[data-testid="stMain"] :is([data-testid="stHtml"], .stHtml, '
    + '[data-testid="stCaptionContainer"], .hm image)')].map((part) => part.innerHTML || part.href?.baseVal).join()"""
# The text that a component with sliders shows below them.
WRITTEN = """[...document.querySelectorAll('.st-key-smoothed-with-mark *')]
    .map((holder) => holder.shadowRoot?.querySelector('.panels')?.textContent).join()"""
# The pixels of every canvas inside components.
CANVASES = """(() => {
    const images = []
    const visit = (box) => {
        if (box instanceof HTMLCanvasElement) images.push(box.toDataURL())
        for (const child of [...box.children, ...(box.shadowRoot?.children ?? [])]) visit(child)
    }
    visit(document.querySelector('[data-testid="stMain"]'))
    return images.join()
})()"""
# Sliders moved by the arrow keys: the address of the page, the label, and what changes.
SLIDERS = {
    "Loss, label smoothing": ("/loss?part=Smoothing+and+gradient", "Label smoothing", WRITTEN),
    "Decoding, step": ("/decoding?step=2", "Step", ANSWER),
    "Positions, length": ("/positions", "Positions", ANSWER),
}


def lessons() -> list[Measurement]:
    """All timings, on one server."""
    with sync_playwright() as playwright:
        browser = launch_chromium(playwright)
        with AppServer() as server:
            rows = uploads(browser, server.url) + patch_clicks(browser, server.url) + changes(browser, server.url)
            rows += sliders(browser, server.url)
            rows += summarise("memory of the server", {"every page visited": [server.resident_megabytes()]}, "MB")
        browser.close()
    return rows


def uploads(browser: Browser, url: str) -> list[Measurement]:
    """From selecting a photo of 12 megapixels to its classification and all maps of CLS drawn."""
    view, clock = _visit(browser, f"{url}/vision?view=CLS+attention")
    times = []
    for number in range(ROUNDS + WARM_UP):
        content = _photo(number)
        clock.remember(f"[{ANSWER}, {CANVASES}]")
        done = f"{SETTLED} && {ANSWER} !== before[0] && {CANVASES} !== before[1]"
        times.append(clock.time("change", lambda content=content: upload(view, "photo.jpg", content), done))
        ready(view)
    view.context.close()
    return summarise("upload of a photo until all maps are drawn", {"Vision page": times[WARM_UP:]})


def patch_clicks(browser: Browser, url: str) -> list[Measurement]:
    """From a click on a patch to the drawn attention from and to it."""
    view, clock = _visit(browser, f"{url}/vision?view=Any+patch")
    times = []
    for number in range(ROUNDS + WARM_UP):
        patch = view.locator(".st-key-any .patch").nth(11 * number)
        clock.remember(CANVASES)
        times.append(clock.time("click", patch.click, f"{CANVASES} !== before"))
        ready(view)
    view.context.close()
    return summarise("click on a patch until its maps are drawn", {"Vision page": times[WARM_UP:]})


def changes(browser: Browser, url: str) -> list[Measurement]:
    """From a click in the navigation to the other page complete; every page was open once before."""
    view, clock = _visit(browser, url)
    times: dict[str, list[float]] = {f"to {place.title()}": [] for place in navigation.PAGES[2:]}
    for _ in range(ROUNDS // 2 + 1):
        for title in (place.title() for place in navigation.PAGES[2:]):
            link = link_to(view, title)
            done = f"{drawn.TITLE} === {title!r} && {SETTLED}"
            times[f"to {title}"].append(clock.time("click", link.click, done))
    view.context.close()
    return summarise("page change until it is complete", {name: values[1:] for name, values in times.items()})


def sliders(browser: Browser, url: str) -> list[Measurement]:
    """From an arrow key on a slider to the changed answer on the page."""
    times: dict[str, list[float]] = {name: [] for name in SLIDERS}
    for name, (address, label, answer) in SLIDERS.items():
        view, clock = _visit(browser, url + address)
        slider = view.get_by_role("slider", name=label).first
        for _ in range(ROUNDS + WARM_UP):
            slider.focus()
            clock.remember(answer)
            press = lambda slider=slider: slider.press("ArrowRight")  # noqa: E731
            times[name].append(clock.time("keydown", press, f"{answer} !== before && {SETTLED}"))
        view.context.close()
    return summarise("slider until its answer is drawn", {name: values[WARM_UP:] for name, values in times.items()})


def _visit(browser: Browser, address: str) -> tuple[Page, Clock]:
    view = browser.new_context(viewport=WIDE).new_page()
    clock = Clock(view)
    open_page(view, address)
    return view, clock


def _photo(number: int) -> bytes:
    """A JPEG of 12 megapixels, different for each number."""
    coarse = np.random.default_rng(number).integers(0, 256, (12, 16, 3), dtype=np.uint8)
    content = io.BytesIO()
    Image.fromarray(coarse).resize((4000, 3000), Image.Resampling.BICUBIC).save(content, "JPEG", quality=85)
    return content.getvalue()
