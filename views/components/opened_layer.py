"""An opened layer on the stage: what a browser asks for, and the stations that it gets in the answer of the stage."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..text.catalogue import Message
from ..viewer.attention_maps import AttentionMaps
from . import component

MOST_SERIAL = 1 << 31
WORDS = {
    "openLayer": Message("stage.layer.open", "Open the layer (L)"),
    "openNumber": Message("stage.layer.number", "Open layer {layer} for the held token"),
    "closeLayer": Message("stage.layer.close", "Close the layer"),
}


@dataclass(frozen=True)
class LayerRequest:
    """Which layer the browser wants to see opened.

    Attributes:
        serial: of the request; the answer has the same.
        kind, layer, head: of the map that is drawn, as ids.
        query: the held place, from 0.
    """

    serial: int
    kind: str
    layer: str
    head: str
    query: int


@dataclass(frozen=True)
class Station:
    """One step of the layer: texts for the user, the address of its page, and rows of a label, a number and a share.

    The share of a row is the length of its bar, from 0 to 1; None draws no bar. `keys` are those of the rows whose
    ribbons fold into the lane.
    """

    title: str
    link: str
    text: str
    rows: Sequence[tuple[str, str, float | None]] = ()
    keys: Sequence[int] = ()


def answer(serial: int, title: str, note: str, stations: Sequence[Station]) -> dict[str, object]:
    """The answer that `web/src/views/stage/lane.ts` shows."""
    return {"serial": serial, "title": title, "note": note, "stations": [vars(station) for station in stations]}


def valid_request(sent: object, maps: AttentionMaps) -> LayerRequest | None:
    """The request that a browser sent; None if it is invalid: browsers can send anything."""
    if not isinstance(sent, dict) or set(sent) != set(LayerRequest.__dataclass_fields__):
        return None
    kind = sent["kind"]
    if not isinstance(kind, str) or kind not in maps:
        return None
    own = maps[kind]
    valid = (
        component.is_index(sent["serial"], MOST_SERIAL)
        and component.valid_option(sent["layer"], own.layer_ids) is not None
        and component.valid_option(sent["head"], own.head_ids) is not None
        and component.is_index(sent["query"], len(own.queries))
    )
    return LayerRequest(**sent) if valid else None
