"""The browser selects among computed results: it draws before any message is sent, and sends one."""

from __future__ import annotations

from urllib.parse import quote, urlencode

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from model import Translator
from tests.browser.conftest import Server, open_page, ready
from tests.browser.test_attention_choices import COUNT
from tests.tiers import nightly
from views.controls import sentence_input
from views.text.numbers import three_digits

SENTENCE = "I want to buy a car."

# The component's root under the key of its place on the page.
ROOT = """(key, selector) => {
    const holders = [...document.querySelectorAll(`.st-key-${key}, .st-key-${key} *`)]
    return holders.map((holder) => holder.shadowRoot?.querySelector(selector)).find(Boolean)
}"""
# Selects in a component as a user does, and returns immediately: its headings and pixels, the address, how many
# messages were sent, whether anything is greyed, and where the component is.
PRESS = f"""([key, name, value]) => {{
    const root = ({ROOT})(key, ".component")
    const list = [...root.querySelectorAll("select")].find((each) => each.name === name)
    const slider = root.querySelector(`input[type=range][name=${{name}}]`)
    const row = name === "vshown" ? "shown" : name
    const pressed = root.querySelector(`input[name=${{name}}][value="${{value}}"], [data-${{row}}="${{value}}"]`)
    if (slider) {{
        const isReached = () => new URLSearchParams(location.search).get(name) === value
        for (slider.value = slider.min; !isReached(); slider.stepUp()) {{
            slider.dispatchEvent(new Event("input"))
            if (slider.value === slider.max) break
        }}
    }} else if (list && (name !== "shown" || !pressed)) {{
        list.value = value
        list.dispatchEvent(new Event("change"))
    }} else pressed.click()
    return window.look(key)
}}"""
# Every heading, every map and every row of a list in the page's components.
LOOK = f"""() => window.look = (key) => {{
    const holders = [...document.querySelectorAll("[data-testid=stMain] *")].filter((holder) => holder.shadowRoot)
    const all = (selector) => holders.flatMap((holder) => [...holder.shadowRoot.querySelectorAll(selector)])
    const maps = all(".detail canvas[role=img], .frame .map:not([hidden])")
    const read = "h2, .title, .note, .explained, .one-patch, .query-axis, .side .label"
    const texts = all(read).map((each) => each.textContent)
    const coloursOf = (each) => [...each.getContext("2d").getImageData(0, 0, each.width, each.height).data]
    return {{
        drawn: [texts, all(".option").map((each) => each.dataset.name), maps.map((each) => each.style.opacity)],
        colours: maps.map(coloursOf),
        query: Object.fromEntries(new URLSearchParams(location.search)),
        messages: window.messagesSent,
        grey: document.querySelectorAll("[data-testid=stMain] [data-stale=true]").length,
        top: ({ROOT})(key, ".component").getBoundingClientRect().top,
    }}
}}"""
PAGES = {
    "compare": ("/compare?", "pair", [("kind", "encoder"), ("layer", "2"), ("head", "3"), ("head", "5")]),
    "masks": ("/masks?mask=none&", "steps", [("layer", "3"), ("head", "5"), ("head", "2")]),
    "heads": (
        "/heads?",
        "heads-ranking",
        [("shown", "cross-2-3"), ("sort", "place"), ("of", "cross"), ("shown", "cross-4-8")],
    ),
    "vision-heads": ("/vision?view=heads&", "vision-heads-ranking", [("vsort", "place"), ("vshown", "vision-5-2")]),
    "cls": ("/vision?view=cls&", "cls_picture", [("layer", "2"), ("head", "3"), ("layer", "mean")]),
    "patch-of-cls": (
        "/vision?view=cls&",
        "cls_picture",
        [("row", "2"), ("column", "9"), ("scale", "shared"), ("opacity", "25")],
    ),
    "any-patch": ("/vision?view=any-patch&", "any", [("row", "2"), ("column", "9"), ("layer", "3"), ("head", "1")]),
    "what-if": ("/vision?view=what-if&", "cls_pair", [("layer", "5"), ("head", "2")]),
    "patches": ("/vision?view=patches&", "patches", [("row", "2"), ("column", "9")]),
    "layers": ("/vision?view=layers&", "methods", [("upto", "2"), ("fusion", "min"), ("row", "3")]),
    "one-weight": (
        "/attention?look=one-weight&kind=cross&",
        "one-weight",
        [("layer", "2"), ("head", "3"), ("cross_query_piece", "2"), ("kind", "encoder"), ("encoder_key_piece", "4")],
    ),
    "lines": (
        "/attention?look=lines&kind=cross&lines=1-2-70&",
        "attention_lines",
        [("kind", "encoder"), ("units", "words"), ("marks", "hidden"), ("kind", "decoder")],
    ),
    "padding": ("/masks?masks=padding&", "weights_of_one", [("layer", "3"), ("head", "5"), ("head", "2")]),
}
DRAWN = ("drawn", "colours")
SHADE = 8  # of 255: no more than two neighbouring shades differ, as half precision may round to either

IN_TEST = ("heads",)  # the other pages are built of the same components


@pytest.mark.parametrize("name", [name if name in IN_TEST else nightly(name) for name in PAGES])
def test_a_choice_is_drawn_before_anything_is_sent(page: Page, server: Server, name: str):
    address, key, choices = PAGES[name]
    open_page(page, f"{server.url}{address}text={quote(SENTENCE)}")
    page.wait_for_function(f"key => ({ROOT})(key, '.component')?.dataset.drawn", arg=key)
    page.evaluate(LOOK)
    page.evaluate(COUNT)
    before = page.evaluate("key => look(key)", key)
    for choice, value in choices:
        now = page.evaluate(PRESS, [key, choice, value])
        assert [now[part] for part in DRAWN] != [before[part] for part in DRAWN], choice
        assert (now["query"][choice], now["messages"], now["grey"], now["top"]) == (value, 0, 0, before["top"]), choice
        before = now
    page.wait_for_function("() => messagesSent > 0")
    ready(page)
    assert page.evaluate("messagesSent") == 1
    after = page.evaluate("key => look(key)", key)
    assert after["drawn"] == before["drawn"] and after["query"].items() >= dict(choices).items()
    for now, then in zip(after["colours"], before["colours"], strict=True):  # by now with every digit
        assert np.abs(np.subtract(now, then)).max(initial=0) <= SHADE
    page.reload()
    ready(page)
    page.wait_for_function(f"key => ({ROOT})(key, '.component')?.dataset.drawn", arg=key)
    page.evaluate(LOOK)
    again = page.evaluate("key => look(key)", key)
    assert again["drawn"][0] == before["drawn"][0]


def test_the_factors_of_a_weight_are_those_of_the_trace(page: Page, server: Server):
    place = {"layer": "2", "head": "3", "cross_query_piece": "2", "cross_key_piece": "4"}
    address = urlencode({"look": "one-weight", "kind": "cross", "text": SENTENCE, **place})
    open_page(page, f"{server.url}/attention?{address}")
    weight = Translator.load().trace(SENTENCE).cross_attention[1, 2, 1, 3]
    expect(page.locator(".explained b").last).to_have_text(three_digits(float(weight)))
    expect(page.locator("tr.chosen .bar-of")).to_have_text(three_digits(float(weight)))


# Bottom edges of what must be visible, from the top of the page.
EDGES = f"""([key, selectors]) => {{
    const root = ({ROOT})(key, ".component")
    const scrolled = document.querySelector("[data-testid=stMain]").scrollTop
    return selectors.map((selector) => [...root.querySelectorAll(selector)]
        .map((each) => each.getBoundingClientRect())
        .flatMap(({{ top, bottom }}) => [top + scrolled, bottom + scrolled]))
}}"""
SEEN = {
    "heads": (f"/heads?text={quote(sentence_input.TIRED)}", "heads-ranking", [".ranking", ".detail"]),  # of 17 tokens
    "vision": ("/vision?view=cls", "cls_picture", ["h2", ".frame"]),
}


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["heads", nightly("vision")])
def test_the_selected_map_fits_the_first_screen_or_one_swipe_down(page: Page, server: Server, name: str):
    address, key, selectors = SEEN[name]
    page.set_viewport_size({"width": 1280, "height": 720} if name == "heads" else {"width": 1366, "height": 768})
    open_page(page, f"{server.url}{address}")
    page.wait_for_function(f"key => ({ROOT})(key, '.component')?.dataset.drawn", arg=key)
    assert page.get_by_test_id("stExpandSidebarButton").is_visible()
    edges = page.evaluate(EDGES, [key, selectors])
    if name == "vision":  # about seven eighths of the picture, see docs/decisions.md
        top, bottom = edges[-1][:2]
        edges[-1][1] = bottom - 0.13 * (bottom - top)
    height = page.viewport_size["height"]
    assert all(0 <= edge <= height for part in edges for edge in part), edges
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function(f"edges => String(({EDGES})(edges[0])) !== edges[1]", arg=[[key, selectors], str(edges)])
    top, bottom = page.evaluate(EDGES, [key, selectors[-1:]])[0][:2]
    assert bottom - 844 <= 844 and bottom - top <= 844 - 60  # what is scrolled by then; below the menu it is whole
