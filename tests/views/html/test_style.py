"""The style sheet of the HTML views, web/src/page/content.css, has their classes and the palette's colours."""

import re
from pathlib import Path

from tests.processes import ROOT
from views import palette

CSS = (ROOT / "web/src/page/content.css").read_text(encoding="utf-8")


def test_every_class_that_python_writes_has_a_rule() -> None:
    folders = [ROOT / "views/html", ROOT / "views", ROOT / "pages"]
    files: set[Path] = {path for folder in folders for path in folder.rglob("*.py")}
    written = {name for path in files for name in re.findall(r"\baa-[a-z]+", path.read_text(encoding="utf-8"))}
    assert written - {f"aa-{kind}" for kind in ("cross", "vision")} <= set(re.findall(r"\.(aa-[a-z]+)", CSS))


def test_its_colours_are_those_of_the_palette() -> None:
    known = {*palette.HUES.values(), palette.NEGATIVE}
    assert set(re.findall(r"#[0-9A-F]{6}\b", CSS)) - {"#9A5B00"} <= known  # that of literals in a program
