"""Several files uploaded together: those that can be read are taken, and each of the others is named."""

from __future__ import annotations

import io

import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from tests.views.controls.odd_pictures import encoded, photo, png_bomb
from views.controls import pictures

BAD = {
    "bomb.png": (lambda: png_bomb(30_000), pictures.TOO_LARGE),
    "cut.jpg": (lambda: encoded(photo(200, 200), "JPEG")[:3000], pictures.DAMAGED),
    "notes.png": (lambda: b"These are my notes.", pictures.UNKNOWN),
    "empty.png": (lambda: b"", pictures.EMPTY),
    "page.jpg": (lambda: b"<html><script>x</script>", pictures.UNKNOWN),
}


def animated() -> bytes:
    file = io.BytesIO()
    photo(40, 40).save(file, "GIF", save_all=True, append_images=[photo(40, 40, 1)])
    return file.getvalue()


GOOD = {
    "dot.png": lambda: encoded(Image.new("RGB", (1, 1))),
    "strip.png": lambda: encoded(Image.new("RGB", (60_000, 1))),
    "moves.gif": animated,
    "photo.png": lambda: encoded(photo(40, 30), "JPEG"),
}


def page() -> None:
    import contextlib

    import streamlit as st

    from views.controls.picture_input import pictures_input
    from views.url_state import bound_settings

    with bound_settings.page_run("", "A sentence."):
        for each in pictures_input(contextlib.nullcontext()):
            st.text(f"{each.size[0]} x {each.size[1]} {each.format}")


def upload(files: dict) -> AppTest:
    app = AppTest.from_function(page, default_timeout=60).run()
    app.get("file_uploader")[0].set_value([(name, make(), "image/png") for name, make in files.items()]).run()
    assert not app.exception
    return app


def plain(text: str) -> str:
    return text.replace("\\", "")


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_named_and_the_others_are_taken(name):
    make, reason = BAD[name]
    app = upload({"photo.png": GOOD["photo.png"], name: make, "dot.png": GOOD["dot.png"]})
    assert [each.value for each in app.text] == ["40 x 30 JPEG", "1 x 1 PNG"]
    (warning,) = app.warning
    assert plain(warning.value) == f"`{name}` is left out. {reason()}"


def test_each_of_several_bad_files_is_named():
    app = upload({name: BAD[name][0] for name in ("bomb.png", "notes.png", "empty.png")} | {"dot.png": GOOD["dot.png"]})
    assert [plain(each.value).split("`")[1] for each in app.warning] == ["bomb.png", "notes.png", "empty.png"]
    assert [each.value for each in app.text] == ["1 x 1 PNG"]
    app.get("file_uploader")[0].set_value([("moves.gif", animated(), "image/gif")]).run()
    assert not app.warning and [each.value for each in app.text] == ["40 x 40 GIF"]


def test_bad_files_alone_leave_the_picture_as_it_is():
    before = AppTest.from_function(page, default_timeout=60).run().text[0].value
    app = upload({"notes.png": BAD["notes.png"][0], "cut.jpg": BAD["cut.jpg"][0]})
    assert len(app.warning) == 2 and app.text[0].value == before


def test_odd_files_are_read_together():
    app = upload(GOOD)
    assert not app.warning
    assert [each.value for each in app.text] == ["1 x 1 PNG", "60000 x 1 PNG", "40 x 40 GIF", "40 x 30 JPEG"]


def test_a_name_is_shown_as_text_and_cut():
    name = "`<b>[x](http://a.b)\u202e" + "y" * 200 + ".png"
    app = upload({name: BAD["notes.png"][0], "dot.png": GOOD["dot.png"]})
    (warning,) = app.warning
    shown = warning.value.split("`")[1]
    assert len(shown) <= 70 and shown.startswith("'<b>[x](http://a.b)U+202E") and shown.endswith("\u2026")
