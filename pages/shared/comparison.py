"""The two passes that a page compares, with what all its parts ask of them; and side B as another sentence."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from model import DecodingOptions, GateInterventions, HeadInterventions, Trace
from model.attribution.intervention_result import Check, losses_of
from model.attribution.trace_comparison import Shared, moved, of_shared, shared_places
from model.tracing.kinds import AttentionKind
from pages.shared.page_header import Request, is_usable, sentence_box
from pages.shared.service import Service
from pages.shared.texts import block
from views import attention_maps
from views.controls import sentence_input, widgets
from views.export.difference import ComparedMap, MapPair
from views.text.catalogue import say

# What a sentence is compared with at first: one word is another.
PAIRS = {
    sentence_input.DEFAULT: "The white cat is sleeping on the chair.",
    sentence_input.TIRED: sentence_input.WIDE,
    sentence_input.WIDE: sentence_input.TIRED,
}
OWN, SAME = "own", "a"


@dataclass(frozen=True, eq=False)
class TraceComparison:
    """Side A and side B.

    Attributes:
        kinds: of attention, by name.
        names: what they are called within a sentence.
        titles: what their maps are called.
        translations: what greedy decoding generates, or the translations the reader's settings lead to.
        finished: for each translation False if it was cut off because it did not end.
        plan: what is done to B.
        check: that it was done; None for another sentence.
    """

    kinds: Mapping[str, AttentionKind]
    first: Trace
    second: Trace
    names: tuple[str, str]
    titles: tuple[str, str]
    translations: tuple[str, str]
    finished: tuple[bool, bool]
    plan: HeadInterventions | GateInterventions = field(default_factory=HeadInterventions)
    check: Check | None = None

    @cached_property
    def losses(self) -> tuple[np.ndarray, np.ndarray]:
        """-ln p of each token of either target, in nats."""
        return losses_of(self.first), losses_of(self.second)

    def shared_targets(self) -> Shared:
        """Equal tokens of what is to be generated."""
        return shared_places(self.first.next_ids, self.second.next_ids)

    def shared(self, kind: str) -> tuple[Shared, Shared]:
        """Places of queries and of keys that stand for the same token on both sides."""
        sides = {
            "source": shared_places(self.first.source_ids, self.second.source_ids),
            "target": shared_places(self.first.target_ids, self.second.target_ids),
        }
        return sides[self.kinds[kind].queries], sides[self.kinds[kind].keys]

    @cached_property
    def moved(self) -> dict[str, np.ndarray]:
        """Kind -> `(layer, head)`: see `model.attribution.trace_comparison.moved`, over what both sides have."""
        found = {}
        for kind in self.kinds:
            queries, keys = self.shared(kind)
            before = of_shared(self.first.attention(kind), queries.first, keys.first)
            after = of_shared(self.second.attention(kind), queries.second, keys.second)
            found[kind] = moved(before, after)
        return found

    def shape(self, kind: str) -> tuple[int, ...]:
        """Layers, heads, and the longer side's queries and keys."""
        shapes = (trace.attention(kind).shape for trace in (self.first, self.second))
        return tuple(map(max, *shapes))

    def pair(self, kind: attention_maps.Kind, layer: int, head: int, place: str) -> MapPair:
        """Two maps to draw; a layer or head behind the last one means the mean over them."""
        queries, keys = self.shared(kind.name)
        layers, heads = self.first.attention(kind.name).shape[:2]
        places = np.ndindex(layers, heads)
        chosen = [(one, other) for one, other in places if layer in (one, layers) and head in (other, heads)]
        sides, plans = [], (HeadInterventions(), self.plan)
        for trace, plan, name in zip((self.first, self.second), plans, self.titles, strict=True):
            weights = attention_maps.single_map(trace.attention(kind.name), layer, head)  # (query, key)
            allowed = [plan.allowed(kind.name, *each, *weights.shape) for each in chosen]
            hidden = ~np.any(allowed, axis=0) & (weights == 0)  # what is forced may show where nothing else is allowed
            sides.append(ComparedMap(name, weights, *trace.axes(kind.name), hidden))
        return MapPair(*sides, kind, place, (queries.first, queries.second), (keys.first, keys.second))


def compare_with_intervention(
    service: Service, text: str, trace: Trace, plan: HeadInterventions | GateInterventions
) -> TraceComparison:
    """The sentence before and after an intervention, computed once for each plan."""
    found = service.intervened(trace, plan)
    before = service.steps(text, DecodingOptions())[-1]
    generated, ended = (before.text, found.translation), (service.ended(before.ids), found.finished)
    names = say("compare.before", "before"), say("compare.after", "after")
    titles = say("compare.before.title", "Before"), say("compare.after.title", "After")
    return TraceComparison(
        _kinds_by_name(service), trace, found.after, names, titles, generated, ended, plan, found.check
    )


def compare_with_another(request: Request, trace: Trace) -> TraceComparison | None:
    """Both sentences; None where the other one cannot be used, and the reason is on the page."""
    name = say("compare.other", "Sentence B")
    text = sentence_box(name, "other", PAIRS.get(request.text, sentence_input.WIDE))
    read = {OWN: say("compare.reads.own", "Its own translation"), SAME: say("compare.reads.a", "The translation of A")}
    help = " ".join(block("compare", "reads-help").split())
    reads = widgets.pick(say("compare.reads", "What the decoder of B reads"), read, "reads", help=help)
    if not is_usable(request, text, name):
        return None
    service = request.service
    own = second = service.trace(text, request.options)
    if reads == SAME:
        key = (text, "as", trace.next_ids)
        compute = lambda: service.model.trace(text, target_ids=trace.next_ids)  # noqa: E731
        second = service.traces.get_or_compute(key, compute, service.computing)
    ended = service.ended(trace.next_ids), service.ended(own.next_ids)
    return TraceComparison(
        _kinds_by_name(service), trace, second, ("A", "B"), ("A", "B"), (trace.target_text, own.target_text), ended
    )


def _kinds_by_name(service: Service) -> dict[str, AttentionKind]:
    return {kind.name: kind for kind in service.model.kinds}
