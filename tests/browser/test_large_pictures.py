"""Pictures over a limit are made smaller in the browser, upright and with a note; other large files are refused."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.app_server import AppServer
from tests.browser.conftest import open_page, ready
from tests.browser.uploads import UPLOAD_BOX, paste, wait_for_picture
from tests.tiers import nightly
from tests.views.controls.odd_pictures import encoded
from views.controls import pictures, samples

pytestmark = pytest.mark.nightly

ORIENTATION = 0x0112  # in EXIF data
HEIC, PDF, HALF = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", b"%PDF-1.7\n", b"\xff\xd8\xff\xe0 half a photo"


@pytest.fixture(scope="module")
def app(browser) -> Iterator[AppServer]:
    with AppServer("tests/browser/picture_app.py") as app:
        yield app
        log = app.log()
    assert "Traceback" not in log, log


@cache
def noise(width: int, height: int, strength: int) -> Image.Image:
    """Red at the left and blue at the right, with noise, which no format compresses well."""
    pixels = np.random.default_rng(0).integers(0, strength, (height, width, 3), dtype=np.uint8)
    pixels[:, : width // 2, 0] += np.uint8(255 - strength)
    pixels[:, width // 2 :, 2] += np.uint8(255 - strength)
    return Image.fromarray(pixels)


def jpeg(image: Image.Image, quality: int, orientation: int = 1) -> bytes:
    turned = Image.Exif()
    turned[ORIENTATION] = orientation
    return encoded(image, "JPEG", quality=quality, exif=turned)


def choose_file(page: Page, tmp_path, name: str, content: bytes) -> None:
    """Choose a file that is too large to be sent to the browser in one message."""
    ready(page)
    file = tmp_path / name
    file.write_bytes(content)
    page.locator(UPLOAD_BOX).set_input_files(file)


def expect_reduced(page: Page, width: int, height: int, shown: tuple[int, int]) -> None:
    wait_for_picture(page, "own")
    expect(page.get_by_text("size {} x {}".format(*shown), exact=True)).to_be_visible()
    expect(page.get_by_text(pictures.REDUCED(width=width, height=height))).to_be_visible()


def shown_colours(page: Page) -> dict[str, str]:
    """Which of red and blue is the stronger at the top and at the bottom."""
    lines = page.get_by_text(re.compile("^(top|bottom) red")).all_inner_texts()
    stronger = {}
    for line in lines:
        side, _, red, _, _, _, blue = line.split()
        stronger[side] = "red" if int(red) > int(blue) + 60 else "blue" if int(blue) > int(red) + 60 else "both"
    return stronger


# the script that makes pictures smaller is the same on all screens
ON_LAPTOP = pytest.mark.parametrize("either", ["laptop", nightly("handset")], indirect=True)
ON_PHONE = pytest.mark.parametrize("either", [nightly("laptop"), "handset"], indirect=True)


@pytest.mark.nightly
@ON_PHONE
@pytest.mark.parametrize("orientation", [nightly(1), 6, nightly(8)])
def test_a_heavy_photo_is_made_smaller_and_stays_upright(either: Page, app: AppServer, tmp_path, orientation: int):
    open_page(either, app.url)
    wait_for_picture(either, samples.NAMES[0])
    content = jpeg(noise(4000, 3000, 160), 95, orientation)
    assert len(content) > pictures.MAX_BYTES
    with either.expect_request(lambda request: request.method == "PUT") as sent:
        choose_file(either, tmp_path, "photo.jpg", content)
    sideways = orientation > 4
    expect_reduced(either, *((3000, 4000) if sideways else (4000, 3000)), (2250, 3000) if sideways else (3000, 2250))
    assert int(sent.value.all_headers()["content-length"]) < pictures.MAX_BYTES
    expected = {1: ("both", "both"), 6: ("red", "blue"), 8: ("blue", "red")}[orientation]
    assert shown_colours(either) == dict(zip(("top", "bottom"), expected, strict=True))
    expect(either.get_by_text(pictures.TURNED())).to_have_count(0)  # the browser has turned it


@pytest.mark.nightly
@ON_LAPTOP
@pytest.mark.parametrize("plain", [nightly(False), True])
def test_too_many_pixels_are_made_fewer(either: Page, app: AppServer, tmp_path, plain: bool):
    content = encoded(Image.new("1", (7000, 4000))) if plain else jpeg(noise(7000, 4000, 24), 60)
    assert len(content) < (20_000 if plain else pictures.MAX_BYTES)
    assert pictures.MAX_PIXELS < 7000 * 4000
    open_page(either, app.url)
    wait_for_picture(either, samples.NAMES[0])
    choose_file(either, tmp_path, "scan.jpg", content)
    expect_reduced(either, 7000, 4000, (3000, 1714))


@ON_LAPTOP
def test_pasted_and_dropped_pictures_are_made_smaller_too(either: Page, app: AppServer):
    open_page(either, app.url)
    wait_for_picture(either, samples.NAMES[0])
    small = encoded(Image.new("RGB", (40, 20), (0, 200, 0)))
    paste(either, small, zeros=pictures.MAX_BYTES)  # a heavy file of few pixels
    expect_reduced(either, 40, 20, (40, 20))
    other = encoded(Image.new("RGB", (20, 50), (0, 0, 200)))
    either.evaluate(
        """([text, zeros]) => {
            const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
            const dataTransfer = new DataTransfer()
            dataTransfer.items.add(new File([bytes, new Uint8Array(zeros)], "dropped.png", { type: "image/png" }))
            const zone = document.querySelector("[data-testid=stFileUploaderDropzone]")
            for (const kind of ["dragenter", "dragover", "drop"]) {
                zone.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }))
            }
        }""",
        [base64.b64encode(other).decode(), pictures.MAX_BYTES],
    )
    expect_reduced(either, 20, 50, (20, 50))


@ON_LAPTOP
def test_a_picture_within_the_limits_is_sent_unchanged(either: Page, app: AppServer, tmp_path):
    content = jpeg(noise(2000, 1500, 160), 90)
    assert 2**20 < len(content) < pictures.MAX_BYTES
    open_page(either, app.url)
    wait_for_picture(either, samples.NAMES[0])
    choose_file(either, tmp_path, "photo.jpg", content)
    wait_for_picture(either, "own")
    expect(either.get_by_text("size 2000 x 1500", exact=True)).to_be_visible()
    expect(either.get_by_text("The browser made it smaller")).to_have_count(0)
    assert Image.open(io.BytesIO(content)).size == (2000, 1500)


@pytest.mark.parametrize(
    ("either", "begins"),
    [("handset", HEIC), ("laptop", HALF), nightly("laptop", HEIC), nightly("laptop", PDF), nightly("handset", HALF)],
    indirect=["either"],
)
def test_a_large_file_that_cannot_be_read_says_so_on_the_screen(either: Page, app: AppServer, tmp_path, begins: bytes):
    open_page(either, f"{app.url}/?picture=church")
    wait_for_picture(either, "church")
    requests: list[str] = []
    either.on("request", lambda request: requests.append(request.method))
    refused = either.get_by_role("status").get_by_text(pictures.NOT_REDUCED())
    for _ in range(2):  # the same file again
        choose_file(either, tmp_path, "photo.heic", begins + bytes(pictures.MAX_BYTES))
        expect(refused).to_be_in_viewport(ratio=1)
        either.get_by_role("radio", name="church").click()
        expect(refused).to_have_count(0)
    assert "PUT" not in requests
