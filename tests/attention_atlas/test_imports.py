"""`model` and `views` are shipped inside `attention_atlas`, so their own imports are relative."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.test_layers import parse, sources


@pytest.mark.parametrize("folder", ["model", "views"])
def test_a_package_that_is_shipped_inside_another_never_imports_itself_by_name(folder: str):
    assert [path for path in sources(folder) if folder in absolute_imports(path)] == []


def absolute_imports(path: Path) -> set[str]:
    """Top-level packages that a file imports by name."""
    nodes = list(ast.walk(parse(path.read_text(encoding="utf-8"))))
    packages = {node.module.split(".")[0] for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}
    return packages | {
        alias.name.split(".")[0] for node in nodes if isinstance(node, ast.Import) for alias in node.names
    }
