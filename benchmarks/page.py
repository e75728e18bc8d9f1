"""The page as a reader meets it: a new sentence until all maps are drawn, in headless Chromium."""

from __future__ import annotations

import itertools
import time

from playwright.sync_api import sync_playwright

from benchmarks.timing import Measurement, summarise
from tests.browser.app_server import AppServer
from tests.browser.chromium import launch_chromium
from tests.browser.drawn import drawn_state, wait_until_drawn

ROUNDS = 12
# twelve words a sentence, and no sentence twice, so that no cache answers
SUBJECTS = ("The old teacher", "My little sister", "The tall doctor", "A young farmer")
OBJECTS = ("a red bicycle", "three green apples", "the morning paper", "some warm bread")


def sentences() -> list[str]:
    """Different sentences of twelve words."""
    pairs = itertools.product(SUBJECTS, OBJECTS)
    return [f"{subject} bought {thing} in the market last week." for subject, thing in pairs]


def page() -> list[Measurement]:
    """Milliseconds from the Enter key to the last map drawn, on the Attention page."""
    times: list[float] = []
    with AppServer() as server, sync_playwright() as playwright:
        browser = launch_chromium(playwright)
        view = browser.new_page(viewport={"width": 1440, "height": 900})
        view.goto(f"{server.url}/attention")
        wait_until_drawn(view)
        previous = drawn_state(view)
        for number, sentence in enumerate(sentences()[: ROUNDS + 2]):
            box = view.get_by_label("English sentence")
            box.fill(sentence)
            started = time.perf_counter()
            box.press("Enter")
            wait_until_drawn(view, previous)
            if number >= 2:
                times.append(1000 * (time.perf_counter() - started))
            previous = drawn_state(view)
        browser.close()
    return summarise("page, new sentence of 12 words until all maps are drawn", {"Attention page": times})
