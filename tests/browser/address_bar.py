"""Read the address bar of a page, and wait for its settings."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, TimeoutError

SAYS = """wanted => JSON.stringify([...new URLSearchParams(location.search)].sort()) === JSON.stringify(wanted)"""


def path(page: Page) -> str:
    return urlsplit(page.url).path


def query(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query, keep_blank_values=True)


def expect_query(page: Page, **wanted: str) -> None:
    """Wait until the address has these settings and no others: it is written last."""
    try:
        page.wait_for_function(SAYS, arg=sorted([name, value] for name, value in wanted.items()))
    except TimeoutError:
        assert query(page) == {name: [value] for name, value in wanted.items()}
        raise


def expect_setting(page: Page, **wanted: str) -> None:
    """Wait until the address has these settings, whatever else it has."""
    for name, value in wanted.items():
        page.wait_for_function(
            "([name, value]) => new URLSearchParams(location.search).get(name) === value", arg=[name, value]
        )
