"""The head that the attention viewer opens with, and the address that then names it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from model import Trace
from model.attribution.head_labels import most_focused_head, text_scores
from model.text.word_alignment import find_links
from model.tracing.kinds import KINDS
from pages.shared.models import load_alignment
from pages.shared.service import Service
from views.controls.widgets import Choice
from views.map_labels import to_id
from views.url_state import bound_settings
from views.viewer.attention_maps import AttentionMaps

HEAD_KEYS = ("kind", "layer", "head")  # settings in the address that name a head
LINES = "lines"  # setting of the view "Lines", which names heads too
TOKEN_KEYS = ("{}_query_piece", "{}_key_piece")  # settings of the view "One weight", by the name of its kind


@dataclass(frozen=True)
class HeadPlace:
    """A head by the name of its kind, and its layer and number from 0."""

    kind: str
    layer: int
    head: int


@dataclass(frozen=True)
class Opening:
    """What the viewer opens with."""

    in_address: bool = False  # the address always names kind, layer and head
    first: HeadPlace | None = None  # the head, where the address names none; None elsewhere
    options: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", {} if self.first is None else opening_options(self.first))

    def selected(self, choice: Choice) -> str:
        """Return the selected option of a choice that a component draws."""
        option = choice.in_component(self.options.get(choice.key, ""))
        if self.in_address and choice.key in HEAD_KEYS:
            bound_settings.state_choice(choice.key, option)
        return option


ANY_HEAD = Opening()


def opening_options(head: HeadPlace) -> dict[str, str]:
    """Return the options of the choices that select a head, by their keys."""
    return {"kind": head.kind, "layer": to_id(head.layer), "head": to_id(head.head)}


def open_with(first: HeadPlace | None, maps: AttentionMaps) -> Opening:
    """Return what the viewer opens with: `first`, unless the address names a part of a head."""
    if first is None:
        return ANY_HEAD
    tokens = [key.format(kind) for kind in maps for key in TOKEN_KEYS]
    named = any(map(bound_settings.stored_text, (*HEAD_KEYS, LINES, *tokens)))
    return Opening(True, None if named else first)


def find_opening_head(service: Service, trace: Trace) -> HeadPlace:
    """Return the head labelled "aligned" whose rows have the lowest mean entropy; cached.

    Without a word alignment of the tokenizer it is the first head.
    """
    model = service.model
    table = load_alignment(model.folder, model.card.get("tokenizer_sha256", ""))
    first = HeadPlace(model.kinds[0].name, 0, 0)
    if table is None:
        return first

    def compute(_) -> HeadPlace:
        links = find_links(table, trace.source_ids, trace.next_ids)
        weights = trace.attention("cross")
        scores = text_scores(weights, KINDS["cross"], *trace.ids("cross"), links)
        place = most_focused_head(weights, scores, "aligned")
        return first if place is None else HeadPlace("cross", *place)

    return service.analysis(("opening head", trace.source_ids, trace.next_ids), compute)
