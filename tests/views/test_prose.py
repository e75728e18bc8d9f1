"""Teaching text: every page has a title and a lead, and every block that the code asks for."""

import re
from pathlib import Path

import pytest

from views import frame, prose

ROOT = Path(__file__).resolve().parents[2]
PAGES = [Path(path).stem for path, _, _ in frame.PAGES]


@pytest.mark.parametrize("page", PAGES)
def test_title_and_lead(page):
    assert prose.title(page)
    assert prose.lead(page).endswith(".")


@pytest.mark.parametrize("page", PAGES)
def test_every_block_that_a_page_shows_exists(page):
    # a page's parts may lie in folders of their own
    source = "\n".join(path.read_text() for path in sorted((ROOT / "pages").rglob("*.py")))
    wanted = [found for found in re.findall(r'prose\.block\(\s*"(\w+)", "([^"]+)"', source) if found[0] == page]
    assert wanted
    for name, heading in wanted:
        assert prose.block(name, heading)


def test_unknown_heading():
    with pytest.raises(KeyError):
        prose.block("translate", "Nothing")
