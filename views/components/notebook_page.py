"""Components as one HTML page for a frame in a notebook: it takes the notebook's theme and the height that it needs.

Like `views.components.html_export`, whose rules it keeps: everything stands in the page itself, and its
Content-Security-Policy allows it to load and to send nothing.
"""

import base64
import html
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..text import catalogue
from ..text.catalogue import say
from . import component, html_export
from .html_export import POLICY, callable_script, colour_rule, visible_html

WINDOW = "820px"  # what components take for the height of the window: that of the frame follows from theirs
FIRST_HEIGHT = 640  # pixels, until the page has told its frame how high it is; where it cannot, it scrolls
_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class NotebookSection:
    """A component with what stands above it; nothing where the heading is empty."""

    heading: str
    part: html_export.ComponentSnapshot


@dataclass(frozen=True)
class DownloadFile:
    """What a reader can save from the page: what the link says, the file's name, its type and its content."""

    label: str
    name: str
    type: str
    content: bytes


def to_html(title: str, sections: Sequence[NotebookSection], files: Sequence[DownloadFile] = ()) -> str:
    """The page. All words may come from a reader: they are shown as they are.

    Args:
        sections: one below the other; all of one component.

    Raises:
        ValueError: no section, sections of several components, or a script that cannot stand inside a page.
    """
    names = {section.part.name for section in sections}
    if len(names) != 1:
        raise ValueError(f"A page shows one component, not {len(names)}.")
    first = sections[0].part
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
{_read("notebook_page.css")}</style>
</head>
<body>
<main>
{views}
<noscript><p>{visible_html(noscript)}</p></noscript>
<p class="files">{links}</p>
</main>
<template id="component"><style>
{_in_window(component.style(first.name))}</style><div class="{first.root}"></div></template>
<script type="module">
{_in_window(callable_script(component.script(first.name)))}
{_read("notebook_page.js")}</script>
</body>
</html>
"""


def to_iframe(page: str, title: str) -> str:
    """The page as an element of a notebook's output."""
    style = f"width: 100%; height: {FIRST_HEIGHT}px; border: 0; display: block"
    # No browser shows what stands inside of a frame, and notebooks that do not trust their outputs show nothing else.
    untrusted = say("show.untrusted", "{view}: trust this notebook, or run the cell, to see it.", view=title)
    frame = f'<iframe title="{html.escape(title)}" style="{style}" srcdoc="{html.escape(page)}">{visible_html(untrusted)}</iframe>'
    return f"{frame}<script>{_read('notebook_page.frame.js')}</script>"


def _section_html(section: NotebookSection) -> str:
    heading = f"<h2>{visible_html(section.heading)}</h2>" if section.heading else ""
    payload = base64.b64encode(section.part.payload).decode()
    return (
        f'<section>{heading}<div class="view-with-mark">{component.selection_mark(section.part.chosen)}'
        '<div class="view"></div></div>'
        f'<script type="text/plain" class="payload">{payload}</script></section>'
    )


def _file_link(file: DownloadFile) -> str:
    content = base64.b64encode(file.content).decode()
    return f'<a download="{html.escape(file.name)}" href="data:{file.type};base64,{content}">{visible_html(file.label)}</a>'


def _in_window(text: str) -> str:
    return text.replace("100vh", WINDOW)


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
