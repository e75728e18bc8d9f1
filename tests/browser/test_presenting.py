"""Presentation mode: large type without sidebar and prose, steps by the arrow keys, and a button that plays them."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.address_bar import expect_query
from tests.browser.conftest import Server, open_page, ready
from tests.browser.menu import link_to
from tests.browser.overflow import WIDE, assert_nothing_overflows

pytestmark = pytest.mark.nightly

SENTENCE = "I want to buy a car."


def type_size(page: Page) -> float:
    return page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)")


def test_presented_by_address_and_by_key(page: Page, server: Server):
    open_page(page, f"{server.url}/decoding?text={SENTENCE}&present=1")
    prose = page.get_by_test_id("stMain").get_by_text("it is autoregressive")
    expect(page.get_by_test_id("stExpandSidebarButton")).to_be_hidden()
    expect(prose).to_be_hidden()
    large = type_size(page)
    assert_nothing_overflows(page, WIDE)
    now = page.locator(".aa-now")
    for key, token in (("ArrowRight", "veux"), ("ArrowRight", "acheter"), ("ArrowLeft", "veux")):
        page.keyboard.press(key)
        expect(now).to_have_text(token)
    expect_query(page, text=SENTENCE, step="2", present="1")
    ready(page)
    expect(page.get_by_role("button", name="Play")).to_be_hidden()  # this user prefers reduced motion
    page.keyboard.press("Shift+P")
    expect_query(page, text=SENTENCE, step="2")
    expect(prose).to_be_visible()
    assert large > 1.2 * type_size(page)
    box = page.get_by_label("English sentence")
    box.click()
    page.keyboard.press("Shift+P")  # a letter, in a box
    expect_query(page, text=SENTENCE, step="2")
    expect(box).not_to_have_value(SENTENCE)
    box.fill(SENTENCE)
    link_to(page, "Inside a layer").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Inside a layer")
    expect(page.get_by_role("radio", name="1 Q")).to_be_checked()
    ready(page)
    page.mouse.move(0, 0)  # off the link, whose tooltip covers the heading
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("Shift+P")
    page.keyboard.press("ArrowRight")
    expect_query(page, text=SENTENCE, step="products", present="1")
    expect(page.locator(".st-key-formula .katex")).to_be_visible()
    page.reload()
    ready(page)
    expect_query(page, text=SENTENCE, step="products", present="1")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Decoding")
    expect(prose).to_be_hidden()


@pytest.mark.nightly
def test_steps_are_played(page: Page, server: Server):
    page.emulate_media(reduced_motion="no-preference")
    open_page(page, f"{server.url}/inside?step=output&text={SENTENCE}")
    play = page.locator(".player-root button")
    expect(play).to_have_text("\u25b6 Play")
    page.evaluate("() => { document.startViewTransition = (step) => { window.faded = true; step() } }")
    play.click()
    last = page.get_by_role("radio", name="7 Concat")
    expect(last).to_be_checked()
    assert page.evaluate("window.faded")
    expect(play).to_have_text("\u25b6 Play")  # it stops at the end
    page.get_by_role("radio", name="1 Q").click()
    play.click()
    expect(play).to_have_text("\u275a\u275a Pause")
    expect(page.get_by_role("radio", name="2 Q")).to_be_checked()
    page.get_by_role("heading", level=1).click()  # whatever else is done ends it
    expect(play).to_have_text("\u25b6 Play")


@pytest.mark.nightly
@pytest.mark.parametrize("address", ["attention?", "history?part=gates&"])
def test_a_map_fills_the_screen_by_key(page: Page, server: Server, address: str):
    page.set_viewport_size({"width": 1920, "height": 1080})
    open_page(page, f"{server.url}/{address}text={SENTENCE}&present=1")
    map = page.locator(".detail[data-drawn]").first
    map.locator("canvas").first.hover()
    before = map.locator("canvas").first.bounding_box()
    page.keyboard.press("f")
    page.wait_for_function("() => document.fullscreenElement")
    canvas = map.locator("canvas").first
    box = canvas.bounding_box()
    assert box["height"] > before["height"] and box["x"] + box["width"] <= 1920 and box["y"] + box["height"] <= 1080
    small = """map => [...map.querySelectorAll("h2, .legend, .queries span, .keys span")].filter((label) =>
        label.textContent && (parseFloat(getComputedStyle(label).fontSize) < 20
        || label.scrollWidth > label.clientWidth + 1 || label.getBoundingClientRect().top < 0
        || label.getBoundingClientRect().right > innerWidth))
        .map((label) => label.textContent)"""
    assert map.evaluate(small) == []
    page.keyboard.press("f")
    page.wait_for_function("() => !document.fullscreenElement")
    page.wait_for_function(
        "([canvas, height]) => Math.abs(canvas.clientHeight - height) < 2",
        arg=[canvas.element_handle(), before["height"]],
    )


@pytest.mark.nightly
@pytest.mark.parametrize("address", ["positions?", "vision?view=positions&"])
def test_a_chart_fills_the_window_by_key(page: Page, server: Server, address: str):
    """With the title of the vertical axis beside its numbers."""
    page.set_viewport_size({"width": 1920, "height": 1080})
    open_page(page, f"{server.url}/{address}present=1")
    chart = page.locator(".js-plotly-plot").first
    chart.scroll_into_view_if_needed()
    before = chart.bounding_box()
    chart.hover()
    page.keyboard.press("f")
    page.wait_for_function("chart => chart.clientWidth > 0.8 * innerWidth", arg=chart.element_handle())
    expect(chart.locator("text").first).to_be_visible()
    overlaps = """chart => [...chart.querySelectorAll(".infolayer [class*=ytitle] text")].some((title) =>
        [...chart.querySelectorAll(".yaxislayer-above text")].some((tick) =>
            tick.getBoundingClientRect().left < title.getBoundingClientRect().right - 1))"""
    assert not chart.evaluate(overlaps)
    page.keyboard.press("f")
    page.wait_for_function(
        "([chart, width]) => Math.abs(chart.clientWidth - width) < 2", arg=[chart.element_handle(), before["width"]]
    )


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("address", "map"),
    [
        ("vision?view=cls&", ".picture-root"),
        ("vision?view=any-patch&", ".panel"),
        ("inside?inside=add-norm&", ".detail"),  # below the screen
    ],
)
def test_the_nearest_map_fills_the_screen_by_key_and_by_its_button(page: Page, server: Server, address: str, map: str):
    page.set_viewport_size({"width": 1920, "height": 1080})
    open_page(page, f"{server.url}/{address}text={SENTENCE}&present=1")
    maps = page.locator(f"{map}[data-map]")
    whole = "maps => maps.filter((map) => map.matches(':fullscreen')).length"
    small = """maps => maps.filter((map) => map.matches(":fullscreen")).flatMap((map) => [...map.querySelectorAll("*")])
        .filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
        .filter((one) => one.offsetHeight > 1 && (parseFloat(getComputedStyle(one).fontSize) < 20
            || one.getBoundingClientRect().right > innerWidth))
        .map((one) => one.textContent)"""
    page.keyboard.press("f")
    page.wait_for_function("() => document.fullscreenElement")
    assert maps.evaluate_all(whole) == 1
    assert maps.evaluate_all(small) == []
    page.keyboard.press("f")
    page.wait_for_function("() => !document.fullscreenElement")
    maps.first.get_by_role("button", name="Whole screen (F)").click()
    page.wait_for_function("() => document.fullscreenElement")
    assert maps.first.evaluate("map => map.matches(':fullscreen')")


@pytest.mark.nightly
@pytest.mark.parametrize("size", [(1920, 1080), (1280, 720)], ids=str)
def test_the_cache_is_on_one_screen(page: Page, server: Server, size: tuple[int, int]):
    """Both maps and the curves are next to each other."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    open_page(page, f"{server.url}/decoding?part=kv-cache&text={SENTENCE}&present=1")
    figures = page.locator(".st-key-kv_cache figure")
    expect(figures).to_have_count(4)  # a sentence above them
    boxes = [figure.bounding_box() for figure in figures.all()]
    assert max(box["y"] + box["height"] for box in boxes) <= size[1]
    assert max(box["x"] + box["width"] for box in boxes) <= size[0]


LONG = "The old man who lives in the small house near the river wants to buy a new boat for his son."


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("", ".stage-root .room, .tools, .candidates"),
        ("decoding?", ".stage-root .room, .candidates, .note"),
        ("vision?view=cls&", ".picture-root .frame, .layers, .aside"),
        ("loss?part=heads-that-form&", ".stage-root .room, .slider, .candidates"),
    ],
)
@pytest.mark.parametrize("sentence", [SENTENCE, LONG])
def test_a_stage_is_on_one_screen(page: Page, server: Server, address: str, shown: str, sentence: str):
    """Without key F: below the bar, and above the end of the screen."""
    page.set_viewport_size({"width": 1920, "height": 1080})
    open_page(page, f"{server.url}/{address}{'' if address else '?'}text={sentence}&present=1")
    parts = page.locator(shown)
    expect(parts.first).to_be_visible()
    boxes = [part.bounding_box() for part in parts.all()]
    assert min(box["y"] for box in boxes) > page.get_by_test_id("stHeader").bounding_box()["height"]
    assert max(box["y"] + box["height"] for box in boxes) <= 1080
    field = page.locator(".st-key-text input, .st-key-picture_strip").first.bounding_box()
    assert field["y"] >= page.get_by_test_id("stHeader").bounding_box()["height"]


# Labels of an axis that are nearer to the one before than their type is large.
OVERLAPPING = """lists => lists.flatMap((list) => {
    const size = parseFloat(getComputedStyle(list).fontSize)
    const labels = [...list.children].filter((label) => label.textContent)
    const middles = labels.map((label) => {
        const {top, bottom, left, right} = label.getBoundingClientRect()
        return list.classList.contains("queries") ? (top + bottom) / 2 : (left + right) / 2
    })
    return labels.filter((_, place) => place && middles[place] - middles[place - 1] < 0.95 * size)
        .map((label) => label.textContent)
})"""


@pytest.mark.parametrize(
    "address",
    [
        "vision?view=full-maps",
        "masks?masks=padding",
        "decoding?part=kv-cache",
        "history?part=gates",
        "inside?inside=seven-steps",
    ],
)
def test_labels_of_presented_maps_do_not_overlap(page: Page, server: Server, address: str):
    page.set_viewport_size({"width": 1920, "height": 1080})
    open_page(page, f"{server.url}/{address}&present=1")
    labels = page.locator(".queries:not(:empty), .keys:not(.across):not(:empty)")
    expect(labels.first).to_be_visible()
    assert labels.evaluate_all(OVERLAPPING) == []
    assert all(
        size >= 18
        for size in labels.evaluate_all("lists => lists.map((one) => parseFloat(getComputedStyle(one).fontSize))")
    )
