"""A printed page: nothing fixed or operated is on it, no figure is in two parts, no page is empty, dark is on white."""

from __future__ import annotations

import re
import zlib

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Server, open_page
from tests.browser.overflow import LAPTOP
from tests.every_view import VIEWS, View

pytestmark = pytest.mark.nightly

PAPER = {"width": 703, "height": 1032}  # pixels inside the margins of A4
HIDDEN = (
    ".st-key-menu, [data-testid=stHeader], [data-testid=stButtonGroup], [data-testid=stButton], .lessons, "
    ".skip-to-lesson, [data-testid=stExpander]:not(:has(details[open])), .to-screen, .fold, .tools, .help, .next, "
    ".slider button, .player-root"
)
FIGURES = ".map, .grid, .field, .room, canvas, svg, figure"

# Of everything on the page, that of components included: what `[hidden, figures]` select.
FIND = """([hidden, figures]) => {
    const problems = []
    const visible = (node) => node.checkVisibility() && node.getBoundingClientRect().width > 1
    const say = (node) => `${node.tagName} ${node.className?.baseVal ?? node.className}`
    const boxes = []
    const walk = (root) => root.querySelectorAll("*").forEach((node) => {
        if (node.shadowRoot) walk(node.shadowRoot)
        if (!visible(node)) return
        const style = getComputedStyle(node), box = node.getBoundingClientRect()
        if (node.matches(hidden)) problems.push(`operated: ${say(node)}`)
        if (style.position === "fixed" || style.position === "sticky") problems.push(`fixed: ${say(node)}`)
        const divided = node.matches(figures) && box.height > 32 && style.breakInside !== "avoid"
        if (divided) problems.push(`divided: ${say(node)}`)
        if (node.matches(".field, .rail .maps, .candidates")) boxes.push([node, box])
        const scrolls = ["auto", "scroll"].includes(style.overflowY) && node.scrollHeight > node.clientHeight + 1
        if (scrolls && !node.matches("textarea")) problems.push(`cut: ${say(node)}`)
    })
    walk(document)
    for (const [a, one] of boxes) for (const [b, other] of boxes)
        if (a !== b && !a.contains(b) && !b.contains(a) && one.left < other.right - 1 && other.left < one.right - 1
            && one.top < other.bottom - 1 && other.top < one.bottom - 1) problems.push(`over: ${say(a)} ${say(b)}`)
    return problems
}"""

# Sheets of A4 that a page needs at most: more have one that a figure leaves half empty.
SHEETS = {
    "translate": 2,
    "attention/maps": 3,
    "attention/lines": 2,
    "lessons": 1,
    "decoding/step-by-step": 2,
    "vision/patches": 3,
}


def print_on(page: Page, theme: str) -> None:
    """Let a page be as on paper, which is as wide as a sheet."""
    page.set_viewport_size(PAPER)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print", color_scheme=theme)


def sheets(pdf: bytes) -> list[int]:
    """For each sheet of a PDF file the number of texts and shapes that are drawn on it."""
    contents = {}
    for number, stream in re.findall(
        rb"(?m)^(\d+) 0 obj\s*<<[^>]*?FlateDecode[^>]*>>\s*stream\r?\n(.*?)endstream", pdf, re.DOTALL
    ):
        try:
            contents[int(number)] = zlib.decompressobj().decompress(stream)
        except zlib.error:
            continue  # a font or a picture
    pages = re.findall(rb"/Type\s*/Page\b(?!s).*?/Contents (\d+) 0 R", pdf, re.DOTALL)
    return [len(re.findall(rb"(?m)(?:TJ|Tj|Do|\bf|\bS)\s*$", contents[int(number)])) for number in pages]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.id)
def test_nothing_is_operated_fixed_cut_or_over_another(page: Page, server: Server, view: View, theme: str):
    page.set_viewport_size(LAPTOP)
    page.emulate_media(color_scheme=theme)
    open_page(page, f"{server.url}/{view.address()}")
    print_on(page, theme)
    problems = page.evaluate(FIND, [HIDDEN, FIGURES])
    inverted = page.locator("[data-testid=stMainBlockContainer]").evaluate("node => getComputedStyle(node).filter")
    page.emulate_media(media="screen")
    assert problems == []
    assert inverted == ("invert(1) hue-rotate(180deg)" if theme == "dark" else "none")


@pytest.mark.parametrize("name", SHEETS)
def test_a_page_has_no_empty_sheet_and_none_that_a_figure_left_half_empty(page: Page, server: Server, name: str):
    (view,) = [view for view in VIEWS if view.id == name]
    page.set_viewport_size(LAPTOP)
    open_page(page, f"{server.url}/{view.address()}")
    marks = sheets(page.pdf(format="A4"))
    assert 0 < len(marks) <= SHEETS[name]
    assert min(marks) > 3
