"""A deed, and another page within the same moment: neither is lost, whichever comes first."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.address_bar import expect_setting, path
from tests.browser.conftest import Server, open_page
from tests.browser.menu import link_to
from tests.browser.test_address import arrived, box, go
from tests.browser.test_address_races import FIRST, Line, slow
from tests.tiers import nightly

__all__ = ["slow"]

AT_ONCE = "link => link.click()"  # Playwright's own click takes a while
MOVE = "ArrowRight"


def choose(page: Page, name: str) -> None:
    page.get_by_role("radio", name=name, exact=True).click()


def press(page: Page, name: str) -> None:
    """Without waiting until it can be pressed."""
    found = page.get_by_role("radio", name=name, exact=True).bounding_box()
    page.mouse.click(found["x"] + found["width"] / 2, found["y"] + found["height"] / 2)


def test_a_deed_in_a_part_and_a_page_that_arrive_together_both_count(slow: tuple[Page, Line], server: Server):
    """Streamlit would ask for another page before the part has begun, and never hear what was set in it."""
    page, line = slow
    open_page(page, f"{server.url}/attention?text=I+am+a+student.")
    line.hold(answers=False)
    choose(page, "Cross")
    link_to(page, "Heads").click()
    line.wait_for(2, answers=False)
    line.let_go(answers=False)
    arrived(page, "Heads")
    expect_setting(page, kind="cross")


@pytest.mark.parametrize("control", [nightly("Beam"), "Cross"])  # of the whole page, and of a part of it
def test_a_click_on_a_page_that_the_menu_has_left_does_not_undo_the_menu(
    slow: tuple[Page, Line], server: Server, control: str
):
    page, line = slow
    open_page(page, f"{server.url}/attention?text=I+am+a+student.")
    line.hold(answers=True)
    link_to(page, "Attribution").click()
    line.wait_for(1, answers=True, part=b"Attribution")
    press(page, control)
    line.let_go(answers=True)
    arrived(page, "Attribution")
    choose(page, "Sampling")
    expect_setting(page, method="sampling")
    assert path(page) == "/attribution"
    page.go_back()
    arrived(page, "Attention")
    expect(page.get_by_role("radio", name="Encoder", exact=True)).to_be_checked()


@pytest.mark.nightly
def test_a_page_takes_deeds_again_where_back_follows_the_menu_at_once(slow: tuple[Page, Line], server: Server):
    page, line = slow
    open_page(page, f"{server.url}/?text=Where%3F")
    go(page, "Attention")
    line.hold(answers=True)
    link_to(page, "Heads").click()
    page.go_back()
    line.wait_for(1, answers=True, part=b"text=Where")
    line.let_go(answers=True)
    arrived(page, "Attention Atlas")
    choose(page, "Beam")
    expect_setting(page, text="Where?", method="beam")


@pytest.mark.nightly
def test_a_deed_in_a_part_of_a_page_that_back_has_left_does_not_undo_back(slow: tuple[Page, Line], server: Server):
    page, line = slow
    open_page(page, f"{server.url}/?text=I+am+a+student.")
    go(page, "Attention")
    line.hold(answers=True)
    page.go_back()
    line.wait_for(1, answers=True, part=b"text=I+am+a+student.")
    press(page, "Cross")
    line.let_go(answers=True)
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
def test_a_slider_that_has_just_been_moved_stays_there(
    page: Page, server: Server, address: str, slider: Callable[[Page], None], setting: dict[str, str]
):
    """The server is told of a slider once it stands still."""
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
