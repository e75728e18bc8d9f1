"""What pages call heads, their patterns and their orders, by the ids that the model and the address have."""

from __future__ import annotations

from views import maps
from views.text.catalogue import Message, say

PATTERNS = {
    "": Message("pattern.none", "none"),
    "previous": Message("pattern.previous", "previous"),
    "next": Message("pattern.next", "next"),
    "same": Message("pattern.same", "same"),
    "start": Message("pattern.start", "start"),
    "end": Message("pattern.end", "end"),
    "duplicate": Message("pattern.duplicate", "duplicate"),
    "aligned": Message("pattern.aligned", "aligned"),
    "aligned, read": Message("pattern.aligned-read", "aligned, read"),
    "same patch": Message("pattern.same-patch", "same patch"),
    "neighbours": Message("pattern.neighbours", "neighbours"),
    "row": Message("pattern.row", "row"),
    "column": Message("pattern.column", "column"),
    "CLS": Message("pattern.cls", "CLS"),
    "diffuse": Message("pattern.diffuse", "diffuse"),
    "mixed": Message("pattern.mixed", "mixed"),
}
ORDERS = {
    "effect": Message("ranking.effect", "Effect"),
    "label": Message("ranking.label", "Label"),
    "place": Message("ranking.place", "Place"),
}


def head_name(kind: str, layer: int, head: int) -> str:
    """What pages call a head, counted from 0, such as `cross 4.7`."""
    return say("head.name", "{kind} {layer}.{head}", kind=maps.named(kind).brief(), layer=layer + 1, head=head + 1)
