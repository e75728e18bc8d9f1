"""Pages run in this process, without a browser, with the weights that ship."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from model import Trace, Translator

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60  # seconds
SENTENCE = "I want to buy a car."


@pytest.fixture(scope="session")
def translator() -> Translator:
    """The translator that ships, apart from the one that the pages have loaded."""
    return Translator.load()


@pytest.fixture(scope="session")
def trace(translator: Translator) -> Trace:
    """Of the sentence that pages are opened with."""
    return translator.trace(SENTENCE)


@pytest.fixture
def open_app():
    """`visit`, for tests that take it as a fixture."""
    return visit


def visit(page: str = "translate", **query: str) -> AppTest:
    """Open a page of the app by its file's name, with query parameters as a link would carry them."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE)
    app.query_params.update({"text": SENTENCE} | query)
    if page != "translate":
        app.switch_page(f"pages/{page}.py")
    app.run()
    assert not app.exception
    return app


def html_of(app: AppTest) -> str:
    """All HTML on the page, in order."""
    return "\n".join(element.value for element in app.html)
