"""The files that `node web/build.mjs` writes: which there are, where the browser finds them, and what is in them.

A file's name has a hash of its content, so that browsers store it for ever. manifest.json names the file of each
module, which the app's pages import, of each script, which is embedded where nothing can be imported: in a saved file,
in a notebook, in the first page; of the scripts that mount it there; and of the script that every page loads first, see
`views.url_state.script`.
"""

import json
import re
from functools import cache
from pathlib import Path
from typing import Literal

FOLDER = Path(__file__).parent / "static"
ROUTE = "/viewer/"  # below the root of the site

# A page of an earlier version asks for a file that this version does not have: the page is loaded again.
RELOADING = "location.reload()\nexport default () => () => {}\n"
_HASHED = re.compile(r"([a-z_]+)-[0-9A-Z]{8}\.js")


@cache
def _manifest() -> dict[str, dict[str, str]]:
    return json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))


def file_name(kind: Literal["modules", "scripts", "embedding", "page"], name: str) -> str:
    """The file of a module, of an embedded script or one that mounts it, or of the script of every page.

    Raises:
        KeyError: there is none of this name.
    """
    return _manifest()[kind][name]


def embedded_script(name: str) -> str:
    """The script that defines `mountComponent` of the component called `name`; its style sheet is part of it.

    Raises:
        KeyError: there is no such component.
    """
    return read(file_name("scripts", name))


def embedding_script(name: Literal["page", "frame", "initial"]) -> str:
    """The script that mounts components in a saved page or in the first one, or that sets the height of a frame."""
    return read(file_name("embedding", name))


def page_script() -> str:
    """The script that every page loads before Streamlit's own."""
    return read(_manifest()["page"]["index"])


@cache
def read(file: str) -> str:
    """The content of a built file."""
    return (FOLDER / file).read_text(encoding="utf-8")


def loader(name: str) -> str:
    """The script of a component as Streamlit gets it: it imports the module from this site.

    Raises:
        KeyError: there is no such component.
    """
    file = file_name("modules", name)
    return f"""// see web/
const site = window.__streamlit?.BACKEND_BASE_URL ?? document.baseURI
export default (await import(new URL("{ROUTE[1:]}{file}", site))).default
"""


@cache
def served_files() -> frozenset[str]:
    """The names of all files that browsers may request below `ROUTE`."""
    return frozenset(path.name for path in FOLDER.glob("*.js") if not path.name.startswith(("embed", "page-")))


def answer(file: str) -> tuple[str, bool] | None:
    """What a browser gets that requests `file`, and whether it may store it; None if no version has such a file."""
    if file in served_files():
        return read(file), True
    match = _HASHED.fullmatch(file)
    return (RELOADING, False) if match and match[1] in _manifest()["modules"] else None
