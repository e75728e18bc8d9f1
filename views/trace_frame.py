"""All attention weights of a trace as one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from types import ModuleType

    import pandas as pd


class AttentionWeights(Protocol):
    """The attention of one kind: `weights` is `(layer, head, query, key)`."""

    @property
    def weights(self) -> np.ndarray: ...


class AttentionTrace(Protocol):
    """A trace of any network here; `records` and `axes` are by the names of its kinds of attention."""

    @property
    def records(self) -> Mapping[str, AttentionWeights]: ...

    def axes(self, kind: str) -> tuple[Sequence[str], Sequence[str]]:
        """Labels of the queries and of the keys."""


def frame(trace: AttentionTrace, kinds: str | Sequence[str] | None = None) -> pd.DataFrame:
    """Return every weight of a trace as a row of a pandas frame, layer by layer, head by head, row by row.

    Args:
        trace: of any network here: of a sentence, a picture, or an input of an opened model.
        kinds: names of the kinds of attention, or one of them; by default all that the trace has.

    Returns:
        Columns `kind`, `layer`, `head`, `query` and `key` (counted from 0 as in all arrays; layers have the network's
        own numbers), `query_token` and `key_token` (text), `weight` (as in the trace, float32 or float16), and
        `chosen`, the token that a decoder chose at the query after it read `query_token`, "" where none. One kind of
        shape `(layers, heads, Q, K)` gives layers x heads x Q x K rows. Masked keys have weight 0.

    Raises:
        ValueError: the trace has no attention of that kind; the message lists those that it has.
        ImportError: pandas is not installed.
    """
    pd = load_pandas()
    selected = list(trace.records) if kinds is None else [kinds] if isinstance(kinds, str) else list(kinds)
    missing = [kind for kind in selected if kind not in trace.records]
    if missing or not selected:
        available = ", ".join(trace.records) or "no attention"
        raise ValueError(f"This trace holds no attention {missing[0] if missing else ''!r}; it has {available}.")
    return pd.concat([_of_kind(trace, kind) for kind in selected], ignore_index=True)


def load_pandas() -> ModuleType:
    """Import pandas, which is needed for frames alone.

    Raises:
        ImportError: it is not installed; the message states what to install.
    """
    try:
        import pandas
    except ModuleNotFoundError as error:
        if error.name != "pandas":
            raise
        raise ImportError("A frame is one of pandas, which is not installed; run: pip install pandas") from None
    return pandas


def _of_kind(trace: AttentionTrace, kind: str) -> pd.DataFrame:
    pd = load_pandas()
    record = trace.records[kind]
    weights = record.weights  # (layer, head, query, key)
    layers = np.asarray(
        getattr(record, "layers", range(weights.shape[0]))
    )  # of a long input perhaps only one was retained
    layer, head, query, key = (index.ravel() for index in np.indices(weights.shape, dtype=np.int32))
    labels = [np.asarray(axis, dtype=object) for axis in trace.axes(kind)]
    chosen = trace.chosen_at(kind) if hasattr(trace, "chosen_at") else ()
    columns = {
        "kind": pd.Categorical.from_codes(np.zeros(weights.size, dtype=np.int8), pd.Index([kind])),
        "layer": layers[layer].astype(np.int32),
        "head": head,
        "query": query,
        "key": key,
        "query_token": labels[0][query],
        "key_token": labels[1][key],
        "weight": weights.ravel(),
        "chosen": np.asarray(chosen or [""] * weights.shape[2], dtype=object)[query],
    }
    return pd.DataFrame(columns).astype({"kind": str})
