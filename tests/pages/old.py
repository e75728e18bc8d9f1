"""Settings in addresses of earlier versions, as the current pages read them."""

from __future__ import annotations

import json

from tests.pages.conftest import ROOT
from views.url_state import session_state

OLD_VALUES = json.loads((ROOT / "tests/views/url_state/old_values.json").read_text(encoding="utf-8"))


def current_values(page: str, name: str) -> list[str]:
    """Return the current value for each old value of a control, with the page's old name."""
    return [session_state.to_current({name: (value,)})[name][0] for value in OLD_VALUES[page][name]]
