"""Running text coloured by attention, in an empty page: the token at rest, under the pointer, by key and locked."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import Page, expect

from tests.browser.mounting import mount_component
from tests.browser.test_kinds_component import SOURCE, attention, make_grid
from views.components import attention_text
from views.components.component import selection_mark
from views.text.numbers import three_digits

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
    tokens.nth(1).press("ArrowRight")
    expect_query(2)
    tokens.nth(2).press("Enter")
    tokens.nth(2).blur()
    expect_query(2)
    assert len(np.unique(tokens.evaluate_all("all => all.map((token) => token.style.background)"))) > 1
