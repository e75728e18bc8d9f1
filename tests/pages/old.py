"""What addresses of earlier versions hold, as today's pages read it."""

from __future__ import annotations

import json

from tests.pages.conftest import ROOT
from views.url_state import legacy_urls

VALUES = json.loads((ROOT / "tests/views/url_state/old_values.json").read_text(encoding="utf-8"))


def today(page: str, name: str) -> list[str]:
    """What is read for each value that a control of a page had, `page` as it was called then."""
    return [legacy_urls.to_current({name: (value,)})[name][0] for value in VALUES[page][name]]
