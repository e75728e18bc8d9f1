"""Pages run in this process, without a browser, with the weights that ship."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from model import Trace, Translator
from views import navigation
from views.text import catalogue

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 180  # seconds
SENTENCE = "I want to buy a car."


@cache
def loaded() -> Translator:
    """Load the translator that ships, separate from the one that the pages use."""
    return Translator.load()


@pytest.fixture(scope="session")
def translator() -> Translator:
    """The same as a fixture."""
    return loaded()


@pytest.fixture(scope="session")
def trace(translator: Translator) -> Trace:
    """The trace of the sentence that pages are opened with."""
    return translator.trace(SENTENCE)


@pytest.fixture
def open_app():
    """`visit`, for tests that take it as a fixture."""
    return visit


@pytest.fixture
def in_pseudo(monkeypatch):
    """`visit` in the pseudo-language, see `pseudo.uncatalogued_texts`."""
    monkeypatch.setenv(catalogue.PSEUDO_SWITCH, "1")
    catalogue.languages.cache_clear()
    yield lambda page, **query: visit(page, lang=catalogue.PSEUDO, **query)
    monkeypatch.undo()
    catalogue.languages.cache_clear()


def visit(page: str = "translate", **query: str | None) -> AppTest:
    """Open a page of the app by its file's name, with query parameters as a link would carry them; None is none."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE)
    app.query_params.update({name: value for name, value in ({"text": SENTENCE} | query).items() if value is not None})
    go(app, page)
    app.run()
    assert not app.exception
    return app


def go(app: AppTest, page: str) -> AppTest:
    """Choose a page of the menu by its name; it is rendered by the next run.

    `AppTest.switch_page` looks for a page by its file's name, and here all files have the same.
    """
    assert any(page == place.id for place in navigation.PAGES), page
    app._page_hash = calc_hash("" if page == navigation.PAGES[0].id else page)
    return app


def html_of(app: AppTest) -> str:
    """Return all HTML on the page, in order."""
    return "\n".join(element.value for element in app.html)
