"""The language switch is on every page; it keeps the view, and each visitor has a language of their own."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from streamlit.testing.v1 import AppTest

from tests.pages.conftest import visit
from tests.pages.in_korean import english_texts
from views.text import prose
from views.text.catalogue import using_language

VIEW = {"part": "one-query", "text": "She has seven cats.", "layer": "3", "head": "2"}


def settings(app: AppTest) -> dict[str, str]:
    """Return the address of a page; each name once."""
    return {name: values if isinstance(values, str) else values[-1] for name, values in app.query_params.items()}


def title(page: str, language: str) -> str:
    """Return the title of a page in a language."""
    with using_language(language):
        return prose.title(page)


def test_one_press_changes_the_language_and_keeps_the_view():
    app = visit("inside", **VIEW)
    english, before = app.title[0].value, settings(app)
    assert app.button(key="language-ko").label == "한국어"
    app.button(key="language-ko").click().run()
    assert settings(app) == before | {"lang": "ko"}
    assert app.title[0].value == title("inside", "ko") != english
    assert english_texts(app) == []
    assert app.button(key="language-en").label == "English"
    app.button(key="language-en").click().run()
    assert (app.title[0].value, settings(app)) == (english, before | {"lang": "en"})


def test_two_visitors_have_two_languages_by_turns():
    english, korean = visit("loss"), visit("loss", lang="ko")
    for _ in range(2):
        assert english.run().title[0].value == title("loss", "en")
        assert korean.run().title[0].value == title("loss", "ko")
    assert title("loss", "en") != title("loss", "ko") and english_texts(korean) == []


def test_two_runs_have_two_languages_at_once():
    begun = Barrier(2)

    def titles(language: str) -> str:
        with using_language(language):
            begun.wait()
            shown = prose.title("loss")
            begun.wait()
        return shown

    with ThreadPoolExecutor(2) as threads:
        assert [*threads.map(titles, ("en", "ko"))] == [title("loss", "en"), title("loss", "ko")]
