"""Teaching text: every page has a title and a lead, and every block that the code uses."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from views import navigation
from views.text import catalogue, glossary, prose
from views.text.catalogue import using_language
from views.text.literal import columns
from views.text.prose import WIDTH, comments_in, marked_programs, with_translated_comments

PROGRAM = """import torch
a = torch.ones(2)  # greedy
b = "# none"  # (head, query, key)
c = 3  # noqa: E731

# The decoder is fed
# the beginning.
d = a"""


def test_comments_are_those_with_words():
    assert comments_in(PROGRAM) == ["greedy", "The decoder is fed the beginning."]


def test_code_and_shapes_stay():
    with using_language(catalogue.PSEUDO):
        lines = with_translated_comments(PROGRAM).splitlines()
    assert lines[1] == "a = torch.ones(2)  # \u27e6greedy\u27e7"
    assert lines[2:5] == PROGRAM.splitlines()[2:5]
    assert lines[5:] == ["# \u27e6The decoder is fed the beginning.\u27e7", "d = a"]


def test_marked_lines_are_programs_without_their_indentation():
    module = """def f():
    # program: one more
    for x in range(3):
        x = 2
    # end of program
    return x
# program: other
# end of program
"""
    assert marked_programs(module) == {"one more": "for x in range(3):\n    x = 2\n", "other": ""}


def shown() -> Iterator[tuple[Path, str]]:
    """Programs, and marked lines of headers and of the model, with their files."""
    for path in (ROOT / "assets" / "code").glob("*/*.py"):
        yield path, path.read_text(encoding="utf-8")
    for path in [ROOT / "assets" / "code" / "headers.py", *(ROOT / "model").rglob("*.py")]:
        yield from ((path, text) for text in marked_programs(path.read_text(encoding="utf-8")).values())


def test_every_program_stays_the_same_in_english_and_in_translation():
    for path, text in shown():
        assert with_translated_comments(text).split() == text.split()
        with using_language("ko"):
            translated = with_translated_comments(text)
        assert ast.dump(ast.parse(translated)) == ast.dump(ast.parse(text))
        texts = [node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Expr)]
        assert not any(isinstance(node, ast.Constant) for node in texts), f"{path} has a docstring, which stays English"
        assert max(map(columns, translated.splitlines())) <= WIDTH, path


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
