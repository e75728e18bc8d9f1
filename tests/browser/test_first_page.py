"""The initial HTML, which is shown before the scripts have run, and its removal once the page is rendered."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.browser.conftest import PATIENCE, Server, open_page, ready
from tests.browser.menu import link_to
from tests.browser.overflow import PHONE, WIDE
from tests.browser.stillness import LARGEST_OF_MAIN, SHIFTS, layout_shift
from tests.tiers import nightly
from views import navigation

LAPTOP, TABLET = {"width": 1280, "height": 720}, {"width": 800, "height": 900}
HOME_LINKS = ["attention", "vision", "lessons"]


def lead(page: str) -> str:
    return next(place for place in navigation.PAGES if place.id == page).lead()


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "narrow"])
def test_title_and_purpose_are_in_the_initial_html(browser: Browser, server: Server, size: dict):
    """Fails without the outline: Streamlit's own page is empty until its scripts have run."""
    context = browser.new_context(viewport=size)
    page = context.new_page()
    page.route("**/static/js/**", lambda route: route.abort())
    page.goto(f"{server.url}/positions", timeout=PATIENCE)
    outline = page.locator(".first")
    expect(outline.get_by_role("heading", name="Positions")).to_be_in_viewport()
    expect(outline.get_by_text(lead("positions"))).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()


def test_the_initial_html_is_hidden_once_the_page_is_rendered_without_a_failed_request(server: Server, page):
    """Streamlit's scripts alone would first send requests below the page's address, which get 404."""
    refused = []
    page.on("response", lambda answer: refused.append(answer.url) if answer.status >= 400 else None)
    open_page(page, f"{server.url}/positions")
    assert refused == []
    expect(page.locator(".first")).to_be_hidden()
    expect(page).to_have_title("Positions \u00b7 Attention Atlas")
    open_page(page, server.url)
    expect(page).to_have_title("Attention Atlas")


WATCH = """(() => {
    window.positions = []
    const look = () => {
        const texts = ['.first', '[data-testid=stMain]'].map((place) => document.querySelector(`${place} [lang=fr]`))
        const visible = texts.find((text) => text?.checkVisibility({visibilityProperty: true}))
        const box = visible?.getBoundingClientRect()
        window.positions.push(box ? `${Math.round(box.x / 3)} ${Math.round(box.y / 3)} ${visible.textContent}` : '')
        requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
})()"""


@pytest.mark.nightly
@pytest.mark.parametrize("size", [WIDE, nightly(PHONE)], ids=["wide", "narrow"])
def test_the_prerendered_translation_does_not_move(browser: Browser, server: Server, size: dict):
    """It is visible at the same place in every frame until the page is usable; then the outline is hidden."""
    context = browser.new_context(viewport=size)
    page = context.new_page()
    page.route("**/static/js/**", lambda route: route.abort())
    page.goto(server.url, timeout=PATIENCE)
    outline = page.locator(".first")
    expect(outline.locator("[lang=fr]")).to_be_in_viewport()
    translation, typed = outline.locator("[lang=fr]").inner_text(), outline.locator("[lang=en]").inner_text()
    page.unroute("**/static/js/**")
    page.add_init_script(WATCH)
    main = page.locator('[data-testid="stMain"]')
    for way in (lambda: page.goto(server.url, wait_until="commit"), page.reload):
        way()
        ready(page)
        expect(main.locator("[lang=fr]").first).to_have_text(translation)
        expect(main.get_by_label("English sentence")).to_have_value(typed)
        expect(outline).to_be_hidden()
        positions = page.evaluate("window.positions")
        first = next(place for place, at in enumerate(positions) if at)
        assert set(positions[first:]) == {positions[first]} and len(positions) > first + 10
        page.wait_for_url("**/?text=*")  # what a reload and a copied link ask for
    context.close()


@pytest.mark.nightly
@pytest.mark.parametrize("path", [nightly(""), "attention"])
def test_controls_whose_scripts_are_late_have_their_height(browser: Browser, server: Server, path: str):
    context = browser.new_context(viewport=WIDE)
    page = context.new_page()
    held: list[Route] = []
    for script in ("TextInput", "ButtonGroup"):
        page.route(f"**/static/js/{script}.*.js", lambda route: held.append(route))
    page.goto(f"{server.url}/{path}", timeout=PATIENCE)
    translation = page.get_by_test_id("stMain").locator("[lang=fr]").first
    expect(translation).to_be_visible()
    expect(page.get_by_label("English sentence")).to_have_count(0)
    before = translation.bounding_box()
    assert len(held) == 2
    for route in held:
        route.continue_()
    ready(page)
    after = translation.bounding_box()
    assert before and after and abs(after["y"] - before["y"]) < 4  # 28 without their height
    context.close()


# At every frame: where the overview and the large map are, what they were drawn from, and which map is open.
WATCH_MAPS = """(() => {
    window.positions = []
    const HOLDERS = '.first .view, [data-testid=stMain] [data-testid=stBidiComponentIsolated]'
    const look = () => {
        const holders = [...document.querySelectorAll(HOLDERS)]
        const roots = holders.map((holder) => holder.shadowRoot?.querySelector('.grid-root'))
        const details = roots.map((root) => root?.querySelector('.detail[data-drawn]'))
        const root = roots[details.findIndex((detail) => detail?.checkVisibility({visibilityProperty: true}))]
        const places = [...(root?.querySelectorAll('.choices, .grid, .detail .map canvas') ?? [])].map((element) => {
            const {x, y, width, height} = element.getBoundingClientRect()
            return [x, y, width, height].map((side) => Math.round(side)).join(' ')
        })
        const heading = root?.querySelector('h2').textContent
        window.positions.push(root ? [...places, root.dataset.drawn, heading].join(', ') : '')
        requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
})()"""


def differ_by_a_pixel(one: str, other: str) -> bool:
    """Whether texts of `WATCH_MAPS` are the same, but for a pixel in the boxes at their beginnings."""
    boxes = [[int(side) for side in re.findall(r"\d+", text.split(", cross")[0])] for text in (one, other)]
    if one.split(", cross")[1:] != other.split(", cross")[1:] or len(boxes[0]) != len(boxes[1]):
        return False
    return all(abs(side - same) <= 1 for side, same in zip(*boxes, strict=True))


def open_warm_page(browser: Browser, server: Server, size: dict) -> Page:
    """Open an empty page of a visitor, after the server has loaded the initial content of *Attention*."""
    page = browser.new_context(viewport=size).new_page()
    open_page(page, server.url)
    while not page.request.get(f"{server.url}/healthz").ok:
        page.wait_for_timeout(100)
    return page


@pytest.mark.nightly
@pytest.mark.parametrize("size", [WIDE, nightly(TABLET), nightly(PHONE)], ids=["wide", "tablet", "narrow"])
def test_the_prerendered_maps_do_not_move(browser: Browser, server: Server, size: dict):
    """On *Attention*, at a first visit and after a reload; then the page's own maps are usable."""
    page = open_warm_page(browser, server, size)
    page.add_init_script(WATCH_MAPS)
    page.route("**/static/js/**", lambda route: route.abort())
    page.goto(f"{server.url}/attention", timeout=PATIENCE)
    outline = page.locator(".first")
    expect(outline.locator(".detail .map canvas")).to_be_attached()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement === document.body")  # no selection that would be lost is possible
    page.unroute("**/static/js/**")
    for way in (lambda: page.goto(f"{server.url}/attention", wait_until="commit"), page.reload):
        way()
        ready(page)
        expect(outline).to_have_count(0)
        states = page.evaluate("window.positions")
        first = next(place for place, at in enumerate(states) if at)
        assert len(states) > first + 10
        assert all(differ_by_a_pixel(states[first], state) for state in {*states[first:]}), {*states[first:]}
        page.wait_for_url("**/attention?text=*")
    page.locator(".tile").nth(10).click()
    expect(page.locator(".detail h2")).to_contain_text("layer 2, head 2")
    page.context.close()


@pytest.mark.parametrize("action", [nightly("a key"), "a click"])
def test_prerendered_maps_are_removed_on_first_input(browser: Browser, server: Server, action: str):
    """They stay until the page below, here a placeholder, is rendered; until then nothing else is visible."""
    page = open_warm_page(browser, server, WIDE)
    page.route("**/static/js/**", lambda route: route.abort())
    page.goto(f"{server.url}/attention", timeout=PATIENCE)
    maps = page.locator(".first .detail .map canvas")
    expect(maps).to_be_visible()
    act = (lambda: page.keyboard.press("a")) if action == "a key" else (lambda: page.mouse.click(5, 5))
    act()
    expect(maps).to_be_visible()
    page.evaluate(
        """document.getElementById("root").innerHTML =
            "<div data-testid=stMain><p data-testid=stElementContainer>Below</p></div>" """
    )
    act()
    expect(page.locator(".first")).to_have_count(0)
    page.context.close()


@pytest.mark.nightly
@pytest.mark.parametrize("title", ["Vision", "Any model"])
def test_the_next_page_is_not_covered_by_the_first_page_s_outline(browser: Browser, server: Server, title: str):
    page = browser.new_context(viewport=WIDE).new_page()
    page.goto(server.url, timeout=PATIENCE)
    expect(page.locator(".first [lang=fr]")).to_be_attached()  # the server has the translation
    ready(page)
    link_to(page, title).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(title)  # the only one
    expect(page.locator(".first")).to_have_count(0)
    page.context.close()


def test_another_sentence_in_the_address_gets_no_prerendered_translation(browser: Browser, server: Server):
    page = browser.new_page()
    page.route("**/static/js/**", lambda route: route.abort())
    page.goto(f"{server.url}/?text=Where%3F", timeout=PATIENCE)
    expect(page.locator(".first h1")).to_be_visible()
    expect(page.locator("[lang=fr]")).to_have_count(0)
    page.close()


def test_without_scripts_the_page_asks_for_javascript(browser: Browser, server: Server):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{server.url}/positions", timeout=PATIENCE)
    assert "You need to enable JavaScript" in page.evaluate("document.body.innerText")
    expect(page.locator(".first")).to_be_hidden()
    context.close()


@pytest.mark.parametrize("size", [LAPTOP, nightly(PHONE)], ids=["wide", "narrow"])
def test_the_home_page_explains_itself_without_scrolling(server: Server, page, size: dict):
    """Name, one sentence, the sentence in the box, the stage with its figure, and three links."""
    page.set_viewport_size(size)
    open_page(page, server.url)
    main = page.locator('[data-testid="stMain"]')
    assert is_on_screen(main.get_by_role("heading", name=navigation.NAME), size)
    assert is_on_screen(main.get_by_text(lead("translate")), size)
    assert is_on_screen(main.get_by_label("English sentence"), size)
    assert is_on_screen(main.locator(".st-key-home-stage .field"), size)
    links = main.locator(".st-key-doors").get_by_role("link")
    assert [link.get_attribute("href").partition("?")[0].rsplit("/", 1)[1] for link in links.all()] == HOME_LINKS
    for link in links.all():
        assert is_on_screen(link, size)
    sentence = page.get_by_label("English sentence")
    sentence.fill("I want to buy a car.")
    sentence.press("Enter")
    expect(page.locator(".st-key-home-stage .english .token").nth(4)).to_have_text("a")
    links.nth(1).click()
    expect(main.locator("h1")).to_have_text("Vision")


def is_on_screen(locator: Locator, size: dict[str, int]) -> bool:
    """Return whether all of an element is on a screen that was not scrolled."""
    locator.wait_for()
    box = locator.bounding_box()
    return box["y"] >= 0 and box["y"] + box["height"] <= size["height"] and box["x"] + box["width"] <= size["width"]


@pytest.mark.nightly
@pytest.mark.parametrize("size", [nightly(WIDE), nightly(LAPTOP), PHONE], ids=["wide", "laptop", "narrow"])
def test_the_menu_marks_the_open_page_at_every_width(server: Server, page, size: dict):
    page.set_viewport_size(size)
    open_page(page, f"{server.url}/loss?text=Where%3F")
    links = page.locator(".st-key-menu").get_by_role("link")
    assert links.all_inner_texts() == [
        *(section.label() for section in navigation.SECTIONS),
        *(place.label() for place in navigation.SECTIONS[1].pages),
    ]
    marked = page.locator('.st-key-menu a[aria-current="page"]:visible')
    expect(marked).to_have_text(["Loss"])
    if size == PHONE:  # the pages are in one row that scrolls to the open one
        assert len({link.bounding_box()["y"] for link in page.locator(".st-key-pages").get_by_role("link").all()}) == 1
        page.wait_for_function("() => document.querySelector('.st-key-pages').scrollLeft > 100")
        assert is_on_screen(marked, size)
        fades = page.locator(".st-key-pages").evaluate(
            "row => ['--from', '--to'].map((end) => row.style.getPropertyValue(end))"
        )
        assert fades == ["1", "0"]  # a fade shows that the row continues to the left
        page.locator(".st-key-pages").evaluate("row => row.scrollTo(0, 0)")
        expect(page.locator(".st-key-pages")).to_have_attribute("style", "--from: 0; --to: 1;")
    for link in links.all()[: len(navigation.SECTIONS)] if size == PHONE else links.all():
        assert is_on_screen(link, size)
    expect(links.nth(1)).to_have_css("background-color", "rgba(136, 136, 136, 0.2)")


@pytest.mark.nightly
def test_menu_links_have_a_tooltip(server: Server, page):
    open_page(page, f"{server.url}/loss")
    page.locator(".st-key-pages").get_by_role("link", name="Masks").hover()
    expect(page.get_by_role("tooltip")).to_have_text(lead("masks"))


VIEWS = [(path, size) for path in ("", "lessons", "attention", "heads", "vision") for size in (WIDE, PHONE)]


@pytest.mark.nightly
@pytest.mark.parametrize(("path", "size"), VIEWS, ids=str)
def test_a_view_keeps_its_place_while_it_opens(browser: Browser, server: Server, path: str, size: dict):
    """The cumulative layout shift of a warm server's view; the bar of 0.1 is that of Web Vitals for a good page."""
    open_page(page := open_warm_page(browser, server, size), f"{server.url}/{path}")
    page.add_init_script(SHIFTS)
    open_page(page, f"{server.url}/{path}")
    page.wait_for_timeout(1000)  # what moves later is counted, too
    assert layout_shift(page) <= LARGEST_OF_MAIN
