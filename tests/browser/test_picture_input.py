"""Choosing a picture through the real controls: files, the clipboard, the samples, by mouse and by keyboard."""

from __future__ import annotations

import hashlib
import http.client
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import urlsplit

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from server.limits import SocketLimits
from tests.browser.app_server import AppServer
from tests.browser.chromium import FLAGS, installed_chromium
from tests.browser.conftest import PATIENCE, open_page, ready
from tests.browser.keys import tab_to
from tests.browser.overflow import assert_nothing_overflows
from tests.browser.uploads import UPLOAD_BOX, copy_picture, paste, upload, uploaded_bytes, wait_for_picture
from tests.views.controls.odd_pictures import HTML, SVG, encoded, photo, png_bomb
from views.controls import pictures, samples

HEIC = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(100)  # how such a file begins
GREEN = encoded(Image.new("RGB", (40, 20), (0, 200, 0)))


@pytest.fixture(scope="module")
def app(browser) -> Iterator[AppServer]:
    with AppServer("tests/browser/picture_app.py") as app:
        yield app
        log = app.log()
    assert "Traceback" not in log, log


def expect_texts(page: Page, *texts: str) -> None:
    for text in texts:
        expect(page.get_by_text(text, exact=True)).to_be_visible()


def digest(content: bytes) -> str:
    return f"sha256 {hashlib.sha256(content).hexdigest()}"


def test_a_file(page: Page, app: AppServer):
    open_page(page, app.url)
    wait_for_picture(page, samples.NAMES[0])
    turned = Image.Exif()
    turned[0x0112] = 6
    content = encoded(photo(), "JPEG", exif=turned)
    upload(page, "photo.jpg", content, "image/jpeg")
    wait_for_picture(page, "own")
    expect_texts(page, digest(content), "size 240 x 320")
    expect(page.get_by_text(pictures.TURNED())).to_be_visible()
    assert page.locator('[data-testid="stFileUploaderFile"]').count() == 0  # the box is empty again
    upload(page, "green.png", GREEN)
    expect_texts(page, digest(GREEN), "red 0 green 200 blue 0")
    assert uploaded_bytes(app) == 0
    page.get_by_role("radio", name="church").click()
    wait_for_picture(page, "church")
    expect_texts(page, digest(samples.SAMPLES[samples.NAMES.index("church")].path.read_bytes()))
    page.get_by_role("radio", name="yours").click()
    expect_texts(page, digest(GREEN))


BAD_FILES = [
    ("empty.png", b"", pictures.EMPTY()),
    ("drawing.png", SVG, pictures.UNKNOWN()),
    ("half.jpg", encoded(photo(), "JPEG")[:2000], pictures.DAMAGED()),
    ("page.png", HTML, pictures.UNKNOWN()),
    ("bomb.png", png_bomb(30_000), pictures.TOO_LARGE()),
]


def test_a_bad_file_gets_one_sentence_and_changes_nothing(page: Page, app: AppServer):
    open_page(page, f"{app.url}/?picture=church")
    wait_for_picture(page, "church")
    for name, content, sentence in BAD_FILES:
        upload(page, name, content, "image/png")
        expect(page.get_by_role("alert")).to_have_text(sentence)
        wait_for_picture(page, "church")
    assert page.title() != "hacked"
    upload(page, "green.png", GREEN)
    expect_texts(page, digest(GREEN))
    expect(page.get_by_role("alert")).to_have_count(0)


def test_more_than_8_megabytes_is_refused_in_the_browser_and_by_the_server(page: Page, app: AppServer, tmp_path):
    open_page(page, app.url)
    wait_for_picture(page, samples.NAMES[0])
    heavy = HEIC + bytes(pictures.MAX_BYTES)
    file = tmp_path / "heavy.png"
    file.write_bytes(heavy)
    page.locator(UPLOAD_BOX).set_input_files(file)
    refused = page.get_by_role("status").get_by_text(pictures.NOT_REDUCED())
    expect(refused).to_be_visible()
    page.get_by_role("radio", name=samples.SAMPLES[0]()).click()
    expect(refused).to_have_count(0)
    paste(page, HEIC, zeros=pictures.MAX_BYTES)
    expect(refused).to_be_visible()
    wait_for_picture(page, samples.NAMES[0])
    # The same upload that the browser makes, without the browser's own check.
    with page.expect_request(lambda request: request.method == "PUT") as upload_request:
        upload(page, "green.png", GREEN, "image/png")
    wait_for_picture(page, "own")
    headers = {
        name: value for name, value in upload_request.value.all_headers().items() if name in ("cookie", "x-xsrftoken")
    }
    # under a name of its own, for a run of the page may still be about to read, and so forget, the other one again
    path = urlsplit(upload_request.value.url).path.rpartition("/")[0] + "/5e1f0000-0000-4000-8000-000000000000"
    assert send_upload(app, path, headers, GREEN) == 204
    until = time.monotonic() + PATIENCE / 1000
    while uploaded_bytes(app) != len(GREEN):  # no run has read this one
        assert time.monotonic() < until, "the server does not hold the file"
    assert send_upload(app, path, headers, heavy) == 413
    assert send_upload(app, path, {}, GREEN) == 403


def test_files_of_any_name_get_our_own_sentence(page: Page, app: AppServer):
    open_page(page, app.url)
    wait_for_picture(page, samples.NAMES[0])
    for name, content, sentence in (
        ("photo.heic", HEIC, pictures.PHONE(form="HEIC")),
        ("notes.txt", b"only words", pictures.UNKNOWN()),
        ("photo.jpg", HEIC, pictures.PHONE(form="HEIC")),
    ):
        upload(page, name, content)
        expect(page.get_by_role("alert")).to_have_text(sentence)
    upload(page, "picture.dat", GREEN)
    wait_for_picture(page, "own")
    expect_texts(page, digest(GREEN))


@pytest.mark.nightly
def test_a_warning_is_removed_with_the_next_picture(page: Page, app: AppServer, tmp_path):
    open_page(page, app.url)
    wait_for_picture(page, samples.NAMES[0])
    heavy = tmp_path / "heavy.png"
    heavy.write_bytes(HEIC + bytes(pictures.MAX_BYTES))
    alert = page.locator('[data-testid="stAlert"]')
    refused = page.get_by_role("status").get_by_text(pictures.NOT_REDUCED())
    upload(page, "photo.heic", HEIC)
    expect(alert).to_have_count(1)
    ready(page)
    page.locator(UPLOAD_BOX).set_input_files(heavy)  # refused without asking the server
    expect(refused).to_be_visible()
    expect(alert).to_have_count(0)
    paste(page, GREEN)
    wait_for_picture(page, "own")
    expect(refused).to_have_count(0)
    upload(page, "photo.heic", HEIC)
    expect(alert).to_have_count(1)
    paste(page, HEIC, zeros=pictures.MAX_BYTES)  # refused in the browser, too
    expect(refused).to_be_visible()
    expect(alert).to_have_count(0)
    upload(page, "page.png", HTML)
    expect(alert).to_have_text(pictures.UNKNOWN())
    expect(refused).to_have_count(0)
    paste(page, HEIC, "image/heic")
    expect(alert).to_have_text(pictures.PHONE(form="HEIC"))
    page.get_by_role("radio", name="church").click()
    wait_for_picture(page, "church")
    expect(alert).to_have_count(0)


def test_a_file_after_a_refused_one_is_sent_without_a_run_that_could_lose_it(page: Page, app: AppServer):
    sent = []

    def listen(socket):
        socket.on("framesent", lambda frame: sent.append(frame))

    page.on("websocket", listen)
    open_page(page, app.url)
    page.remove_listener("websocket", listen)
    wait_for_picture(page, samples.NAMES[0])
    upload(page, "photo.heic", HEIC)
    expect(page.get_by_role("alert")).to_have_count(1)
    ready(page)
    sent.clear()
    with page.expect_request(lambda request: request.method == "PUT"):
        upload(page, "green.png", GREEN)
    assert len(sent) == 1  # where to send the file; an answer that a new run of the page drops would be its end
    wait_for_picture(page, "own")
    expect(page.get_by_role("alert")).to_have_count(0)


def send_upload(app: AppServer, path: str, headers: dict[str, str], content: bytes) -> int:
    """Upload over HTTP without a browser; return the status."""
    address = urlsplit(app.url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
    body = (
        b'--part\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n'
        + content
        + b"\r\n--part--\r\n"
    )
    with suppress(BrokenPipeError, ConnectionResetError):  # refused while it was still being sent
        connection.request("PUT", path, body, headers | {"Content-Type": "multipart/form-data; boundary=part"})
    status = connection.getresponse().status
    connection.close()
    return status


def test_pasting_by_key_and_by_button(page: Page, app: AppServer):
    open_page(page, app.url)
    wait_for_picture(page, samples.NAMES[0])
    paste(page, GREEN)
    wait_for_picture(page, "own")
    expect_texts(page, digest(GREEN))
    copy_picture(page, encoded(Image.new("RGB", (30, 10), (0, 0, 250))))
    button = page.get_by_role("button", name="Paste a picture")
    tab_to(button)
    page.keyboard.press("Enter")
    expect_texts(page, "size 30 x 10", "red 0 green 0 blue 250")
    page.evaluate("navigator.clipboard.writeText('only words')")
    button.click()
    expect(page.get_by_role("status").get_by_text("There is no picture in the clipboard")).to_be_visible()
    paste(page, HTML, "text/html")
    expect(page.get_by_role("alert")).to_have_text(pictures.UNKNOWN())
    page.evaluate("() => { navigator.clipboard.read = () => Promise.reject(new DOMException('', 'NotAllowedError')) }")
    button.click()
    expect(page.get_by_role("status").get_by_text("press Ctrl+V")).to_be_visible()


def test_a_large_picture_is_pasted_by_http_and_not_through_the_socket(page: Page, app: AppServer):
    open_page(page, app.url)
    wait_for_picture(page, samples.NAMES[0])
    noise = np.random.default_rng(0).integers(0, 256, (900, 1000, 3), dtype=np.uint8)
    large = encoded(Image.fromarray(noise))
    assert len(large) > 2 * SocketLimits().message_bytes
    with page.expect_request(lambda request: request.method == "PUT"):
        paste(page, large)
    expect_texts(page, "size 1000 x 900")


def test_samples_by_keyboard_and_address(page: Page, app: AppServer):
    open_page(page, app.url)
    wait_for_picture(page, samples.NAMES[0])
    tab_to(page.get_by_role("radio", name=samples.SAMPLES[0]()))
    page.keyboard.press("ArrowRight")
    wait_for_picture(page, samples.NAMES[1])
    expect(page).to_have_url(re.compile(f"[?&]picture={samples.NAMES[1]}$"))
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    wait_for_picture(page, samples.NAMES[-1])
    expect(page.get_by_role("radio", checked=True)).to_have_accessible_name(samples.SAMPLES[-1]())  # one, and this one
    page.reload()
    wait_for_picture(page, samples.NAMES[-1])
    open_page(page, f"{app.url}/?picture=%3Cscript%3E")
    wait_for_picture(page, samples.NAMES[0])
    expect(page).to_have_url(re.compile(f"[?&]picture={samples.NAMES[0]}$"))


@pytest.mark.nightly
def test_the_camera_is_on_only_for_one_photo(app: AppServer, browser: Browser):
    """With the browser's fake camera, a green picture with a moving disc."""
    stand_in = ("--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream")
    other = browser.browser_type.launch(executable_path=installed_chromium(), args=[*FLAGS, *stand_in])
    page = other.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(PATIENCE)
    page.add_init_script(
        """window.streams = []
        const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices)
        navigator.mediaDevices.getUserMedia = async (wish) => {
            const stream = await ask(wish)
            streams.push(stream)
            return stream
        }"""
    )
    open_page(page, app.url)
    wait_for_picture(page, samples.NAMES[0])
    assert page.evaluate("streams.length") == 0
    page.get_by_text("Use the camera").click()
    page.wait_for_function("streams.length > 0")
    # before the first frame there is nothing to take a photo of
    page.wait_for_function("() => [...document.querySelectorAll('video')].some((video) => video.videoWidth > 0)")
    page.get_by_role("button", name="Take Photo").click()
    wait_for_picture(page, "own")
    expect(page.get_by_text("Your picture: JPEG")).to_be_visible()
    expect(page.locator('[data-testid="stCameraInput"]')).to_have_count(0)
    page.wait_for_function(
        "streams.every((stream) => stream.getTracks().every((track) => track.readyState === 'ended'))"
    )
    other.close()


@pytest.mark.nightly
def test_nothing_overflows(page: Page, app: AppServer):
    open_page(page, app.url)
    wait_for_picture(page, samples.NAMES[0])
    upload(page, "green.png", GREEN)
    wait_for_picture(page, "own")
    assert_nothing_overflows(page)
