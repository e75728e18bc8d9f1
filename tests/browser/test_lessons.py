"""The lesson path as a user follows it: start, a task, the next lesson, another page, a reload, and the end."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, open_page, ready
from tests.browser.menu import link_to
from views.lessons import LESSONS

BAR = "nav.lessons"
END_IS_VISIBLE = """() => {
  const main = document.querySelector("[data-testid=stMain]")
  main.scrollTo(0, main.scrollHeight)
  const visible = (each) => each.innerText.trim() && each.checkVisibility({ contentVisibilityAuto: true })
  const last = [...main.querySelectorAll("[data-testid=stElementContainer], summary")].filter(visible).at(-1)
  return last.getBoundingClientRect().bottom <= document.querySelector("nav.lessons").getBoundingClientRect().top
}"""


# The page while it runs: the text of what is proposed is there for some frames, its button is not.
HALF_DRAWN = """async (task) => {
    const app = document.querySelector("[data-testid=stApp]").dataset
    const offered = document.querySelector(`${task} [class*=st-key-try-]`), called = offered.className
    app.testScriptState = "running"
    offered.className = ""
    document.body.append("") // something has changed
    for (let frame = 0; frame < 5; frame++) await new Promise(requestAnimationFrame)
    offered.className = called
    app.testScriptState = "notRunning"
}"""


def test_the_lesson_path_from_start_to_end(page: Page, server: Server):
    open_page(page, f"{server.url}/?text=I+want+to+buy+a+car.")
    bar = page.locator(BAR)
    expect(bar).to_be_hidden()
    page.get_by_role("link", name="Learn step by step").click()
    expect(bar.locator(".place")).to_have_text("1 of 11: Before the Transformer")
    expect(bar.get_by_role("link", name="Back")).to_have_count(0)
    page.evaluate("window.loadedOnce = true")
    bar.get_by_role("link", name="Next").click()
    expect(bar.locator(".place")).to_have_text("2 of 11: Sizes")
    expect(page.get_by_role("heading", level=1)).to_have_text("Tokens")
    ready(page)
    assert "text=I+want+to+buy+a+car." in page.url
    bar.get_by_role("link", name="Next").click()
    expect(bar.locator(".place")).to_have_text("3 of 11: Tokens")
    ready(page)
    bar.get_by_role("button", name="Try it here").click()
    task = page.locator(f".st-key-experiment-{LESSONS[2].experiment}")
    assert page.evaluate("window.loadedOnce")  # from lesson to lesson without reloading the app
    expect(task.get_by_role("button")).to_be_focused()
    page.evaluate(HALF_DRAWN, f".st-key-experiment-{LESSONS[2].experiment}")
    expect(bar.locator(".done")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(bar.locator(".done")).to_have_text("Done")
    ready(page)
    page.reload()
    ready(page)
    expect(bar.locator(".done")).to_have_text("Done")
    link_to(page, "Masks").click()  # whose first part is no lesson
    expect(bar.locator("a.place")).to_have_text("Go on with 3 of 11: Tokens")
    page.go_back()
    expect(bar.locator("span.place")).to_have_text("3 of 11: Tokens")
    bar.get_by_role("button", name="Leave").click()
    expect(bar).to_be_hidden()
    ready(page)
    page.reload()
    ready(page)
    expect(bar).to_be_hidden()


def test_the_lesson_path_leaves_all_links_reachable(page: Page, server: Server):
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, f"{server.url}/loss")
    page.evaluate("localStorage.setItem('lessons', '1')")
    page.reload()
    ready(page)
    bar = page.locator(BAR)
    expect(bar).to_be_visible()
    box = bar.bounding_box()
    assert box["height"] <= 44 and box["width"] == 390
    for each in bar.locator(".place, a, button").all():
        inside = each.bounding_box()
        assert inside["x"] >= 0 and inside["x"] + inside["width"] <= 390
    page.wait_for_function(END_IS_VISIBLE)
    page.keyboard.press("Shift+P")
    expect(bar).to_be_hidden()
