"""Docstrings, comments, names of tests and documents are written in plain technical English; see CONTRIBUTING.md."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
AVOIDED = {  # pattern -> what to write instead
    r"deeds?": "user action",
    r"befalls?|befell|befallen": "say what happens in which state",
    r"hears?|heard|hearing": "receive",
    r"(?:is|are|was|were|be|been|being) told": "is sent, contains or reports",
    r"(?:lets?|letting) go of": "release, evict, clear",
    r"hand(?:s|ed|ing)? back": "release, return",
    r"nobody is there": "say in which state",
    r"(?:has |have )?had its say": "say what has been sent",
    r"doors?": "entry point",
    r"houses?": "architecture",
    r"floors?": "layer",
    r"strangers?": "unauthenticated client",
    r"mend(?:s|ed|ing)?": "fix",
    r"whoever": "user, client",
}
PATTERN = re.compile(rf"\b(?:{'|'.join(AVOIDED)})\b", re.IGNORECASE)
QUOTED = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"|\u201c[^\u201d\n]*\u201d")  # code and example sentences
_SCRIPT_COMMENTS = re.compile(r"/\*.*?\*/|(?<![:\"'])//[^\n]*", re.DOTALL)
COMMENTS = {
    ".js": _SCRIPT_COMMENTS,
    ".mjs": _SCRIPT_COMMENTS,
    ".ts": _SCRIPT_COMMENTS,
    ".css": re.compile(r"/\*.*?\*/", re.DOTALL),
    ".sh": re.compile(r"(?m)^\s*#[^\n]*"),
    ".yaml": re.compile(r"(?m)#[^\n]*"),
    ".toml": re.compile(r"(?m)^\s*#[^\n]*"),
    "": re.compile(r"(?m)^\s*#[^\n]*"),
}
UNTOUCHED = ("assets/", "CHANGELOG.md", "tests/test_language.py")


def tracked() -> list[Path]:
    """All files of the repository."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    names = listed.stdout.splitlines() if listed.returncode == 0 else []
    return [ROOT / name for name in names if not name.startswith(UNTOUCHED) and (ROOT / name).is_file()]


def python_texts(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of every docstring, comment and name of a test."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and ast.get_docstring(node):
                yield first.lineno, str(first.value.value)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            yield node.lineno, node.name.replace("_", " ")
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Line and text of everything in a file that is written for people who read the code."""
    source = path.read_text(encoding="utf-8")
    if not PATTERN.search(re.sub(r"[\s_]+", " ", source)):  # most files, whose parts need not be found
        return
    if path.suffix == ".py":
        yield from python_texts(source)
    elif path.suffix == ".md":
        yield from enumerate(source.splitlines(), 1)
    elif path.suffix in COMMENTS and (path.suffix or path.name in ("Makefile", "run")):
        for match in COMMENTS[path.suffix].finditer(source):
            yield source.count("\n", 0, match.start()) + 1, match.group()


def avoided(text: str) -> list[str]:
    """Words of a text that have a plainer one, without those inside quotes."""
    return [match.group() for match in PATTERN.finditer(re.sub(r"\s+", " ", QUOTED.sub("", text)))]


def test_texts_for_engineers_are_plain():
    assert len(tracked()) > 500
    offences = [
        f"{path.relative_to(ROOT)}:{line}: {', '.join(words)}"
        for path in tracked()
        if path.suffix in (".py", ".md", *COMMENTS)
        for line, text in texts(path)
        if (words := avoided(text))
    ]
    assert not offences, "\n".join(offences)


@pytest.mark.parametrize(
    "source",
    [
        '"""The door of the app."""',
        "x = 1  # nobody is there",
        "def test_the_page_hears_of_it(): pass",
        'def f():\n    """Let go of\n    all results."""',
        "class A:\n    '''It is told.'''",
    ],
)
def test_an_avoided_word_is_reported(source: str):
    assert [words for _, text in python_texts(source) if (words := avoided(text))]


@pytest.mark.parametrize(
    ("suffix", "source"),
    [
        (".js", "run() // one deed\n"),
        (".ts", "/** the floor */\nrun()"),
        (".css", "/* the\nfloor */"),
        (".sh", "# mend it\n"),
        ("", "# whoever\n"),
    ],
)
def test_comments_of_other_languages_are_read(suffix: str, source: str):
    assert [found for match in COMMENTS[suffix].finditer(source) if (found := avoided(match.group()))]


def test_code_and_example_sentences_may_contain_any_word():
    assert not avoided('Round down with `torch.floor`; the sentence is "The house has a door."')
    assert not avoided("An adoring shear, a threshold and a household") and not avoided("recommend")
