"""Files are made later, in a thread that serves them, in the language of the page that offered them."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from pages.shared import files
from server.download_store import download_store
from views.text import catalogue
from views.text.catalogue import say, using_language


@pytest.mark.parametrize(("language", "expected"), [("en", b"Layer"), (catalogue.PSEUDO, "\u27e6Layer\u27e7".encode())])
def test_a_file_is_in_the_language_of_the_page_that_offered_it(monkeypatch, language, expected):
    offered = {}

    def button(label, make, file_name, mime, on_click, key):
        offered.update({key: make})

    monkeypatch.setattr(files.st, "download_button", button)
    held = []
    monkeypatch.setattr(download_store(), "hold", lambda content, mime, name: held.append(content) or b"")
    with using_language(language):
        files.download("Any", lambda: say("test.layer", "Layer").encode(), "any.csv")
    assert list(offered) == ["download any.csv"], "the key is an id, whatever the label says"
    with ThreadPoolExecutor(1) as server:
        for _ in range(2):
            server.submit(offered["download any.csv"]).result()
    assert held == [expected, expected]
