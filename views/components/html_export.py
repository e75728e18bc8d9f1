"""Export a component as one HTML file that opens anywhere, without the app and without a network.

The file contains the component's script, which has its style, and its payload, so that it behaves as on the page. Its
Content-Security-Policy allows only what is in the file itself: it cannot load or send anything.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import palette
from ..text import catalogue, literal
from ..text.catalogue import Message, say
from ..viewer import built_files
from . import component

POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'"
)
EXACT = Message("saved.exact", "float32, as they were computed")
EXACT_BYTES = 1 << 23  # of weights that a file contains with every digit; larger ones are rounded as on the page

_FOLDER = Path(__file__).parent
_PRIMARY = {"light": "#34495E", "dark": "#A9BCD0"}
_FONT = "'Source Sans 3', 'Source Sans Pro', 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"


@dataclass(frozen=True)
class ComponentSnapshot:
    """A component with its payload and selection, for a file, a notebook or the first page."""

    name: str  # of the component and its files
    root: str  # class of the element that its script fills
    payload: bytes  # what its script reads
    chosen: object  # its selection, see `views.components.component.selection_mark`
    numbers: str  # the precision of the payload's numbers, in words


def to_html(
    title: str, paragraphs: Sequence[str], facts: Sequence[tuple[str, str]], snapshot: ComponentSnapshot
) -> bytes:
    """The file, UTF-8. All texts may be a user's: they are escaped.

    Args:
        paragraphs: how to read the view.
        facts: name and value, such as the input and the hash of the weights.
    """
    text = "\n".join(f"<p>{visible_html(paragraph)}</p>" for paragraph in paragraphs)
    fact_list = "\n".join(f"<dt>{visible_html(name)}</dt><dd>{visible_html(value)}</dd>" for name, value in facts)
    body = f"""<main>
<h1>{visible_html(title)}</h1>
{text}
{section_html(snapshot)}
{noscript()}
<h2>{visible_html(say("saved.facts", "What this is"))}</h2>
<dl>
{fact_list}
</dl>
</main>"""
    return page_html(title, body, snapshot).encode()


def page_html(title: str, body: str, snapshot: ComponentSnapshot, style: str = "") -> str:
    """A page that contains everything itself: `body` with its sections, and what mounts the component in them."""
    dark = colour_rule("dark")
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
{colour_rule("light")}
@media (prefers-color-scheme: dark) {{
{dark.replace(":root", ":root:not([data-theme=light])")}
}}
{dark.replace(":root", ":root[data-theme=dark]")}
{read_style("html_export.css")}{style}</style>
</head>
<body>
{body}
<template id="component">{root_html(snapshot)}</template>
<script type="module">
{built_files.embedded_script(snapshot.name)}
{built_files.embedding_script("page")}</script>
</body>
</html>
"""


def section_html(snapshot: ComponentSnapshot, heading: str = "", attributes: str = "") -> str:
    """A place for a component, with its selection and its payload."""
    title = f"<h2>{visible_html(heading)}</h2>" if heading else ""
    payload = base64.b64encode(snapshot.payload).decode()
    return (
        f'<section{attributes}>{title}<div class="view-with-mark">{component.selection_mark(snapshot.chosen)}'
        f'<div class="view"></div></div><script type="text/plain" class="payload">{payload}</script></section>'
    )


def root_html(snapshot: ComponentSnapshot) -> str:
    """The element that the component's script fills."""
    return f'<div class="{snapshot.root}"></div>'


def noscript() -> str:
    """A sentence for browsers that run no scripts."""
    text = say("saved.noscript", "The view is drawn by the script in this file: allow scripts to see it.")
    return f"<noscript><p>{visible_html(text)}</p></noscript>"


def visible_html(text: str) -> str:
    """Text escaped for HTML, without invisible characters."""
    return literal.html(literal.visible(text))


def read_style(name: str) -> str:
    """A style sheet of this folder."""
    return (_FOLDER / name).read_text(encoding="utf-8")


def colour_rule(theme: palette.Theme) -> str:
    """A CSS rule with the variables that components read, as the app's theme sets them."""
    return f":root {{{colour_variables(theme)}}}"


def colour_variables(theme: palette.Theme) -> str:
    """The variables of `colour_rule` without the rule."""
    secondary, border = palette.SECONDARY[theme]
    return f"""
  --st-background-color: {palette.BACKGROUND[theme]};
  --st-secondary-background-color: {secondary};
  --st-text-color: {palette.INK[theme]};
  --st-border-color: {border};
  --st-primary-color: {_PRIMARY[theme]};
  --st-button-radius: 4px;
  --st-font: {_FONT};
"""
