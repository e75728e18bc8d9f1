"""Visitors whose browser prefers Korean: a journey from the home page to a saved file, and a link that others open."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.address_bar import query
from tests.browser.conftest import PATIENCE, Server, open_page, ready
from tests.browser.overflow import LAPTOP, assert_nothing_overflows
from tests.browser.test_lessons import CHOICES, FOUND
from tests.browser.uncatalogued import uncatalogued
from tests.browser.uploads import upload, wait_for_picture
from tests.pages.in_korean import is_english
from tests.views.controls.odd_pictures import encoded, photo
from views.controls.sentence_input import EXAMPLES
from views.lessons import LESSONS
from views.text import prose
from views.text.catalogue import say, using_language


def new_visitor(browser: Browser, locale: str) -> Page:
    """Return a tab of a visitor whose browser prefers a language."""
    context = browser.new_context(viewport=LAPTOP, locale=locale, reduced_motion="reduce", accept_downloads=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    return page


@pytest.fixture
def korean(browser: Browser) -> Iterator[Page]:
    page = new_visitor(browser, "ko-KR")
    yield page
    page.context.close()


@pytest.fixture
def english(browser: Browser) -> Iterator[Page]:
    page = new_visitor(browser, "en-US")
    yield page
    page.context.close()


def in_korean(id: str, text: str) -> str:
    with using_language("ko"):
        translated = say(id, text)
    assert translated != text
    return translated


def title(page: str) -> str:
    with using_language("ko"):
        return prose.title(page)


def english_texts(page: Page) -> list[str]:
    """List English texts of an open page, those under the pointer and of tooltips included, but example sentences."""
    texts = (text.partition(": ") for text in uncatalogued(page))
    return [f"{where}: {text}" for where, _, text in texts if text not in EXAMPLES and is_english(text)]


@pytest.mark.nightly
def test_a_visit_in_korean_from_the_home_page_to_a_saved_file(korean: Page, server: Server, tmp_path: Path):
    page = korean
    open_page(page, server.url)
    expect(page.locator("html")).to_have_attribute("lang", "ko")
    assert english_texts(page) == []

    page.locator(".st-key-doors").get_by_role("link", name=in_korean("home.learn", "Learn step by step")).click()
    for lesson in LESSONS:
        with using_language("ko"):
            expect(page.get_by_role("heading", level=2)).to_have_text(lesson.name())
        ready(page)
        assert english_texts(page) == [], lesson.id
        page.locator(CHOICES).first.click()
        expect(page.locator(FOUND)).to_have_count(1)
        page.get_by_role("button", name=in_korean("course.compare", "Compare with ours")).click()
        page.locator(CHOICES).first.click()
        expect(page.locator(FOUND)).to_have_count(2)
        page.locator(".course-root .steps a[rel=next]").click()
    expect(page.locator(FOUND)).to_have_count(12)
    ready(page)
    assert english_texts(page) == []

    page.locator(".st-key-sections").get_by_role("link", name=title("vision"), exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(title("vision"))
    upload(page, "mine.png", encoded(photo(200, 150, seed=5)), "image/png")
    wait_for_picture(page, "own")
    assert re.search("[가-힣]", page.locator(".aa-answer .aa-best th").inner_text())
    assert english_texts(page) == []

    open_page(page, f"{server.url}/attention?text=She+has+seven+cats.&kind=Cross")
    page.get_by_text(in_korean("viewer.save", "Save this view")).click()
    file = tmp_path / "saved.html"
    with page.expect_download() as download:
        page.get_by_role("button", name=in_korean("viewer.html", "One HTML file")).click()
    download.value.save_as(file)
    page.goto(file.as_uri())
    expect(page.locator("html")).to_have_attribute("lang", "ko")
    expect(page.locator(".tile").first).to_be_visible()
    assert not [line for line in page.locator("body").inner_text().splitlines() if is_english(line)][1:]


@pytest.mark.nightly
def test_a_link_opens_in_the_language_of_each_visitor_unless_it_names_one(korean: Page, english: Page, server: Server):
    open_page(korean, f"{server.url}/heads?text=She+has+seven+cats.&sort=entropy")
    link = korean.url
    assert "lang" not in query(korean)
    open_page(english, link)
    for visitor, language in ((korean, "ko"), (english, "en")):
        expect(visitor.locator("html")).to_have_attribute("lang", language)
    assert query(english) == query(korean)
    assert english_texts(english) != []  # so that the search finds what there is
    assert english.get_by_role("heading", level=1).inner_text() != title("heads")
    korean.reload()
    ready(korean)
    expect(korean.get_by_role("heading", level=1)).to_have_text(title("heads"))

    english.get_by_role("button", name="한국어", exact=True).click()
    expect(english.locator("html")).to_have_attribute("lang", "ko")
    ready(english)
    assert query(english) == query(korean) | {"lang": ["ko"]}
    english.get_by_role("button", name="English", exact=True).click()
    expect(english.locator("html")).to_have_attribute("lang", "en")
    ready(english)
    open_page(korean, english.url)
    expect(korean.locator("html")).to_have_attribute("lang", "en")
    assert_nothing_overflows(english, LAPTOP)
