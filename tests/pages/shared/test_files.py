"""Files are made by the thread that serves them, in the language of the page that offers them."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from streamlit.testing.v1 import AppTest

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


@pytest.mark.parametrize("sentence", ["", "I want to buy a car."])
def test_a_picture_is_offered_with_the_sentence_where_the_page_has_one(sentence: str):
    def script(sentence: str) -> None:
        from pages.shared import files
        from pages.shared.fragments import store_sentence
        from views.export.drawing import Drawing

        store_sentence(sentence)
        files.pictures(lambda: Drawing(40, 40, "A map", ()), "map")
        files.pictures(lambda: Drawing(40, 40, "A map", ()), "heads", "All heads")

    app = AppTest.from_function(script, args=(sentence,)).run()
    labels = [button.proto.label for button in app.get("download_button")]
    with_sentence = [label for label in labels if "sentence" in label]
    assert with_sentence == (["PNG with the sentence", "All heads as PNG with the sentence"] if sentence else [])
    assert [label for label in labels if label not in with_sentence] == [
        "PNG", "SVG", "All heads as PNG", "All heads as SVG",
    ]  # fmt: skip
