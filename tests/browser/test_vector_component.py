"""The script of the vector view on known vectors, in an empty page: dragging, keys, typing."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page

from tests.browser.keys import tab_to
from tests.browser.mounting import mount_component
from views.components.component import selection_mark
from views.components.vector_view import VectorPlacement, payload

PLANE = VectorPlacement(((2.0, 1.0), (-1.0, 2.0)), (3.0, 4.0))


@pytest.fixture
def mount(page: Page):
    """Show vectors in an empty page."""

    def mount_vectors(placed: VectorPlacement) -> Page:
        content = payload(placed.dimensions, "Vectors", "light", len(placed.vectors))
        mount_component(page, "vector_view", "vector-view", content, "#FFFFFF", selection_mark(placed))
        return page

    return mount_vectors


def placement(page: Page) -> dict:
    return json.loads(page.locator(".vector-view").get_attribute("data-placed"))


def readout_lines(page: Page) -> list[str]:
    return page.locator(".readout p").all_inner_texts()


def test_a_basis_and_its_coordinates(mount):
    page = mount(PLANE)
    assert readout_lines(page) == [
        "Determinant: 5.00",
        "Rank 2 of 2: the vectors span the whole plane.",
        "They are independent: a basis.",
        "p has the coordinates (2.00, 1.00) in this basis.",
    ]
    shares = page.locator(".combined input")
    assert [shares.nth(place).input_value() for place in (0, 1)] == ["2", "1"]
    shares.nth(1).fill("-1")
    shares.nth(1).press("Tab")
    assert placement(page)["point"] == [5, 0]  # 2 (2, 1) - (-1, 2)
    page.wait_for_function("window.answers.length > 0")
    name, message = page.evaluate("window.answers[0]")
    assert (name, message["point"], message["vectors"]) == ("placed", [5, 0], [[2, 1], [-1, 2]])


def test_keys_and_the_pointer_move_a_vector(mount):
    page = mount(PLANE)
    tip = page.get_by_role("slider", name="v", exact=True)
    tab_to(tip)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowUp")
    assert placement(page)["vectors"][1] == [-0.9, 3]
    assert tip.get_attribute("aria-valuetext") == "-0.9, 3"
    box, grip = page.locator("svg").bounding_box(), tip.locator(".grip").bounding_box()
    unit = box["width"] / 2 * 0.94 / 5
    page.mouse.move(grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 + 4 * unit, box["y"] + box["height"] / 2 - 2 * unit, steps=3)
    page.mouse.up()
    assert placement(page)["vectors"][1] == [4, 2]
    assert readout_lines(page)[:3] == [
        "Determinant: 0",
        "Rank 1 of 2: the vectors span a line.",
        "They are dependent: no basis.",
    ]
    assert readout_lines(page)[3].startswith("p is not in the span; nearest to it is (4.00, 2.00), 2.24 away")


def test_a_thumb_drags_a_vector(mount):
    """As a phone sends it: the touch holds the vector, and the page does not scroll meanwhile."""
    page = mount(PLANE)
    box, grip = page.locator("svg").bounding_box(), page.get_by_role("slider", name="u", exact=True).locator(".grip")
    unit, handle = box["width"] / 2 * 0.94 / 5, grip.bounding_box()
    begin = {"x": handle["x"] + handle["width"] / 2, "y": handle["y"] + handle["height"] / 2}
    end = {"x": box["x"] + box["width"] / 2 - 3 * unit, "y": box["y"] + box["height"] / 2 + unit}
    touch = page.context.new_cdp_session(page)
    send = lambda kind, *points: touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})  # noqa: E731
    send("touchStart", begin)
    for step in (1, 2, 3):
        send("touchMove", {axis: begin[axis] + (end[axis] - begin[axis]) * step / 3 for axis in begin})
    send("touchEnd")
    assert placement(page)["vectors"] == [[-3, -1], [-1, 2]]
    page.wait_for_function("window.answers.length > 0")
    assert page.evaluate("window.answers.at(-1)[1].vectors[0]") == [-3, -1]
    assert page.evaluate("scrollY") == 0


def test_three_dimensions_typed_coordinates_and_the_view_angle(mount):
    page = mount(VectorPlacement(((1.0, 0.0, -1.0), (0.0, 1.0, -1.0), (1.0, 1.0, 1.0)), (0.0, 0.0, 3.0)))
    assert readout_lines(page)[0] == "Determinant: 3.00"
    cell = page.get_by_label("w, coordinate z")
    cell.fill("-2")
    cell.press("Tab")
    assert readout_lines(page)[1:3] == ["Rank 2 of 3: the vectors span a plane.", "They are dependent: no basis."]
    assert "(\u22121.00, \u22121.00, 2.00), 1.73 away" in readout_lines(page)[3]
    page.get_by_label("Turn").fill("90")
    assert placement(page)["turn"] == [90, 25]


def test_two_vectors_in_space_span_a_plane_that_is_drawn(mount):
    page = mount(VectorPlacement(((2.0, -1.0, 0.0), (1.0, 3.0, 1.0)), (2.0, 0.0, 8.0)))
    lines = readout_lines(page)
    assert lines[:3] == [
        "Area between them: 7.35",
        "Rank 2 of 2: the vectors span a plane.",
        "They are independent: a basis of this plane, not of space.",
    ]
    assert lines[3].startswith("p is not in the span; nearest to it is (3.00, 2.00, 1.00), 7.35 away")
    assert page.locator("path.span.filled").get_attribute("d").endswith("Z")
    shares = page.locator(".combined input")
    assert [shares.nth(place).input_value() for place in (0, 1)] == ["", ""]
    shares.nth(0).fill("0.333")
    shares.nth(1).fill("-2")
    shares.nth(1).press("Tab")
    assert placement(page)["point"] == [-1.334, -6.333, -2]
    assert "p has the coordinates (0.333, \u22122.00) in this basis." in readout_lines(page)


def test_the_sum_of_0(mount):
    page = mount(PLANE)
    page.get_by_role("button", name="Make the sum 0").click()
    assert placement(page)["point"] == [0, 0]
    assert readout_lines(page)[-1] == (
        "The sum is 0. The vectors are independent, so only coefficients that are all 0 do that."
    )
    page.get_by_label("v, coordinate x").fill("4")
    page.get_by_label("v, coordinate y").fill("2")
    page.get_by_role("button", name="Make the sum 0").click()
    shares = page.locator(".combined input")
    assert [shares.nth(place).input_value() for place in (0, 1)] == ["2", "-1"]  # v = 2 u
    assert readout_lines(page)[-1] == "The sum is 0 with coefficients that are not all 0: (2.00, \u22121.00)."


def test_a_pasted_list_fills_the_cells(mount):
    page = mount(PLANE)
    cell = page.get_by_label("u, coordinate x")
    cell.click()
    cell.evaluate(
        """(node, text) => {
          const data = new DataTransfer()
          data.setData("text", text)
          node.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }))
        }""",
        "tensor([[1., \u22122.],\n [3., 0.5]])",
    )
    assert placement(page)["vectors"] == [[1, -2], [3, 0.5]] and placement(page)["point"] == [3, 4]
