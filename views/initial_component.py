"""Draw a component in the page that the server sends first, before Streamlit's scripts have loaded.

The page contains its style and its payload; its script is a file, since the Content-Security-Policy forbids inline
scripts, and browsers cache it. It draws the same as the page's own component, in the same place, and is removed once
that is drawn. Until then it is inert: a selection in it would be lost.
"""

import hashlib
import re
from functools import cache

from .components import html_export
from .components.html_export import ComponentSnapshot
from .viewer import built_files

NAMES = ("attention_grid",)  # of the components that can be drawn first

_ANY_PATH = re.compile(
    rf"/first-({'|'.join(NAMES)})-\w+\.js"
)  # during an update another version may have sent the page


def component_html(snapshot: ComponentSnapshot) -> str:
    """The component as HTML, to be placed in an element of the class `first`."""
    return f"""<style>
.first {{{html_export.colour_variables("light")}}}
@media (prefers-color-scheme: dark) {{.first {{{html_export.colour_variables("dark")}}}}}
.first {{--st-font: "Source Sans", sans-serif}}
</style>{html_export.section_html(snapshot, attributes=" inert")}<template>{html_export.root_html(snapshot)}</template>
<script src=".{path(snapshot.name)}"></script>"""


def requested_script(requested: str) -> tuple[str, str] | None:
    """The script for a requested path of any version of it, and its current path; else None."""
    match = _ANY_PATH.fullmatch(requested)
    return (source(match[1]), path(match[1])) if match else None


@cache
def source(name: str) -> str:
    """The script that draws the component called `name`, one of `NAMES`."""
    mount = built_files.embedding_script("initial")
    return f'(() => {{\n"use strict"\n{built_files.embedded_script(name)}\n{mount}}})()\n'


@cache
def path(name: str) -> str:
    """Path of that script; it changes with the content."""
    return f"/first-{name}-{hashlib.sha256(source(name).encode()).hexdigest()[:12]}.js"
