"""Teaching text: every page has a title and a lead, and every block that the code uses."""

import re
from pathlib import Path

import pytest

from views import navigation
from views.text import glossary, prose
from views.text.catalogue import using_language

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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("헤드(head)는 `</s>`나 100 %를", "헤드(head)|는 `</s>`|나 100\u00a0%|를"),
        ("**4.8 %**까지, *\u201c그림\u201d*의 **(3)** 다음", "**4.8\u00a0%|**까지, *\u201c그림\u201d|*의 **(3)** 다음"),
        ("`a % b`와 `b`(c) 다음 $f(x)$는 \u2260로", "`a % b`|와 `b`(c) 다음 $f(x)$|는 \u2260|로"),
        ("$\\text{concat}(O_1)가$ 그리고 `f(x)가`.", "$\\text{concat}(O_1)가$ 그리고 `f(x)가`."),
        ("$$\\text{(a)가}$$ 다음", "$$\\text{(a)가}$$ 다음"),
        ("원-핫 벡터와 one-hot, `가-나`, 3-나", "원-|핫 벡터와 one-hot, `가-나`, 3-나"),
        ("a head (attention) is 100 %", "a head (attention) is 100\u00a0%"),
        (
            "8 \u00d7 8, {a} \u00d7 {b}; `8 \u00d7 8`, a \u00d7 b",
            "8\u00a0\u00d7\u00a08, {a}\u00a0\u00d7\u00a0{b}; `8 \u00d7 8`, a \u00d7 b",
        ),
    ],
)
def test_particles_are_joined_to_punctuation(tmp_path, monkeypatch, text, expected):
    folder = tmp_path / "ko"
    folder.mkdir()
    (folder / f"{tmp_path.name}.md").write_text(f"# 제목\n\n{text}\n", encoding="utf-8")
    monkeypatch.setattr(prose, "TEXT", tmp_path)
    monkeypatch.setattr(prose, "read_shipped", Path.read_bytes)
    with using_language("ko"):
        assert prose.lead(tmp_path.name).replace("\u2060", "|") == expected


def test_files_have_no_joiners():
    assert glossary.plain_text("**헤드(head)\u2060**는 `</s>`\u2060로") == "헤드(head)는 </s>로"
    assert glossary.unlink_terms("헤드(head)\u2060는") == "헤드(head)는"
