"""The translator as pages use it: loaded once a process, one sentence at a time, recent results kept.

`pages` is the only floor that knows both the model and the views.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field

import streamlit as st

from model import CheckpointError, DecodingOptions, HeadInterventions, InputError, Step, Trace, Translator
from model.attribution.intervened import InterventionResult, intervene_in_steps
from model.runtime.fallback import with_fallback
from model.runtime.progress import InSteps, steps_with_fallback
from pages.shared.description import describe
from server import visits
from server.long_work import LongWork
from server.process_wide import process_wide
from server.recent import Recent, T, computing
from server.streams import Streams
from views.address import settings
from views.text import literal, waiting
from views.text.catalogue import say_error

RECENT_TRANSLATIONS = 512  # a few kilobytes each: the last sentence of each visitor of a large class
RECENT_TRACES = 8  # about a megabyte for a dozen words, twenty for the longest sentence
RECENT_ANALYSES = 32  # what single pages compute besides; each may hold some hundred kilobytes


@dataclass
class Service:
    """The loaded translator, its recent results, and the lock that lets one computation run at a time."""

    translator: Translator
    computing: threading.Lock = field(default_factory=threading.Lock)
    translations: Recent = field(default_factory=lambda: Recent(RECENT_TRANSLATIONS))
    traces: Recent = field(default_factory=lambda: Recent(RECENT_TRACES))
    analyses: Recent = field(default_factory=lambda: Recent(RECENT_ANALYSES))
    streams: Streams[Step] = field(init=False)
    long_analyses: LongWork = field(init=False)
    long_traces: LongWork = field(init=False)

    def __post_init__(self) -> None:
        self.streams = Streams(self.translations, self.computing)
        self.long_analyses = LongWork(self.analyses, self.computing, waiting.progress)
        self.long_traces = LongWork(self.traces, self.computing, waiting.progress)

    def tokens(self, text: str) -> int:
        """How many tokens `text` has.

        Raises:
            InputError: it cannot be translated; the message is one sentence for the reader.
        """
        tokens = len(self.translator.check(text))
        visits.note(tokens=tokens)
        return tokens

    def known(self, text: str, options: DecodingOptions) -> tuple[Step, ...] | None:
        """The steps of a recent translation, or None."""
        return self.translations.get((text, options))

    def stream(self, text: str, options: DecodingOptions) -> Iterator[Step]:
        """Each token soon after it is produced; between a few of them other visitors have their turn."""
        return self.streams.follow((text, options), lambda: self.translator.stream(text, options))

    def steps(self, text: str, options: DecodingOptions) -> tuple[Step, ...]:
        """All steps of a translation."""
        return self.known(text, options) or tuple(self.stream(text, options))

    def ended(self, ids: Sequence[int]) -> bool:
        """True if a translation ends with `</s>`; False if it was cut off."""
        return bool(ids) and ids[-1] == self.translator.tokenizer.eos_id

    def trace(self, text: str, options: DecodingOptions) -> Trace:
        """Everything the network computes for `text` and the translation that `options` lead to."""
        produced = self.steps(text, options)[-1].ids
        visits.note(produced=len(produced))
        return self.traces.get_or_compute(
            (text, produced), lambda: self.translator.trace(text, target_ids=produced), self.computing
        )

    def forced(self, text: str, target: str) -> Trace:
        """Everything the network computes for `text` while it is fed `target`.

        Raises:
            InputError: `target` cannot be used.
        """
        return self.traces.get_or_compute(
            (text, "target", target), lambda: self.translator.trace(text, target=target), self.computing
        )

    def analysis(self, key: Hashable, compute: Callable[[], T]) -> T:
        """What `compute` returns, from the recent results if it is there. `key` says what is computed, of what."""
        return self.analyses.get_or_compute(key, lambda: with_fallback(self.translator, compute), self.computing)

    def analysis_in_steps(self, key: Hashable, begin: Callable[[], InSteps[T]]) -> T:
        """`analysis` of long work: between its parts others have their turn, and the reader sees how far it is."""
        return self.long_analyses.result(key, lambda: steps_with_fallback(self.translator, begin))

    def intervened(self, trace: Trace, plan: HeadInterventions) -> InterventionResult:
        """The sentence of `trace` again under interventions, computed once for each plan, in parts.

        Raises:
            InterventionError: see `HeadInterventions.check`.
        """
        translator = self.translator
        return self.long_traces.result(
            ("intervened", trace.source_ids, trace.next_ids, plan.to_text()),
            lambda: steps_with_fallback(
                translator, lambda: intervene_in_steps(translator.network, translator.tokenizer, trace, plan)
            ),
        )


@process_wide
def load_service() -> Service:
    """The one translator of this process.

    Raises:
        CheckpointError: its files are missing or damaged.
    """
    return Service(Translator.load(), computing())


def open_service() -> Service:
    """The translator, with the sidebar that describes it; on a broken installation one sentence, and the page ends."""
    try:
        with st.skeleton(height=240):
            service = load_service()
    except CheckpointError as error:
        st.error(literal.with_code(say_error(error)))
        settings.stop()
    describe(service.translator)
    return service


def accepted(service: Service, text: str) -> bool:
    """True if the model takes `text`; otherwise the reason is on the page."""
    try:
        service.tokens(text)
    except InputError as error:
        st.warning(literal.markdown(say_error(error)))
        return False
    return True
