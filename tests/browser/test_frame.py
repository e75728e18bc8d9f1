"""What is around a page, on a laptop and on a phone: sidebar, menu, theme, unknown addresses, the browser's console."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.address_bar import expect_query
from tests.browser.conftest import Server, open_page, ready
from tests.browser.keys import tab_to
from tests.browser.menu import link_to
from tests.browser.overflow import LAPTOP
from tests.tiers import nightly

# what does not depend on the size of the screen
ON_LAPTOP = pytest.mark.parametrize("either", ["laptop", nightly("handset")], indirect=True)
MENU_ROWS = ".st-key-sections, .st-key-pages"
# Left and right edges of the rows of the menu that are in the bar at the top, and the left edge of the language switch,
# which ends before the three dots.
BAR = """(rows) => {
    const bar = document.querySelector("[data-testid=stHeader]").getBoundingClientRect()
    const edges = [...document.querySelectorAll(rows)].map((row) => row.getBoundingClientRect())
    const inBar = edges.filter(({ top }) => top < bar.bottom - 1).map(({ left, right }) => [left, right])
    const [dots, languages] = ["[data-testid=stMainMenu]", ".st-key-languages button"].map((place) =>
        document.querySelector(place).getBoundingClientRect())
    return [inBar, languages.right <= dots.left ? languages.left : 0]
}"""


def toggle(page: Page) -> None:
    """Open the sidebar by its button."""
    page.get_by_test_id("stExpandSidebarButton").click()
    expect(page.get_by_test_id("stSidebar")).to_have_attribute("data-collapsed", "false")
    settle(page)


def settle(page: Page) -> None:
    """Wait until sidebar and menu stand still for ten frames."""
    page.evaluate("() => { window.still = [0, ''] }")
    page.wait_for_function(
        """(rows) => {
            const boxes = [...document.querySelectorAll(`[data-testid=stSidebar], ${rows}`)]
            const now = boxes.map((box) => JSON.stringify(box.getBoundingClientRect())).join()
            window.still = [now === still[1] ? still[0] + 1 : 0, now]
            return still[0] === 10
        }""",
        arg=MENU_ROWS,
        polling="raf",
    )


@pytest.mark.nightly
@ON_LAPTOP
@pytest.mark.parametrize("path", ["", nightly("masks"), nightly("vision")])  # the first has the longest menu
def test_the_open_sidebar_is_closed_by_pointer(either: Page, server: Server, path: str):
    open_page(either, f"{server.url}/{path}")
    sidebar = either.get_by_test_id("stSidebar")
    for _ in range(2):
        toggle(either)
        either.get_by_test_id("stSidebarHeader").hover()
        either.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()  # fails if anything covers it
        expect(sidebar).to_have_attribute("data-collapsed", "true")
        settle(either)
    assert either.url.removeprefix(server.url).split("?")[0] == f"/{path}"


def test_the_menu_is_beside_the_open_sidebar(page: Page, server: Server):
    page.set_viewport_size(LAPTOP)
    open_page(page, f"{server.url}/masks")
    toggle(page)
    right = page.get_by_test_id("stSidebar").evaluate("box => box.getBoundingClientRect().right")
    edges, languages = page.evaluate(BAR, MENU_ROWS)
    assert edges and all(left >= right and end <= languages for left, end in edges)
    link_to(page, "Vision").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Vision")


@pytest.mark.nightly
@ON_LAPTOP
@pytest.mark.parametrize("path", ["decoding", nightly("attention"), nightly("models"), nightly("")])
def test_the_menu_ends_before_the_language_switch_when_presenting(either: Page, server: Server, path: str):
    open_page(either, f"{server.url}/{path}?present=1")
    for presenting in (True, False):
        settle(either)
        edges, languages = either.evaluate(BAR, MENU_ROWS)
        assert edges and all(right <= languages for _, right in edges), presenting
        either.keyboard.press("Shift+P")


@pytest.mark.nightly
def test_one_click_changes_the_language_and_keeps_the_view(either: Page, server: Server):
    open_page(either, f"{server.url}/loss?part=smoothing-gradient&text=She has seven cats.")
    entries, height = either.evaluate("[history.length, document.querySelector('[data-testid=stMain] h1').offsetTop]")
    to_korean = either.get_by_role("button", name="한국어", exact=True)
    expect(to_korean).to_have_attribute("lang", "ko")
    box = to_korean.bounding_box()
    assert box["width"] >= 44 and box["height"] >= 44
    to_korean.click()
    expect(either.locator("html")).to_have_attribute("lang", "ko")
    expect_query(either, part="smoothing-gradient", text="She has seven cats.", lang="ko")
    ready(either)
    assert either.evaluate("[history.length, document.querySelector('[data-testid=stMain] h1').offsetTop]") == [
        entries,
        height,
    ]
    to_english = either.get_by_role("button", name="English", exact=True)
    tab_to(to_english)
    either.keyboard.press("Enter")
    expect(either.locator("html")).to_have_attribute("lang", "en")


def background(page: Page) -> str:
    return page.get_by_test_id("stApp").evaluate("box => getComputedStyle(box).backgroundColor")


@pytest.mark.nightly
@ON_LAPTOP
@pytest.mark.parametrize("others", [("tokens",), nightly(("loss", "tokens", "", "vision"))], ids=len)
def test_one_choice_of_the_theme_for_all_pages(either: Page, server: Server, others: tuple[str, ...]):
    open_page(either, f"{server.url}/loss")
    light = background(either)
    either.evaluate(
        "() => localStorage.setItem('stActiveTheme-/tokens-v2', JSON.stringify('Light'))"
    )  # of an earlier version
    choose_theme(either, "Dark")
    dark = background(either)
    assert dark != light
    for path in others:
        open_page(either, f"{server.url}/{path}")
        assert background(either) == dark, path
    link_to(either, "Loss").click()
    expect(either.get_by_role("heading", level=1)).to_have_text("Loss")
    ready(either)
    choose_theme(either, "Light")
    either.reload()
    ready(either)
    assert background(either) == light
    open_page(either, f"{server.url}/tokens")
    assert background(either) == light


# The first label of a chart has the colour of the page's text.
LABELS_FOLLOW = """() => getComputedStyle(document.querySelector(".js-plotly-plot .xtick text")).fill
    === getComputedStyle(document.querySelector("[data-testid=stApp]")).color"""


@pytest.mark.nightly
def test_labels_of_a_chart_follow_the_theme_that_is_switched(page: Page, server: Server):
    open_page(page, f"{server.url}/positions")
    label = page.locator(".js-plotly-plot .xtick text").first
    shades = []
    for theme in ("Dark", "Light"):
        choose_theme(page, theme)
        page.wait_for_function(LABELS_FOLLOW)  # the chart is drawn again a moment after the page
        shades.append(label.evaluate("label => getComputedStyle(label).fill"))
    assert len(set(shades)) == 2


def choose_theme(page: Page, name: str) -> None:
    before = background(page)
    page.get_by_test_id("stMainMenu").get_by_role("button").click()
    page.get_by_role("menuitemradio", name=name).click()
    page.keyboard.press("Escape")
    page.wait_for_function(
        "before => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor !== before",
        arg=before,
    )


@pytest.mark.parametrize(
    ("either", "path"),
    [
        ("laptop", "attention/more"),
        ("handset", "nothing"),
        nightly("laptop", "nothing"),
        nightly("handset", "attention/more"),
    ],
    indirect=["either"],
)
def test_an_unknown_address_has_a_link_home(either: Page, server: Server, path: str):
    answer = either.goto(f"{server.url}/{path}")
    assert answer is not None and answer.status == 404
    expect(either.get_by_role("heading")).to_have_text("There is no such page here.")
    home = either.get_by_role("link")
    expect(home).to_be_in_viewport()
    assert either.evaluate("document.documentElement.scrollWidth <= innerWidth")
    home.click()
    expect(either.locator('[data-testid="stMain"] h1')).to_have_text("Attention Atlas")  # not that of the outline
    ready(either)


@ON_LAPTOP
def test_the_browser_knows_every_feature_in_the_headers(either: Page, server: Server):
    told: list[str] = []
    either.on("console", lambda message: told.append(message.text))
    open_page(either, f"{server.url}/masks")
    assert [text for text in told if "Permissions-Policy" in text or "Unrecognized feature" in text] == []


def test_with_reduced_motion_no_change_begins_a_transition(page: Page, server: Server):
    """Transitions of any length, also of 0.01 ms, made drawing a chart take nine times as long."""
    open_page(page, f"{server.url}/masks")
    begun = page.evaluate(
        """async () => {
            const all = [...document.querySelectorAll("body, body *")]
            for (const element of all) element.style.opacity = ".5"
            all.forEach((element) => getComputedStyle(element).opacity)
            return document.getAnimations().filter((animation) => animation instanceof CSSTransition).length
        }"""
    )
    assert begun == 0
    open_page(page, server.url)  # the opacity stays until the page is left
