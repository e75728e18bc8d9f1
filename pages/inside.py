"""Inside a layer."""

from __future__ import annotations

from pages.shared.opening import opening
from views import frame


def main() -> None:
    """Read the inputs, show the chosen part."""
    opening("inside")


frame.framed()
main()
