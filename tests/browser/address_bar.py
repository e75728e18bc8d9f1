"""Read the address bar of a page, and wait for its settings."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, TimeoutError

HAS_SETTINGS = """expected =>
    JSON.stringify([...new URLSearchParams(location.search)].sort()) === JSON.stringify(expected)"""


def path(page: Page) -> str:
    return urlsplit(page.url).path


def query(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query, keep_blank_values=True)


def expect_query(page: Page, **settings: str) -> None:
    """Wait until the address has these settings and no others: it is written last."""
    try:
        page.wait_for_function(HAS_SETTINGS, arg=sorted([name, value] for name, value in settings.items()))
    except TimeoutError:
        assert query(page) == {name: [value] for name, value in settings.items()}, page.url
        raise


def expect_setting(page: Page, **settings: str) -> None:
    """Wait until the address has these settings, whatever else it has."""
    for name, value in settings.items():
        page.wait_for_function(
            "([name, value]) => new URLSearchParams(location.search).get(name) === value", arg=[name, value]
        )
