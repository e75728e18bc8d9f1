"""Response times of the page *Before the Transformer* in headless Chromium: opening it, its parts, and its sliders."""

from __future__ import annotations

from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.clock import Clock
from benchmarks.lessons import SETTLED
from benchmarks.page import WIDE, sentences
from benchmarks.timing import Measurement, summarise
from tests.browser import drawn
from tests.browser.app_server import AppServer
from tests.browser.chromium import launch_chromium
from tests.browser.conftest import open_page, ready
from tests.browser.menu import link_to
from tests.every_view import PARTS
from views import navigation

STARTS = 5
ROUNDS = 6
PAGE = "history"
TITLE = next(place.title() for place in navigation.PAGES if place.id == PAGE)
KEY, NAMES = PARTS[PAGE]

# Every chart has its curves.
DRAWN = """[...document.querySelectorAll('[data-testid="stMain"] [data-testid="stPlotlyChart"]')]
    .every((chart) => chart.querySelector('.js-plotly-plot .main-svg'))"""
TEXT = """document.querySelector('[data-testid="stMain"]').innerText"""
# The text of a component with a slider.
WRITTEN = """[...document.querySelectorAll('[data-testid="stMain"] *')]
    .map((holder) => holder.shadowRoot?.querySelector('.step-view')?.textContent ?? "").join("")"""
MOVE = """() => {
    const holders = [...document.querySelectorAll('[data-testid="stMain"] *')]
    const slider = holders.map((holder) => holder.shadowRoot?.querySelector('input[data-axis=step]')).find(Boolean)
    slider.value = (Number(slider.value) % Number(slider.max)) + 1
    slider.dispatchEvent(new Event("input", { bubbles: true, composed: true }))
}"""


def history() -> list[Measurement]:
    """All timings; each first opening on a new server."""
    with sync_playwright() as playwright:
        browser = launch_chromium(playwright)
        rows = openings(browser)
        with AppServer() as server:
            rows += parts(browser, server.url) + steps(browser, server.url)
            rows += summarise("memory of the server", {"all parts open": [server.resident_megabytes()]}, "MB")
        browser.close()
    return rows


def openings(browser: Browser) -> list[Measurement]:
    """From the click in the menu to the page complete: the first of a server, with its networks' loading, and again."""
    first, again = [], []
    for _ in range(STARTS):
        with AppServer() as server:
            view, clock = _visit(browser, server.url)
            for times in (first, again):
                done = f"{drawn.TITLE} === {TITLE!r} && {SETTLED} && {DRAWN}"
                times.append(clock.time("click", link_to(view, TITLE).click, done))
                ready(view)
                open_page(view, server.url)
            view.context.close()
    return summarise("page opened from the menu", {"first on a server": first, "second": again})


def parts(browser: Browser, url: str) -> list[Measurement]:
    """From the click on a part to all of it drawn: for a new sentence, and once more."""
    first, again = ({name: [] for name in NAMES} for _ in range(2))
    for sentence in sentences()[: ROUNDS + 1]:
        for times in (first, again):
            view, clock = _visit(browser, f"{url}/{PAGE}?{urlencode({KEY: NAMES[-1], 'text': sentence})}")
            options = view.locator(f".st-key-{KEY}").get_by_role("radio")
            for place, name in enumerate(NAMES):
                clock.remember(TEXT)
                done = f"{TEXT} !== before && {SETTLED} && {DRAWN}"
                times[name].append(clock.time("click", options.nth(place).click, done))
                ready(view)
            view.context.close()
    of_warm = lambda times: {name: values[1:] for name, values in times.items()}  # noqa: E731
    return [
        *summarise("part opened for a new sentence", of_warm(first)),
        *summarise("part opened again", of_warm(again)),
    ]


def steps(browser: Browser, url: str) -> list[Measurement]:
    """From the event of the slider to the changed numbers, in the parts that have steps."""
    times = {}
    for name in ("one-word", "attention-over-states"):
        view, clock = _visit(browser, f"{url}/{PAGE}?part={name}")
        times[name] = []
        for _ in range(3 * ROUNDS):
            clock.remember(WRITTEN)
            times[name].append(clock.time("input", lambda view=view: view.evaluate(MOVE), f"{WRITTEN} !== before"))
        view.context.close()
    return summarise("step until its numbers are drawn", times)


def _visit(browser: Browser, address: str) -> tuple[Page, Clock]:
    view = browser.new_context(viewport=WIDE).new_page()
    clock = Clock(view)
    open_page(view, address)
    return view, clock
