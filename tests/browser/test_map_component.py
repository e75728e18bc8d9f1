"""Linked maps of weights on known numbers, in an empty page: what is drawn, read out and marked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.keys import tab_to
from tests.browser.mounting import mount_component
from views import palette
from views.components import component
from views.components.linked_heatmaps import LinkedHeatmaps, Links, MapSet, payload
from views.components.matrix_row import RowMatrix
from views.html import generated_tokens
from views.text.numbers import three_digits

HOSTILE = ("\u2009", "<img src=x onerror=document.title='hacked'>", "$x$")
FIRST = np.float32([[0.123456789, -np.inf, -np.inf], [0.25, 0.75, -np.inf], [0.0000125, 0.3, 0.7]])
SECOND = np.float32([[0, 1], [0.2, 0.8]])
CHANGE = np.float32([[0.25, -0.25], [0.0, 0.1]])


def make_matrices() -> list[RowMatrix]:
    """A map with a mask, a smaller one whose rows and columns are the last two of the first, and a signed one."""
    hidden = "0", "masked"
    axes = "Query: French", "Key: English"
    return [
        RowMatrix("Before", FIRST, "decoder", HOSTILE, HOSTILE, *axes, signed=False, top=1.0, masked=hidden),
        RowMatrix("After", SECOND, "decoder", HOSTILE[1:], HOSTILE[1:], *axes, signed=False, top=1.0, masked=hidden),
        RowMatrix("Change", CHANGE, palette.DIFFERENCE, HOSTILE[1:], HOSTILE[1:], *axes, top=0.5, masked=hidden),
    ]


LINKS = [((1, 2), (1, 2)), ((0, 1), (0, 1)), ((0, 1), (0, 1))]


@pytest.fixture
def mount(page: Page):
    """Show maps in an empty page."""

    def mount_map(
        items: list[RowMatrix] | None = None, background: str = "#FFFFFF", links: Links | None = LINKS
    ) -> Page:
        maps = {"": MapSet(items or make_matrices(), "", (), links)}
        content = payload(LinkedHeatmaps(maps, (), (), {}, per_row=3), "light")
        mount_component(page, "attention_map", "maps", content, background)
        return page

    return mount_map


def canvas(page: Page, place: int) -> Locator:
    return page.locator(".detail canvas[role=img]").nth(place)


def hover(page: Page, place: int, row: int, column: int, shape: tuple[int, int]) -> None:
    """Move the pointer to the middle of a cell."""
    canvas(page, place).scroll_into_view_if_needed()
    box = canvas(page, place).bounding_box()
    x, y = (column + 0.5) / shape[1] * box["width"], (row + 0.5) / shape[0] * box["height"]
    page.mouse.move(box["x"] + x, box["y"] + y)


def highlighted_cells(page: Page) -> list[list[int]]:
    """Return the row and column whose labels each map highlights; -1 for none."""
    script = """maps => maps.map((map) => [".queries", ".keys"].map((side) =>
        [...map.querySelector(side).children].findIndex((label) => label.classList.contains("at"))))"""
    return page.locator(".detail").evaluate_all(script)


def pixels(page: Page, place: int) -> np.ndarray:
    """`(row, column, channel)` of a map's colours."""
    script = "c => [c.height, c.width, ...c.getContext('2d').getImageData(0, 0, c.width, c.height).data]"
    height, width, *channels = canvas(page, place).evaluate(script)
    return np.array(channels).reshape(height, width, 4)[..., :3]


def test_every_number_is_read_out_with_all_its_digits(mount):
    page = mount()
    for row, column in np.ndindex(FIRST.shape):
        hover(page, 0, row, column, FIRST.shape)
        pair, value = (page.locator(f".detail > .tip .{part}").first.inner_text() for part in ("pair", "value"))
        assert pair == ", ".join(component.labels((HOSTILE[row], HOSTILE[column])))
        if np.isneginf(FIRST[row, column]):
            assert value == "0, masked"
        else:
            assert np.float32(value) == pytest.approx(FIRST[row, column], rel=1e-6)
    assert page.title() != "hacked"


def test_a_cell_that_is_pointed_at_is_marked_in_all_maps(mount):
    page = mount()
    hover(page, 0, 2, 1, FIRST.shape)
    assert highlighted_cells(page) == [[2, 1], [1, 0], [1, 0]]
    assert page.locator(".cursor:visible").count() == 3
    hover(page, 2, 0, 1, CHANGE.shape)
    assert highlighted_cells(page) == [[1, 2], [0, 1], [0, 1]]
    hover(page, 0, 0, 1, FIRST.shape)  # its row is not in the others, its column is
    assert highlighted_cells(page) == [[0, 1], [-1, 0], [-1, 0]]
    assert page.locator(".cursor:visible").count() == 1
    tab_to(canvas(page, 1))
    page.keyboard.press("ArrowDown")
    hover(page, 2, 1, 1, CHANGE.shape)  # one cell at a time, even with the focus elsewhere
    assert highlighted_cells(page) == [[2, 2], [1, 1], [1, 1]]
    assert page.locator(".tip:visible").count() == 1
    page.mouse.move(0, 0)
    assert highlighted_cells(page) == [[-1, -1]] * 3
    assert page.locator(":is(.cursor, .row-mark, .column-mark):visible").count() == 0


def test_maps_of_the_same_tokens_need_no_links(mount):
    page = mount(make_matrices()[1:], links=None)
    hover(page, 1, 1, 0, CHANGE.shape)
    assert highlighted_cells(page) == [[1, 0], [1, 0]]


def test_keys_move_the_cursor_and_announce_the_cell(mount):
    page = mount()
    tab_to(canvas(page, 2))
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):  # the first one enters at the first cell
        page.keyboard.press(key)
    assert highlighted_cells(page) == [[2, 2], [1, 1], [1, 1]]
    announcement = page.locator(".heard").nth(2)
    assert announcement.text_content() == "$x$, $x$: 0.1"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert announcement.text_content().endswith(": 0.25")
    page.keyboard.press("ArrowRight")
    assert announcement.text_content().endswith(": \u22120.25")


def test_keys_continue_in_another_map_and_start_at_the_marked_cell(mount):
    page = mount([make_matrices()[0]], links=None)
    tab_to(canvas(page, 0))
    for key in ("ArrowDown", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    mount([make_matrices()[1]], links=None)  # has no such row
    page.keyboard.press("ArrowUp")
    assert page.locator(".heard").text_content().endswith(": 0.2")
    mount([replace(make_matrices()[1], cursor=(0, 1))], links=None)
    assert highlighted_cells(page) == [[0, 1]]
    page.keyboard.press("ArrowUp")
    assert page.locator(".heard").text_content().endswith(": 1")
    page.keyboard.press("ArrowDown")
    assert highlighted_cells(page) == [[1, 1]]
    canvas(page, 0).blur()
    assert highlighted_cells(page) == [[0, 1]]


def test_the_table_has_every_digit(mount):
    page = mount()
    page.locator(".detail summary").first.click()
    page.locator(".detail td").first.wait_for()
    cells = page.locator(".detail").first.locator("td").evaluate_all("all => all.map((c) => [c.textContent, c.title])")
    for (words, title), value in zip(cells, FIRST.ravel(), strict=True):
        assert (words, title) == ("0, masked", "") if np.isneginf(value) else np.float32(title) == value
    assert page.locator(".detail tbody th").all_inner_texts() == [
        f"{place} {label}" for place, label in enumerate(component.labels(HOSTILE), 1)
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_are_the_palettes_and_masked_cells_grey(mount, theme):
    page = mount(background=palette.BACKGROUND[theme])
    ends = [palette.to_rgb(palette.scale("decoder", theme)[place]) for place in (0, -1)]
    assert pixels(page, 1)[0].tolist() == [list(end) for end in ends]
    assert (pixels(page, 0)[np.isneginf(FIRST)] == palette.to_rgb(palette.MASKED[theme])).all()
    unchanged = palette.to_rgb(palette.BACKGROUND[theme])
    assert np.abs(pixels(page, 2)[1, 0] - unchanged).max() <= 4
    ends_of = page.locator(".legend").evaluate_all("all => all.map((one) => one.innerText.split(/\\s+/))")
    assert ends_of == [["0", three_digits(1.0)]] * 2 + [["\u22120.500", "0.500"]]


def test_numbers_are_written_only_into_cells_with_room(mount):
    def written(page: Page) -> bool:
        script = """c => { const {data} = c.getContext("2d").getImageData(0, 0, c.width, c.height)
            return data.some((channel) => channel > 0) }"""
        return page.locator(".ink").first.evaluate(script)

    assert written(mount())
    wide = np.full((2, 60), 0.5, dtype=np.float32)
    assert not written(mount([RowMatrix("Wide", wide, rows=("a", "b"), columns=("c",) * 60)], links=None))


def test_a_boolean_map_shows_words(mount):
    answers = np.float32([[1, 0], [0, 1]])
    links = RowMatrix("Links", answers, "cross", ("a", "b"), ("c", "d"), signed=False, words=("no link", "linked"))
    page = mount([links], links=None)
    for row, column in np.ndindex(answers.shape):
        hover(page, 0, row, column, answers.shape)
        assert page.locator(".tip .value").inner_text() == ("linked" if answers[row, column] else "no link")
    assert (pixels(page, 0)[0, 1] == palette.to_rgb(palette.MASKED["light"])).all()
    assert (pixels(page, 0)[0, 0] == pixels(page, 0)[1, 1]).all() and (
        pixels(page, 0)[0, 0] != pixels(page, 0)[0, 1]
    ).any()
    expect(page.locator(".legend")).to_be_hidden()


def test_a_swipe_over_a_map_scrolls(mount):
    page = mount()
    for place in range(3):
        assert canvas(page, place).evaluate("canvas => getComputedStyle(canvas).touchAction") == "pan-y"
    expect(page.locator(".ink").first).to_have_css("pointer-events", "none")


def test_a_token_of_the_text_is_marked_in_the_maps_and_the_other_way_round(mount):
    page = mount([replace(make_matrices()[0], rows=("a", "b", "c"), columns=("d", "e", "f"))], links=None)
    text = generated_tokens.chips(("a", "b", "c"), "decoder", [0.5, 0.25, 0.25]) + generated_tokens.chips(
        ("d", "e"), "encoder"
    )
    page.evaluate("text => document.body.insertAdjacentHTML('beforeend', text)", text)
    page.locator(".aa-decoder > span").nth(1).hover()
    expect(page.locator(".queries .at")).to_have_text("b")
    expect(page.locator(".column-mark")).to_be_hidden()
    page.locator(".aa-encoder > span").nth(1).hover()  # two tokens are another text than three
    expect(page.locator(".row-mark")).to_be_hidden()
    hover(page, 0, 2, 0, (3, 3))
    expect(page.locator(".aa-chips .at [data-said=token]")).to_have_text("c")
