"""Base class of all traces: writing to a file, and a one-line description."""

import io
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ..runtime.checkpoint import write_atomically


class HasWeights(Protocol):
    """One kind of attention."""

    @property
    def weights(self) -> np.ndarray: ...


class HasAttention(Protocol):
    """The parts of a trace that are saved; see `model.tracing.traced_model.AnyTrace`."""

    @property
    def logits(self) -> np.ndarray: ...

    @property
    def records(self) -> Mapping[str, HasWeights]: ...

    def axes(self, kind: str) -> tuple[tuple[str, ...], tuple[str, ...]]: ...

    def chosen_at(self, kind: str) -> tuple[str, ...]: ...

    def _input_summary(self) -> str: ...


class SavableTrace:
    """Base of all traces; subclasses have `records`, `axes` and `logits`."""

    def to_npz(self: HasAttention, path: str | PathLike[str]) -> None:
        """Write the attention of every kind, its tokens and the logits to a NumPy archive, atomically.

        For each kind there are `<kind>` `(layer, head, query, key)`, `<kind>_queries` `(query,)` and `<kind>_keys`
        `(key,)`, the labels of its axes, and `<kind>_layers` `(layer,)`, the numbers from 0 of the layers; where a
        decoder chose tokens also `<kind>_chosen` `(query,)`, the token that was chosen at each query; and there is
        `logits` in the trace's own shape. Numbers have the trace's precision; `np.load(path)` needs no pickle.

        Args:
            path: the file; no suffix is added to it.

        Raises:
            CheckpointError: the folder cannot be written to, or the disk is full; an older file is unchanged.
        """
        content = io.BytesIO()
        np.savez_compressed(content, **_arrays(self))
        write_atomically(Path(path), content.getvalue())

    def chosen_at(self, kind: str) -> tuple[str, ...]:
        """The token that a decoder chose at each query of a kind, "" where none; empty where it chose none at all.

        A text that is only read has none: the source, a target that was given, a prompt.
        """
        if not hasattr(self, "token_axes") or getattr(self, "grid", None) is not None:
            return ()
        return self.token_axes(kind)[0].chosen

    def __repr__(self: HasAttention) -> str:
        maps = ", ".join(
            f"{kind} {' x '.join(map(str, record.weights.shape))}" for kind, record in self.records.items()
        )
        logits = " x ".join(map(str, np.shape(self.logits)))
        summary = self._input_summary()
        return f"<{type(self).__name__}{summary and ' of ' + summary}: {maps or 'no attention'}; logits {logits}>"

    def _input_summary(self) -> str:
        """Describe the traced input in a few words."""
        return ""


def _arrays(trace: HasAttention) -> dict[str, Any]:
    """Arrays by their names in the archive."""
    arrays: dict[str, Any] = {"logits": trace.logits}
    for kind, record in trace.records.items():
        queries, keys = trace.axes(kind)
        layers = getattr(record, "layers", range(len(record.weights)))
        arrays |= {
            kind: record.weights,
            f"{kind}_queries": np.array(queries, dtype=str),
            f"{kind}_keys": np.array(keys, dtype=str),
            f"{kind}_layers": np.array(layers),
        }
        if chosen := trace.chosen_at(kind):
            arrays[f"{kind}_chosen"] = np.array(chosen, dtype=str)
    return arrays


def shorten(text: str, most: int = 40) -> str:
    """Put a text in quotes on one line, cut after `most` characters."""
    line = " ".join(text.split())
    return repr(line if len(line) <= most else line[: most - 1] + "\u2026")
