"""What every trace can do with itself: be written to a file, and say in a line what it holds."""

import io
from collections.abc import Mapping
from os import PathLike

import numpy as np

from ..runtime.checkpoint import write_atomically

Arrays = Mapping[str, np.ndarray]


class SavableTrace:
    """A trace with `records`, `axes` and `logits`; see `model.tracing.traced_model.AnyTrace`."""

    def to_npz(self, path: str | PathLike) -> None:
        """Write the attention of every kind, its tokens and the logits to a NumPy archive, whole or not at all.

        For each kind there are `<kind>` `(layer, head, query, key)`, `<kind>_queries` `(query,)` and `<kind>_keys`
        `(key,)`, the labels of its axes, and `<kind>_layers` `(layer,)`, the numbers of the layers from 1; beside them
        `logits` in the trace's own shape. Numbers keep their precision; `np.load(path)` needs no pickle.

        Args:
            path: the file; it gets no ending that it does not have.

        Raises:
            CheckpointError: the folder cannot be written to, or the disk is full; an older file is still there.
        """
        made = io.BytesIO()
        np.savez_compressed(made, **self._arrays())
        write_atomically(path, made.getvalue())

    def _arrays(self) -> dict[str, np.ndarray]:
        found = {"logits": self.logits}
        for kind, record in self.records.items():
            queries, keys = self.axes(kind)
            layers = getattr(record, "layers", range(len(record.weights)))
            found |= {
                kind: record.weights,
                f"{kind}_queries": np.array(queries, dtype=str),
                f"{kind}_keys": np.array(keys, dtype=str),
                f"{kind}_layers": np.array(layers) + 1,
            }
        return found

    def __repr__(self) -> str:
        maps = ", ".join(
            f"{kind} {' x '.join(map(str, record.weights.shape))}" for kind, record in self.records.items()
        )
        logits = " x ".join(map(str, np.shape(self.logits)))
        about = self._about()
        return f"<{type(self).__name__}{about and ' of ' + about}: {maps or 'no attention'}; logits {logits}>"

    def _about(self) -> str:
        """What was traced, in a few words."""
        return ""


def shorten(text: str, most: int = 40) -> str:
    """A text in quotes on one line, cut after `most` characters."""
    line = " ".join(text.split())
    return repr(line if len(line) <= most else line[: most - 1] + "\u2026")
