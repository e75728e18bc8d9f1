"""A network as pages use it: recent results kept, one computation at a time.

`pages` is the only floor that knows both the model and the views; and this is the only file of it that reaches into a
network. Pages hand over what is to be computed, and ask `model` what it is and what it can do.
"""

import hashlib
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from PIL import Image

from model import DecodingOptions, GateInterventions, HeadInterventions, Step, Trace, VisionTrace
from model.attribution.intervention_result import InterventionResult
from model.runtime.fallback import with_fallback
from model.runtime.progress import InSteps, steps_with_fallback
from model.tracing.kinds import AttentionKind
from model.tracing.traced_model import TracedModel
from server import run_context
from server.result_cache import ResultCache, T
from server.shared_streams import SharedStreams
from views import attention_maps
from views.attention_maps import Kind
from views.text import waiting
from views.text.catalogue import Message, Untranslated

RECENT_TRANSLATIONS = 512  # a few kilobytes each: the last sentence of each visitor of a large class
RECENT_TRACES = 8  # about a megabyte for a dozen words, twenty for the longest sentence, eight for a picture
RECENT_ANALYSES = 32  # what single pages compute besides; each may hold some hundred kilobytes


@dataclass
class Service:
    """A loaded network, its recent results, and the lock that lets one computation run at a time.

    Attributes:
        model: pages ask what it can do; the methods below that need a capability name it.
    """

    model: TracedModel
    computing: threading.Lock = field(default_factory=threading.Lock)
    translations: ResultCache = field(default_factory=lambda: ResultCache(RECENT_TRANSLATIONS))
    traces: ResultCache = field(default_factory=lambda: ResultCache(RECENT_TRACES))
    analyses: ResultCache = field(default_factory=lambda: ResultCache(RECENT_ANALYSES))

    def __post_init__(self) -> None:
        self.streams: SharedStreams[Step] = SharedStreams(self.translations, self.computing)
        self.long_analyses = SharedStreams(self.analyses, self.computing)
        self.long_traces = SharedStreams(self.traces, self.computing)

    @property
    def kinds(self) -> dict[str, Kind]:
        """The model's kinds of attention by name, with the words for them."""
        return kinds_by_name(self.model.kinds)

    def analysis(self, key: Hashable, function: Callable[..., T], *arguments) -> T:
        """`function(model, *arguments)`, or its recent result. `key` says what is computed, of what."""
        compute = lambda: function(self.model, *arguments)  # noqa: E731
        return self.analyses.get_or_compute(key, lambda: with_fallback(self.model, compute), self.computing)

    def analysis_in_steps(self, key: Hashable, function: Callable[..., InSteps[T]], *arguments) -> T:
        """`analysis` of long work: between its steps others have their turn, and the reader sees how far it is."""
        begin = lambda: function(self.model, *arguments)  # noqa: E731
        return self.long_analyses.result(key, lambda: steps_with_fallback(self.model, begin), waiting.progress)

    def lesson(self, key: Hashable, function: Callable[..., T], *arguments) -> T:
        """`analysis` by a function of the bare network, as those of `model.lessons` and `model.attribution` are."""
        return self.analysis(key, lambda model: function(model.network, *arguments))

    def lesson_in_steps(self, key: Hashable, function: Callable[..., InSteps[T]], *arguments) -> T:
        """`analysis_in_steps` by a function of the bare network."""
        return self.analysis_in_steps(key, lambda model: function(model.network, *arguments))

    def lesson_ahead(self, key: Hashable, function: Callable[..., InSteps], *arguments) -> Iterator[object]:
        """Do a part of the same work whenever a step is asked for, for whoever asks for the result later."""
        begin = lambda: function(self.model.network, *arguments)  # noqa: E731
        return self.long_analyses.steps(key, lambda: steps_with_fallback(self.model, begin))

    def tokens(self, text: str) -> int:
        """How many tokens `text` has; as the next ones, for models that "translate".

        Raises:
            InputError: it cannot be translated; the message is one sentence for the reader.
        """
        tokens = len(self.model.check(text))
        run_context.log_sizes(tokens=tokens)
        return tokens

    def known(self, text: str, options: DecodingOptions) -> tuple[Step, ...] | None:
        """The steps of a recent translation, or None."""
        return self.translations.get((text, options))

    def stream(self, text: str, options: DecodingOptions) -> Iterator[Step]:
        """Each token soon after it is produced; between a few of them other visitors have their turn."""
        return self.streams.follow((text, options), lambda: self.model.stream(text, options))

    def steps(self, text: str, options: DecodingOptions) -> tuple[Step, ...]:
        """All steps of a translation."""
        return self.known(text, options) or tuple(self.stream(text, options))

    def ended(self, ids: Sequence[int]) -> bool:
        """True if a translation ends with `</s>`; False if it was cut off."""
        return bool(ids) and ids[-1] == self.model.tokenizer.eos_id

    def trace(self, text: str, options: DecodingOptions) -> Trace:
        """Everything the network computes for `text` and the translation that `options` lead to."""
        produced = self.steps(text, options)[-1].ids
        run_context.log_sizes(produced=len(produced))
        return self.fed(text, produced)

    def fed(self, text: str, ids: tuple[int, ...]) -> Trace:
        """Everything the network computes for `text` while it is fed these tokens, of whichever network they come."""
        return self.traces.get_or_compute((text, ids), lambda: self.model.trace(text, target_ids=ids), self.computing)

    def forced(self, text: str, target: str) -> Trace:
        """Everything the network computes for `text` while it is fed `target`.

        Raises:
            InputError: `target` cannot be used.
        """
        key, compute = (text, "target", target), lambda: self.model.trace(text, target=target)
        return self.traces.get_or_compute(key, compute, self.computing)

    def trace_picture(self, image: Image.Image) -> tuple[str, VisionTrace]:
        """Everything the network computes for a picture, and the key to ask `analysis` about it; to "classify".

        A picture is known by the SHA-256 of its pixels as the model receives them.
        """
        pixels = self.model.prepare(image)
        key = hashlib.sha256(pixels.tobytes()).hexdigest()
        return key, self.traces.get_or_compute(key, lambda: self.model.trace(pixels), self.computing)

    def intervened(self, trace: Trace, plan: HeadInterventions | GateInterventions) -> InterventionResult:
        """The sentence of `trace` again under interventions, computed once for each plan, in steps.

        Raises:
            InterventionError: see the `check` of the plan.
        """
        key = ("intervened", trace.source_ids, trace.next_ids, plan.to_text())
        begin = lambda: self.model.intervene_in_steps(trace, plan)  # noqa: E731
        return self.long_traces.result(key, lambda: steps_with_fallback(self.model, begin), waiting.progress)


QUERY = Message("kind.other.query", "{whose} query token")
KEY = Message("kind.other.key", "{whose} key token")


def labelled_kind(kind: AttentionKind) -> attention_maps.Kind:
    """A kind with its words; one that the views have no words for goes by the names that the model has for it."""
    found = attention_maps.ALIGNMENTS.get(kind.score) or attention_maps.find_kind(kind.name)
    if found is None:
        name, sides = Untranslated(kind.name), (partial(QUERY, whose=kind.queries), partial(KEY, whose=kind.keys))
        found = attention_maps.Kind(kind.name, Untranslated(kind.title), *sides, name, name)
    return replace(found, causal=kind.causal)


def kinds_by_name(kinds: Iterable[AttentionKind]) -> dict[str, attention_maps.Kind]:
    """The kinds of a model, in its order."""
    return {kind.name: labelled_kind(kind) for kind in kinds}
