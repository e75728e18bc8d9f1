"""The longest address that this app writes for what its pages can show."""

from __future__ import annotations

from urllib.parse import quote_plus

from tests.every_view import UNFOLDED, VIEWS
from views.url_state.session_state import LONGEST_TEXT

BOXES = ("text", "second", "target")  # the three boxes for long texts that one page has at most: *Any model*
OTHER_SETTINGS = 40  # more than any page has
VALUE = "100.123456789"


def longest_query() -> str:
    """Every box with a text of the largest size that an address holds, and more settings than any page has."""
    character = "\uac00"  # nine characters in an address
    text = character * (LONGEST_TEXT // len(quote_plus(character)))
    settings = {box: text for box in BOXES} | {f"setting_{number}": VALUE for number in range(OTHER_SETTINGS)}
    return max((view.address(**settings).partition("?")[2] for view in (*VIEWS, *UNFOLDED)), key=len)
