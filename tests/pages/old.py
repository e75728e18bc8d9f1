"""What addresses of earlier versions hold, as today's pages read it."""

from __future__ import annotations

import json

from tests.pages.conftest import ROOT
from views.address import aliases

VALUES = json.loads((ROOT / "tests/views/address/old_values.json").read_text(encoding="utf-8"))


def today(page: str, name: str) -> list[str]:
    """What is read for each value that a control of a page had, `page` as it was called then."""
    return [aliases.today({name: (value,)})[name][0] for value in VALUES[page][name]]
