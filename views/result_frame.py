"""Results of this package as pandas frames: attention of traces, and tables of causal results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

from . import trace_frame

if TYPE_CHECKING:
    import pandas as pd


class TabledResult(Protocol):
    """What a causal method returns; see `model.causal.result_tables.CausalResult`."""

    @property
    def tables(self) -> Mapping[str, Any]: ...

    def columns(self, table: str | None = None) -> Mapping[str, np.ndarray]: ...


def frame(result: trace_frame.AttentionTrace | TabledResult, kinds: str | Sequence[str] | None = None) -> pd.DataFrame:
    """Return all numbers of a trace, or of one table of a causal result, as rows of a pandas frame.

    Args:
        result: a trace of any network here, see `views.trace_frame.frame`; or what a causal method returned, such as
            `translator.patch(...)`: a column for each axis, with its labels, and `value`. Layers, heads and other
            numbers of an axis count from 0, as do the places of tokens in `<axis>_place`. A residual stream has one
            layer more: 0 is what enters the first one.
        kinds: of a trace, kinds of attention; of a causal result, the name of one table, by default its first.

    Raises:
        ValueError: there is no such kind or table, several tables were named, or it is no result; the message states
            what to give.
        ImportError: pandas is not installed.
    """
    if hasattr(result, "records"):
        return trace_frame.frame(cast("trace_frame.AttentionTrace", result), kinds)
    if not (hasattr(result, "tables") and hasattr(result, "columns")):
        raise ValueError(
            f"Give a trace, or what a causal method such as model.patch(...) returns, not {type(result).__name__}."
        )
    if kinds is not None and not isinstance(kinds, str):
        raise ValueError(f"Tables have different axes; name one of {', '.join(result.tables)}.")
    columns = dict(result.columns(kinds))
    axes = result.tables[kinds or next(iter(result.tables))].axes
    for axis in axes:
        if axis.labels and axis.labels[0] == 1:
            columns[axis.name] = columns[axis.name] - 1
        elif (place := f"{axis.name}_place") in columns:
            columns[place] = columns[place] - 1
    return trace_frame.load_pandas().DataFrame(columns)
