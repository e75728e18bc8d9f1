"""Compare two passes: a sentence before and after an intervention, or two sentences."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from model import DecodingOptions, GateInterventions, HeadInterventions, Trace
from model.attribution.intervention_result import InterventionCheck, token_losses
from model.attribution.trace_comparison import SharedPlaces, attention_shift, find_shared_places, select_shared
from model.decoding.doubt import Doubt
from model.tracing.kinds import AttentionKind
from model.tracing.trace import SentenceTrace
from pages.shared.doubt import doubt_of_generated, doubt_of_steps, doubt_of_trace
from pages.shared.page_header import Request, is_usable, sentence_box
from pages.shared.pulling import PullFacts, facts_of_pulls
from pages.shared.service import Service
from pages.shared.texts import block
from views.controls import sentence_input, widgets
from views.export.difference import Allowed, ComparedMaps
from views.kind_labels import Kind
from views.text.catalogue import say
from views.viewer.attention_maps import KindMaps, from_trace

# The default sentence B: it differs in one word.
PAIRS = {
    sentence_input.DEFAULT: "The white cat is sleeping on the chair.",
    sentence_input.TIRED: sentence_input.WIDE,
    sentence_input.WIDE: sentence_input.TIRED,
}
OWN, SAME = "own", "a"


@dataclass(frozen=True, eq=False)
class TraceComparison:
    """The passes A and B."""

    kinds: Mapping[str, AttentionKind]  # of attention, by name
    first: SentenceTrace
    second: SentenceTrace
    names: tuple[str, str]  # of A and B, within a sentence
    titles: tuple[str, str]  # of their maps
    translations: tuple[Doubt, Doubt]  # by greedy decoding, or by the user's settings, with their doubtful tokens
    finished: tuple[bool, bool]  # for each translation False if it was cut off
    plan: HeadInterventions | GateInterventions = field(default_factory=HeadInterventions)  # interventions on B
    check: InterventionCheck | None = None  # of the intervention; None for another sentence
    pulls: PullFacts | None = None  # what must be stated about pulled weights; None without any
    texts: tuple[str, str] = ("", "")  # both sentences, where they differ

    @cached_property
    def losses(self) -> tuple[np.ndarray, np.ndarray]:
        """-ln p of each token of either target, in nats."""
        return token_losses(self.first), token_losses(self.second)

    @property
    def captions(self) -> tuple[str, ...]:
        """Lines that every file states, such as that weights were forced."""
        return self.pulls.captions if self.pulls else ()

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

    def maps(self, kind: Kind) -> ComparedMaps:
        """Return the maps of a kind on both sides. The plan must be of heads."""
        assert isinstance(self.plan, HeadInterventions)
        first, second = (from_trace(trace, {kind.name: kind})[kind.name] for trace in (self.first, self.second))
        allowed = allowed_keys(HeadInterventions(), first), allowed_keys(self.plan, second)
        queries, keys = ((places.first, places.second) for places in self.shared(kind.name))
        return ComparedMaps(first, second, self.titles, queries, keys, allowed, self.captions)


def allowed_keys(plan: HeadInterventions, maps: KindMaps) -> Allowed:
    """Return what tells, for a layer and a head, which keys queries may attend to under a plan."""
    return lambda layer, head: plan.allowed(maps.kind.name, layer, head, *maps.weights.shape[2:])


def compare_with_intervention(
    service: Service, text: str, trace: SentenceTrace, plan: HeadInterventions | GateInterventions
) -> TraceComparison:
    """Compare the sentence before and after an intervention, computed once for each plan."""
    result = service.intervene(trace, plan)
    before = service.steps(text, DecodingOptions())
    generated = doubt_of_steps(service, text, before), doubt_of_generated(service, result.generated)
    ended = service.has_ended(before[-1].ids), result.finished
    names = say("compare.before", "before"), say("compare.after", "after")
    titles = say("compare.before.title", "Before"), say("compare.after.title", "After")
    pulls = None
    if isinstance(plan, HeadInterventions) and isinstance(trace, Trace):
        pulls = facts_of_pulls(service, trace, plan)
    return TraceComparison(
        _kinds_by_name(service), trace, result.after, names, titles, generated, ended, plan, result.check, pulls
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
        second = service.trace_of_ids(text, trace.next_ids)
    ended = service.has_ended(trace.next_ids), service.has_ended(own.next_ids)
    generated = doubt_of_trace(service, trace), doubt_of_trace(service, own)
    sides = ("A", "B"), ("A", "B"), generated, ended
    return TraceComparison(_kinds_by_name(service), trace, second, *sides, texts=(request.text, text))


def _kinds_by_name(service: Service) -> dict[str, AttentionKind]:
    return {kind.name: kind for kind in service.model.kinds}
