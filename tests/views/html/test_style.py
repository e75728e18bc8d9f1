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


def test_each_hue_has_one_source_and_style_sheets_refer_to_it() -> None:
    hues = palette.HUES | {"amber": palette.NEGATIVE}
    assert dict(re.findall(r"--aa-(\w+): (#\w{6})", CSS)) == hues
    for path in (ROOT / "web/src").rglob("*.css"):
        written = [colour.upper() for colour in re.findall(r"#[0-9A-Fa-f]{6}\b", path.read_text(encoding="utf-8"))]
        assert {hue: written.count(hue) for hue in hues.values()} == dict.fromkeys(
            hues.values(), path.name == "content.css"
        )
    for path in [*(ROOT / "views").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]:
        if path.name != "palette.py":
            assert not [hue for hue in hues.values() if hue in path.read_text(encoding="utf-8").upper()], path
