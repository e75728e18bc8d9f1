"""The lessons as a user follows them: predict, see what came out, go on, reload, leave for a part and come back."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, open_page, ready
from tests.browser.touch import tap
from views.lessons import LESSONS

FIGURE, FOUND, CHOICES = ".course-root .figure", ".course-root .found", ".options button, .figure[data-picking] .pick"


def test_lessons_by_keys_from_the_home_page_to_a_part_and_back(page: Page, server: Server):
    open_page(page, f"{server.url}/?text=I+want+to+buy+a+car.")
    page.get_by_role("link", name="Learn step by step").click()
    course = page.locator(".course-root")
    expect(course.get_by_role("heading", level=2)).to_have_text("What attends to what")
    ready(page)
    box = page.locator(f"{FIGURE} svg").bounding_box()
    assert box["y"] > 0 and box["y"] + box["height"] <= page.viewport_size["height"]
    expect(page.locator(FOUND)).to_have_count(0)
    page.evaluate("window.loadedOnce = true")
    page.locator(f"{FIGURE} .pick").first.focus()
    for _ in range(6):  # The cat is sleeping on the chair
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(FOUND)).to_contain_text("As predicted. \u201cchair\u201d")
    expect(page.locator(f"{FIGURE} .pick[data-right]")).to_have_count(0)  # those of the next question
    page.keyboard.press("Enter")  # "Compare with ours" has the focus
    page.locator(f"{FIGURE} .pick").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(FOUND)).to_have_count(2)
    page.keyboard.press("Enter")  # "Next" has the focus
    expect(course.get_by_role("heading", level=2)).to_have_text("From words to vectors")
    ready(page)
    assert page.evaluate("window.loadedOnce")  # without reloading the app
    assert "lesson=tokens-step-by-step" in page.url
    page.reload()
    ready(page)
    expect(course.locator(".list .mark")).to_have_count(1)
    course.get_by_role("link", name="More in Tokens").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Tokens")
    ready(page)
    bar = page.locator("nav.lessons")
    bar.get_by_role("link", name="Back to lesson 2 of 12").click()
    expect(course.get_by_role("heading", level=2)).to_have_text("From words to vectors")
    expect(bar).to_be_hidden()


@pytest.mark.nightly
def test_all_lessons_by_thumb(phone: Page, server: Server):
    open_page(phone, f"{server.url}/lessons")
    for lesson in LESSONS:
        expect(phone.get_by_role("heading", level=2)).to_have_text(lesson.name())
        ready(phone)
        box = phone.locator(f"{FIGURE} svg").bounding_box()
        assert box["width"] <= 390 and box["y"] < phone.viewport_size["height"] - 100, lesson.id
        tap(phone.locator(CHOICES).first)
        expect(phone.locator(FOUND)).to_have_count(1)
        tap(phone.get_by_role("button", name="Compare with ours"))
        tap(phone.locator(CHOICES).first)
        expect(phone.locator(FOUND)).to_have_count(2)
        tap(phone.locator(".course-root .steps a[rel=next]"))
    expect(phone.get_by_role("heading", level=2)).to_have_text("What you predicted and found")
    expect(phone.locator(FOUND)).to_have_count(12)
    expect(phone.locator(".course-root .ways a")).to_have_count(3)


@pytest.mark.nightly
def test_the_bar_leaves_all_links_reachable(page: Page, server: Server):
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, f"{server.url}/loss")
    page.evaluate("localStorage.setItem('lessons', '1')")
    page.reload()
    ready(page)
    bar = page.locator("nav.lessons")
    expect(bar.get_by_role("link")).to_have_text("Back to lesson 10 of 12: Loss and training")
    box = bar.bounding_box()
    assert box["height"] <= 44 and box["width"] == 390
    bar.get_by_role("button", name="Leave").click()
    expect(bar).to_be_hidden()
