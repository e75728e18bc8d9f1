"""The patch picture's script on known numbers, in an empty page: drawing, tooltips and messages."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.mounting import mount_component
from tests.views.components.test_patch_picture import make_picture
from views import palette, patch_grid
from views.components.component import exact_numbers_mark, selection_mark
from views.components.patch_picture import PatchPicture, PicturePanel, exact_weights, payload
from views.text.numbers import three_digits

pytestmark = pytest.mark.nightly

ROWS, COLUMNS = 3, 4
PIXELS = np.random.default_rng(0).integers(0, 256, (6, 8, 3)).astype(np.uint8)
WEIGHTS = np.random.default_rng(1).dirichlet(np.full(13, 0.3), 13).astype(np.float32)
BOTH = (PicturePanel("Patches it attends to", "from"), PicturePanel("Patches that attend to it", "to"))


def make_known_picture(**changes) -> PatchPicture:
    fields = dict(pixels=PIXELS, grid=(ROWS, COLUMNS), panels=BOTH, title="a known picture", weights=WEIGHTS) | changes
    if fields["weights"] is not None and fields["weights"].ndim == 2:
        fields["weights"] = fields["weights"][None, None]
    return make_picture(**fields)


def selection_message(row: int, column: int) -> list[object]:
    """Return the message that is sent for a patch, counted from 0."""
    return ["chosen", make_known_picture(patch=(row, column)).chosen]


@pytest.fixture
def mount(page: Page):
    """Show a picture in an empty page; the script's messages are collected in `window.answers`."""

    def mount_picture(picture: PatchPicture, background: str = "#FFFFFF") -> Page:
        more = exact_weights(picture)
        marked = selection_mark(dict(picture.chosen)) + (exact_numbers_mark(*more) if more else "")
        mount_component(page, "patch_picture", "picture-root", payload(picture, "light"), background, marked)
        return page

    return mount_picture


def canvas(page: Page, name: str, panel: int = 0) -> np.ndarray:
    """`(row, column, channel)` of the colours in a panel's canvas."""
    script = "c => [c.height, c.width, ...c.getContext('2d').getImageData(0, 0, c.width, c.height).data]"
    height, width, *channels = page.locator(f".frame canvas.{name}").nth(panel).evaluate(script)
    return np.array(channels).reshape(height, width, 4)[..., :3]


def shades(weights: np.ndarray, top: float, theme: str = "light") -> np.ndarray:
    """Return the expected colours of a map."""
    scale = np.array([palette.to_rgb(colour) for colour in palette.scale("vision", theme)], dtype=float)
    place = np.clip(weights / top, 0, 1) * (len(scale) - 1)
    low = np.minimum(place.astype(int), len(scale) - 2)
    return scale[low] + (place - low)[..., None] * (scale[low + 1] - scale[low])


def labels(page: Page, panel: int = 0) -> list[str]:
    cells = page.locator(".panel").nth(panel).locator(".patch")
    return cells.evaluate_all("cells => cells.map((cell) => cell.getAttribute('aria-label'))")


def values(page: Page, panel: int) -> list[str]:
    """Return the weights in the labels of the patches of a panel."""
    return [label.split(": ")[1] for label in labels(page, panel)]


def row_of(row: int, column: int) -> int:
    return 1 + row * COLUMNS + column


def format_weights(weights: np.ndarray) -> list[str]:
    return [three_digits(float(weight)) for weight in weights.ravel()]


def test_picture_and_both_maps_are_the_arrays(mount):
    page = mount(make_known_picture())
    chosen = row_of(1, 2)
    for panel, weights in enumerate((WEIGHTS[chosen, 1:], WEIGHTS[1:, chosen])):
        np.testing.assert_array_equal(canvas(page, "under", panel), PIXELS)
        drawn = canvas(page, "map", panel)
        expected = shades(weights.reshape(ROWS, COLUMNS), float(weights.max()))
        assert np.abs(drawn - expected).max() <= 6  # 256 shades between 17 stops
        assert values(page, panel) == format_weights(weights)
        assert page.locator(".high").nth(panel).inner_text() == three_digits(float(weights.max()))
    notes = page.locator(".note").all_inner_texts()
    assert notes == [f"row 2, column 3: {three_digits(float(WEIGHTS[chosen, chosen]))}"] * 2
    masses = page.locator(".quiet").all_inner_texts()
    assert f"CLS {three_digits(float(WEIGHTS[chosen, 0]))}." in masses[0]
    assert masses[1] == f"CLS attends here with {three_digits(float(WEIGHTS[0, chosen]))}."


def test_cls_as_the_query_needs_one_row_only(mount):
    page = mount(
        make_known_picture(
            panels=[PicturePanel("", "cls")], weights=WEIGHTS[:1], tops=np.full((1, 1), 0.5), scale="shared", opacity=30
        )
    )
    expected = shades(WEIGHTS[0, 1:].reshape(ROWS, COLUMNS), 0.5)
    assert np.abs(canvas(page, "map") - expected).max() <= 6
    assert page.locator(".map").evaluate("map => getComputedStyle(map).opacity") == "0.3"
    assert page.locator(".high").inner_text() == "0.500"
    assert page.locator(".quiet").inner_text().endswith(f"CLS {three_digits(float(WEIGHTS[0, 0]))}.")


def test_a_picture_without_a_map(mount):
    page = mount(make_known_picture(panels=[PicturePanel("", "nothing")], weights=None))
    assert not page.locator(".map").is_visible()
    assert not page.locator(".legend").is_visible()
    assert labels(page)[:2] == ["row 1, column 1", "row 1, column 2"]


def test_the_outline_encloses_the_patches_of_the_threshold(mount):
    for share in (0.0, 0.3, 0.95):  # others in web/tests/patch_picture.test.ts
        page = mount(make_known_picture(kept=round(100 * share)))
        for panel, weights in enumerate((WEIGHTS[row_of(1, 2), 1:], WEIGHTS[1:, row_of(1, 2)])):
            chosen = patch_grid.strongest_entries(weights.reshape(ROWS, COLUMNS), share)
            path = page.locator(".outline").nth(panel).get_attribute("d")
            drawn = {(int(y), int(x), way == "h") for x, y, way in re.findall(r"M(\d+) (\d+)([hv])1", path)}
            assert drawn == set(patch_grid.outline_edges(chosen))
            if share:
                assert f"patches in it: {chosen.sum()}." in page.locator(".quiet").nth(panel).inner_text()


def test_hover_shows_the_value_without_a_request(mount):
    page = mount(make_known_picture())
    chosen = row_of(1, 2)
    for row, column in ((0, 0), (2, 3), (1, 1)):
        page.locator(".panel").nth(1).locator(".patch").nth(row * COLUMNS + column).hover()
        assert page.locator(".tip .pair").inner_text() == f"row {row + 1}, column {column + 1}"
        expected = three_digits(float(WEIGHTS[row_of(row, column), chosen]))
        assert page.locator(".tip .value").inner_text() == expected
    assert page.evaluate("answers") == []
    page.mouse.move(0, 0)
    assert not page.locator(".tip").is_visible()


def test_a_click_redraws_immediately_and_is_sent(mount):
    page = mount(make_known_picture())
    page.locator(".panel").nth(1).locator(".patch").nth(5).click()
    page.wait_for_function("() => answers.length")
    assert page.evaluate("answers") == [selection_message(1, 1)]
    assert values(page, 0) == format_weights(WEIGHTS[row_of(1, 1), 1:])
    assert values(page, 1) == format_weights(WEIGHTS[1:, row_of(1, 1)])
    assert page.locator(".patch[aria-selected=true]").count() == 2
    assert not page.locator(".tip").is_visible()  # it had the weight of before


def test_a_late_response_does_not_undo_the_selection(mount):
    page = mount(make_known_picture())
    page.locator(".patch").nth(0).click()
    page.wait_for_function("() => answers.length")
    page.locator(".patch").nth(3).click()
    mount(make_known_picture(patch=(0, 0), title="another"))  # the answer to the first click
    assert values(page, 0) == format_weights(WEIGHTS[row_of(0, 3), 1:])
    page.wait_for_function("() => answers.length")
    mount(make_known_picture(patch=(0, 3)))
    mount(make_known_picture(patch=(2, 1)))  # chosen elsewhere: followed
    assert values(page, 0) == format_weights(WEIGHTS[row_of(2, 1), 1:])


def test_arrow_keys_select_and_one_message_is_sent_after_them(mount):
    page = mount(make_known_picture())
    for _ in range(3):  # behind both lists, the chosen patch is the only one in the tab order
        page.keyboard.press("Tab")
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowUp"):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("row 2, column 4")
    assert values(page, 0) == format_weights(WEIGHTS[row_of(1, 3), 1:])
    # on a busy machine the keys may come so slowly that a place on the way is sent too
    page.wait_for_function(
        "expected => answers.length && JSON.stringify(answers.at(-1)) === expected",
        arg=json.dumps(selection_message(1, 3), separators=(",", ":")),
    )
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.panel').textContent").startswith("Patches that attend to it")


def test_a_tap_chooses(browser):
    context = browser.new_context(has_touch=True, viewport={"width": 390, "height": 844})
    page = context.new_page()
    mount_component(
        page,
        "patch_picture",
        "picture-root",
        payload(make_known_picture(), "light"),
        "#FFFFFF",
        selection_mark(dict(make_known_picture().chosen)),
    )
    page.locator(".patch").nth(7).tap()
    page.wait_for_function("() => answers.length")
    assert page.evaluate("answers") == [selection_message(1, 3)]
    context.close()


def test_names_and_theme(mount):
    page = mount(make_known_picture(), palette.BACKGROUND["dark"])
    assert page.evaluate("answers") == [["theme", "dark"]]
    expected = shades(WEIGHTS[row_of(1, 2), 1:].reshape(ROWS, COLUMNS), float(WEIGHTS[row_of(1, 2), 1:].max()), "dark")
    assert np.abs(canvas(page, "map") - expected).max() <= 6
    names = page.get_by_role("grid").evaluate_all("grids => grids.map((grid) => grid.getAttribute('aria-label'))")
    assert names == ["Patches it attends to", "Patches that attend to it"]
    expect(page.get_by_role("grid").first.get_by_role("row")).to_have_count(ROWS)
    page = mount(make_known_picture(panels=[PicturePanel("", "cls")]))
    assert page.get_by_role("grid").get_attribute("aria-label") == "a known picture"


def test_another_head_is_drawn_before_it_is_sent(mount):
    heads = np.stack([WEIGHTS, WEIGHTS[:, ::-1], WEIGHTS[::-1]])[None]
    page = mount(make_known_picture(weights=heads, heading="Attention, {map}"))
    for head, weights in ((3, heads[0, 2]), (2, heads[0, 1])):
        page.get_by_role("combobox", name="head").select_option(str(head))
        assert values(page, 0) == format_weights(weights[row_of(1, 2), 1:])
        assert page.locator("h2").inner_text() == f"Attention, layer 1, head {head}"
    assert page.evaluate("answers") == []
    page.wait_for_function("() => answers.length")
    assert page.evaluate("answers") == [["chosen", make_known_picture(weights=heads, head=(0, 1)).chosen]]


def test_rounded_values_are_replaced_by_exact_ones(mount):
    weights = np.random.default_rng(3).dirichlet(np.full(170, 0.3), (5, 5, 170)).astype(np.float32)
    weights[1, 2, 1, 1] = 1.0005e-6  # half precision has no third digit here
    picture = make_known_picture(grid=(13, 13), panels=BOTH[:1], weights=weights, patch=(0, 0), head=(1, 2))
    page = mount(picture)
    assert values(page, 0)[0] == "1.00e\u22126"
    nowhere = selection_mark(dict(picture.chosen)) + exact_numbers_mark("1,1,2", weights[0, 0])  # of another picture
    mount_component(page, "patch_picture", "picture-root", payload(picture, "dark"), "#FFFFFF", nowhere)
    assert values(page, 0)[0] == three_digits(float(weights[1, 2, 1, 1].astype(np.float16)))
    assert values(page, 0)[0] != "1.00e\u22126"
