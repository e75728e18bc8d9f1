"""A component in the page that the server sends first: drawn before Streamlit's scripts have come.

The page holds its style and its payload; its script is a file, for scripts in a page are forbidden, and browsers keep
it. It draws what the page's own component will draw, in the same place, and leaves when that stands. Nobody can use it
before: what is chosen in it would be lost.
"""

import base64
import hashlib
import re
from functools import cache
from pathlib import Path

from .components import component, html_export
from .components.html_export import ComponentSnapshot

NAMES = ("attention_grid",)  # of the components that a page can begin with

_MOUNT = (Path(__file__).parent / "initial_component.js").read_text(encoding="utf-8")
_ANY_PATH = re.compile(rf"/first-({'|'.join(NAMES)})-\w+\.js")  # during an update another server may have made the page


def component_html(part: ComponentSnapshot) -> str:
    """The component, for a page in which it stands below an element of the class `first`."""
    style = component.style(part.name)
    return f"""<style>
.first {{{html_export.colour_variables("light")}}}
@media (prefers-color-scheme: dark) {{.first {{{html_export.colour_variables("dark")}}}}}
.first {{--st-font: "Source Sans", sans-serif}}
</style><div class="view-with-mark" inert>{component.selection_mark(part.chosen)}<div class="view"></div></div>
<template class="component-of-view"><style>{style}</style><div class="{part.root}"></div></template>
<script type="text/plain" class="payload">{base64.b64encode(part.payload).decode()}</script>
<script src=".{path(part.name)}"></script>"""


def requested_script(asked: str) -> tuple[str, str] | None:
    """The script that an address asks for, and its own address; None for any other."""
    match = _ANY_PATH.fullmatch(asked)
    return match and (source(match[1]), path(match[1]))


@cache
def source(name: str) -> str:
    """The script that draws the component called `name`, one of `NAMES`, in the page that asks for it."""
    script = html_export.callable_script(component.script(name))
    return f'(() => {{\n"use strict"\n{script}\n{_MOUNT}}})()\n'


@cache
def path(name: str) -> str:
    """Where that is found; another text has another address."""
    return f"/first-{name}-{hashlib.sha256(source(name).encode()).hexdigest()[:12]}.js"
