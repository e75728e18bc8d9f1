"""Matrices side by side: a cell highlights its operands and its results."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Page

from tests.browser.keys import tab_to
from tests.browser.mounting import mount_component
from views.components.matrix_row import RowMatrix, payload

CELLS = ".map canvas[role=img]"
# Of each matrix the frames in it, in cells: first row, rows, first column, columns.
PARTS = """(CELLS) => [...document.querySelectorAll(".detail")].map((map) => {
    const canvas = map.querySelector(CELLS).getBoundingClientRect()
    return [...map.querySelectorAll(".part")].map((part) => {
        const box = part.getBoundingClientRect()
        const [width, height] = [42, 21] // of a cell with its number in it
        const [down, across] = [box.top - canvas.top, box.left - canvas.left]
        return [down / height, box.height / height, across / width, box.width / width]
            .map(Math.round)
    })
})"""
LEFT, RIGHT = np.array([[1.0, 2, 3], [4, 5, 6]]), np.arange(6.0).reshape(3, 2)
SCORES = np.array([[0.0, 2, 1], [3, -np.inf, 1]])
WEIGHTS = np.array([[0.1, 0.6, 0.3], [0.8, -np.inf, 0.2]])
PRODUCT = [RowMatrix("A", LEFT), "\u00d7", RowMatrix("B", RIGHT), "=", RowMatrix("C", LEFT @ RIGHT)]
SOFTMAX = [RowMatrix("S", SCORES), "\u2192", RowMatrix("W", WEIGHTS)]
# Which cells belong to which is tested in web/tests/matrix_row.test.ts.
CASES = [
    (PRODUCT, "product", 2, (1, 0), [[[1, 1, 0, 3]], [[0, 3, 0, 1]], []]),
    (SOFTMAX, "softmax", 1, (0, 2), [[[0, 1, 0, 3], [0, 1, 1, 1]], [[0, 1, 1, 1]]]),
]


@pytest.fixture
def wide(page: Page) -> Page:
    page.set_viewport_size({"width": 900, "height": 700})
    return page


def test_a_cell_highlights_its_operands_and_its_results(wide: Page):
    nothing = [[], [], []]
    for items, operation, place, (row, column), expected in CASES:
        mount_component(wide, "matrix_row", "matrices", payload(items, "light", 3, made=operation), "#FFFFFF")
        canvas = wide.locator(CELLS).nth(place)
        at = {"x": 42 * column + 20, "y": 21 * row + 10}
        canvas.hover(position=at)
        assert wide.evaluate(PARTS, CELLS) == expected, (operation, place)
        wide.mouse.move(890, 690)
        assert wide.evaluate(PARTS, CELLS) == nothing[: len(expected)]
        canvas.click(position=at)
        wide.mouse.move(890, 690)
        assert wide.evaluate(PARTS, CELLS) == expected  # what was chosen stays marked
        canvas.blur()
        assert wide.evaluate(PARTS, CELLS) == nothing[: len(expected)]
        wide.goto("about:blank")
        mount_component(wide, "matrix_row", "matrices", payload(items, "light", 3, made=operation), "#FFFFFF")
        tab_to(canvas)
        for key in ["ArrowDown"] * (row + 1) + ["ArrowRight"] * column:
            wide.keyboard.press(key)
        assert wide.evaluate(PARTS, CELLS) == expected
        canvas.blur()
        assert wide.evaluate(PARTS, CELLS) == nothing[: len(expected)]


def test_independent_matrices_highlight_nothing(wide: Page):
    mount_component(wide, "matrix_row", "matrices", payload(PRODUCT, "light", 3), "#FFFFFF")
    wide.locator(CELLS).nth(2).hover(position={"x": 20, "y": 10})
    assert wide.locator(".tip:visible").count() == 1 and wide.evaluate(PARTS, CELLS) == [[], [], []]
