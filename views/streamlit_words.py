"""Streamlit's own words in the user's language: it has no setting for them.

A style sheet writes over those that are there from the start. Those in menus, tooltips and names for screen readers are
replaced by `web/src/page/language.ts`, which gets them with the page.
"""

import json

from .text import catalogue, literal
from .text.catalogue import Message

# selector -> what stands there in English
_WORDS = {
    "[data-testid=InputInstructions]": Message("streamlit.apply", "Press Enter to apply"),
    ".stTextArea [data-testid=InputInstructions]": Message("streamlit.apply.lines", "Press Ctrl+Enter to apply"),
    "[data-testid=stFileUploaderDropzone] button p": Message("streamlit.upload", "Upload"),
    "[data-testid=stFileUploaderDropzoneInstructions]": Message("streamlit.upload.limit", "8 MB per file"),
    "[data-testid=stCameraInput]:not(:has(img)) [data-testid=stCameraInputButton]": Message(
        "streamlit.photo", "Take photo"
    ),
    "[data-testid=stExceptionMessage]": Message(
        "streamlit.error", "Something went wrong on this page: please reload it, or choose another input."
    ),
}
_BUTTONS = (
    "[data-testid=stFileUploaderDropzone] button p",
    "[data-testid=stCameraInput]:not(:has(img)) [data-testid=stCameraInputButton]",
)
# The words are hidden from screen readers too; what is inside them is not drawn. Buttons stay in reach of the keyboard
# and get their names from `web/src/page/language.ts`.
_RULE = (
    "{selector} {{{hidden}font-size: 0}} {selector} > * {{display: none}} "
    '{selector}::after {{visibility: visible; font-size: .875rem; content: "{text}"}}'
)

_FULLSCREEN = Message("streamlit.fullscreen", "Fullscreen")
_CLOSE_FULLSCREEN = Message("streamlit.fullscreen.close", "Close fullscreen")

# The parts of Streamlit's page, each with its English texts and names; {name} is a part that varies. A part is in one
# entry alone: what one has replaced, another that does not have the text would put back.
_REPLACED: tuple[tuple[str, tuple[Message, ...]], ...] = (
    (
        "[data-testid=stMainMenuPopover], [data-testid=stMainMenuButton]",
        (
            Message("streamlit.menu", "Main menu"),
            Message("streamlit.theme", "Theme"),
            Message("streamlit.theme.system", "System"),
            Message("streamlit.theme.light", "Light"),
            Message("streamlit.theme.dark", "Dark"),
            Message("streamlit.about", "About"),
            Message("streamlit.version", "Made with Streamlit v"),
            Message("streamlit.version.copy", "Copy version to clipboard"),
            Message("streamlit.copied", "Copied"),
        ),
    ),
    (
        "[data-testid=stDialog]",
        (Message("streamlit.about", "About"), Message("streamlit.close", "Close")),
    ),
    (
        "[data-testid=stSidebar], [data-testid=stExpandSidebarButton], [data-testid=stSkipToContent]",
        (
            Message("streamlit.sidebar", "Sidebar"),
            Message("streamlit.sidebar.expand", "Expand sidebar"),
            Message("streamlit.sidebar.collapse", "Collapse sidebar"),
            Message("streamlit.skip", "Skip to main content"),
        ),
    ),
    ("[data-testid=stTooltipIcon]", (Message("streamlit.help", "Help for {name}"),)),
    (
        "[data-testid=stElementToolbar], [data-testid=stTooltipContent]",
        (
            _FULLSCREEN,
            Message("streamlit.fullscreen.of", "Fullscreen: {name}"),
            _CLOSE_FULLSCREEN,
            Message("streamlit.fullscreen.close.of", "Close fullscreen: {name}"),
            Message("streamlit.columns", "Show/hide columns"),
            Message("streamlit.columns.of", "Show/hide columns: {name}"),
            Message("streamlit.csv", "Download as CSV"),
            Message("streamlit.csv.of", "Download as CSV: {name}"),
            Message("streamlit.search", "Search"),
            Message("streamlit.search.of", "Search: {name}"),
        ),
    ),
    (
        "[data-testid=stDataFrameColumnMenu]",
        (
            Message("streamlit.sort.up", "Sort ascending"),
            Message("streamlit.sort.down", "Sort descending"),
            Message("streamlit.column.format", "Format"),
            Message("streamlit.column.fit", "Autosize"),
            Message("streamlit.column.pin", "Pin column"),
            Message("streamlit.column.unpin", "Unpin column"),
            Message("streamlit.column.hide", "Hide column"),
        ),
    ),
    (
        "[role=listbox]",
        (
            Message("streamlit.no-results", "No results"),
            Message("streamlit.select", "Select all"),
            Message("streamlit.select.matches", "Select {name} matches"),
        ),
    ),
    (
        "[data-testid=stSelectbox] button, [data-testid=stMultiSelect] button",
        (
            Message("streamlit.open", "Open"),
            Message("streamlit.clear", "Clear all"),
            Message("streamlit.remove", "Remove {name}"),
        ),
    ),
    (
        "[data-testid=stNumberInput] button",
        (Message("streamlit.less", "Decrement"), Message("streamlit.more", "Increment")),
    ),
    (
        "[data-testid=stFileUploader]",
        (
            Message("streamlit.drop", "Drag and drop a file here"),
            Message("streamlit.type", "{name} files are not allowed."),
        ),
    ),
    (
        "[data-testid=stCameraInput], [data-testid=stTooltipContent]",
        (
            Message("streamlit.camera", "This app would like to use your camera."),
            Message("streamlit.camera.allow", "Learn how to allow access."),
            Message("streamlit.camera.switch", "Switch camera"),
            Message("streamlit.camera.clear", "Clear photo"),
            Message("streamlit.camera.photo", "Snapshot"),
            Message("streamlit.uploading", "Uploading..."),
        ),
    ),
    (
        ".modebar",
        (
            Message("plotly.png", "Download plot as a PNG"),
            Message("plotly.zoom", "Zoom"),
            Message("plotly.pan", "Pan"),
            Message("plotly.in", "Zoom in"),
            Message("plotly.out", "Zoom out"),
            Message("plotly.reset", "Reset axes"),
            _FULLSCREEN,
            _CLOSE_FULLSCREEN,
        ),
    ),
)


def replaced() -> dict[str, dict[str, dict[str, str]]]:
    """By language: the parts of Streamlit's page and, for each, its English words and those to show."""
    words = {}
    for code in catalogue.offered_languages():
        if code not in (catalogue.ENGLISH, catalogue.PSEUDO):
            with catalogue.using_language(code):
                words[code] = {places: {each.english: each() for each in messages} for places, messages in _REPLACED}
    return words


def style() -> str:
    """A style element that replaces Streamlit's words; empty in English."""
    if catalogue.language() == catalogue.ENGLISH:
        return ""
    rules = (
        _RULE.format(
            selector=selector, text=_escaped(message()), hidden="" if selector in _BUTTONS else "visibility: hidden; "
        )
        for selector, message in _WORDS.items()
    )
    names = {selector.removesuffix(" p"): message() for selector, message in _WORDS.items() if selector in _BUTTONS}
    return f'<style data-names="{literal.html(json.dumps(names))}">{" ".join(rules)}</style>'


def _escaped(text: str) -> str:
    """`text` for a string in a style sheet within HTML: characters that could end either are written as codes."""
    return "".join(char if char.isalnum() or char in " .,:+" else f"\\{ord(char):x} " for char in text)
