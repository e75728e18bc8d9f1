"""An interrupted upload, translation or server leaves no files and delays no other visitor."""

from __future__ import annotations

import os
import re
import socket
import stat
import time
import urllib.request
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.address_bar import expect_query
from tests.browser.app_server import AppServer
from tests.browser.conftest import PATIENCE, Server, open_page, ready
from tests.browser.test_journey import type_sentence
from tests.browser.uploads import upload, uploaded_bytes, wait_for_picture
from tests.views.controls.odd_pictures import encoded, photo
from views.controls import samples

pytestmark = pytest.mark.nightly

LIMIT = 120  # seconds that any answer of the server may take


@pytest.fixture(scope="module")
def app():
    """A separate server, whose memory and files can be inspected."""
    with AppServer() as server:
        yield server
        log = server.log()
    assert "Traceback" not in log, log


def written_files(app: AppServer) -> set[str]:
    """Return the regular files that the server has open for writing, deleted ones included, without its log."""
    process = Path(f"/proc/{app._process.pid}")
    paths: set[str] = set()
    if not process.is_dir():  # only Linux shows them
        return paths
    for entry in (process / "fd").iterdir():
        try:
            target, flags = os.readlink(entry), (process / "fdinfo" / entry.name).read_text()
            ordinary = stat.S_ISREG(os.stat(entry).st_mode)
        except OSError:  # closed meanwhile
            continue
        if (
            ordinary
            and int(re.search(r"flags:\s+(\d+)", flags)[1], 8) & (os.O_WRONLY | os.O_RDWR)
            and entry.name not in "12"
        ):
            paths.add(target)
    return paths


def path_and_headers(page: Page) -> tuple[str, dict[str, str]]:
    """Return the upload path of this visitor's browser, and the headers that authorize it."""
    with page.expect_request(lambda request: request.method == "PUT") as upload_request:
        upload(page, "small.png", encoded(photo(40, 30)), "image/png")
    wait_for_picture(page, "own")
    headers = {
        name: value for name, value in upload_request.value.all_headers().items() if name in ("cookie", "x-xsrftoken")
    }
    return urlsplit(upload_request.value.url).path, headers


def begin_upload(app: AppServer, path: str, headers: dict[str, str], promised: int, sent: int) -> socket.socket:
    """Send a part of an upload; return the connection."""
    address = urlsplit(app.url)
    connection = socket.create_connection((address.hostname, address.port), timeout=LIMIT)
    lines = [f"PUT {path} HTTP/1.1", f"Host: {address.netloc}", f"Content-Length: {promised}"]
    lines += [
        "Content-Type: multipart/form-data; boundary=part",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    head = b'--part\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n'
    connection.sendall("\r\n".join([*lines, "", ""]).encode() + head + bytes(sent))
    return connection


@pytest.mark.nightly
def test_an_upload_that_stops_in_the_middle_leaves_nothing(page: Page, app: AppServer):
    open_page(page, f"{app.url}/vision")
    wait_for_picture(page, samples.NAMES[0])
    path, headers = path_and_headers(page)
    before, files = uploaded_bytes(app), written_files(app)
    for sent in (0, 200_000, 6_000_000):  # Starlette would move more than a megabyte to a temporary file
        with begin_upload(app, path, headers, promised=7_000_000, sent=sent):
            assert uploaded_bytes(app) == before  # the server answers others meanwhile
            assert written_files(app) == files
    # the same visitor goes on, and so does everybody
    upload(page, "other.png", encoded(photo(60, 50)), "image/png")
    expect(page.get_by_text("60 \u00d7 50 pixels")).to_be_visible(timeout=PATIENCE)
    assert uploaded_bytes(app) <= before
    assert written_files(app) == files


def test_a_visitor_who_leaves_during_a_translation_delays_no_other(browser: Browser, page: Page, server: Server):
    long = "The old man in the white car wants to buy the house that his father sold to the teacher last year " * 4
    leaving = browser.new_page()
    leaving.goto(f"{server.url}/?text={quote(long.strip())}", timeout=PATIENCE)
    leaving.locator(".aa-text").first.wait_for(timeout=PATIENCE)  # the first tokens are there
    leaving.close()
    began = time.monotonic()
    open_page(page, f"{server.url}/?text={quote('I want to buy a car.')}")
    expect(page.locator(".aa-cards")).to_be_visible(timeout=PATIENCE)
    assert time.monotonic() - began < LIMIT
    ready(page)
    with urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=LIMIT) as answer:
        assert answer.status == 200


@pytest.mark.nightly
def test_the_first_sentence_after_a_server_restart_is_translated(page: Page):
    """The browser reconnects to a new process at the same address, which does not have the session."""
    server = AppServer()
    with server:
        open_page(page, f"{server.url}/?method=beam&beam=2")
        type_sentence(page, "I want to buy a car.")
    with server:
        page.locator('[data-testid="stApp"][data-test-connection-state="CONNECTED"]').wait_for(timeout=PATIENCE)
        type_sentence(page, "The house is red.")
        expect(page.get_by_label("English sentence")).to_have_value("The house is red.")
        expect(page).to_have_url(f"{server.url}/?text=The+house+is+red.&method=beam&beam=2")
        log = server.log()
    assert "Traceback" not in log, log


@pytest.mark.nightly  # a fragment is restored as the page is
def test_the_first_choice_in_a_fragment_after_a_server_restart_is_shown(page: Page):
    server = AppServer()
    with server:
        open_page(page, f"{server.url}/attention?text=I+want+to+buy+a+car.")
    with server:
        page.locator('[data-testid="stApp"][data-test-connection-state="CONNECTED"]').wait_for(timeout=PATIENCE)
        page.get_by_role("radio", name="Decoder", exact=True).click()
        expect_query(page, text="I want to buy a car.", kind="decoder", layer="3", head="6")
        ready(page)
        log = server.log()
    assert "Traceback" not in log, log
    assert "find fragment" not in log, log
