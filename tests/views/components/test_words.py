"""Scripts contain no text for users: every text comes with the payload, translated by the catalogue.

How a literal is classified. It is no text for users if it has no letters besides markup and placeholders, or is a style
or a path of SVG; if it is compared, or is a key; if it is an argument of one of `FUNCTIONS`, unless it is displayed or
read aloud (attributes of `SPOKEN`, the text that `write` puts into a picture); if it is assigned to one of `PROPERTIES`
or `CONSTANTS`; if it is an option of a type or a case; or if it is an id, of `IDS` or in one of `LOOPS`. Any other
literal with letters is a text for users. Names of modules are not classified.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.views.components.scripts import Literal, literals

ROOT = Path(__file__).resolve().parents[3]
BUILT = ROOT / "views" / "viewer" / "static"  # from web/src, which is checked instead
SCRIPTS = [
    *(path for path in sorted((ROOT / "views").rglob("*.js")) if BUILT not in path.parents),
    *sorted((ROOT / "web" / "src").rglob("*.ts")),
]

FUNCTIONS = {
    *(
        "[",
        "add",
        "addEventListener",
        "answer",
        "buildGroup",
        "bytes",
        "floats",
        "rounded",
        "shape",
        "buildHeader",
        "buildHeading",
    ),
    *("buildSide", "buildTable", "getAll"),
    *("canvasColour", "changes", "closest", "contains", "drawLayer", "get", "getData", "has", "super", "Tip"),
    *(
        "createElement",
        "createElementNS",
        "element",
        "endsWith",
        "execCommand",
        "File",
        "getAttribute",
        "getContext",
        "getElementById",
    ),
    *("getPropertyValue", "hasAttribute", "header", "markData", "matches", "matchMedia", "observe", "parseFromString"),
    *("change", "channel", "delete", "piece", "request", "takeBack"),
    *("querySelector", "querySelectorAll", "remove", "removeAttribute", "removeEventListener", "replace", "replaceAll"),
    *("setAttribute", "setProperty", "setStateValue", "setTriggerValue", "split", "startsWith", "svgElement", "tell"),
    *("toBlob", "toggle", "toggleAttribute", "write"),
}
PROPERTIES = {
    *("chips", "className", "colorScheme", "drawn", "key", "method", "mode", "name", "scope", "shown"),
    *(
        "behavior",
        "block",
        "id",
        "is",
        "rel",
        "role",
        "side",
        "fillStyle",
        "imageSmoothingQuality",
        "textAlign",
        "textBaseline",
        "type",
    ),
}
SPOKEN = re.compile(r'\s*"(aria-(?:label|description|valuetext|roledescription)|title|alt|placeholder)"\s*,')
STYLE = re.compile(
    r"#\w{6}|[\d. ]*(?:px.*|rem)|"
    r"(?:rgb|url|var|color-mix|linear-gradient|max|min|translateX|rotate)\(.*\)|[MCHVhvlz\d\s.-]+",
    re.IGNORECASE,
)
CONSTANTS = {
    *(
        "APP",
        "ATTRIBUTES",
        "CONNECTED",
        "DIALOG",
        "MAIN",
        "TITLE",
        "VARIES",
        "WAITING",
        "attributeFilter",
    ),  # of Streamlit's
    *(
        "ARRANGED_BY",
        "BOX",
        "DOUBT",
        "TYPED",
        "BUTTON",
        "CHARTS",
        "CHIPS",
        "ACTIONS",
        "DONE",
        "START_LINK",
        "FIRST",
        "OPEN",
        "OPENING",
        "THEMES",
        "LAYERS",
        "BY_USER",
        "WIDE",
        "LINK",
        "LAST",
        "CONTENT",
        "LINKS",
        "MAPS",
        "MARKS",
        "MEAN",
    ),
    *(
        "DROP_ZONE",
        "MAIN",
        "PASTED",
        "ROWS",
        "SCOPES",
        "MENU",
        "NAME",
        "NEWS",
        "NO_TEXT",
        "ON",
        "PICTURE",
        "PREDICTED",
        "SHEET",
        "SIDES",
        "STEP",
        "SLIDER",
        "UPLOAD_BOX",
        "USED",
        "WAITING",
        "WRITING",
        "across",
        "attributeFilter",
        "axes",
        "names",
    ),
}
IDS = {
    *("light", "dark", "token", "number"),
    *("held", "nearly", "not"),
    *("english", "french", "encoder", "decoder", "cross"),  # of sides and kinds
    *("en", "fr"),  # codes of languages
    *("token ", "token en", "token fr"),  # kinds of data, with a language
    *("gridcell", "columnheader", "rowheader"),
    *("idle", "sent", "late", "answered", "refused", "outdated"),  # states of a request
    *("try", "next", "none"),  # which pulls are proposed
    *("ask", "last"),  # the questions of a lesson
}
LOOPS = re.compile(r"for \(const (?:kind|side) of \[[^\]]*$")  # over ids
MODULES = re.compile(r'^(?:import\b|export\b[^"\n=]*from|declare module)[^"=]*"[^"\n]*"', re.MULTILINE)
MARKUP = re.compile(r'\\u[0-9a-f]{4}|\\.|<[^<>]*>|[\w-]+="[^"]*"|&\w+;|\0')


def for_browsers(literal: Literal) -> bool:
    text = MARKUP.sub("", literal.text)
    if not re.search(r"[^\W\d_]", text) or STYLE.fullmatch(text.strip()) or text in IDS:
        return True
    before, after = literal.before.rstrip(), literal.after.lstrip()
    if re.search(r"[=!]==$", before) or re.match(r"[=!]==|in ", after) or LOOPS.search(before):
        return True
    if re.search(r"(?<!\|)\|$|\b(?:Pick|Omit)<[^<>()]*$|\bcase$", before) or re.match(r"\|(?!\|)", after):
        return True
    if re.search(r"\b(?:Omit|Pick|Record|Exclude|Extract)<[^>()]*$", before):  # the name of a field
        return True
    if after.startswith(":") and before.endswith(("{", ",")):
        return True
    name, written = literal.call
    if (name == "setAttribute" and SPOKEN.match(written)) or (name == "write" and not written.strip()):
        return False
    if re.search(r"[{,]\s*:$", before) and name not in FUNCTIONS:  # of a key in quotes, such as `"aria-label"`
        return False
    names = re.findall(r"(\w+)\s*(?:\+?=(?![=>])|:)", before.splitlines()[-1])
    return name in FUNCTIONS or name.endswith("Event") or (bool(names) and names[-1] in PROPERTIES | CONSTANTS)


def texts_in(script: str) -> list[str]:
    return [literal.text for literal in literals(MODULES.sub("", script)) if not for_browsers(literal)]


@pytest.mark.parametrize("path", SCRIPTS, ids=[path.name for path in SCRIPTS])
def test_every_text_comes_with_the_payload(path: Path):
    assert texts_in(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "script",
    [
        'made.textContent = "masked"',
        'made.textContent = masked ? "masked" : number',
        'tile.setAttribute("aria-label", `layer ${row}, head ${column}`)',
        'element("span", "", line).textContent = `${count} tokens`',
        'button(group, "all", () => this.set(field))',
        'write(`head ${head + 1}`, x, y, 12, "start")',
        "return `${own} attends to ${other}`",
        'const EMPTY = "There is no picture."',
        'for (const words of ["query", ...names]) header(words)',
        'image.alt = "a picture"',
        'setAttributes(scroll, { role: "region", "aria-label": "Numbers" })',
        'document.querySelector<HTMLElement>("p").textContent = "Nothing"',
        'const told = [name, "strongest"].join(": ")',
    ],
)
def test_texts_in_a_script_are_detected(script: str):
    assert texts_in(script)
