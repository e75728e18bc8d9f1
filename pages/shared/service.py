"""A network as pages use it: results cached, one computation at a time.

`pages` is the only layer that imports both the model and the views, and only this module of it accesses a network.
Pages pass the function to compute, and read the network's properties and capabilities from `model`.
"""

import hashlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import takewhile
from typing import Any, Generic, TypeVar

import streamlit as st

from model import DecodingOptions, GateInterventions, HeadInterventions, Step, Trace, VisionTrace
from model.attribution.intervention_result import InterventionResult
from model.runtime.device import with_fallback
from model.runtime.progress import InSteps, steps_with_fallback
from model.text.source_text import normalize_source
from model.tracing.kinds import AttentionKind
from model.tracing.trace import SentenceTrace
from server import run_context
from server.result_cache import ResultCache, T
from server.shared_streams import SharedStreams
from server.work_lock import WorkLock
from views import kind_labels
from views.controls.pictures import Picture
from views.kind_labels import Kind
from views.text import waiting
from views.text.catalogue import Message, Untranslated

RECENT_TRANSLATIONS = 512  # a few kilobytes each: the last sentence of each visitor of a large class
# The budget of `server.memory_budget` bounds what they take: a trace about a megabyte for a dozen words, twenty for the
# longest sentence, sixteen for a picture; other results of single pages up to some hundred kilobytes.
RECENT_TRACES = 256
RECENT_ANALYSES = 256

M = TypeVar("M", bound=Any)  # a `TracedModel`; what it can do besides depends on its `capabilities`


@dataclass
class Service(Generic[M]):
    """A loaded network, its cached results, and the lock that lets one computation run at a time."""

    model: M  # its `capabilities` are what it can do; the methods below that need one name it
    computing: AbstractContextManager[object] = field(default_factory=WorkLock)
    translations: ResultCache = field(default_factory=lambda: ResultCache(RECENT_TRANSLATIONS))
    traces: ResultCache = field(default_factory=lambda: ResultCache(RECENT_TRACES))
    analyses: ResultCache = field(default_factory=lambda: ResultCache(RECENT_ANALYSES))
    # of the service whose results all visits share, where `traces` and `analyses` belong to one visit; what depends on
    # the model alone is stored there
    shared_analyses: ResultCache | None = None

    def __post_init__(self) -> None:
        self.streams: SharedStreams[Step] = SharedStreams(self.translations, self.computing)
        self.long_analyses: SharedStreams[Any] = SharedStreams(self.analyses, self.computing)
        self.long_traces: SharedStreams[Any] = SharedStreams(self.traces, self.computing)

    @property
    def is_private(self) -> bool:
        """Whether the results belong to one visit."""
        return self.shared_analyses is not None

    @property
    def kinds(self) -> dict[str, Kind]:
        """The model's kinds of attention by name, with their labels."""
        return kinds_by_name(self.model.kinds)

    def analysis(self, key: Hashable, function: Callable[..., T], *arguments) -> T:
        """Return `function(model, *arguments)`, cached under `key`, which identifies computation and input."""
        compute = lambda: function(self.model, *arguments)  # noqa: E731
        return self.analyses.get_or_compute(key, lambda: with_fallback(self.model, compute), self.computing)

    def analysis_in_steps(self, key: Hashable, function: Callable[..., InSteps[T]], *arguments) -> T:
        """`analysis` of long work: other computations can run between its steps, and the user sees a progress bar."""
        begin = lambda: function(self.model, *arguments)  # noqa: E731
        return self.long_analyses.result(key, lambda: steps_with_fallback(self.model, begin), waiting.progress)

    def network_result(self, key: Hashable, function: Callable[..., T], *arguments) -> T:
        """`analysis` by a function that depends on the model alone: shared by all visits, private ones too."""
        compute = lambda: function(self.model, *arguments)  # noqa: E731
        results = self.analyses if self.shared_analyses is None else self.shared_analyses
        return results.get_or_compute(key, lambda: with_fallback(self.model, compute), self.computing)

    def network_lesson(self, key: Hashable, function: Callable[..., T], *arguments) -> T:
        """`network_result` by a function of the bare network."""
        return self.network_result(key, lambda model: function(model.network, *arguments))

    def lesson(self, key: Hashable, function: Callable[..., T], *arguments) -> T:
        """`analysis` by a function of the bare network, such as those of `model.lessons` and `model.attribution`."""
        return self.analysis(key, lambda model: function(model.network, *arguments))

    def lesson_in_steps(self, key: Hashable, function: Callable[..., InSteps[T]], *arguments) -> T:
        """`analysis_in_steps` by a function of the bare network."""
        return self.analysis_in_steps(key, lambda model: function(model.network, *arguments))

    def prefetch_lesson(self, key: Hashable, function: Callable[..., InSteps], *arguments) -> Iterator[object]:
        """Compute `lesson_in_steps` one step for each `next`; the result is cached for later requests."""
        begin = lambda: function(self.model.network, *arguments)  # noqa: E731
        return self.long_analyses.steps(key, lambda: steps_with_fallback(self.model, begin))

    def tokens(self, text: str) -> int:
        """Return how many tokens `text` has; like the methods below, for models that "translate".

        Raises:
            InputError: it cannot be translated; the message is one sentence for the user.
        """
        tokens = len(self.model.check(text))
        run_context.log_sizes(tokens=tokens)
        return tokens

    def cached_steps(self, text: str, options: DecodingOptions) -> tuple[Step, ...] | None:
        """Return the steps of a cached translation, or None."""
        return self.translations.get((text, options))

    def stream(self, text: str, options: DecodingOptions) -> Iterator[Step]:
        """Yield each token soon after it is produced; other computations can run in between."""
        return self.streams.follow((text, options), lambda: self._start_stream(text, options))

    def _start_stream(self, text: str, options: DecodingOptions) -> Iterator[Step]:
        """Decode, with the translation that the visitor had before as draft if the sentence is nearly the same."""
        former = similar_sentence(text) if "pull" in self.model.capabilities else None
        steps = self.cached_steps(former, options) if former is not None else None
        if steps is None:
            return self.model.stream(text, options)
        return self.model.stream(text, options, draft=steps[-1].ids)

    def steps(self, text: str, options: DecodingOptions) -> tuple[Step, ...]:
        """Return all steps of a translation."""
        return self.cached_steps(text, options) or tuple(self.stream(text, options))

    def has_ended(self, ids: Sequence[int]) -> bool:
        """Return True if a translation ends with `</s>`; False if it was cut off."""
        return bool(ids) and ids[-1] == self.model.tokenizer.eos_id

    def trace(self, text: str, options: DecodingOptions) -> Trace:
        """Return everything the network computes for `text` and its translation under `options`."""
        produced = self.steps(text, options)[-1].ids
        remember(text)
        run_context.log_sizes(produced=len(produced))
        return self.trace_of_ids(text, produced)

    def trace_of_ids(self, text: str, ids: tuple[int, ...]) -> Trace:
        """Return everything the network computes for `text` with these target tokens, from any network."""
        read = normalize_source(text)  # `ids` are of this version: no warning that an earlier one read it otherwise
        return self.traces.get_or_compute((text, ids), lambda: self.model.trace(read, target_ids=ids), self.computing)

    def trace_of_target(self, text: str, target: str) -> Trace:
        """Return everything the network computes for `text` and the given `target`.

        Raises:
            InputError: `target` cannot be used.
        """
        key, compute = (text, "target", target), lambda: self.model.trace(text, target=target)
        return self.traces.get_or_compute(key, compute, self.computing)

    def trace_picture(self, picture: Picture) -> tuple[str, VisionTrace]:
        """Return a key for `analysis`, and everything the network computes for a picture; to "classify".

        The key is the SHA-256 of the pixels as the model receives them.
        """
        pixels = self.analysis(("pixels", picture.sha256), lambda model: model.prepare(picture.image))
        key = hashlib.sha256(pixels.tobytes()).hexdigest()
        return key, self.traces.get_or_compute(key, lambda: self.model.trace(pixels), self.computing)

    def intervene(self, trace: SentenceTrace, plan: HeadInterventions | GateInterventions) -> InterventionResult:
        """Compute the sentence of `trace` again under interventions, once for each plan, in steps.

        Raises:
            InterventionError: see the `check` of the plan.
        """
        key = ("intervened", trace.source_ids, trace.next_ids, plan.to_text())
        return self.trace_in_steps(key, lambda model: model.intervene_in_steps(trace, plan))

    def trace_in_steps(self, key: Hashable, function: Callable[..., InSteps[T]]) -> T:
        """Return the result of `function(model)`, a trace, cached among them, as `analysis_in_steps` does."""
        begin = lambda: function(self.model)  # noqa: E731
        return self.long_traces.result(key, lambda: steps_with_fallback(self.model, begin), waiting.progress)


QUERY = Message("kind.other.query", "{whose} query token")
KEY = Message("kind.other.key", "{whose} key token")


def labelled_kind(kind: AttentionKind) -> kind_labels.Kind:
    """Return a kind with its labels; where the views have none, with the names that the model has."""
    labelled = kind_labels.ALIGNMENTS.get(kind.score) or kind_labels.find_kind(kind.name)
    if labelled is None:
        name, sides = Untranslated(kind.name), (partial(QUERY, whose=kind.queries), partial(KEY, whose=kind.keys))
        labelled = kind_labels.Kind(kind.name, Untranslated(kind.title), *sides, name, name)
    return replace(labelled, causal=kind.causal)


def kinds_by_name(kinds: Iterable[AttentionKind]) -> dict[str, kind_labels.Kind]:
    """Return the labelled kinds of a model, in its order."""
    return {kind.name: labelled_kind(kind) for kind in kinds}


# The sentence that a visitor had translated last: its translation is a draft for the next one.

_FORMER = "former_sentence"  # in the session


def remember(text: str) -> None:
    """Store the sentence; outside a visitor's run there is nowhere to store it."""
    if run_context.is_running():
        st.session_state[_FORMER] = text


def similar_sentence(text: str) -> str | None:
    """Return the former sentence if it shares most of its words with `text`, at the beginning and the end; else None.

    The translation of another sentence would only make decoding slower.
    """
    former = st.session_state.get(_FORMER) if run_context.is_running() else None
    return former if former is not None and share_most_words(text, former) else None


def share_most_words(one: str, other: str) -> bool:
    """Whether two sentences have more than half of the words of the shorter one in common, at both ends together."""
    words, others = one.split(), other.split()
    alike = _leading(words, others) + _leading(words[::-1], others[::-1])
    return alike > min(len(words), len(others)) / 2


def _leading(words: list[str], others: list[str]) -> int:
    """Count the words before the first difference."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(words, others, strict=False)))
