"""Hostile text in every input and every parameter of every page: shown or refused, never interpreted.

Pages, their parts, their inputs and their parameters are read from the app, so that a new page is covered at once.
The fixture `page` checks that no other host gets a request and no script breaks. `make nightly` looks at the home
page, `make fuzz` at all pages with all of their parts.
"""

from __future__ import annotations

import os
from urllib.parse import quote, unquote, urlsplit

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Server, open_page, ready
from views import navigation

MARK = "m4rk"
# HTML, Markdown, links that are made of plain text, LaTeX, colours and icons of Streamlit, a path; under 128 tokens.
HOSTILE = (
    f"<img src=/{MARK} onerror={MARK}=1> **{MARK}** [{MARK}](/{MARK}) www.{MARK}.io ${MARK}$ :red[{MARK}] ../{MARK}"
)
IN_ADDRESS = (HOSTILE, f"<script>{MARK}=1</script>", f"${MARK}$ www.{MARK}.io **{MARK}** `{MARK}`")
ALL_PARTS = bool(os.environ.get("ATLAS_ALL_PARTS"))
NAMES = [place.id for place in navigation.PAGES][: None if ALL_PARTS else 1]

# What the browser interpreted of the mark: a variable, an element, an attribute that leads somewhere, a formula.
INTERPRETED = f"""() => {{
    const findings = []
    if ("{MARK}" in window) findings.push("a script ran")
    const visit = (root) => {{
        for (const element of root.querySelectorAll("*")) {{
            if (element.shadowRoot) visit(element.shadowRoot)
            const name = element.localName
            const own = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join("")
            if (name.includes("{MARK}")) findings.push(`<${{name}}>`)
            for (const attribute of element.attributes) {{
                const leads = ["src", "href", "xlink:href", "action", "srcset", "data"].includes(attribute.name)
                const to = attribute.value.split(/[?#]/)[0]
                if (attribute.name.startsWith("on") || attribute.name.includes("{MARK}")) findings.push(attribute.name)
                if (leads && to.includes("{MARK}")) findings.push(`${{name}} ${{attribute.name}}=${{attribute.value}}`)
            }}
            const formatted = ["b", "strong", "em", "a", "code", "del", "blockquote", "script", "style"].includes(name)
            const rendered = formatted || element.closest(".katex, .stMarkdownColoredText, [class*=colored]")
            if (rendered && own.includes("{MARK}")) findings.push(`<${{name}}> ${{own}}`)
        }}
    }}
    visit(document)
    return findings
}}"""
# Keys of the controls on the page: Streamlit writes them into classes.
KEYS = """() => [...new Set([...document.querySelectorAll('[data-testid="stMain"] [class*="st-key-"]')]
    .flatMap((element) => [...element.classList]).filter((name) => name.startsWith("st-key-"))
    .map((name) => name.slice(7)))]"""
BOXES = '[data-testid="stMain"] :is([data-testid="stTextInput"], [data-testid="stTextArea"]) :is(input, textarea)'
PARTS = '[data-testid="stMain"] [data-testid="stButtonGroup"]'
SETTINGS = ("method", "example")  # on many pages; they open nothing of their own


@pytest.mark.nightly
@pytest.mark.parametrize("name", NAMES)
def test_typed_text_and_the_address_are_never_interpreted(server: Server, page: Page, name: str):
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    path = "" if name == NAMES[0] else name
    open_page(page, f"{server.url}/{path}?text={quote(HOSTILE)}")
    assert_harmless(page)
    fill_every_box(page)
    assert_harmless(page)
    for place in range(parts(page).count() if ALL_PARTS else 0):
        part, before = parts(page).nth(place), page.url
        if not part.is_checked():
            part.click()
            page.wait_for_function("before => location.href !== before", arg=before)  # written when the part is there
        ready(page)
        fill_every_box(page)
        assert_harmless(page)
    keys = page.evaluate(KEYS)
    query = "&".join(f"{quote(key)}={quote(IN_ADDRESS[place % 3])}" for place, key in enumerate(keys) if key != "text")
    open_page(page, f"{server.url}/{path}?picture={quote(HOSTILE)}&{query}")
    assert_harmless(page)
    assert [url for url in requested if MARK in unquote(urlsplit(url).path)] == []


def parts(page: Page):
    """Return the buttons of the first choice on the page that is not a general setting."""
    groups = page.locator(PARTS)
    for place in range(groups.count()):
        group = groups.nth(place)
        key = group.evaluate(
            "element => [...element.closest('[class*=st-key-]')?.classList ?? []].find((n) => n.startsWith('st-key-'))"
        )
        if key and key.removeprefix("st-key-") not in SETTINGS:
            return group.get_by_role("radio")
    return groups.nth(0).get_by_text("no such button")


def fill_every_box(page: Page) -> None:
    """Type into each box that does not hold the text yet, the last one first: a refused text may remove later boxes."""
    boxes = page.locator(BOXES)
    for place in reversed(range(boxes.count())):
        box = boxes.nth(place)
        if box.is_enabled() and box.input_value() != HOSTILE:
            box.fill(HOSTILE)
            box.press("Enter")
            ready(page)


def assert_harmless(page: Page) -> None:
    assert page.evaluate(INTERPRETED) == []
    assert page.get_by_test_id("stException").count() == 0
    assert page.title() == navigation.NAME or MARK not in page.title()
