"""Components as one HTML page for a frame in a notebook, with the notebook's theme and the height of its content.

Like `views.components.html_export`: the page contains everything itself, and its Content-Security-Policy allows it to
load and to send nothing.
"""

import base64
import html
from collections.abc import Sequence
from dataclasses import dataclass

from ..text.catalogue import say
from ..viewer import built_files
from . import html_export
from .html_export import visible_html

WINDOW = "820px"  # replaces the window's height in styles: the frame's height depends on the components'
FIRST_HEIGHT = 640  # pixels, until the page has reported its height; a page that cannot do so scrolls


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
        ValueError: no section, or sections of several components.
    """
    names = {section.snapshot.name for section in sections}
    if len(names) != 1:
        raise ValueError(f"A page shows one component, not {len(names)}.")
    views = "\n".join(html_export.section_html(section.snapshot, section.heading) for section in sections)
    links = " ".join(_file_link(file) for file in files)
    body = f"""<main class="in-notebook">
{views}
{html_export.noscript()}
<p class="files">{links}</p>
</main>"""
    style = f"{html_export.read_style('notebook_page.css')}\n:root {{--window-height: {WINDOW}}}"
    return html_export.page_html(title, body, sections[0].snapshot, style)


def to_iframe(page: str, title: str, height: int | None = None) -> str:
    """The page as an element of a notebook's output.

    Args:
        height: of the frame in pixels, in which the page scrolls; None for that of its content.
    """
    style = f"width: 100%; height: {height or FIRST_HEIGHT}px; border: 0; display: block"
    # Browsers ignore the text inside a frame; notebooks that do not trust their outputs show only that.
    untrusted = say("show.untrusted", "{view}: trust this notebook, or run the cell, to see it.", view=title)
    attributes = f'title="{html.escape(title)}" style="{style}" srcdoc="{html.escape(page)}"'
    fixed = "" if height is None else ' data-fixed-height="yes"'
    frame = f"<iframe {attributes}{fixed}>{visible_html(untrusted)}</iframe>"
    # In a page of its own, as marimo makes it, the type decides how heights are measured; elsewhere browsers ignore it.
    return f"<!DOCTYPE html>{frame}<script>{built_files.embedding_script('frame')}</script>"


def _file_link(file: DownloadFile) -> str:
    content = base64.b64encode(file.content).decode()
    attributes = f'download="{html.escape(file.name)}" href="data:{file.type};base64,{content}"'
    return f"<a {attributes}>{visible_html(file.label)}</a>"
