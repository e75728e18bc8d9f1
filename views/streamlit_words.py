"""Streamlit's own words in the user's language: it has no setting for them, so a style sheet writes over them."""

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
