"""The overview's script on known numbers, in an empty page: drawing, tooltips and messages."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.keys import tab_to
from tests.browser.mounting import mount_component
from views import map_labels, map_weights, palette
from views.components import component
from views.components.attention_grid import EXACT_BYTES, Detail, Sheet, payload
from views.components.component import selection_mark
from views.text.numbers import three_digits

HOSTILE = ("\u2009", "<img src=x onerror=document.title='hacked'>", "$x$")


def make_sheet(causal: bool = False, side: int = 3, **changes) -> Sheet:
    """Make a sheet of 2 layers and 3 heads of softmaxed noise, and their means."""
    noise = np.random.default_rng(0).normal(0, 2, (2, 3, side, side)).astype(np.float32)
    noise[:, :, map_weights.causal_mask(side, side, causal)] = -np.inf
    weights = np.exp(noise) / np.exp(noise).sum(-1, keepdims=True)
    sheet = dict(
        weights=map_weights.with_means(weights),
        rows=map_labels.ids_with_mean(2),
        columns=map_labels.ids_with_mean(3),
        queries=(HOSTILE * side)[:side],
        keys=(HOSTILE * side)[:side],
        kind="decoder" if causal else "cross",
        title="a known sheet",
        causal=causal,
        shared_scale=True,
        selected=(0, 1),
    )
    return Sheet(**{**sheet, **changes})


@pytest.fixture
def mount(page: Page):
    """Show a sheet in an empty page; the script's messages are collected in `window.answers`."""

    def mount_sheet(sheet: Sheet, background: str = "#FFFFFF", believed: palette.Theme = "light") -> Page:
        mount_component(
            page, "attention_grid", "grid-root", payload(sheet, believed), background, selection_mark(sheet.selected)
        )
        return page

    return mount_sheet


def hover(page: Page, sheet: Sheet, row: int, column: int, query: int, key: int) -> list[str]:
    """Return pair, value and place in the tooltip over the middle of a cell."""
    box = page.locator(".tile canvas").nth(row * len(sheet.columns) + column).bounding_box()
    queries, keys = sheet.weights.shape[2:]
    page.mouse.move(box["x"] + (key + 0.5) / keys * box["width"], box["y"] + (query + 0.5) / queries * box["height"])
    return [page.locator(f".tip .{part}").inner_text() for part in ("pair", "value", "place")]


def test_the_tooltip_shows_the_value_of_the_array(mount):
    sheet = make_sheet()
    page = mount(sheet)
    for row, column, query, key in np.ndindex(sheet.weights.shape):
        pair, value, place = hover(page, sheet, row, column, query, key)
        assert value == three_digits(float(sheet.weights[row, column, query, key]))
        assert pair == " attends to ".join(component.labels((sheet.queries[query], sheet.keys[key])))
        assert place == map_labels.describe(sheet.rows[row], sheet.columns[column])


def test_long_sentences_read_out_three_digits_from_half_precision(mount):
    sheet = make_sheet(side=150)
    assert sheet.weights.nbytes > EXACT_BYTES
    page = mount(sheet)
    for query, key in ((0, 0), (64, 3), (149, 149)):
        weight = float(sheet.weights[1, 2, query, key])
        value = hover(page, sheet, 1, 2, query, key)[1]
        if weight < 1e-4:
            assert value == "< 0.0001"
        else:
            assert float(value.replace("\u2212", "-")) == pytest.approx(weight, rel=6e-3)


def test_long_sentences_show_the_largest_weight_of_each_block(mount):
    weights = np.zeros((1, 1, 130, 130), dtype=np.float32)
    weights[0, 0, 4, 7] = 1
    sheet = make_sheet(
        weights=weights, rows=["1"], columns=["1"], selected=(0, 0), queries=("a",) * 130, keys=("b",) * 130
    )
    page = mount(sheet)
    drawn = pixels(page, 0)
    assert drawn.shape == (44, 44, 3)  # blocks of 3 x 3
    deepest = list(palette.to_rgb(palette.scale("cross", "light")[-1]))
    assert np.argwhere((drawn == deepest).all(-1)).tolist() == [[1, 2]]
    assert "largest of 3 \u00d7 3 cells" in page.locator(".legend").inner_text()


def test_masked_cells_are_grey_with_a_tooltip(mount):
    sheet = make_sheet(causal=True)
    page = mount(sheet)
    assert hover(page, sheet, 0, 0, 0, 2)[1] == "masked"
    assert hover(page, sheet, 0, 0, 2, 0)[1] == three_digits(float(sheet.weights[0, 0, 2, 0]))
    grey = list(palette.to_rgb(palette.MASKED["light"]))
    assert pixels(page, 0)[0, 1].tolist() == grey
    assert pixels(page, 0)[1, 0].tolist() != grey


def pixels(page: Page, tile: int) -> np.ndarray:
    """`(query, key, channel)` of the colours in a map's canvas."""
    script = "c => [c.height, c.width, ...c.getContext('2d').getImageData(0, 0, c.width, c.height).data]"
    height, width, *channels = page.locator(".tile canvas").nth(tile).evaluate(script)
    return np.array(channels).reshape(height, width, 4)[..., :3]


def test_colours_are_the_palettes(mount):
    weights = np.zeros((1, 1, 3, 17), dtype=np.float32)
    weights[0, 0, :] = np.linspace(0, 1, 17)
    for background, theme in (("#FFFFFF", "light"), (palette.BACKGROUND["dark"], "dark")):
        sheet = make_sheet(
            weights=weights,
            rows=["1"],
            columns=["1"],
            queries=HOSTILE,
            keys=tuple("abcdefghijklmnopq"),
            selected=(0, 0),
        )
        drawn = pixels(mount(sheet, background), 0)[0]
        expected = np.array([palette.to_rgb(colour) for colour in palette.scale("cross", theme)])
        assert np.abs(drawn - expected).max() <= 6  # 256 shades between 17 stops


def test_shared_and_own_scale(mount):
    weights = np.zeros((1, 2, 3, 3), dtype=np.float32)
    weights[0, 0], weights[0, 1] = 0.2, 0.8
    names = dict(rows=["1"], columns=["1", "2"], weights=weights, selected=(0, 0))
    page = mount(make_sheet(shared_scale=True, **names))
    assert pixels(page, 0)[0, 0].tolist() != pixels(page, 1)[0, 0].tolist()
    page = mount(make_sheet(shared_scale=False, **names))
    assert pixels(page, 0)[0, 0].tolist() == pixels(page, 1)[0, 0].tolist()


def test_maps_may_be_drawn_over_a_picture(mount):
    picture = np.random.default_rng(3).integers(0, 256, (6, 9, 3)).astype(np.uint8)
    sheet = make_sheet(underlay=picture, opacity=0.4)
    page = mount(sheet)
    drawn = page.locator(".tile").first.evaluate(
        """async (tile) => {
            const image = new Image()
            image.src = getComputedStyle(tile).backgroundImage.slice(5, -2)
            await image.decode()
            const canvas = document.createElement("canvas")
            canvas.width = image.width
            canvas.height = image.height
            const context = canvas.getContext("2d")
            context.drawImage(image, 0, 0)
            return [canvas.height, canvas.width, ...context.getImageData(0, 0, canvas.width, canvas.height).data]
        }"""
    )
    np.testing.assert_array_equal(np.array(drawn[2:]).reshape(*drawn[:2], 4)[..., :3], picture)
    assert page.locator(".tile canvas").first.evaluate("canvas => getComputedStyle(canvas).opacity") == "0.4"
    assert hover(page, sheet, 1, 0, 2, 1)[:2] == ["row 3, column 2", three_digits(float(sheet.weights[1, 0, 2, 1]))]
    best = np.unravel_index(sheet.weights[0, 0].argmax(), (3, 3))
    strongest = f"Strongest: row {best[0] + 1}, column {best[1] + 1}, "
    assert strongest in page.locator(".tile").first.get_attribute("aria-label")
    page = mount(make_sheet())
    assert page.locator(".tile").first.evaluate("tile => getComputedStyle(tile).backgroundImage") == "none"
    assert page.locator(".tile canvas").first.evaluate("canvas => getComputedStyle(canvas).opacity") == "1"


def test_click_sends_row_and_column_immediately(mount):
    page = mount(make_sheet())
    page.locator(".tile").nth(6).click()
    page.wait_for_function("() => answers.length")
    assert page.evaluate("answers") == [["chosen", [1, 2]]]
    assert page.locator(".tile").nth(6).get_attribute("aria-selected") == "true"
    assert page.locator(".tile[aria-selected=true]").count() == 1


def test_a_new_mark_selects_without_drawing_again(mount):
    page = mount(make_sheet())
    page.evaluate("document.querySelector('.tile canvas').getContext('2d').clearRect(0, 0, 9, 9)")
    mount(make_sheet(selected=(2, 3)))
    page.locator(".tile").nth(11).and_(page.locator("[aria-selected=true]")).wait_for()
    assert page.locator(".tile[aria-selected=true]").count() == 1
    assert pixels(page, 0).max() == 0
    mount(make_sheet(shared_scale=False))
    assert pixels(page, 0).max() > 0


def test_keyboard_moves_and_chooses(mount):
    page = mount(make_sheet())
    page.keyboard.press("Tab")  # the selected map is the only one in the tab order
    assert page.evaluate("document.activeElement.getAttribute('aria-selected')") == "true"
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowUp", "ArrowUp"):
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    page.wait_for_function("() => answers.length")
    assert page.evaluate("answers") == [["chosen", [0, 3]]]


def make_sheet_with_detail(**changes) -> Sheet:
    return make_sheet(detail=Detail("Cross-attention, {map}", "Query: French", "Key: English"), **changes)


def test_the_selected_map_is_drawn_immediately_and_sent_once(mount):
    """Fails on a script that sends every selection, or waits for the response."""
    page = mount(make_sheet_with_detail())
    heading = page.locator(".detail h2")
    expect(heading).to_have_text("Cross-attention, layer 1, head 2")
    drawn = page.evaluate(
        """() => [0, 6, 9].map((place) => {
            document.querySelectorAll(".tile")[place].click()
            return [document.querySelector(".detail h2").textContent, answers.length]
        })"""
    )
    assert drawn == [
        ["Cross-attention, layer 1, head 1", 0],
        ["Cross-attention, layer 2, head 3", 0],
        ["Cross-attention, head 2, mean over layers", 0],
    ]
    page.wait_for_function("() => answers.length")
    assert page.evaluate("answers") == [["chosen", [2, 1]]]
    assert [page.locator(f".{axis}-axis").inner_text() for axis in ("query", "key")] == [
        "Query: French",
        "Key: English",
    ]


def test_the_large_map_is_read_by_pointer_keys_and_table(mount):
    sheet = make_sheet_with_detail(causal=True)
    page = mount(sheet)
    canvas, queries = page.locator(".detail .map canvas"), len(sheet.queries)
    box = canvas.bounding_box()
    for query, key in np.ndindex(queries, queries):
        page.mouse.move(
            box["x"] + (key + 0.5) / queries * box["width"], box["y"] + (query + 0.5) / queries * box["height"]
        )
        expected = "masked" if key > query else three_digits(float(sheet.weights[0, 1, query, key]))
        assert page.locator(".detail > .tip .value").inner_text() == expected
        marked = [
            page.locator(f".{side} .at").evaluate("label => [...label.parentElement.children].indexOf(label)")
            for side in ("queries", "keys")
        ]
        assert marked == [query, key]
    page.mouse.move(0, 0)
    expect(page.locator(".detail .at")).to_have_count(0)
    tab_to(canvas)
    for key in ("ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
    expected = three_digits(float(sheet.weights[0, 1, 2, 1]))
    assert page.locator(".detail .heard").text_content().endswith(f": {expected}")
    page.locator(".detail summary").click()
    page.locator(".detail td").first.wait_for()
    first_row = page.locator(".detail tbody td").evaluate_all(
        "cells => cells.map((cell) => [cell.textContent, cell.title])"
    )
    for (words, full), (place, weight) in zip(first_row, np.ndenumerate(sheet.weights[0, 1]), strict=True):
        if place[1] > place[0]:
            assert (words, full) == ("masked", "")
        else:
            assert words == three_digits(float(weight)) and np.float32(full) == weight


@pytest.mark.parametrize("shared", [True, False])
def test_the_large_maps_scale_ends_where_its_colours_do(mount, shared):
    sheet = make_sheet_with_detail(shared_scale=shared)
    page = mount(sheet)
    top = sheet.weights.max() if shared else sheet.weights[0, 1].max()
    assert page.locator(".detail .high").inner_text() == three_digits(float(top))


def test_an_unexpected_theme_is_reported(mount):
    page = mount(make_sheet(), palette.BACKGROUND["dark"])
    assert page.evaluate("answers") == [["theme", "dark"]]
    page = mount(make_sheet(), palette.BACKGROUND["dark"], "dark")
    assert page.evaluate("answers") == []


def test_tokens_are_text_and_every_map_is_described(mount):
    sheet = make_sheet()
    page = mount(sheet)
    hover(page, sheet, 0, 0, 1, 1)
    assert page.locator("main img").count() == 0
    assert page.title() != "hacked"
    assert page.get_by_role("grid").get_attribute("aria-label") == "a known sheet"
    best = np.unravel_index(sheet.weights[0, 0].argmax(), sheet.weights[0, 0].shape)
    expected = (
        f"layer 1, head 1. Strongest: {' attends to '.join(component.labels(HOSTILE[place] for place in best))}, "
        f"{three_digits(float(sheet.weights[0, 0].max()))}"
    )
    assert page.locator(".tile").first.get_attribute("aria-label") == expected
