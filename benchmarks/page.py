"""Response times of the app in headless Chromium: from each user action until its result is on the screen."""

from __future__ import annotations

import itertools
import time

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.clock import Clock
from benchmarks.timing import Measurement, summarise
from tests.browser import drawn
from tests.browser.app_server import AppServer
from tests.browser.chromium import launch_chromium
from tests.browser.menu import link_to

ROUNDS = 12
STARTS = 5
VISITORS = 4
WIDE = {"width": 1440, "height": 900}
# twelve words a sentence, and no sentence twice, so that no cache answers
SUBJECTS = ("The old teacher", "My little sister", "The tall doctor", "A young farmer")
OBJECTS = ("a red bicycle", "three green apples", "the morning paper", "some warm bread", "two blue chairs")
CHOICES = {
    "kind": ("Cross", "Encoder"),
    "units": ("Whole words", "Tokens"),
    "special tokens": ("Hidden", "Shown"),
    "scale": ("Logarithmic", "Shared"),
}
LOOK = f"{drawn.STATE} + {drawn.PICTURE} + {drawn.GRID}.querySelector('.key-axis').textContent"
HEADS = [(layer, head) for layer in (1, 2, 3, 4) for head in (2, 5, 7, 3)]


def sentences() -> list[str]:
    """Different sentences of twelve words."""
    pairs = itertools.product(SUBJECTS, OBJECTS)
    return [f"{subject} bought {thing} in the market last week." for subject, thing in pairs]


def page() -> list[Measurement]:
    """Times of the most frequent user actions, the bytes that the server sends for them, and the server's memory."""
    with sync_playwright() as playwright:
        browser = launch_chromium(playwright)
        rows = starts(browser)
        with AppServer() as server:
            view = browser.new_page(viewport=WIDE)
            clock = Clock(view)
            view.goto(f"{server.url}/attention")
            drawn.wait_until_drawn(view)
            rows += new_sentences(view, clock) + head_clicks(view, clock) + choices(view, clock)
            rows += page_changes(view, clock)
            rows += memory(browser, server)
        browser.close()
    return rows


def new_sentences(view: Page, clock: Clock) -> list[Measurement]:
    """From the Enter key to the last map drawn, on the Attention page."""
    times = []
    for sentence in sentences()[: ROUNDS + 2]:
        box = view.get_by_label("English sentence")
        box.fill(sentence)
        clock.remember(drawn.STATE)
        times.append(clock.time("keydown", lambda box=box: box.press("Enter"), drawn.shows_another_sentence("before")))
    return summarise("new sentence of 12 words until all maps are drawn", {"Attention page": times[2:]})


def head_clicks(view: Page, clock: Clock) -> list[Measurement]:
    """From a click on a map of the overview to that head drawn large, under its own heading."""
    times, sizes = [], []
    for layer, head in HEADS[: ROUNDS + 2]:
        tile = view.locator(f'.tile[aria-label^="layer {layer}, head {head}."]')
        times.append(clock.time("click", tile.click, f"{drawn.HEADING}?.endsWith('layer {layer}, head {head}')"))
        sizes.append(clock.received / 1000)
    return [
        *summarise("head click until its detail is drawn", {"Attention page": times[2:]}),
        *summarise("head click, what the server sends", {"Attention page": sizes[2:]}, "kB"),
    ]


def choices(view: Page, clock: Clock) -> list[Measurement]:
    """From a click on a kind, on whole words, on special tokens or on a scale to the maps drawn so."""
    view.get_by_role("button", name="Options").click()
    times: dict[str, list[float]] = {}
    for _ in range(ROUNDS // 2 + 1):
        for name, options in CHOICES.items():
            for option in options:
                clock.remember(LOOK)
                button = view.get_by_role("radio", name=option, exact=True)
                times.setdefault(name, []).append(clock.time("click", button.click, f"{LOOK} !== before"))
    return summarise("choice until the maps are drawn", {name: durations[2:] for name, durations in times.items()})


def page_changes(view: Page, clock: Clock) -> list[Measurement]:
    """From a click in the navigation to everything on the other page drawn."""
    times: dict[str, list[float]] = {"to Translate": [], "to Attention": []}
    for _ in range(ROUNDS + 2):
        for title, done in (("Translate", drawn.TRANSLATE), ("Attention", drawn.ATTENTION)):
            link = link_to(view, title)
            times[f"to {title}"].append(clock.time("click", link.click, done))
    return summarise("page change until all of it is drawn", {name: values[2:] for name, values in times.items()})


def starts(browser: Browser) -> list[Measurement]:
    """From `streamlit run app.py` to the first page with its translation; the browser is running already."""
    times: dict[str, list[float]] = {"server answers": [], "first page usable": []}
    for number in range(STARTS + 1):
        started = time.perf_counter()
        with AppServer() as server:
            healthy = time.perf_counter()
            context = browser.new_context(viewport=WIDE)
            view = context.new_page()
            view.goto(server.url)
            view.wait_for_function(f"() => {drawn.TRANSLATE}", timeout=drawn.PATIENCE, polling="raf")
            usable = time.perf_counter()
            context.close()
        if number:  # the first start fills the disk cache
            times["server answers"].append(1000 * (healthy - started))
            times["first page usable"].append(1000 * (usable - started))
    return summarise("start", times)


def memory(browser: Browser, server: AppServer) -> list[Measurement]:
    """The server's resident memory with one visitor, and with more, each with another sentence."""
    alone = server.resident_megabytes()
    for sentence in sentences()[-VISITORS:]:
        view = browser.new_context(viewport=WIDE).new_page()
        view.goto(f"{server.url}/attention?text={sentence}")
        drawn.wait_until_drawn(view)
    together = server.resident_megabytes()
    return summarise("memory of the server", {"1 visitor": [alone], f"{1 + VISITORS} visitors": [together]}, "MB")
