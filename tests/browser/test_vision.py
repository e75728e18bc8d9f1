"""Use the Vision page: upload a picture, choose patches, read maps."""

from __future__ import annotations

import io
import re
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from model import VisionClassifier
from tests.browser.axe import violations
from tests.browser.conftest import PATIENCE, Server, open_page, ready
from tests.browser.keys import tab_to
from tests.browser.overflow import LAPTOP
from tests.browser.uploads import upload, wait_for_picture
from tests.views.controls.odd_pictures import encoded, photo
from views import patch_grid
from views.text.numbers import percent, three_digits

PICTURE = photo(200, 150, seed=5)


@pytest.fixture(scope="module")
def trace():
    return VisionClassifier.load().trace(PICTURE)


def upload_picture(page: Page) -> None:
    upload(page, "mine.png", encoded(PICTURE), "image/png")
    wait_for_picture(page, "own")


def cell(page: Page, row: int, column: int, panel: int = 0) -> Locator:
    """Return a patch on a copy of the picture; row and column count from 1."""
    return page.locator(f'.panel >> nth={panel} >> .patch[aria-label^="row {row}, column {column}"]').first


def weight(page: Page, row: int, column: int, panel: int = 0) -> str:
    name = re.compile(rf"^row {row}, column {column}: ")
    label = page.locator(".panel").nth(panel).get_by_label(name).get_attribute("aria-label")
    return label.split(": ")[1]


def address(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def close(text: str, value: float) -> bool:
    """Return whether a read-out is `value`, up to rounding on other hardware."""
    return float(text) == pytest.approx(value, rel=0.01, abs=2e-6)


def test_an_uploaded_picture_is_classified(server: Server, page: Page, trace):
    open_page(page, f"{server.url}/vision?view=cls&layer=2&head=3")
    before = page.locator(".aa-answer").inner_text()
    upload_picture(page)
    expect(page.locator(".aa-answer")).not_to_have_text(before, use_inner_text=True)
    best = page.locator(".aa-answer .aa-best")
    expect(best).to_contain_text(trace.classes[trace.answer])
    expect(best).to_contain_text(percent(float(trace.probabilities[trace.answer])))
    grid = trace.attention[1, 2, 0, 1:].reshape(trace.grid)
    first = re.escape(f"row 1, column 1: {three_digits(float(grid[0, 0]))[:4]}")
    expect(page.locator(".panel .patch").first).to_have_attribute("aria-label", re.compile(first))
    for row, column in ((0, 0), (5, 3), (11, 11)):
        assert close(weight(page, row + 1, column + 1), grid[row, column])
    tile = page.locator('.tile[aria-label^="layer 5, mean over heads."]')
    tile.click()
    ready(page)
    mean = trace.attention[4, :, 0, 1:].mean(axis=0).reshape(trace.grid)
    expect(page.get_by_text("CLS as the query, layer 5, mean over heads")).to_be_visible()
    drawn = re.escape(f"row 1, column 1: {three_digits(float(mean[0, 0]))[:4]}")
    expect(page.locator(".panel .patch").first).to_have_attribute("aria-label", re.compile(drawn))
    assert close(weight(page, 6, 4), mean[5, 3])
    assert (address(page)["layer"], address(page)["view"]) == ("5", "cls")
    assert address(page)["picture"] == "own"  # which opens a sample for anybody else


def test_a_patch_chosen_by_click_and_by_keys_is_followed_everywhere(server: Server, page: Page, trace):
    open_page(page, f"{server.url}/vision?view=any-patch&layer=1&head=2")
    upload_picture(page)
    matrix, columns = trace.attention[0, 1], trace.grid[1]

    def follows(row: int, column: int) -> None:
        chosen = 1 + (row - 1) * columns + column - 1
        expect(page.locator(".picture-root")).to_have_attribute(
            "data-drawn", re.compile(f"row {row}, column {column}$")
        )
        expect(page.get_by_label("Patch row")).to_have_value(str(row))
        expect(page.get_by_label("Patch column")).to_have_value(str(column))
        page.wait_for_function(
            f"() => location.search.includes('row={row}') && location.search.includes('column={column}')",
            timeout=PATIENCE,
        )
        ready(page)
        assert close(weight(page, 2, 9, 0), matrix[chosen, 1 + columns + 8])
        assert close(weight(page, 2, 9, 1), matrix[1 + columns + 8, chosen])

    cell(page, 3, 9).click()
    follows(3, 9)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    follows(5, 10)
    page.get_by_label("Patch row").select_option("9")
    follows(9, 10)
    page.get_by_role("radio", name="Patches", exact=True).click()
    position = 1 + 8 * columns + 9
    expect(page.get_by_text(f"Patch in row 9, column 10: position {position} of the sequence")).to_be_visible()
    cell(page, 1, 2).click()
    expect(page.get_by_text("Patch in row 1, column 2: position 2 of the sequence")).to_be_visible()
    expect(page.locator(".square.chosen")).to_have_attribute("title", "position 2: row 1, column 2")
    page.wait_for_url(re.compile("row=1&.*column=2|column=2&.*row=1"), timeout=PATIENCE)
    page.reload()
    ready(page)
    expect(page.get_by_text("Patch in row 1, column 2")).to_be_visible()


# Controls of the stage that lie on a text of it which is not their own; patches lie on the picture.
OVERLAPS = """root => {
    const boxOf = (node) => {
        const range = document.createRange()
        range.selectNodeContents(node)
        return range.getBoundingClientRect()
    }
    const controls = [...root.querySelectorAll("button:not(.patch), input, select, summary")]
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    const found = []
    while (walker.nextNode()) {
        const text = walker.currentNode, box = boxOf(text)
        if (!text.data.trim() || !box.width || text.parentElement.closest("option, .heard")) continue
        if (!text.parentElement.checkVisibility()) continue
        for (const control of controls) {
            const own = [control, control.closest("label"), control.closest(".list")].some((one) => one?.contains(text))
            const { left, right, top, bottom } = control.getBoundingClientRect()
            const across = Math.min(right, box.right) - Math.max(left, box.left)
            const down = Math.min(bottom, box.bottom) - Math.max(top, box.top)
            if (!own && across > 1 && down > 1) found.push(`${control.className || control.name}: ${text.data}`)
        }
    }
    const beyond = [...root.querySelectorAll("*")].filter((one) => one.checkVisibility() && !one.closest("svg")
        && one.getBoundingClientRect().right > root.getBoundingClientRect().right + 1)
    return [...found, ...beyond.map((one) => `beyond: ${one.className}`)]
}"""


@pytest.mark.parametrize("width", [1366, 1100, 1000, 960, 900, 800, 700, 600, 390])
def test_no_control_of_the_stage_lies_on_its_text(server: Server, page: Page, width: int):
    page.set_viewport_size({"width": width, "height": 768})
    open_page(page, f"{server.url}/vision?view=cls")
    stage = page.locator(".picture-root")
    page.wait_for_function(
        "root => root.style.getPropertyValue('--across') === `${root.clientWidth}px`", arg=stage.element_handle()
    )
    assert stage.evaluate(OVERLAPS) == []


def test_the_picture_is_520_pixels_wide_on_a_laptop(server: Server, page: Page):
    """With the layer's slider and the class of every layer on the first screen; the small maps are below."""
    page.set_viewport_size(LAPTOP)
    open_page(page, f"{server.url}/vision?view=cls")
    frame = page.locator(".picture-root .frame").bounding_box()
    assert frame["width"] == pytest.approx(520, abs=2)
    for what in (
        page.get_by_role("slider", name="Layer"),
        page.locator(".reading").nth(5),
        page.locator(".to-screen").first,
    ):
        box = what.bounding_box()
        assert box["y"] + box["height"] <= LAPTOP["height"]
    tile = page.locator('.tile[aria-label^="layer 1, head 1."]')
    tile.scroll_into_view_if_needed()
    expect(tile).to_be_in_viewport()


@pytest.mark.nightly
def test_layers_on_the_stage_are_looked_at_without_a_request_and_chosen(server: Server, page: Page):
    open_page(page, f"{server.url}/vision?view=cls")
    title, layers = page.locator(".picture-root h2"), page.locator(".layers .token")
    expect(layers).to_have_count(7)  # with the mean
    expect(layers.nth(5)).to_have_attribute("aria-pressed", "true")
    answer = page.locator(".aa-answer .aa-best th").inner_text()
    expect(page.locator(".layers li").nth(5).locator(".reading span")).to_have_text(answer)
    page.evaluate("""() => {
        window.messages = 0
        const send = WebSocket.prototype.send
        WebSocket.prototype.send = function (data) { window.messages += 1; send.call(this, data) }
    }""")
    layers.nth(1).hover()
    expect(title).to_contain_text("layer 2, mean over heads")
    cell(page, 6, 6).hover()
    expect(title).to_contain_text("layer 6, mean over heads")
    numbers = page.locator(".staged .weights span")
    expect(numbers).to_have_count(7)  # of this patch in every layer
    assert close(numbers.nth(6).inner_text(), float(weight(page, 6, 6)))  # that of the shown layer is drawn last
    tab_to(layers.nth(5))
    page.keyboard.press("ArrowUp")
    expect(title).to_contain_text("layer 5, mean over heads")
    page.keyboard.press("Escape")
    expect(title).to_contain_text("layer 6, mean over heads")
    assert page.evaluate("window.messages") == 0
    page.keyboard.press("Enter")  # on the layer that has the focus
    expect(layers.nth(4)).to_have_attribute("aria-pressed", "true")
    expect(layers.nth(4)).to_have_accessible_name(re.compile("^CLS in Layer 5 attends to: CLS itself .* Read as: "))
    page.wait_for_url(re.compile("layer=5"))
    page.get_by_text("CLS in every layer, as a table").click()
    expect(page.locator(".picture-root .scroll tbody tr")).to_have_count(7)
    page.reload()
    expect(layers.nth(4)).to_have_attribute("aria-pressed", "true")


@pytest.mark.nightly
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_accepts_the_stage_and_a_phone_has_the_layers_below_the_picture(server: Server, phone: Page, scheme):
    phone.emulate_media(color_scheme=scheme)
    open_page(phone, f"{server.url}/vision?view=cls")
    assert violations(phone) == []
    picture, layer = phone.locator(".picture-root .frame"), phone.locator(".layers .token").nth(2)
    assert layer.bounding_box()["y"] > picture.bounding_box()["y"] + picture.bounding_box()["height"]
    layer.tap()
    expect(phone.locator(".picture-root h2")).to_contain_text("layer 3, mean over heads")
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.nightly
def test_opacity_and_outline(server: Server, page: Page):
    open_page(page, f"{server.url}/vision?view=cls&kept=0&opacity=25")
    opacity = "map => getComputedStyle(map).opacity"
    assert page.locator(".frame .map").evaluate(opacity) == "0.25"
    assert page.locator(".tile canvas").first.evaluate(opacity) == "0.25"
    assert page.locator(".outline").get_attribute("d") == ""
    page.get_by_role("button", name=re.compile("^Options")).click()
    slider = page.get_by_role("slider", name="Outline the strongest")
    tab_to(slider)
    page.keyboard.press("End")
    expect(page.locator(".quiet")).to_contain_text("100 % of the map")
    for _ in range(10):
        page.keyboard.press("ArrowLeft")
    expect(page.locator(".quiet")).to_contain_text("has 50 % of the map")
    ready(page)
    labels = page.locator(".panel .patch").evaluate_all("cells => cells.map((cell) => cell.ariaLabel)")
    weights = np.array([float(label.split(": ")[1]) for label in labels])
    stated = int(re.search(r"patches in it: (\d+)", page.locator(".quiet").inner_text())[1])
    assert abs(patch_grid.strongest_entries(weights, 0.5).sum() - stated) <= 1  # from three digits
    tab_to(page.get_by_role("slider", name="Map over picture"))
    page.keyboard.press("Home")
    expect(page.locator(".frame .map")).to_have_css("opacity", "0")
    assert (address(page)["opacity"], address(page)["kept"]) == ("0", "50")


@pytest.mark.nightly
def test_files_contain_the_shown_numbers(server: Server, page: Page):
    open_page(page, f"{server.url}/vision?view=cls&layer=3&head=1")
    files = {}
    for label in ("All heads as NPZ", "CSV", "Map as PNG", "Map as SVG"):
        with page.expect_download(timeout=PATIENCE) as download:
            page.get_by_role("button", name=label, exact=True).click()
        files[label] = download.value.path().read_bytes()
    stored = np.load(io.BytesIO(files["All heads as NPZ"]))
    attention = stored["attention"]
    np.testing.assert_allclose(attention.sum(-1), 1, atol=1e-5)
    assert stored["query_tokens"][0] == "CLS"
    rows = files["CSV"].decode("utf-8-sig").splitlines()[1:]
    numbers = np.array([[float(value) for value in row.split(",")[1:]] for row in rows], dtype=np.float32)
    np.testing.assert_array_equal(numbers.ravel(), attention[2, 0, 0, 1:])
    assert weight(page, 1, 1) == three_digits(float(numbers[0, 0]))
    assert Image.open(io.BytesIO(files["Map as PNG"])).width > 1000
    assert b"data:image/png;base64," in files["Map as SVG"]
