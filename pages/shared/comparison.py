"""Compare two passes: a sentence before and after an intervention, or two sentences."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from model import DecodingOptions, GateInterventions, HeadInterventions, Trace
from model.attribution.intervention_result import InterventionCheck, token_losses
from model.attribution.trace_comparison import SharedPlaces, attention_shift, find_shared_places, select_shared
from model.tracing.kinds import AttentionKind
from model.tracing.trace import SentenceTrace
from pages.shared.page_header import Request, is_usable, sentence_box
from pages.shared.service import Service
from pages.shared.texts import block
from views import kind_labels, map_weights
from views.controls import sentence_input, widgets
from views.export.difference import ComparedMap, MapPair
from views.text.catalogue import say

# The default sentence B: it differs in one word.
PAIRS = {
    sentence_input.DEFAULT: "The white cat is sleeping on the chair.",
    sentence_input.TIRED: sentence_input.WIDE,
    sentence_input.WIDE: sentence_input.TIRED,
}
OWN, SAME = "own", "a"


@dataclass(frozen=True, eq=False)
class TraceComparison:
    """The passes A and B.

    Attributes:
        kinds: of attention, by name.
        names: of A and B, within a sentence.
        titles: of their maps.
        translations: by greedy decoding, or by the user's settings.
        finished: for each translation False if it was cut off.
        plan: interventions on B.
        check: of the intervention; None for another sentence.
    """

    kinds: Mapping[str, AttentionKind]
    first: SentenceTrace
    second: SentenceTrace
    names: tuple[str, str]
    titles: tuple[str, str]
    translations: tuple[str, str]
    finished: tuple[bool, bool]
    plan: HeadInterventions | GateInterventions = field(default_factory=HeadInterventions)
    check: InterventionCheck | None = None

    @cached_property
    def losses(self) -> tuple[np.ndarray, np.ndarray]:
        """-ln p of each token of either target, in nats."""
        return token_losses(self.first), token_losses(self.second)

    def shared_targets(self) -> SharedPlaces:
        """Return the places of equal tokens of both targets."""
        return find_shared_places(self.first.next_ids, self.second.next_ids)

    def shared(self, kind: str) -> tuple[SharedPlaces, SharedPlaces]:
        """Return places of queries and of keys with the same token on both sides."""
        sides = {
            "source": find_shared_places(self.first.source_ids, self.second.source_ids),
            "target": find_shared_places(self.first.target_ids, self.second.target_ids),
        }
        return sides[self.kinds[kind].queries], sides[self.kinds[kind].keys]

    @cached_property
    def moved(self) -> dict[str, np.ndarray]:
        """Kind -> `(layer, head)`: see `model.attribution.trace_comparison.attention_shift`, over the shared tokens."""
        shares = {}
        for kind in self.kinds:
            queries, keys = self.shared(kind)
            before = select_shared(self.first.attention(kind), queries.first, keys.first)
            after = select_shared(self.second.attention(kind), queries.second, keys.second)
            shares[kind] = attention_shift(before, after)
        return shares

    def shape(self, kind: str) -> tuple[int, ...]:
        """Layers, heads, and the longer side's queries and keys."""
        shapes = (trace.attention(kind).shape for trace in (self.first, self.second))
        return tuple(map(max, *shapes))

    def pair(self, kind: kind_labels.Kind, layer: int, head: int, place: str) -> MapPair:
        """Return two maps to draw; a layer or head after the last one means the mean over them.

        The plan must be of heads.
        """
        assert isinstance(self.plan, HeadInterventions)
        queries, keys = self.shared(kind.name)
        layers, heads = self.first.attention(kind.name).shape[:2]
        places = np.ndindex(layers, heads)
        averaged = [(one, other) for one, other in places if layer in (one, layers) and head in (other, heads)]

        def side(trace: SentenceTrace, plan: HeadInterventions, name: str) -> ComparedMap:
            weights = map_weights.single_map(trace.attention(kind.name), layer, head)  # (query, key)
            allowed = [plan.allowed(kind.name, *each, *weights.shape) for each in averaged]
            hidden = ~np.any(allowed, axis=0) & (weights == 0)  # one-hot attention may be on a masked key
            return ComparedMap(name, weights, *trace.axes(kind.name), hidden)

        first = side(self.first, HeadInterventions(), self.titles[0])
        second = side(self.second, self.plan, self.titles[1])
        return MapPair(first, second, kind, place, (queries.first, queries.second), (keys.first, keys.second))


def compare_with_intervention(
    service: Service, text: str, trace: SentenceTrace, plan: HeadInterventions | GateInterventions
) -> TraceComparison:
    """Compare the sentence before and after an intervention, computed once for each plan."""
    result = service.intervene(trace, plan)
    before = service.steps(text, DecodingOptions())[-1]
    generated, ended = (before.text, result.translation), (service.has_ended(before.ids), result.finished)
    names = say("compare.before", "before"), say("compare.after", "after")
    titles = say("compare.before.title", "Before"), say("compare.after.title", "After")
    return TraceComparison(
        _kinds_by_name(service), trace, result.after, names, titles, generated, ended, plan, result.check
    )


def compare_with_another(request: Request, trace: Trace) -> TraceComparison | None:
    """Compare the sentence with one that the user types; None, after rendering the reason, if that cannot be used."""
    name = say("compare.other", "Sentence B")
    text = sentence_box(name, "other", PAIRS.get(request.text, sentence_input.WIDE))
    targets = {
        OWN: say("compare.reads.own", "Its own translation"),
        SAME: say("compare.reads.a", "The translation of A"),
    }
    help = " ".join(block("compare", "reads-help").split())
    reads = widgets.pick(say("compare.reads", "What the decoder of B reads"), targets, "reads", help=help)
    if not is_usable(request, text, name):
        return None
    service = request.service
    own = service.trace(text, request.options)
    second: SentenceTrace = own
    if reads == SAME:
        key = (text, "as", trace.next_ids)
        compute = lambda: service.model.trace(text, target_ids=trace.next_ids)  # noqa: E731
        second = service.traces.get_or_compute(key, compute, service.computing)
    ended = service.has_ended(trace.next_ids), service.has_ended(own.next_ids)
    return TraceComparison(
        _kinds_by_name(service), trace, second, ("A", "B"), ("A", "B"), (trace.target_text, own.target_text), ended
    )


def _kinds_by_name(service: Service) -> dict[str, AttentionKind]:
    return {kind.name: kind for kind in service.model.kinds}
