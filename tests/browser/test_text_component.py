"""Running text coloured by attention, in an empty page: at rest, under the pointer, by key, locked; with a picture."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import Page, expect

from tests.browser.keys import tab_to
from tests.browser.mounting import mount_component
from tests.browser.test_kinds_component import SOURCE, attention, make_grid
from views.components import attention_text
from views.components.component import selection_mark
from views.kind_labels import PREFIX
from views.text.numbers import three_digits
from views.viewer.attention_maps import AttentionMaps, KindMaps, MapAxis
from views.viewer.pictured_maps import PictureInText
from views.viewer.viewer_controls import running_text

AT = "tokens => tokens.findIndex((token) => token.matches('.asking'))"


def test_the_tokens_that_a_token_attends_to_are_named(page: Page):
    grid = make_grid(layer="2", head="3")
    mark = selection_mark(dict(grid.chosen))
    mount_component(page, attention_text.NAME, attention_text.ROOT, attention_text.payload(grid), "#FFFFFF", mark)
    weights, tokens = attention("encoder")[1, 2], page.locator(".token")

    def expect_query(query: int) -> None:
        strongest = int(weights[query].argmax())
        named = (
            f"{SOURCE[query].strip()} attends to: {SOURCE[strongest].strip()} {three_digits(weights[query, strongest])}"
        )
        expect(page.locator(".readout")).to_contain_text(named)
        assert tokens.evaluate_all(AT) == query

    expect_query(len(SOURCE) // 2)  # none is pointed at
    tokens.nth(0).hover()
    expect_query(0)
    tokens.nth(1).click()
    page.mouse.move(0, 0)
    expect_query(1)  # it is locked
    tab_to(tokens.nth(1))
    page.keyboard.press("ArrowRight")
    expect_query(2)
    tab_to(tokens.nth(2))
    page.keyboard.press("Enter")
    tokens.nth(2).blur()
    expect_query(2)
    assert len(np.unique(tokens.evaluate_all("all => all.map((token) => token.style.background)"))) > 1


def test_parts_of_a_picture_are_tokens_over_it(page: Page):
    labels = MapAxis(("The", *(f"row {row}, column {column}" for row in (1, 2) for column in (1, 2)), "fox"))
    weights = np.full((1, 1, 6, 6), 1 / 16, dtype=np.float32)
    weights[0, 0, 5, :3] = 0.5, 0.0625, 0.25  # of the last token: the first token, and the first two parts
    weights[0, 0, 2, 5] = 0.75  # of a part: the last token
    maps = AttentionMaps({"prefix": KindMaps(PREFIX, weights, labels, labels, (0,))})
    picture = PictureInText(np.zeros((4, 4, 3), dtype=np.uint8), (2, 2), (1, 2, 3, 4))
    content = running_text(maps, [attention_text.direction_choice()])
    sent, mark = attention_text.payload(content, pictures=[picture]), selection_mark(dict(content.chosen))
    mount_component(page, attention_text.NAME, attention_text.ROOT, sent, "#FFFFFF", mark)
    readout, parts = page.locator(".readout"), page.locator(".token.part")
    expect(readout).to_contain_text("fox attends to: The 0.500, row 1, column 2 0.250")
    expect(readout).to_contain_text("the picture gets 0.438 in all")
    shares = parts.evaluate_all("all => all.map((part) => getComputedStyle(part).backgroundColor)")
    assert shares[0] != shares[1] == max(shares, key=lambda colour: float(colour.split("/")[1].rstrip(")")))
    frame, second = page.locator(".picture").bounding_box(), parts.nth(1).bounding_box()
    assert second["x"] == frame["x"] + frame["width"] / 2 and second["y"] == frame["y"]
    parts.nth(1).hover()
    expect(readout).to_contain_text("row 1, column 2 attends to: fox 0.750")
    tab_to(page.locator(".token[tabindex='0']"))
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    assert page.locator(".token").evaluate_all(AT) == 4  # the part below
    page.get_by_role("radio", name="is attended to by").check()
    page.locator(".token").last.hover()
    expect(readout).to_contain_text("fox is attended to by: row 1, column 2 0.750")
