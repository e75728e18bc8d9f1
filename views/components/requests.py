"""What browser and server send each other about requests of a component, see `web/src/core/requests.ts`.

A request has a serial number, which is larger than those before, and the state that the browser's payload has: an
answer is a function of the request alone. Each answer has the serial number and a status:

- "done", with what was asked for;
- "refused", with the reason: a sentence for the user;
- "outdated": the request is about another state, or a later one was answered already. Nothing changes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from ..text.catalogue import Message
from ..viewer.attention_maps import AttentionMaps
from . import component

MOST_SERIAL = 1 << 53  # they begin at the milliseconds of the browser's clock
LONGEST_STATE = LONGEST_ID = 64  # characters
LONGEST_TEXT = 10_000  # characters of a sentence, as `model.translator` has them
MOST_PLACES = 1 << 16
LONGEST_PULLS = 8000  # characters of pulls as text
INVALID = Message("request.invalid", "The browser sent a request that this page does not know; reload the page.")


@dataclass(frozen=True)
class ComponentRequest:
    """What every request has."""

    serial: int  # of the request; its answer has the same
    state: str  # of the payload that it is about


@dataclass(frozen=True)
class InvalidRequest(ComponentRequest):
    """A request with other fields or values than those of its kind."""


@dataclass(frozen=True)
class PlaceRequest(ComponentRequest):
    """A request about a place of the map that is drawn."""

    # `text`, `pulls`: the sentence that is translated, and the pulls under which it is, as text
    text: str
    pulls: str
    # `kind`, `layer`, `head`: of the map, as ids
    kind: str
    layer: str
    head: str
    query: int  # the place, from 0

    def fits(self, maps: AttentionMaps) -> bool:
        """Whether maps have this place."""
        own = maps.get(self.kind)
        return own is not None and (
            self.layer in own.layer_ids and self.head in own.head_ids and self.query < len(own.queries)
        )


R = TypeVar("R", bound=ComponentRequest)


def read_request(sent: object, kind: type[R], valid: Callable[[Mapping[str, Any]], bool]) -> R | InvalidRequest | None:
    """The request that a browser sent, which can be anything; None if it has no serial number, so that none can answer.

    Args:
        valid: whether the fields, all of which are there, have values that a request of this kind can have.
    """
    if not isinstance(sent, dict) or not component.is_index(sent.get("serial"), MOST_SERIAL):
        return None
    state = sent.get("state")
    if not isinstance(state, str) or len(state) > LONGEST_STATE:
        return InvalidRequest(sent["serial"], "")
    if set(sent) != {field.name for field in fields(kind)} or not valid(sent):
        return InvalidRequest(sent["serial"], state)
    return kind(**sent)


def is_text(sent: object, longest: int) -> bool:
    """Whether a value that the browser sent is a text of at most so many characters."""
    return isinstance(sent, str) and len(sent) <= longest


def names_place(sent: Mapping[str, Any]) -> bool:
    """Whether the fields of a `PlaceRequest` have possible values."""
    ids = all(is_text(sent[name], LONGEST_ID) for name in ("kind", "layer", "head"))
    texts = is_text(sent["text"], LONGEST_TEXT) and is_text(sent["pulls"], LONGEST_PULLS)
    return ids and texts and component.is_index(sent["query"], MOST_PLACES)


def answers(state: str, pulls: str = "", **channels: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """The answers as `web/src/core/requests.ts` reads them.

    Args:
        state: of the page.
        pulls: under which the translation is shown, as text.
        channels: the answers to requests of each name.
    """
    return {"state": state, "pulls": pulls, **channels}
