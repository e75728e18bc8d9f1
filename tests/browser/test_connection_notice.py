"""A page whose server is away says so in one sentence, goes on by itself, and loads itself anew at a new release."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app_server import AppServer
from tests.browser.conftest import PATIENCE, open_page, ready
from tests.browser.test_journey import type_sentence

SENTENCE = "The server does not answer: this page goes on by itself as soon as it does."
RUN = "import sys; sys.argv = ['streamlit', *sys.argv[1:]]; from streamlit.web.cli import main; main()"


class RestartedServer(AppServer):
    """An app that can be killed and started again on its port.

    Attributes:
        version: of the app, that of this project if "".
    """

    version = ""

    def command(self) -> list[str]:
        python, _, _, *arguments = super().command()
        release = f"import views.version; views.version.VERSION = {self.version!r}; " if self.version else ""
        return [python, "-c", release + RUN, *arguments]

    def kill(self) -> None:
        """Kill it, as in a machine's failure."""
        self._process.kill()
        self.__exit__()

    def restart(self, version: str = "") -> None:
        """Start it again, as another version."""
        self.version = version
        self.__enter__()


@pytest.fixture
def app() -> Iterator[RestartedServer]:
    with RestartedServer() as server:
        yield server


def mark(page: Page) -> None:
    """Mark the document, so that a reload is seen."""
    page.evaluate("() => { window.isMarked = true }")


def is_marked(page: Page) -> bool:
    return bool(page.evaluate("() => window.isMarked"))


@pytest.mark.nightly  # the server starts anew: 25 s
@pytest.mark.parametrize("visitor", ["page", "phone"])
def test_a_page_waits_for_its_server_and_goes_on(request: pytest.FixtureRequest, app: RestartedServer, visitor: str):
    page: Page = request.getfixturevalue(visitor)
    open_page(page, app.url)
    type_sentence(page, "She likes red apples.")
    mark(page)
    notice, box = page.locator(".connection-notice"), page.get_by_label("English sentence")
    expect(notice).to_be_hidden()
    shown = page.locator('[data-testid="stMain"]').inner_text()

    app.kill()
    expect(notice).to_be_visible()
    expect(notice).to_have_text(SENTENCE)
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert page.locator('[data-testid="stMain"]').inner_text() == shown
    edges = notice.bounding_box()
    size = page.viewport_size
    assert edges["x"] == 0 and edges["width"] <= size["width"] and edges["y"] + edges["height"] == size["height"]

    app.restart()
    expect(notice).to_be_hidden()
    ready(page)
    assert is_marked(page)
    expect(box).to_have_value("She likes red apples.")
    type_sentence(page, "We sold two blue chairs.")  # it answers
    assert is_marked(page)

    app.kill()
    expect(notice).to_be_visible()
    app.restart("99.0")
    page.wait_for_function("() => !window.isMarked", timeout=PATIENCE)  # it loads itself anew
    ready(page)
    expect(page.get_by_label("English sentence")).to_have_value("We sold two blue chairs.")
    expect(notice).to_be_hidden()
