"""The app in a frame of another site: shown to the listed sites only, with uploads and the session working."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import Browser, Frame, Page

from tests.browser.app_server import AppServer
from tests.browser.chromium import FLAGS, installed_chromium
from tests.browser.conftest import PATIENCE, READY
from tests.processes import free_port
from tests.tiers import nightly
from views.controls import samples

pytestmark = pytest.mark.nightly


class _Course(BaseHTTPRequestHandler):
    """A page of another site that shows what its query names in a frame."""

    def do_GET(self) -> None:
        framed = self.path.partition("?")[2]
        body = (
            f'<title>course</title><iframe src="{framed}" width="1200" height="800" allow="camera"></iframe>'.encode()
        )
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Print nothing."""


@pytest.fixture(scope="module")
def course() -> Iterator[str]:
    """A site that is not the app's for a browser: another host name."""
    with ThreadingHTTPServer(("127.0.0.1", free_port()), _Course) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def framed_app(course: str) -> Iterator[AppServer]:
    with AppServer(ATLAS_EMBED=course) as app:
        yield app


PARTITIONED = "none but partitioned cookies"  # a browser that sends a cookie in frames only if each site has its own


@pytest.fixture(scope="module", params=[nightly("cookies of other sites"), PARTITIONED])
def embedding_browser(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Browser]:
    """A browser as it is, and one that is strict about cookies."""
    flags = [*FLAGS, "--test-third-party-cookie-phaseout"] if request.param == PARTITIONED else [*FLAGS]
    embedding_browser = browser.browser_type.launch(executable_path=installed_chromium(), args=flags)
    yield embedding_browser
    embedding_browser.close()


@pytest.fixture
def tab(embedding_browser: Browser) -> Iterator[Page]:
    tab = embedding_browser.new_page()
    tab.set_default_timeout(PATIENCE)
    yield tab
    tab.close()


def open_framed(tab: Page, course: str, address: str) -> Frame:
    tab.goto(f"{course}/?{address}", wait_until="commit")
    tab.wait_for_selector("iframe")
    (frame,) = [frame for frame in tab.frames if frame is not tab.main_frame]
    return frame


@pytest.mark.nightly
def test_a_listed_site_shows_the_app_and_a_visitor_works_in_it(tab: Page, course: str, framed_app: AppServer):
    frame = open_framed(tab, course, f"{framed_app.url}/vision")
    frame.wait_for_function(READY, timeout=PATIENCE)
    answers = []
    tab.on("response", lambda answer: answers.append((answer.request.method, answer.status, answer.url)))
    chosen = samples.SAMPLES[2].path
    frame.locator('input[type="file"]').first.set_input_files(str(chosen))
    frame.get_by_text("Your picture: JPEG").first.wait_for()
    assert [status for method, status, url in answers if method == "PUT" and "/upload_file/" in url] == [204]
    frame.wait_for_function(READY, timeout=PATIENCE)
    frame.get_by_text("CLS attention", exact=True).first.click()  # another view, of the picture that the visit has
    frame.wait_for_function("() => location.search.includes('view=cls')", timeout=PATIENCE)
    frame.wait_for_function(READY, timeout=PATIENCE)
    frame.get_by_text("Your picture: JPEG").first.wait_for()
    assert tab.url.startswith(course)


def test_the_cookie_belongs_to_the_frames_of_one_site(tab: Page, course: str, framed_app: AppServer):
    frame = open_framed(tab, course, framed_app.url)
    frame.wait_for_function(READY, timeout=PATIENCE)
    assert "_streamlit_xsrf=" in frame.evaluate("() => document.cookie")
    (cookie,) = [cookie for cookie in tab.context.cookies() if cookie["name"] == "_streamlit_xsrf"]
    assert (cookie["sameSite"], cookie["secure"]) == ("None", True)
    assert cookie["partitionKey"].startswith(course.rpartition(":")[0])


def test_another_site_shows_nothing(tab: Page, course: str, framed_app: AppServer):
    other = course.replace("127.0.0.1", "localhost")
    refused = []
    tab.on("console", lambda message: refused.append(message.text))
    frame = open_framed(tab, other, framed_app.url)
    tab.wait_for_event("console", lambda message: "frame-ancestors" in message.text) if not refused else None
    assert not frame.locator('[data-testid="stApp"]').count()


def test_by_default_no_site_shows_the_app(tab: Page, course: str, server):
    refused = []
    tab.on("console", lambda message: refused.append(message.text))
    frame = open_framed(tab, course, server.url)
    tab.wait_for_event("console", lambda message: "frame-ancestors" in message.text) if not refused else None
    assert not frame.locator('[data-testid="stApp"]').count()
