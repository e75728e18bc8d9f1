"""A program in its fold: it needs no script of Streamlit's, and its button copies it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from pages.shared.code import fill_program
from tests.browser.axe import violations
from tests.browser.conftest import Server, open_page
from tests.browser.keys import tab_to
from tests.browser.overflow import assert_nothing_overflows

VALUES = {"length": 20, "d_model": 32, "form": "paper"}
ADDRESS = "positions?positions=table&length=20&width=32&form=paper"


@pytest.mark.nightly
def test_a_program_is_copied_as_it_is_and_scrolls_by_keys(page: Page, server: Server):
    scripts: list[str] = []
    page.on("request", lambda request: scripts.append(request.url))
    open_page(page, f"{server.url}/{ADDRESS}")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    fold = page.get_by_test_id("stExpander").filter(has_text="The same in PyTorch")
    fold.locator("summary").click()
    program = fold.get_by_role("region", name="The same in PyTorch")
    expect(program).to_be_visible()
    text = fill_program("positions", "table", **VALUES)
    assert program.inner_text() == text
    assert not [url for url in scripts if "SyntaxHighlighter" in url]
    tab_to(fold.get_by_role("button", name="Copy"))
    page.keyboard.press("Enter")
    expect(fold.get_by_text("Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == text
    expect(fold.get_by_text("Copied")).to_be_hidden()
    page.keyboard.press("Tab")
    expect(program).to_be_focused()
    assert violations(page) == []
    assert_nothing_overflows(page)


@pytest.mark.nightly
def test_without_the_clipboard_the_program_is_selected(page: Page, server: Server):
    open_page(page, f"{server.url}/{ADDRESS}")
    page.evaluate(
        "() => { navigator.clipboard.writeText = () => Promise.reject(); document.execCommand = () => false }"
    )
    fold = page.get_by_test_id("stExpander").filter(has_text="The same in PyTorch")
    fold.locator("summary").click()
    fold.get_by_role("button", name="Copy").click()
    expect(fold.get_by_text("Selected: press Ctrl+C")).to_be_visible()
    assert page.evaluate("getSelection().toString()") == fill_program("positions", "table", **VALUES)
