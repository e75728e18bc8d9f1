"""The address follows the view with touch on a phone and with the keyboard only."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.address_bar import expect_query, expect_setting, query
from tests.browser.conftest import Server, open_page, ready
from tests.browser.menu import link_to
from tests.browser.touch import drag_finger, tap
from tests.browser.uploads import wait_for_picture
from tests.tiers import nightly
from tests.views.controls.odd_pictures import encoded, photo
from views import palette
from views.controls import samples

SENTENCE = "I want to buy a car."


def swipe(phone: Page, target: Locator) -> None:
    """Drag a finger upwards over `target`, and wait until the page has scrolled as far and has stopped."""
    target.scroll_into_view_if_needed()
    box = target.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    phone.evaluate("""() => {
        window.scrollEnded = false  // a tap before that only stops the page
        addEventListener("scroll", () => (window.scrollEnded = false), { capture: true, passive: true })
        addEventListener("scrollend", () => (window.scrollEnded = true), { capture: true })  // or of earlier scrolling
    }""")
    drag_finger(phone, [(x, y - up) for up in range(0, 210, 10)])
    scrolled = "([target, y]) => window.scrollEnded && target.getBoundingClientRect().y < y - 150"
    phone.wait_for_function(scrolled, arg=[target.element_handle(), box["y"]])
    phone.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    phone.wait_for_function("() => window.scrollEnded")  # no frame has scrolled since


@pytest.mark.parametrize(
    "path",
    [nightly("heads"), nightly("compare"), "masks"],
)  # one component
def test_a_swipe_over_a_map_scrolls_the_page(phone: Page, server: Server, path: str):
    open_page(phone, f"{server.url}/{path}?text={SENTENCE}")
    large_map = phone.locator(".detail[data-drawn] canvas[role=img]").first
    swipe(phone, large_map)
    expect(phone.locator(".tip:visible")).to_have_count(0)  # the finger was not reading
    tap(large_map)
    expect(phone.locator(".detail > .tip:visible .value")).to_have_count(1)


@pytest.mark.parametrize(("path", "charts"), [nightly("heads", False), ("masks", False), nightly("positions", True)])
def test_pages_without_a_chart_load_no_plotly(phone: Page, server: Server, path: str, charts: bool):
    requested: list[str] = []
    phone.on("request", lambda request: requested.append(request.url))
    open_page(phone, f"{server.url}/{path}?text={SENTENCE}")
    phone.locator(".js-plotly-plot" if charts else ".detail[data-drawn]").first.wait_for()
    assert any("plotly" in url.lower() for url in requested) == charts
    if charts:
        swipe(phone, phone.locator(".js-plotly-plot").first)


@pytest.mark.nightly
def test_a_tap_paints_and_a_drag_scrolls(phone: Page, server: Server):
    open_page(phone, f"{server.url}/masks?text={SENTENCE}")
    painted = phone.locator("canvas.paint")
    swipe(phone, painted)
    assert "painted=" not in phone.url
    tap(painted)
    phone.wait_for_url("**painted=**")


def wait_for_heading(page: Page, title: str) -> None:
    expect(page.locator('[data-testid="stMain"] h1')).to_have_text(title)
    ready(page)


def test_by_thumb(phone: Page, server: Server, browser: Browser):
    open_page(phone, server.url)
    box = phone.get_by_label("English sentence")
    tap(box)
    box.fill(SENTENCE)
    tap(phone.get_by_text("Beam", exact=True))  # leaves the box, too
    expect(phone.get_by_role("radio", name="Beam", exact=True)).to_be_checked()
    expect_query(phone, text=SENTENCE, method="beam")
    ready(phone)
    tap(link_to(phone, "Attention"))
    wait_for_heading(phone, "Attention")
    expect_setting(phone, text=SENTENCE, method="beam", kind="cross")
    tap(phone.get_by_role("radio", name="Decoder", exact=True))
    expect_setting(phone, text=SENTENCE, method="beam", kind="decoder")
    ready(phone)
    address = phone.url
    phone.go_back()
    wait_for_heading(phone, "Attention Atlas")
    expect(box).to_have_value(SENTENCE)
    expect_query(phone, text=SENTENCE, method="beam")
    phone.go_forward()
    wait_for_heading(phone, "Attention")
    phone.reload()
    wait_for_heading(phone, "Attention")
    phone.wait_for_url(address)
    expect(phone.get_by_role("radio", name="Decoder", exact=True)).to_be_checked()
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    second = context.new_page()
    open_page(second, address)
    expect(second.get_by_label("English sentence")).to_have_value(SENTENCE)
    expect(second.get_by_role("radio", name="Decoder", exact=True)).to_be_checked()
    context.close()


def test_by_keys_alone(page: Page, server: Server):
    """From the sentence to a head, a cell, a file and a picture; announcements are in the accessibility tree."""
    open_page(page, server.url)
    expect(page.get_by_role("button", name="Model card")).to_be_hidden()  # in the closed sidebar: no key reaches it
    tab_to(page, 'document.activeElement.matches("input[type=text]")')
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type(SENTENCE)
    page.keyboard.press("Enter")
    expect_setting(page, text=SENTENCE)
    news = page.get_by_role("status").filter(has_text="Je veux acheter une voiture.")
    expect(news).to_have_class("announced")
    tab_to(page, 'document.activeElement.closest("[role=radiogroup]") !== null')
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    expect_setting(page, method="beam")
    ready(page)
    open_from_menu(page, "Attention")
    expect_setting(page, text=SENTENCE, method="beam", kind="cross")
    page.go_back()  # the browser's own key does not reach a headless one
    wait_for_heading(page, "Attention Atlas")
    expect(page.get_by_label("English sentence")).to_have_value(SENTENCE)
    expect(page.get_by_role("radio", name="Beam", exact=True)).to_be_checked()
    page.go_forward()
    wait_for_heading(page, "Attention")
    grid = page.get_by_role("grid", name="cross-attention")
    page.wait_for_function("() => new URLSearchParams(location.search).has('head')")
    layer, head = (min(int(query(page)[name][0]) + 1, most) for name, most in (("layer", 4), ("head", 8)))
    tab_to(page, f'{FOCUSED}.getAttribute("role") === "gridcell"')
    for key in ("ArrowDown", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect_query(page, text=SENTENCE, method="beam", kind="cross", layer=str(layer), head=str(head))
    tree = grid.aria_snapshot()
    assert tree.count("[selected]") == 1
    (chosen,) = (line for line in tree.splitlines() if "[selected]" in line)
    assert re.search(f"layer {layer}, head {head}. Strongest: .+ attends to .+, 0", chosen)
    announcement = page.locator(".detail > .heard")
    expect(announcement).to_have_text(f"Cross-attention, layer {layer}, head {head}")
    tab_to(page, f'{FOCUSED}.matches("canvas")')
    expect(page.get_by_role("img", name=f"layer {layer}, head {head}.")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(announcement).to_have_text(re.compile(r"^\S+ → .+: 0\.\d+"))
    file = f".st-key-download-cross-layer-{layer}-head-{head}-csv"
    expect(page.locator(file)).to_be_visible()  # the files follow a moment later
    ready(page)
    tab_to(page, f"document.activeElement.closest('{file}') !== null")
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert download.value.suggested_filename.endswith(".csv")
    open_from_menu(page, "Vision")
    tab_to(page, f'{FOCUSED}.closest("[role=radiogroup]")?.ariaLabel === "Picture"')
    page.keyboard.press("ArrowRight")
    expect_setting(page, picture=samples.NAMES[1])
    wait_for_picture(page, samples.NAMES[1])
    assert "[checked]" in page.get_by_role("radiogroup", name="Picture").aria_snapshot()
    button = page.get_by_test_id("stFileUploaderDropzone").locator("button")
    with page.expect_file_chooser() as chooser:  # the system's window: Playwright acts as the user there
        tab_to(page, 'document.activeElement.matches("[data-testid=stFileUploaderDropzone] button")')
        expect(button).to_be_focused()
        page.keyboard.press("Enter")
    chooser.value.set_files({"name": "own.png", "mimeType": "image/png", "buffer": encoded(photo())})
    wait_for_picture(page, "own")
    expect(button).to_be_focused()  # that of the new, empty box


# What has the focus, in a component too.
FOCUSED = "(document.activeElement.shadowRoot?.activeElement ?? document.activeElement)"


def open_from_menu(page: Page, title: str) -> None:
    """Open a page by its link in the menu, which shows that it has the focus."""
    tab_to(
        page, f'document.activeElement.matches("a") && document.activeElement.textContent.trim() === "{title}"', True
    )
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    wait_for_heading(page, title)


def tab_to(page: Page, condition: str, backwards: bool = False) -> None:
    """Press Tab until `condition` is true of the focused element."""
    for _ in range(60):
        page.keyboard.press("Shift+Tab" if backwards else "Tab")
        if page.evaluate(condition):
            return
    raise AssertionError(f"No number of Tabs reaches {condition}")


@pytest.mark.nightly
def test_forced_colours(page: Page, server: Server):
    """Bars keep their hue, which is data; what is chosen has a frame, where its background is gone."""
    page.emulate_media(forced_colors="active")
    open_page(page, f"{server.url}/vision?view=any-patch")
    hue = page.locator(".aa-best .aa-share").evaluate("bar => getComputedStyle(bar).backgroundColor")
    assert hue == f"rgb{palette.to_rgb(palette.HUES['vision'])}"
    for chosen in ('[data-testid="stMain"] [role=radio][aria-checked=true]', ".patch[aria-selected=true]"):
        expect(page.locator(chosen).first).to_have_css("outline-style", "solid")
    page.emulate_media(forced_colors="none")


@pytest.mark.nightly
def test_a_tap_in_the_list_of_heads_shows_the_head(phone: Page, server: Server):
    open_page(phone, f"{server.url}/heads?text={SENTENCE}")
    detail, option = phone.locator(".with-detail .detail"), phone.locator("[role=listbox] [role=option]").nth(20)
    option.scroll_into_view_if_needed()
    expect(detail).not_to_be_in_viewport()
    tap(option)
    expect(option).to_have_attribute("aria-selected", "true")
    expect(detail).to_be_in_viewport(ratio=0.5)
