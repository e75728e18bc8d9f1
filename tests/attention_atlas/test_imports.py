"""`model` and `views` are shipped inside `attention_atlas`: within themselves their imports are relative."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.test_layers import parse, sources


@pytest.mark.parametrize("folder", ["model", "views"])
def test_a_package_that_is_shipped_inside_another_names_itself_nowhere(folder: str):
    absolute = {path: folder in {name for name in absolutes(path)} for path in sources(folder)}
    assert [path for path, found in absolute.items() if found] == []


def absolutes(path: Path) -> set[str]:
    """Top packages that a file imports by their full names."""
    nodes = list(ast.walk(parse(path.read_text(encoding="utf-8"))))
    found = {node.module.split(".")[0] for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}
    return found | {alias.name.split(".")[0] for node in nodes if isinstance(node, ast.Import) for alias in node.names}
