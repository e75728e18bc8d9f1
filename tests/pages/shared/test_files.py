"""Files are made by the thread that serves them, in the language of the page that offers them."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from pages.shared import files
from server.download_store import download_store
from views.text import catalogue
from views.text.catalogue import say, using_language


@pytest.mark.parametrize(("language", "expected"), [("en", b"Layer"), (catalogue.PSEUDO, "\u27e6Layer\u27e7".encode())])
def test_a_file_is_in_the_language_of_its_page(monkeypatch, language, expected):
    buttons = {}

    def button(label, make, file_name, mime, on_click, key):
        buttons.update({key: make})

    monkeypatch.setattr(files.st, "download_button", button)
    stored = []
    monkeypatch.setattr(download_store(), "add", lambda content, mime, name: stored.append(content) or b"")
    with using_language(language):
        files.download("Any", lambda: say("test.layer", "Layer").encode(), "any.csv")
    assert list(buttons) == ["download any.csv"], "the key does not depend on the label"
    with ThreadPoolExecutor(1) as server:
        for _ in range(2):
            server.submit(buttons["download any.csv"]).result()
    assert stored == [expected, expected]
