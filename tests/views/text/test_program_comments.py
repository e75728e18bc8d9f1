"""Comments of programs are translated; their code and their shapes are not."""

import ast
from collections.abc import Iterator
from pathlib import Path

from views.text import catalogue
from views.text.catalogue import using_language
from views.text.literal import columns
from views.text.program_comments import WIDTH, comments_in, marked_programs, with_translated_comments

PROGRAM = """import torch
a = torch.ones(2)  # greedy
b = "# none"  # (head, query, key)
c = 3  # noqa: E731

# The decoder is fed
# the beginning.
d = a"""
ROOT = Path(__file__).resolve().parents[3]


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
