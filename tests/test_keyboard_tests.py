"""Browser tests reach a control by Tab or by the pointer: a script's focus would hide that a person cannot reach it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "browser"
READS_TEXTS = ("uncatalogued.js",)  # opens every help text on a page to read it, and tests no key
SOURCES = sorted(path for path in FOLDER.rglob("*") if path.suffix in (".py", ".js") and path.name not in READS_TEXTS)
# What gives an element the focus as a person does, before a key is pressed at it: typing begins with a click.
GIVES_FOCUS = ("fill", "click", "press_sequentially")


def keys_without_focus(source: str) -> list[int]:
    """Return the lines that press a key at an element that nothing before in the function gives the focus.

    `Locator.press` sets the focus by itself.
    """
    faults = []
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef):
            continue
        nodes = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
        focused = set()
        for call in sorted(nodes, key=lambda node: (node.end_lineno or 0, node.end_col_offset or 0)):
            if not isinstance(call.func, ast.Attribute):
                continue
            element = ast.unparse(call.func.value)
            if call.func.attr in GIVES_FOCUS:
                focused.add(element)
            if call.func.attr == "press" and not element.endswith(".keyboard") and element not in focused:
                faults.append(call.lineno)
    return faults


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_no_browser_test_sets_the_focus_by_program(path: Path):
    source = path.read_text(encoding="utf-8")
    assert [number for number, line in enumerate(source.splitlines(), 1) if ".focus(" in line] == []
    assert path.suffix == ".js" or keys_without_focus(source) == []


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("slider.press('Home')", [2]),
        ("box.fill('Hello'); box.press('Enter')", []),
        ("other.fill('Hello'); box.press('Enter')", [2]),
        ("box.press('Enter'); box.fill('Hello')", [2]),
        ("tab_to(slider); page.keyboard.press('Home')", []),
    ],
)
def test_a_key_at_an_element_without_focus_is_found(body: str, lines: list[int]):
    assert keys_without_focus(f"def test():\n    {body}") == lines
