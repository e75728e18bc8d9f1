"""The head and layer that a section of the page shows, and its matrices."""

from dataclasses import dataclass

from model import Trace
from model.lessons.layer_steps import AttentionSteps, LayerInputs, recompute_attention, record_layer_inputs
from pages.shared.page_header import Request
from views import kind_labels, map_labels
from views.controls import sentence_input
from views.text.catalogue import say


@dataclass(frozen=True, eq=False)
class ChosenHead:
    """A kind of attention, a layer and a head (from 0), and the trace that they are from."""

    request: Request
    trace: Trace
    kind: kind_labels.Kind
    layer: int
    head: int

    @property
    def key(self) -> tuple:
        """The cache key of the input and the layer."""
        return self.trace.source_ids, self.trace.target_ids, self.kind.name, self.layer

    @property
    def inputs(self) -> LayerInputs:
        """The inputs of the sub-layer, recorded once for all its heads."""
        key = ("layer inputs", self.key)
        return self.request.service.lesson(key, record_layer_inputs, self.trace, self.kind.name, self.layer)

    def steps(self) -> AttentionSteps:
        """Every matrix of the head."""
        key, place = ("attention steps", self.key, self.head), (self.kind.name, self.layer, self.head)
        return self.request.service.lesson(key, recompute_attention, self.trace, self.inputs, *place)

    @property
    def axes(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names of the queries, see `views.map_labels.row_name`, and tokens of the keys."""
        queries, keys = self.trace.axes(self.kind.name)
        return map_labels.row_names(queries, self.trace.chosen_at(self.kind.name)), keys

    @property
    def read(self) -> tuple[str, ...]:
        """Tokens read at the queries, in files."""
        return self.trace.axes(self.kind.name)[0]

    @property
    def label(self) -> str:
        """Kind, layer and head in words, within a sentence."""
        place = {"layer": self.layer + 1, "head": self.head + 1}
        return say("inside.place", "{kind}, layer {layer}, head {head}", kind=self.kind.title, **place)

    @property
    def heading(self) -> str:
        """Kind, layer and head in words, at the beginning of a sentence."""
        return self.kind.heading(map_labels.describe(map_labels.to_id(self.layer), map_labels.to_id(self.head)))


def choose_head(request: Request, layer_and_head: bool = True) -> ChosenHead:
    """Choose a kind, layer and head; or the kind alone, with its first layer and head."""
    trace = request.trace()
    kind = sentence_input.kind(request.service.kinds)
    layers, heads = trace.attention(kind.name).shape[:2]
    layer, head = (
        sentence_input.head(map_labels.ids_with_mean(layers)[:-1], map_labels.ids_with_mean(heads)[:-1])
        if layer_and_head
        else (1, 1)
    )
    return ChosenHead(request, trace, kind, map_labels.index_of(layer), map_labels.index_of(head))
