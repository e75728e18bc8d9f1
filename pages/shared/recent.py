"""Recent results, shared by all visitors, and one computation at a time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TypeVar

import streamlit as st

T = TypeVar("T")


@st.cache_resource(show_spinner=False)
def computing() -> threading.Lock:
    """The lock that lets one computation of any model run at a time.

    One computation already uses every core; several at once would only make each of them slower.
    """
    return threading.Lock()


class Recent:
    """The most recently used results, shared by all visitors. Safe to use from several threads."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._entries: OrderedDict[Hashable, object] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable):
        """The result under `key`, or None."""
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
            return self._entries.get(key)

    def keys(self) -> tuple[Hashable, ...]:
        """What there are results for, the least recently used first."""
        with self._lock:
            return tuple(self._entries)

    def put(self, key: Hashable, value) -> None:
        """Keep `value`; the one that was not used for longest gives way."""
        with self._lock:
            self._entries[key] = value
            self._entries.move_to_end(key)
            while len(self._entries) > self._size:
                self._entries.popitem(last=False)

    def get_or_compute(self, key: Hashable, compute: Callable[[], T], turn: threading.Lock) -> T:
        """The result under `key`; where there is none, `compute` makes it when it is its `turn`."""
        result = self.get(key)
        if result is None:
            with turn:
                result = self.get(key)
                if result is None:
                    result = compute()
            self.put(key, result)
        return result
