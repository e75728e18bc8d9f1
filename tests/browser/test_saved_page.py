"""Views saved as one HTML file, opened from the disk without a network: they behave as on the page."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from tests.browser.address_bar import expect_setting
from tests.browser.conftest import PATIENCE, Server, open_page, ready
from tests.browser.keys import tab_to
from tests.browser.test_grid_component import make_sheet
from tests.browser.test_lines_component import make_lines, make_weights
from views.components import attention_grid, attention_lines, component, html_export
from views.text.numbers import three_digits

HOSTILE = "</script><script>document.title='hacked'</script><img src=x onerror=document.title='hacked'>"


@pytest.fixture
def offline(browser: Browser) -> Iterator[Page]:
    """A browser without a network. The test fails on any request except the file's, or a console error."""
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, offline=True, accept_downloads=True, color_scheme="light"
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    requested, errors = [], []
    page.on("request", lambda request: requested.append(request.url))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert [url for url in requested if not url.startswith(("data:", "blob:"))] == requested[:1]
    assert requested[0].startswith("file://") and errors == []


def open_saved_page(page: Page, path, part: html_export.ComponentSnapshot) -> None:
    path.write_bytes(html_export.to_html(HOSTILE, ["How to read it."], [("Sentence", HOSTILE)], part))
    page.goto(path.as_uri())
    assert page.title() == HOSTILE
    assert page.locator("dd").inner_text() == page.locator("h1").inner_text() == HOSTILE


def hover_cell(page: Page, canvas: str, sides: tuple[int, int], query: int, key: int) -> list[str]:
    """Return pair and value in the tooltip over a cell of the map that `canvas` selects."""
    page.locator(canvas).scroll_into_view_if_needed()
    box = page.locator(canvas).bounding_box()
    (queries, keys), root = sides, canvas.split()[0]
    page.mouse.move(box["x"] + (key + 0.5) / keys * box["width"], box["y"] + (query + 0.5) / queries * box["height"])
    return [page.locator(f"{root} > .tip .{part}").inner_text() for part in ("pair", "value")]


def canvas_colours(page: Page) -> list[int]:
    """Return the colours of the large map."""
    return page.locator(".detail .map canvas").evaluate(
        "c => [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data]"
    )


def assert_fits(page: Page) -> None:
    """Check a wide screen and a phone; the page remains in the phone's size."""
    for width, height in ((1440, 900), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.nightly
def test_maps_read_out_open_and_follow_the_browser(offline: Page, tmp_path):
    sheet = make_sheet(causal=True, detail=attention_grid.Detail("Cross-attention, {map}", "Query", "Key"))
    open_saved_page(offline, tmp_path / "maps.html", attention_grid.snapshot(sheet))
    assert offline.locator(".detail h2").inner_text() == "Cross-attention, layer 1, head 2"
    value = hover_cell(offline, ".grid-root .tile:not([tabindex='-1']) canvas", (3, 3), 2, 0)[1]
    assert value == three_digits(float(sheet.weights[0, 1, 2, 0]))
    # a click shows the map large, with its numbers
    offline.locator(".tile").nth(6).click()
    assert offline.locator(".detail h2").inner_text() == "Cross-attention, layer 2, head 3"
    assert offline.locator(".tile[aria-selected=true]").count() == 1
    for query, key in np.ndindex(3, 3):
        expected = "masked" if key > query else three_digits(float(sheet.weights[1, 2, query, key]))
        assert hover_cell(offline, ".detail .map canvas", (3, 3), query, key) == [
            " attends to ".join(component.labels((sheet.queries[query], sheet.keys[key]))),
            expected,
        ]
    tile = offline.locator(".tile canvas").nth(6)
    small = tile.evaluate("c => [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data]")
    light = canvas_colours(offline)
    assert light == small  # one shared scale
    # the keyboard reaches maps and cells
    tab_to(offline.locator(".tile").nth(6))
    offline.keyboard.press("ArrowUp")
    offline.keyboard.press("Enter")
    assert offline.locator(".detail h2").inner_text() == "Cross-attention, layer 1, head 3"
    tab_to(offline.locator(".detail .map canvas"))
    offline.mouse.move(0, 0)
    for key in ("ArrowDown", "ArrowLeft"):  # the first reads out where the pointer was last
        offline.keyboard.press(key)
    announced = offline.locator(".detail .heard").text_content()
    expected = three_digits(float(sheet.weights[0, 2, 2, 1]))
    assert announced == f"{sheet.queries[2]} attends to {sheet.keys[1]}: {expected}"
    offline.get_by_text("Numbers as a table").click()
    offline.locator(".detail tbody tr").nth(2).wait_for()
    rows = offline.locator(".detail tbody tr").all_inner_texts()
    assert rows[0].split("\t")[0] == "1 \u2423"  # a token that is only the mark of a word's start
    assert [row.split("\t")[1] for row in rows] == [three_digits(float(w)) for w in sheet.weights[0, 2, :, 0]]
    # the browser's theme, and what is chosen stays
    offline.emulate_media(color_scheme="dark")
    offline.wait_for_function("() => getComputedStyle(document.documentElement).backgroundColor === 'rgb(18, 21, 26)'")
    expect(offline.locator(".detail h2")).to_have_text("Cross-attention, layer 1, head 3")
    offline.locator(".tile").nth(6).click()
    assert canvas_colours(offline) != light
    assert_fits(offline)
    assert offline.title() == HOSTILE


@pytest.mark.nightly
def test_lines_lock_and_save_their_picture(offline: Page, tmp_path):
    attention = make_weights(2, 3, 4, 5)
    open_saved_page(offline, tmp_path / "lines.html", attention_lines.snapshot(make_lines(attention)))
    offline.locator(".side.query .token").nth(2).click()
    values = [three_digits(float(weight)) for weight in attention[0, :, 2].mean(axis=0)]
    assert offline.locator(".side.key .weight").all_inner_texts() == values
    offline.get_by_role("button", name="Layer 2").click()
    both = [three_digits(float(weight)) for weight in attention[:, :, 2].mean(axis=(0, 1))]
    assert offline.locator(".side.key .weight").all_inner_texts() == both
    with offline.expect_download() as download:
        offline.get_by_role("button", name="PNG").click()
    with Image.open(download.value.path()) as picture:
        assert picture.width > 400
    assert_fits(offline)


def test_the_file_may_send_no_request(browser: Browser, tmp_path):
    (tmp_path / "maps.html").write_bytes(html_export.to_html("Maps", [], [], attention_grid.snapshot(make_sheet())))
    page = browser.new_page()
    page.goto((tmp_path / "maps.html").as_uri())
    refused = page.evaluate(
        """async (elsewhere) => {
            const refused = new Promise((resolve) => {
                const directives = new Set()
                document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => {
                    directives.add(effectiveDirective)
                    if (directives.size === 3) resolve([...directives].sort())
                })
            })
            fetch(elsewhere).catch(() => {})
            new Image().src = elsewhere
            document.body.append(Object.assign(document.createElement("script"), { src: elsewhere }))
            return refused
        }""",
        "http://localhost:9/",
    )
    page.close()
    assert refused == ["connect-src", "img-src", "script-src-elem"]


def test_the_app_saves_the_shown_view(page: Page, server: Server):
    open_page(page, f"{server.url}/attention?text=I+want+to+buy+a+car.&kind=Cross&layer=2&units=Whole+words")
    page.locator(".tile").nth(12).click()  # layer 2, head 4
    page.get_by_text("Cross-attention, layer 2, head 4").first.wait_for()
    expect_setting(page, head="4")
    ready(page)
    page.get_by_text("Save this view").click()
    with page.expect_download() as download:
        tab_to(page.get_by_role("button", name="Everything as ZIP"))
        page.keyboard.press("Enter")  # the fold still moves
    with open(download.value.path(), "rb") as file:
        read = zipfile.ZipFile(io.BytesIO(file.read()))
    saved = json.loads(read.read("settings.json"))
    assert (saved["settings"]["layer"], saved["settings"]["head"]) == ("2", "4")
    link = urlsplit(saved["link"])
    expected = {
        "text": ["I want to buy a car."],
        "kind": ["cross"],
        "layer": ["2"],
        "head": ["4"],
        "units": ["words"],
    }
    assert (link.path, parse_qs(link.query)) == ("/attention", expected)
    assert "layer 2, head 4" in re.findall(r"map\.csv: (.*)", read.read("README.txt").decode())[0]
    with np.load(io.BytesIO(read.read("attention.npz"))) as stored:
        value = float(stored["attention"][1, 3, 2, 1])
    shape = saved["settings"]["shape"]
    canvas = ".grid-root .tile[aria-selected=true] canvas"
    assert hover_cell(page, canvas, (shape["query"], shape["key"]), 2, 1)[1] == three_digits(value)


@pytest.mark.nightly
def test_a_file_contains_the_selection_made_just_before(page: Page, server: Server):
    """At the same moment, then while the page is rendered again: one file each time, of the head on screen."""
    open_page(page, f"{server.url}/attention?text=I+am+a+student.&kind=Cross")
    page.get_by_text("Save this view").click()
    page.get_by_role("button", name="One HTML file").wait_for()
    ready(page)
    files = []
    page.on("download", lambda download: files.append(download))
    press = """(tile) => {
        tile.click()
        const buttons = [...document.querySelectorAll("[data-testid=stDownloadButton] button")]
        const button = buttons.find(({ innerText }) => innerText.includes("HTML"))
        button.click()
        button.click() // nobody wants it twice
    }"""
    for count, tile, layer, head in ((1, 12, 2, 4), (2, 3, 1, 4), (3, 1, 1, 2)):
        with page.expect_download() as download:
            page.locator(".tile").nth(tile).evaluate(press)
        facts = dict(re.findall(r"<dt>(.*?)</dt>\s*<dd>(.*?)</dd>", download.value.path().read_text(encoding="utf-8")))
        assert (facts["Layer"], facts["Head"]) == (str(layer), str(head)), facts
        assert len(files) == count
    expect(page.get_by_test_id("stDownloadButtonError")).to_have_count(0)
