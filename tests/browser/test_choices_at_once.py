"""What was computed is chosen in the browser: drawn before any message is sent, kept by the address, told once."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Server, open_page, ready
from tests.browser.test_attention_choices import COUNT

SENTENCE = "I want to buy a car."

# The component's root under the key of its place on the page.
ROOT = """(key, selector) => {
    const holders = [...document.querySelectorAll(`.st-key-${key}, .st-key-${key} *`)]
    return holders.map((holder) => holder.shadowRoot?.querySelector(selector)).find(Boolean)
}"""
# Chooses in a component as a reader does, and looks at once: its headings and pixels, what the address says, how many
# messages were sent, whether anything is greyed, and where the component stands.
PRESS = f"""([key, name, value]) => {{
    const root = ({ROOT})(key, ".component")
    const list = [...root.querySelectorAll("select")].find((each) => each.name === name)
    const pressed = list ?? root.querySelector(`input[name=${{name}}][value=${{value}}], [data-${{name}}="${{value}}"]`)
    if (list) {{
        list.value = value
        list.dispatchEvent(new Event("change"))
    }} else pressed.click()
    return window.look(key)
}}"""
LOOK = f"""() => window.look = (key) => {{
    const root = ({ROOT})(key, ".component")
    const seen = [...root.querySelectorAll("h2, .title, .note")].map((each) => each.textContent)
    const pixels = [...root.querySelectorAll(".detail canvas[role=img], .frame .map")].map((each) => each.toDataURL())
    return {{
        drawn: JSON.stringify([seen, pixels]),
        said: Object.fromEntries(new URLSearchParams(location.search)),
        told: window.told,
        grey: document.querySelectorAll("[data-testid=stMain] [data-stale=true]").length,
        top: root.getBoundingClientRect().top,
    }}
}}"""
PAGES = {
    "compare": ("/compare?", "pair", [("kind", "encoder"), ("layer", "2"), ("head", "3"), ("head", "5")]),
    "masks": ("/masks?mask=none&", "steps", [("layer", "3"), ("head", "5"), ("head", "2")]),
    "padding": ("/masks?masks=padding&", "weights_of_one", [("layer", "3"), ("head", "5"), ("head", "2")]),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_choice_is_drawn_before_anything_is_sent(page: Page, server: Server, name: str):
    address, key, choices = PAGES[name]
    open_page(page, f"{server.url}{address}text={quote(SENTENCE)}")
    page.wait_for_function(f"key => ({ROOT})(key, '.component')?.dataset.drawn", arg=key)
    page.evaluate(LOOK)
    page.evaluate(COUNT)
    before = page.evaluate("key => look(key)", key)
    for choice, value in choices:
        now = page.evaluate(PRESS, [key, choice, value])
        assert now["drawn"] != before["drawn"], choice
        assert (now["said"][choice], now["told"], now["grey"], now["top"]) == (value, 0, 0, before["top"]), choice
        before = now
    page.wait_for_function("() => told > 0")
    ready(page)
    assert page.evaluate("told") == 1
    after = page.evaluate("key => look(key)", key)
    assert after["drawn"] == before["drawn"] and after["said"].items() >= dict(choices).items()
    page.reload()
    ready(page)
    page.wait_for_function(f"key => ({ROOT})(key, '.component')?.dataset.drawn", arg=key)
    page.evaluate(LOOK)
    again = page.evaluate("key => look(key)", key)
    assert json.loads(again["drawn"])[0] == json.loads(before["drawn"])[0]
