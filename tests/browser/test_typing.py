"""Type in the sentence box of a page: its results follow, and one entry is made when the sentence is entered."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, open_page
from tests.browser.keys import tab_to

FIRST = "The black cat is sleeping on the chair."
ENTRY = "navigation.currentEntry.key"  # another one for each entry of the history
FOLLOWED = "() => !document.documentElement.hasAttribute('data-outdated')"


def address_with(text: str) -> re.Pattern[str]:
    """Of an address with this sentence; a space after it, which changes nothing, may be in it."""
    return re.compile(f"text={re.escape(quote(text, safe='').replace('%20', '+'))}\\+?(&|$)")


@pytest.mark.nightly
def test_results_follow_what_is_typed_and_enter_makes_one_entry(server: Server, page: Page):
    open_page(page, f"{server.url}/attention?text={quote(FIRST)}")
    first = page.evaluate(ENTRY)
    box, french = page.locator(".st-key-text input"), page.locator(".aa-text")
    box.fill("She ")
    box.press_sequentially("reads a book. ")
    page.wait_for_function(FOLLOWED, polling="raf")
    expect(french).to_have_text("Elle lit un livre.")
    expect(page).to_have_url(address_with("She reads a book."))
    expect(box).to_be_focused()
    expect(box).to_have_value("She reads a book. ")
    assert page.evaluate(ENTRY) == first
    box.press("Enter")
    page.wait_for_function(f"first => {ENTRY} !== first", arg=first)
    page.wait_for_function(FOLLOWED, polling="raf")
    page.go_back()
    assert page.evaluate(ENTRY) == first
    expect(box).to_have_value(FIRST)
    expect(french).to_have_text("Le chat noir dort sur la chaise.")
    expect(page).to_have_url(address_with(FIRST))
    page.go_forward()
    expect(french).to_have_text("Elle lit un livre.")


@pytest.mark.parametrize("path", ["", "attention"], ids=["home", "attention"])
def test_keys_that_compose_a_syllable_do_not_end_live_typing(server: Server, page: Page, path: str):
    open_page(page, f"{server.url}/{path}?text={quote(FIRST)}")
    box, line = page.locator(".st-key-text input"), page.context.new_cdp_session(page)
    box.fill("")
    page.evaluate("""() => addEventListener("keydown", (event) => {
        window.composed = [...(window.composed ?? []), [event.key, event.isComposing, event.keyCode]]
    })""")
    tab_to(box)
    keys = ["Enter", "Escape", "ArrowLeft", "g"]
    for key in keys:  # an input method takes each: it sends the code 229 of all
        line.send("Input.imeSetComposition", {"text": "\u3131", "selectionStart": 1, "selectionEnd": 1})
        line.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", "key": key, "windowsVirtualKeyCode": 229})
        line.send("Input.dispatchKeyEvent", {"type": "keyUp", "key": key, "windowsVirtualKeyCode": 229})
        line.send("Input.imeSetComposition", {"text": "", "selectionStart": 0, "selectionEnd": 0})
    assert page.evaluate("window.composed") == [[key, True, 229] for key in keys]
    line.detach()
    before = page.url
    box.press_sequentially("She reads a book. ")
    if path:
        expect(page.locator(".aa-text")).to_have_text("Elle lit un livre.")
    else:
        expect(page.locator(".stage-root")).to_have_attribute("data-drawn", re.compile("^She .* book"))
    expect(box).to_be_focused()
    assert (page.url == before) == (path == "")  # the address of the home page follows Enter alone
