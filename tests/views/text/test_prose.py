"""Teaching text: every page has a title and a lead, and every block that the code uses."""

import re
from pathlib import Path

import pytest

from views import navigation
from views.text import prose

ROOT = Path(__file__).resolve().parents[3]
PAGES = [place.id for place in navigation.PAGES]
SHARED = ["attention_viewer", "notices"]  # texts that several pages share


@pytest.mark.parametrize("page", PAGES)
def test_title_and_lead(page):
    assert prose.title(page)
    assert prose.lead(page).endswith(".")


@pytest.mark.parametrize("page", PAGES + SHARED)
def test_every_block_that_a_page_shows_exists(page):
    sources = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "pages").rglob("*.py"))]
    headings = re.findall(rf'(?:block|paragraph|caption)\(\s*"{page}",\s*"([^"]+)"\s*[,)]', "\n".join(sources))
    assert headings
    for heading in headings:
        assert prose.block(page, heading)


def test_unknown_heading():
    with pytest.raises(KeyError):
        prose.block("translate", "Nothing")
