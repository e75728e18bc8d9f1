"""Running text whose tokens are coloured by the attention of the token that is pointed at, drawn in the browser.

The payload is that of `attention_kinds`: all maps of all kinds, with the choices of layer and head, whole words,
special tokens and texts. Layer and head may be means.
"""

from ..text.catalogue import Message, say
from ..viewer.payload import EXACT_BYTES
from . import attention_kinds, component, html_export
from .attention_kinds import GridOfKinds

WORDS = {
    "queries": Message("text.queries", "Point at a token to see what it attends to; click or press Enter to keep it"),
    "keys": Message("text.keys", "What is attended to"),
    "attends": Message("text.attends", "{token} attends to: {list}"),
    "weight": Message("text.weight", "{token} {weight}"),
    "nothing": Message("text.nothing", "No token is chosen."),
}
NAME, ROOT = "attention_text", "text-root"
MOUNT = component.Component(NAME, ROOT)


def payload(by_kind: GridOfKinds, exact_bytes: int = EXACT_BYTES) -> bytes:
    """The bytes that the script reads; the browser uses its own theme."""
    more = {"texts": component.translated(WORDS)}
    return attention_kinds.payload(by_kind, "light", exact_bytes, more)


def snapshot(by_kind: GridOfKinds) -> html_export.ComponentSnapshot:
    """The text and its controls for an HTML file or a notebook."""
    content = payload(by_kind, html_export.EXACT_BYTES)
    exact = sum(sheet.weights.nbytes for sheet in by_kind.sheets.values()) <= html_export.EXACT_BYTES
    rounded = say("saved.rounded.half", "rounded to half precision: three digits down to 0.0001")
    return html_export.ComponentSnapshot(
        NAME, ROOT, content, dict(by_kind.chosen), html_export.EXACT() if exact else rounded
    )
