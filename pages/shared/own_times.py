"""Times that a user lets this server measure: once in a process, for all visitors."""

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from model.runtime.device import NetworkOwner
from model.runtime.progress import InSteps, steps_with_fallback
from server import run_context
from server.result_cache import ResultCache, compute_lock
from server.shared_streams import FinalValue, SharedStreams
from server.singleton import singleton
from views.text import prose, waiting

T = TypeVar("T")
MOST_KINDS = 4  # of times that pages measure


@singleton
def _own_times_cache() -> ResultCache:
    return ResultCache(MOST_KINDS)


@singleton
def _streams() -> SharedStreams:
    return SharedStreams(_own_times_cache(), compute_lock())


def own_times(kind: type[T]) -> T | None:
    """Return the times of this kind that were measured on this server; None until a user asks for them."""
    steps = _own_times_cache().get(kind.__name__)
    return steps[-1].value if steps and isinstance(steps[-1], FinalValue) else None


def measure_times(kind: type[T], model: NetworkOwner, begin: Callable[[], InSteps[T]]) -> T | None:
    """Measure times and keep them, unless other visitors are waiting for this server; then say so and return None.

    Args:
        kind: what `begin` ends with; its name identifies the times.
        model: whose device is left if its memory is full.
    """
    if run_context.run_queue().waiting:
        st.info(prose.block("history_recurrence", "others-wait"))
        return None
    return _streams().result(kind.__name__, lambda: steps_with_fallback(model, begin), waiting.progress)
