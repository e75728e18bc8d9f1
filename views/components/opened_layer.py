"""An opened layer on the stage: what a browser asks for, and the stations that it gets in the answer of the stage."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..text.catalogue import Message
from .requests import InvalidRequest, PlaceRequest, names_place, read_request

WORDS = {
    "openLayer": Message("stage.layer.open", "Open the layer (L)"),
    "openNumber": Message("stage.layer.number", "Open layer {layer} for the held token"),
    "closeLayer": Message("stage.layer.close", "Close the layer"),
}


@dataclass(frozen=True)
class LayerRequest(PlaceRequest):
    """Which layer the browser wants to see opened, for the held place."""


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


def answer(title: str, note: str, stations: Sequence[Station], language: str) -> dict[str, object]:
    """What the answer has that `web/src/views/stage/lane.ts` shows; rows are of tokens of a language."""
    return {"title": title, "note": note, "stations": [vars(station) for station in stations], "language": language}


def valid_request(sent: object) -> LayerRequest | InvalidRequest | None:
    """The request that a browser sent, see `read_request`; `LayerRequest.fits` checks its place."""
    return read_request(sent, LayerRequest, names_place)
