"""Modules of `model` do not import one another in circles, not even inside functions or for types only."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def module_name(path: Path) -> str:
    """The dotted name of a file."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_modules(source: str, package: list[str], modules: set[str]) -> set[str]:
    """Modules that a file in `package` imports relatively, wherever in the file."""
    imported = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = [*package[: len(package) + 1 - node.level], *([node.module] if node.module else [])]
            names = {".".join([*base, alias.name]) for alias in node.names}
            imported |= (names & modules) or ({".".join(base)} & modules)
    return imported


def test_no_module_imports_itself_through_others():
    paths = {module_name(path): path for path in (ROOT / "model").rglob("*.py")}
    graph = {}
    for name, path in paths.items():
        package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
        graph[name] = imported_modules(path.read_text(encoding="utf-8"), package, set(paths))
    assert graph["model.networks.transformer"] >= {"model.networks.interfaces", "model.networks.attention"}
    TopologicalSorter(graph).prepare()  # raises CycleError with the circle


def test_a_circle_is_reported():
    modules = {"model.a.x", "model.b.y"}
    graph = {
        "model.a.x": imported_modules("def f():\n    from ..b.y import g", ["model", "a"], modules),
        "model.b.y": imported_modules("from ..a import x", ["model", "b"], modules),
    }
    assert graph == {"model.a.x": {"model.b.y"}, "model.b.y": {"model.a.x"}}
    with pytest.raises(CycleError):
        TopologicalSorter(graph).prepare()
