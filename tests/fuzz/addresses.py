"""Unusual addresses from a seed, with the parameters that the running pages have."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from unittest.mock import patch
from urllib.parse import quote

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

from tests.fuzz.texts import any_character, sentence
from tests.pages.conftest import go
from tests.processes import ROOT
from views import navigation
from views.url_state import bound_settings
from views.url_state.session_state import DrawnControl

PAGES = tuple(place.id for place in navigation.PAGES)
PATIENCE = 300  # seconds of wall time after which a run counts as hanging; the machine may be busy
NUMBERS = (
    "", "0", "-0", "1", "-1", "2", "3", "7", "99", "128", "129", "1e3", "1e400", "-1e400", "nan", "inf", "-inf",
    "0.05", ".5", "5.", "1,5", "1_000", " 5 ", "+5", "0x10", "007", "9" * 19, "9" * 5000, "\u0663", "\u00bd", "\u2167",
    "1e-400", "2147483648", "-9223372036854775809", "18446744073709551616", "true", "False", "None", "null", "[]",
)  # fmt: skip
BYTES = (
    "%",
    "%zz",
    "%00",
    "%ED%A0%80",
    "%FF%FE",
    "%C0%AF",
    "%F4%90%80%80",
    "+",
    "%0d%0aSet-Cookie:x",
    "%25%32%35",
    "&&",
)


class Explorer:
    """The known parameters of each page: their names and valid values, as reported by its controls."""

    def __init__(self) -> None:
        self.known: dict[str, dict[str, list[str]]] = {page: {} for page in PAGES}

    def learn(self, page: str, app: AppTest) -> None:
        """Add the parameters of the controls on an open page."""
        for name, control in controls(app).items():
            values = self.known[page].setdefault(name, [])
            for option in getattr(control.codec, "options", ()):
                if option not in values:
                    values.append(option)

    @contextmanager
    def listening(self, page: str) -> Iterator[None]:
        """Also learn the names of parameters that have no control."""
        known, stored_text = self.known[page], bound_settings.stored_text

        def look_up(name: str) -> str:
            known.setdefault(name, [])
            return stored_text(name)

        with patch.object(bound_settings, "stored_text", look_up):
            yield

    def query(self, random: random.Random, page: str) -> str:
        """A case: some of the page's parameters, valid or not, sometimes twice or unknown, percent-encoded."""
        known = self.known[page]
        share = random.choice((0.3, 0.6, 1.0))
        parts = []
        for key, values in known.items():
            if random.random() < share:
                for _ in range(random.choice((1, 1, 1, 1, 2))):
                    parts.append(f"{quote(key)}={_value(random, values)}")
        if random.random() < 0.1:
            parts.append(f"{quote(_text(random)[:50], errors='replace')}={_value(random, [])}")
        random.shuffle(parts)
        return "&".join(parts)


def messages(block: Block) -> Iterator[object]:
    """The protocol messages of everything on the page."""
    for child in block.children.values():
        if isinstance(child, Block):
            yield from messages(child)
        if (message := getattr(child, "proto", None)) is not None:
            yield message


def controls(app: AppTest) -> dict[str, DrawnControl]:
    """The controls whose values are in the address."""
    return app.session_state["settings"].controls


def visit(page: str, query: str) -> AppTest:
    """Open a page by its address, as a link would; `query` is percent-encoded and used unchanged."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE)
    go(app, page)
    app.query_params["any"] = "thing"  # without a parameter Streamlit builds no query
    # Only there: modules of the app that are imported meanwhile keep what they import.
    encoder = SimpleNamespace(urlencode=lambda *_, **__: query)
    with patch("streamlit.testing.v1.local_script_runner.parse", encoder):
        return app.run()


def _value(random: random.Random, values: list[str]) -> str:
    kind = random.random()
    if values and kind < 0.45:
        return quote(random.choice(values), errors="replace")
    if kind < 0.6:
        return quote(random.choice(NUMBERS))
    if kind < 0.7:
        return random.choice(BYTES)
    if kind < 0.75 and values:
        value = random.choice(values)
        variants = (value.lower(), value + " ", value[:-1], f"{value},{value}", value + any_character(random))
        return quote(random.choice(variants), errors="replace")
    return quote(_text(random), errors="replace")


def _text(random: random.Random) -> str:
    text = sentence(random)
    return text if len(text) < 20_000 or random.random() < 0.05 else text[:200]
