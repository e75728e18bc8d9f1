"""The stage of the home page in headless Chromium: a pull from press to new translation, hovering, and typing."""

from __future__ import annotations

from urllib.parse import quote

from playwright.sync_api import Page, sync_playwright

from benchmarks.clock import Clock
from benchmarks.page import WIDE, sentences
from benchmarks.pull import SENTENCE
from benchmarks.timing import Measurement, summarise
from tests.browser.app_server import AppServer
from tests.browser.chromium import launch_chromium
from tests.browser.conftest import open_page, ready

ROUNDS = 15
WARM_UP = 2
DRAG = 12  # moves of the pointer, of 10 pixels each
STAGE = """(window.stage ??= [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")]
    .map((holder) => holder.shadowRoot?.querySelector(".stage-root")).find(Boolean))"""
SCALE = f"{STAGE}.querySelector('.pull .scale:not(.waiting) span')"
FORCED = f"{STAGE}.querySelector('.texts .note').textContent.includes('forced')"
CONTROLLED = f"{STAGE}.querySelector('.texts .lines').textContent.includes('Hiding')"
# Ribbons that can be pressed in their middle: the place and the key of each, and where.
RIBBONS = f"""() => [...{STAGE}.querySelectorAll(".rest .ribbon[data-at]")].flatMap((ribbon) => {{
    const {{ x, y }} = ribbon.getPointAtLength(ribbon.getTotalLength() / 2)
    const field = ribbon.ownerSVGElement.getBoundingClientRect()
    const at = [x + field.x, y + field.y]
    return {STAGE}.getRootNode().elementFromPoint(...at) === ribbon ? [at] : []
}})"""
# From each move of the pointer until the browser has painted the frame with its result.
_PAINTS = """() => {
    window.paints = []
    addEventListener("pointermove", () => {
        const started = performance.now()
        requestAnimationFrame(() => {
            const channel = new MessageChannel()
            channel.port1.onmessage = () => window.paints.push(performance.now() - started)
            channel.port2.postMessage(0)
        })
    }, { capture: true })
}"""


def stage() -> list[Measurement]:
    """The steps of a pull, each at a weight that no cache knows; a hovered token; typed sentences of twelve words.

    The budgets: 250 ms from the press to the scale with words, 200 ms from release to the new translation, 16 ms for
    what the browser draws by itself.
    """
    with sync_playwright() as playwright:
        browser = launch_chromium(playwright)
        with AppServer() as server:
            view = browser.new_page(viewport=WIDE)
            clock = Clock(view)
            address = f"{server.url}/?text={quote(SENTENCE)}"
            rows = []
            for measure in (pulls, hovers, typing):  # each on a page on which nothing is held
                open_page(view, address)
                view.wait_for_function(f"() => {STAGE}.dataset.drawn")
                view.evaluate(_PAINTS)
                rows += measure(view, clock)
        browser.close()
    return rows


def pulls(view: Page, clock: Clock) -> list[Measurement]:
    """Press a ribbon until its scale has words, drag it, release it until the new translation and until its control."""
    ribbons = view.evaluate(RIBBONS)
    times: dict[str, list[float]] = {"press until the scale has words": [], "release until the new translation": []}
    drags: list[float] = []
    for x, y in [ribbons[number % len(ribbons)] for number in range(0, 3 * (ROUNDS + WARM_UP), 3)]:
        view.mouse.move(x, y)
        times["press until the scale has words"].append(clock.time("pointerdown", view.mouse.down, SCALE))
        drags.append(slowest_paint(view, [(x + 10 * step, y) for step in range(1, DRAG + 1)]))
        times["release until the new translation"].append(clock.time("pointerup", view.mouse.up, FORCED))
        view.wait_for_function(f"() => {CONTROLLED}")
        view.get_by_role("button", name="Reset").click()
        view.wait_for_function(f"() => !{FORCED}")
        view.keyboard.press("Escape")
        ready(view)
    return [
        *summarise("pull on the stage", {name: own[WARM_UP:] for name, own in times.items()}),
        *summarise("pull on the stage, painting", {f"slowest of {DRAG} moves of a drag": drags[WARM_UP:]}),
    ]


def slowest_paint(view: Page, places: list[tuple[float, float]]) -> float:
    """Move the pointer to each place; return the longest time until the frame with the result was painted."""
    view.evaluate("window.paints = []")
    for x, y in places:
        view.mouse.move(x, y)
    view.wait_for_function("count => window.paints.length >= count", arg=len(places) // 2)  # frames may join moves
    return view.evaluate("Math.max(...window.paints)")


def hovers(view: Page, _: Clock) -> list[Measurement]:
    """Move the pointer from token to token; the slowest of each pass."""
    boxes = view.evaluate(f"""() => [...{STAGE}.querySelectorAll(".french button.token")].map((token) => {{
        const {{ x, y, width, height }} = token.getBoundingClientRect()
        return [x + width / 2, y + height / 2]
    }})""")
    times = [slowest_paint(view, boxes) for _ in range(ROUNDS)]
    assert view.locator(".weights span").count(), "no weights are shown"
    return summarise("hover on the stage, painting", {f"slowest of {len(boxes)} tokens": times})


def typing(view: Page, clock: Clock) -> list[Measurement]:
    """From the space after the last of twelve words to the drawn translation."""
    box = view.get_by_label("English sentence")
    times = []
    for sentence in sentences()[: ROUNDS + WARM_UP]:
        clock.remember(f"{STAGE}.dataset.drawn")
        done = f"{STAGE}.dataset.drawn !== before && !{STAGE}.classList.contains('outdated')"
        times.append(clock.time("input", lambda text=sentence: box.fill(f"{text} "), done))
        view.wait_for_function(f"() => !{STAGE}.querySelector('.notice:not(.late)').textContent")  # after a late answer
    return summarise("typing on the stage", {"word's end until its translation is drawn": times[WARM_UP:]})
