"""Addresses nobody would type, from a seed. Which parameters there are, the running pages say."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
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
PATIENCE = 300  # seconds on the wall after which a run counts as one that hangs; the machine may be busy
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
    """What is known of each page's parameters: their names, and valid values, as its controls showed them."""

    def __init__(self) -> None:
        self.known: dict[str, dict[str, list[str]]] = {page: {} for page in PAGES}

    def learn(self, page: str, app: AppTest) -> None:
        """Add what the controls on an open page say."""
        for name, shown in controls(app).items():
            values = self.known[page].setdefault(name, [])
            for option in getattr(shown.codec, "options", ()):
                if option not in values:
                    values.append(option)

    @contextmanager
    def listening(self, page: str) -> Iterator[None]:
        """Learn also the names of what the page keeps in the address without a control."""
        known, held = self.known[page], bound_settings.stored_text

        def look_up(name: str) -> str:
            known.setdefault(name, [])
            return held(name)

        with patch.object(bound_settings, "stored_text", look_up):
            yield

    def query(self, random: random.Random, page: str) -> str:
        """A case: some of the page's parameters, valid or not, now and then twice or unknown, percent-encoded."""
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
    """Open a page by its address, as a link would; `query` is percent-encoded and taken as it is."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE)
    go(app, page)
    app.query_params["any"] = "thing"  # without a parameter the address is not even built
    with patch("streamlit.testing.v1.local_script_runner.parse.urlencode", lambda *_, **__: query):
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
        nearly = (value.lower(), value + " ", value[:-1], f"{value},{value}", value + any_character(random))
        return quote(random.choice(nearly), errors="replace")
    return quote(_text(random), errors="replace")


def _text(random: random.Random) -> str:
    text = sentence(random)
    return text if len(text) < 20_000 or random.random() < 0.05 else text[:200]
