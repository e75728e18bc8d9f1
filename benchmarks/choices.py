"""Response times of choices that the browser answers without the server, from the event to the frame that shows it."""

from __future__ import annotations

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.clock import Clock
from benchmarks.page import WIDE
from benchmarks.timing import Measurement, summarise
from tests.browser.app_server import AppServer
from tests.browser.chromium import launch_chromium
from tests.browser.conftest import open_page, ready

ROUNDS = 20
WARM_UP = 2

# Headings and maps of all components, "" while anything on the page is stale or loading.
STATE = """(() => {
    if (document.querySelector('[data-testid=stMain] :is([data-stale=true], [data-testid=stSkeleton])')) return ""
    const holders = [...document.querySelectorAll("[data-testid=stMain] *")].filter((holder) => holder.shadowRoot)
    const all = (selector) => holders.flatMap((holder) => [...holder.shadowRoot.querySelectorAll(selector)])
    const maps = all(".detail canvas[role=img], .frame .map:not([hidden])")
    const marked = all("[aria-selected=true]").map((each) => each.getAttribute("aria-label") ?? each.dataset.name)
    const texts = ".detail h2, .of-all, .picture-root h2, .note, .explained, .one-patch h2, .side .label"
    const shown = all(texts).map((element) => element.textContent)
    return [...shown, ...marked, ...maps.map((map) => map.toDataURL())].join()
})()"""
DONE = f"((now) => now && now !== before)({STATE})"
HEADS = ("2", "5", "3", "6", "1", "4")
# The choices: the address, and the list or, for rows and patches, what is clicked.
LISTS = {
    "head, Compare": ("/compare", "Head", HEADS),
    "layer, Compare": ("/compare", "Layer", ("1", "2", "3")),
    "head, Masks": ("/masks?mask=none", "Head", HEADS),
    "sequence, Masks": ("/masks?masks=padding", "Sequence", ("3", "1", "4")),
    "head, Vision, CLS attention": ("/vision?view=cls", "Head", HEADS),
    "head, Vision, any patch": ("/vision?view=any-patch", "Head", HEADS),
    "layer, Vision, any patch": ("/vision?view=any-patch", "Layer", HEADS),
    "head, Attention, One weight": ("/attention?look=one-weight&kind=cross", "Head", HEADS),
    "key, Attention, One weight": ("/attention?look=one-weight&kind=cross", "Key", ("2", "5", "3", "1")),
    "layer, Vision, Through the layers": ("/vision?view=layers", "Up to layer", ("2", "5", "3", "1")),
    "head, Vision, What if": ("/vision?view=what-if", "Head", HEADS),
}
KINDS = ".choices > .segments:first-child label"
CLICKS = {
    "kind, Attention, Maps": ("/attention?kind=cross", KINDS, 1),
    "kind, Attention, Lines": ("/attention?look=lines&kind=cross", KINDS, 1),
    "kind, Attention, One weight": ("/attention?look=one-weight&kind=cross", KINDS, 1),
    "head, Heads": ("/heads", ".option", 5),
    "head, Vision, Heads": ("/vision?view=heads", ".option", 5),
    "head, Vision, overview": ("/vision?view=cls", ".tile[aria-label]", 11),
    "patch, Vision, Patches": ("/vision?view=patches", ".picture-root .patch", 11),
    "patch, Vision, any patch": ("/vision?view=any-patch", ".picture-root .panel:first-child .patch", 11),
}


def choices() -> list[Measurement]:
    """The time of each choice, on one server."""
    times: dict[str, list[float]] = {}
    with sync_playwright() as playwright:
        browser = launch_chromium(playwright)
        with AppServer() as server:
            for name, (address, label, options) in LISTS.items():
                times[name] = _lists(browser, server.url + address, label, options)
            for name, (address, selector, step) in CLICKS.items():
                times[name] = _clicks(browser, server.url + address, selector, step)
        browser.close()
    return summarise("choice until it is drawn", times)


def _lists(browser: Browser, address: str, label: str, options: tuple[str, ...]) -> list[float]:
    view, clock = _visit(browser, address)
    shown = view.get_by_role("combobox", name=label, exact=True).first
    times = []
    for number in range(ROUNDS + WARM_UP):
        option = options[number % len(options)]
        clock.remember(STATE)
        times.append(clock.time("input", lambda option=option: shown.select_option(option), DONE))
        _settle(view)
    view.context.close()
    return times[WARM_UP:]


def _clicks(browser: Browser, address: str, selector: str, step: int) -> list[float]:
    view, clock = _visit(browser, address)
    shown = view.locator(selector)
    count, times = shown.count(), []
    for number in range(ROUNDS + WARM_UP):
        one = shown.nth((number + 1) * step % count)
        one.scroll_into_view_if_needed()
        clock.remember(STATE)
        times.append(clock.time("click", one.click, DONE))
        _settle(view)
    view.context.close()
    return times[WARM_UP:]


def _settle(view: Page) -> None:
    """Wait until the choice was sent and answered, so that the next one starts on an idle page."""
    view.wait_for_timeout(600)
    ready(view)


def _visit(browser: Browser, address: str) -> tuple[Page, Clock]:
    view = browser.new_context(viewport=WIDE).new_page()
    clock = Clock(view)
    open_page(view, address)
    view.wait_for_function(f"() => {STATE}")
    return view, clock
