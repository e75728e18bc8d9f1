"""What pages call heads, their patterns and their orders, by the ids that the model and the address have."""

from __future__ import annotations

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
HEADS = {
    "encoder": Message("head.encoder", "encoder {layer}.{head}"),
    "decoder": Message("head.decoder", "decoder {layer}.{head}"),
    "cross": Message("head.cross", "cross {layer}.{head}"),
    "vision": Message("head.vision", "vision {layer}.{head}"),
}
_OTHER = Message("head.other", "{kind} {layer}.{head}")


def head_name(kind: str, layer: int, head: int) -> str:
    """What pages call a head, counted from 0; of a kind without a name here by the id of its kind."""
    place = {"layer": layer + 1, "head": head + 1}
    return HEADS[kind](**place) if kind in HEADS else _OTHER(kind=kind, **place)


def orders() -> dict[str, str]:
    """What a control says for each order of the list."""
    return {
        "effect": say("ranking.effect", "Effect"),
        "label": say("ranking.label", "Label"),
        "place": say("ranking.place", "Place"),
    }
