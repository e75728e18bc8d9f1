"""Components as one HTML page for a frame in a notebook, with the notebook's theme and the height of its content.

Like `views.components.html_export`: the page contains everything itself, and its Content-Security-Policy allows it to
load and to send nothing.
"""

import base64
import html
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..text import catalogue
from ..text.catalogue import say
from ..viewer import built_files
from . import component, html_export
from .html_export import POLICY, colour_rule, visible_html

WINDOW = "820px"  # replaces the window's height in styles: the frame's height depends on the components'
FIRST_HEIGHT = 640  # pixels, until the page has reported its height; a page that cannot do so scrolls
_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class NotebookSection:
    """A component and the heading above it, which may be empty."""

    heading: str
    snapshot: html_export.ComponentSnapshot


@dataclass(frozen=True)
class DownloadFile:
    """A file that the page offers as a download: label of the link, file name, media type and content."""

    label: str
    name: str
    type: str
    content: bytes


def to_html(title: str, sections: Sequence[NotebookSection], files: Sequence[DownloadFile] = ()) -> str:
    """The page. All texts may be a user's: they are escaped.

    Args:
        sections: one below the other; all of one component.

    Raises:
        ValueError: no section, sections of several components, or a script that cannot be inlined.
    """
    names = {section.snapshot.name for section in sections}
    if len(names) != 1:
        raise ValueError(f"A page shows one component, not {len(names)}.")
    first = sections[0].snapshot
    light, dark = colour_rule("light"), colour_rule("dark")
    views = "\n".join(_section_html(section) for section in sections)
    links = " ".join(_file_link(file) for file in files)
    noscript = say("saved.noscript", "The view is drawn by the script in this file: allow scripts to see it.")
    return f"""<!DOCTYPE html>
<html lang="{catalogue.language()}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{visible_html(title)}</title>
<link rel="icon" href="data:,">
<style>
{light}
@media (prefers-color-scheme: dark) {{
{dark.replace(":root", ":root:not([data-theme=light])")}
}}
{dark.replace(":root", ":root[data-theme=dark]")}
{_read("html_export.css")}
{_read("notebook_page.css")}
:root {{--window-height: {WINDOW}}}</style>
</head>
<body>
<main>
{views}
<noscript><p>{visible_html(noscript)}</p></noscript>
<p class="files">{links}</p>
</main>
<template id="component"><div class="{first.root}"></div></template>
<script type="module">
{built_files.embedded_script(first.name)}
{_read("notebook_page.js")}</script>
</body>
</html>
"""


def to_iframe(page: str, title: str) -> str:
    """The page as an element of a notebook's output."""
    style = f"width: 100%; height: {FIRST_HEIGHT}px; border: 0; display: block"
    # Browsers ignore the text inside a frame; notebooks that do not trust their outputs show only that.
    untrusted = say("show.untrusted", "{view}: trust this notebook, or run the cell, to see it.", view=title)
    attributes = f'title="{html.escape(title)}" style="{style}" srcdoc="{html.escape(page)}"'
    frame = f"<iframe {attributes}>{visible_html(untrusted)}</iframe>"
    return f"{frame}<script>{_read('notebook_page.frame.js')}</script>"


def _section_html(section: NotebookSection) -> str:
    heading = f"<h2>{visible_html(section.heading)}</h2>" if section.heading else ""
    payload = base64.b64encode(section.snapshot.payload).decode()
    return (
        f'<section>{heading}<div class="view-with-mark">{component.selection_mark(section.snapshot.chosen)}'
        '<div class="view"></div></div>'
        f'<script type="text/plain" class="payload">{payload}</script></section>'
    )


def _file_link(file: DownloadFile) -> str:
    content = base64.b64encode(file.content).decode()
    attributes = f'download="{html.escape(file.name)}" href="data:{file.type};base64,{content}"'
    return f"<a {attributes}>{visible_html(file.label)}</a>"


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
