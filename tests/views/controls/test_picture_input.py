"""The choice of a picture, in this process: what is stored, what is released, and the URL."""

from __future__ import annotations

import base64
from io import BytesIO

import pytest
from PIL import Image
from starlette.datastructures import Headers
from starlette.formparsers import MultiPartParser
from streamlit.testing.v1 import AppTest

from tests.coroutines import run_in_thread
from tests.processes import ROOT
from tests.views.controls.odd_pictures import encoded, photo
from views import streamlit_internals
from views.components.picture_strip import thumbnail
from views.controls import pictures, samples
from views.controls.picture_input import NO_LINK, SETTING, describe
from views.text import literal

GREEN = encoded(Image.new("RGB", (40, 20), (0, 200, 0)))


def fresh(**query: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "tests/browser/picture_app.py"), default_timeout=60)
    app.query_params.update(query)
    app.run()
    assert not app.exception
    return app


def digest(app: AppTest) -> str:
    return app.text[0].value.removeprefix("sha256 ")


def upload(app: AppTest, content: bytes, name: str = "a.png") -> AppTest:
    """Upload `content`."""
    app.get("file_uploader")[0].set_value((name, content, "image/png")).run()
    assert not app.exception
    return app


@pytest.mark.parametrize("name", samples.NAMES)
def test_a_link_names_a_sample(name):
    app = fresh(picture=name)
    assert digest(app) == samples.picture(name).sha256


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("reduced-from-8000x6000.jpg", (8000, 6000)),
        ("reduced-from-1x999999.jpg", (1, 999_999)),
        ("reduced-from-0x6000.jpg", None),
        ("reduced-from-1234567x6000.jpg", None),
        ("reduced-from-8000x<b>.jpg", None),
        ("my reduced-from-8000x6000.jpg", None),
        ("reduced-from-\u0661x\u0662.jpg", None),
    ],
)
def test_a_picture_that_the_browser_reduced_says_so(name: str, size: tuple[int, int] | None):
    app = upload(fresh(), GREEN, name)
    note = size and pictures.REDUCED(width=size[0], height=size[1])
    captions = [caption.value for caption in app.caption if caption.value.startswith("Your picture")]
    assert len(captions) == 1
    assert (literal.markdown(note) in captions[0]) if note else ("smaller" not in captions[0])


@pytest.mark.parametrize("nonsense", ["", "OWN", "../church", "<script>", "church "])
def test_an_invalid_value_in_the_url_is_the_first_sample(nonsense):
    app = fresh(picture=nonsense)
    assert digest(app) == samples.picture(samples.NAMES[0]).sha256
    assert app.query_params[SETTING] == samples.NAMES[0]
    assert not app.warning


def test_a_link_to_an_uploaded_picture_opens_a_sample_with_a_message():
    app = fresh(picture="own")
    assert digest(app) == samples.picture(samples.NAMES[0]).sha256
    assert app.query_params[SETTING] == samples.NAMES[0]
    (message,) = app.warning
    assert message.value.replace("\\", "") == NO_LINK()
    assert [warning.value for warning in app.run().warning] == [message.value]  # until there is another picture
    assert not upload(app, GREEN).warning


def test_an_upload_is_shown_for_the_rest_of_the_visit():
    app = upload(fresh(picture="church"), GREEN)
    assert app.text[1].value == "size 40 x 20"
    assert app.query_params[SETTING] == "own"
    uploaded = digest(app)
    assert digest(app.run()) == uploaded
    other = fresh()
    assert digest(other) != uploaded  # another visitor sees nothing of it


def test_the_bytes_are_not_stored():
    app = upload(fresh(), GREEN)
    stored = app.session_state["own_picture"]
    assert isinstance(stored, pictures.Picture)
    assert [key for key in app.session_state._state.filtered_state if key.startswith("picture_file_0")] == []
    assert app.session_state["picture_file_1"] is None  # a new, empty box


def test_the_stored_picture_is_compressed_without_loss():
    content = encoded(photo(400, 300))
    app = upload(fresh(), content)
    stored, read = app.session_state["own_picture"], pictures.read_picture(content)
    assert isinstance(stored.stored, bytes)
    assert len(stored.stored) < 0.75 * 4 * 400 * 300  # Pillow takes four bytes for a pixel
    assert stored.image.tobytes() == read.image.tobytes()
    assert (stored.image.mode, stored.image.info, len(stored.image.getexif())) == ("RGB", {}, 0)
    assert stored.compressed() is stored and stored.sha256 == read.sha256


def test_a_refused_upload_leaves_the_picture_and_shows_why():
    app = upload(fresh(picture="church"), b"<html>")
    assert digest(app) == samples.picture("church").sha256
    assert len(app.warning) == 1
    assert app.warning[0].value == pictures.UNKNOWN().replace(",", "\\,").replace(":", "\\:").replace(".", "\\.")
    upload(app, GREEN)
    assert not app.warning
    assert app.text[1].value == "size 40 x 20"


def test_the_camera_is_off_until_it_is_switched_on():
    app = fresh()
    assert not app.get("camera_input")
    app.toggle[0].set_value(True).run()
    assert len(app.get("camera_input")) == 1


def test_changes_to_the_picture_are_shown():
    turned = Image.Exif()
    turned[0x0112] = 6
    picture = pictures.read_picture(encoded(photo(30, 20), exif=turned))
    assert describe(picture) == "Your picture: PNG, 20 \u00d7 30 pixels. Rotated according to its EXIF data."


def test_thumbnails_are_small_squares():
    uri = thumbnail(photo(300, 90))
    head, text = uri.split(",")
    assert head == "data:image/jpeg;base64"
    assert Image.open(BytesIO(base64.b64decode(text))).size == (160, 160)
    assert len(uri) < 20_000


@pytest.mark.parametrize("size", [7_000_000, 8 * 2**20])
def test_uploads_never_reach_the_disk(size):
    """Feed the server's upload parser with as many bytes as it accepts."""
    streamlit_internals.keep_uploads_in_memory()
    head = b'--part\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n'

    async def body():
        yield head
        for _ in range(size // 2**16):
            yield bytes(2**16)
        yield bytes(size % 2**16) + b"\r\n--part--\r\n"

    headers = Headers({"Content-Type": "multipart/form-data; boundary=part"})
    form = run_in_thread(MultiPartParser(headers, body()).parse())
    assert form["file"].size == size
    assert form["file"]._in_memory
