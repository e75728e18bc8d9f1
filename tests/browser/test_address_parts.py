"""A user action and a page change at the same moment: neither is lost, in either order."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.address_bar import expect_setting, path
from tests.browser.conftest import Server, open_page
from tests.browser.held_line import HeldLine
from tests.browser.menu import link_to
from tests.browser.test_address import arrived, box, go
from tests.browser.test_address_races import FIRST
from tests.tiers import nightly

AT_ONCE = "link => link.click()"  # Playwright's own click takes a while
MOVE = "ArrowRight"


def choose(page: Page, name: str) -> None:
    page.get_by_role("radio", name=name, exact=True).click()


def press(page: Page, name: str) -> None:
    """Without waiting until it can be pressed."""
    found = page.get_by_role("radio", name=name, exact=True).bounding_box()
    page.mouse.click(found["x"] + found["width"] / 2, found["y"] + found["height"] / 2)


def test_a_fragment_action_and_a_page_change_sent_together_are_both_applied(
    held_page: tuple[Page, HeldLine], server: Server
):
    """Streamlit alone would run the other page before the fragment, whose new value would be lost."""
    page, line = held_page
    open_page(page, f"{server.url}/attention?text=I+am+a+student.")
    line.hold(answers=False)
    choose(page, "Cross")
    link_to(page, "Heads").click()
    line.wait_for(2, answers=False)
    line.release(answers=False)
    arrived(page, "Heads")
    expect_setting(page, kind="cross")


@pytest.mark.parametrize("control", [nightly("Beam"), "Cross"])  # of the whole page, and of a part of it
def test_a_click_on_the_old_page_does_not_undo_a_menu_click(
    held_page: tuple[Page, HeldLine], server: Server, control: str
):
    page, line = held_page
    open_page(page, f"{server.url}/attention?text=I+am+a+student.")
    line.hold(answers=True)
    link_to(page, "Attribution").click()
    line.wait_for(1, answers=True, part=b"Attribution")
    press(page, control)
    line.release(answers=True)
    arrived(page, "Attribution")
    choose(page, "Sampling")
    expect_setting(page, method="sampling")
    assert path(page) == "/attribution"
    page.go_back()
    arrived(page, "Attention")
    expect(page.get_by_role("radio", name="Encoder", exact=True)).to_be_checked()


@pytest.mark.nightly
def test_a_page_accepts_actions_after_a_menu_click_and_back(held_page: tuple[Page, HeldLine], server: Server):
    page, line = held_page
    open_page(page, f"{server.url}/?text=Where%3F")
    go(page, "Attention")
    line.hold(answers=True)
    link_to(page, "Heads").click()
    page.go_back()
    line.wait_for(1, answers=True, part=b"text=Where")
    line.release(answers=True)
    arrived(page, "Attention Atlas")
    choose(page, "Beam")
    expect_setting(page, text="Where?", method="beam")


@pytest.mark.nightly
def test_a_fragment_action_on_the_old_page_does_not_undo_back(held_page: tuple[Page, HeldLine], server: Server):
    page, line = held_page
    open_page(page, f"{server.url}/?text=I+am+a+student.")
    go(page, "Attention")
    line.hold(answers=True)
    page.go_back()
    line.wait_for(1, answers=True, part=b"text=I+am+a+student.")
    press(page, "Cross")
    line.release(answers=True)
    arrived(page, "Attention Atlas")
    choose(page, "Beam")
    expect_setting(page, text=FIRST, method="beam")
    assert path(page) == "/"
    page.go_forward()
    arrived(page, "Attention")


def step(page: Page) -> None:
    page.locator('input[data-axis="step"]').focus()


def length(page: Page) -> None:
    page.get_by_test_id("stSlider").first.get_by_role("slider").focus()


@pytest.mark.parametrize(
    ("address", "slider", "setting"),
    [
        ("history?text=Where%3F", step, {"step": "2"}),
        nightly("positions?text=Where%3F", length, {"length": "65"}),
    ],
)
def test_a_slider_moved_just_before_a_page_change_keeps_its_value(
    page: Page, server: Server, address: str, slider: Callable[[Page], None], setting: dict[str, str]
):
    """A slider's value is sent once it has not moved for a moment."""
    open_page(page, f"{server.url}/{address}")
    title = page.locator('[data-testid="stMain"] h1').inner_text()
    link = link_to(page, "Tokens")
    slider(page)
    page.keyboard.press(MOVE)
    link.evaluate(AT_ONCE)
    arrived(page, "Tokens")
    expect(box(page)).to_have_value("Where?")
    go(page, title)
    expect_setting(page, **setting)
