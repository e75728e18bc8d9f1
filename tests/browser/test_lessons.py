"""The lessons as a user follows them: predict, see why, go on, reload, leave for a part and come back."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, open_page, ready
from tests.browser.touch import tap
from tests.tiers import nightly
from views.lessons import BY_ID, LESSONS

FIGURE, FOUND = ".course-root .figure", ".course-root .found"
CHOICES = ".course-root .options button, .course-root .figure .pick[role=button]"
MOST_TABS = 12  # from the top of the page to the first answer
FOCUSED = """() => {
    let node = document.activeElement
    while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement
    if (node.matches(".options button, .pick[role=button]")) return "answer"
    return node.matches(".ask, .found, .next, h2") ? node.classList[0] ?? "title" : node.tagName
}"""


def focused(page: Page) -> str:
    """Return what has the focus: an answer, the second question ("ask"), a result ("found"), "next" or the "title"."""
    return page.evaluate(FOCUSED)


def tabs_to(page: Page, what: str) -> int:
    """Press Tab until `what` has the focus, and Enter on a link that skips; return how many times."""
    for count in range(1, 40):
        page.keyboard.press("Tab")
        if focused(page) == what:
            return count
        if page.evaluate("document.activeElement.matches('.skip-to-lesson')"):
            page.keyboard.press("Enter")
    raise AssertionError(f"No number of Tabs reaches {what}")


def test_lessons_by_keys_from_the_home_page_to_a_part_and_back(page: Page, server: Server):
    open_page(page, f"{server.url}/?text=I+want+to+buy+a+car.")
    page.get_by_role("link", name="Learn step by step").click()
    course = page.locator(".course-root")
    expect(course.get_by_role("heading", level=2)).to_have_text("What attends to what")
    ready(page)
    box = page.locator(f"{FIGURE} svg").bounding_box()
    assert box["y"] > 0 and box["y"] + box["height"] <= page.viewport_size["height"]
    expect(page.locator(FOUND)).to_have_count(0)
    page.reload()  # from the top of the page, as by a link
    ready(page)
    page.evaluate("window.loadedOnce = true")
    assert tabs_to(page, "answer") <= MOST_TABS
    for _ in range(6):  # The cat is sleeping on the chair
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(FOUND)).to_contain_text("Yes: \u201cla\u201d reads \u201cchair\u201d most")
    right = page.locator(f"{FIGURE} .pick[data-right]")
    expect(right).to_have_attribute("data-of", "ask")
    assert focused(page) == "ask"
    assert tabs_to(page, "answer") == 1
    page.keyboard.press("Enter")
    expect(page.locator(FOUND)).to_have_count(2)
    assert focused(page) == "found"
    expect(page.locator(FOUND).last).to_be_focused()
    assert tabs_to(page, "next") == 1
    page.keyboard.press("Enter")
    expect(course.get_by_role("heading", level=2)).to_have_text("From words to vectors")
    ready(page)
    assert focused(page) == "title" and page.evaluate("window.loadedOnce")  # without reloading the app
    assert tabs_to(page, "answer") == 1
    assert "lesson=tokens-step-by-step" in page.url
    page.reload()
    ready(page)
    expect(course.locator(".list .mark")).to_have_count(1)
    course.get_by_text("More about this").click()
    expect(course.get_by_text("A common mistake:")).to_be_hidden()  # it would give the answer away
    course.get_by_role("link", name="More in Tokens").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Tokens")
    ready(page)
    bar = page.locator("nav.lessons")
    bar.get_by_role("link", name="Back to lesson 2 of 12").click()
    expect(course.get_by_role("heading", level=2)).to_have_text("From words to vectors")
    expect(bar).to_be_hidden()


@pytest.mark.parametrize(
    "id",
    ["inside-one-query", *(nightly(id, id=id) for id in BY_ID if id not in ("inside-one-query", "attention-ribbons"))],
)
def test_a_lesson_by_keys_alone(page: Page, server: Server, id: str):
    """From the top to the first answer, to the second question, to its result and on; marks stay in the list."""
    open_page(page, f"{server.url}/lessons?lesson={id}")
    before = page.locator(f"{FIGURE} svg").screenshot()
    assert tabs_to(page, "answer") <= MOST_TABS
    page.keyboard.press("Enter")
    assert focused(page) == "ask"
    assert page.locator(f"{FIGURE} svg").screenshot() != before
    assert tabs_to(page, "answer") == 1
    page.keyboard.press("Enter")
    assert focused(page) == "found"
    for options in page.locator(".course-root .options:visible").all():
        assert options.locator("[data-right]").count() == options.get_by_text("your prediction").count() == 1
    assert page.locator(f"{FIGURE} .pick[data-right]").count() == page.locator(f"{FIGURE} .pick[data-picked]").count()
    assert tabs_to(page, "next") == 1


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
        expect(phone.locator(CHOICES).first).to_be_in_viewport()
        tap(phone.locator(CHOICES).first)
        expect(phone.locator(FOUND)).to_have_count(2)
        tap(phone.locator(".course-root a[rel=next]"))
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
