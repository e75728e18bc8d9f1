"""What is measured on every input, on disk in shards: written whole or not at all, so that a kill costs one at most."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from ..attribution.head_labels import HeadScores
from ..attribution.head_measures import Measured
from ..runtime.checkpoint import load_tensors, remove_leftovers, save_tensors

FOLDER = "shards"
MOST, SHARDS = 64, 64  # inputs in a shard; shards that a study has at least, if it has as many inputs

MeasuredInput = Mapping[str, Measured]  # kind -> what was measured on one input


@dataclass(frozen=True)
class Shards:
    """The shards of a study of `inputs` inputs. Which inputs are in which follows from their number alone."""

    folder: Path
    inputs: int

    @classmethod
    def of(cls, out: Path, inputs: int) -> "Shards":
        """Those of the study in a folder."""
        return cls(out / FOLDER, inputs)

    @property
    def size(self) -> int:
        """Inputs in a shard; the last one may have fewer."""
        return min(max(self.inputs // SHARDS, 1), MOST)

    def __len__(self) -> int:
        return -(-self.inputs // self.size)

    def places(self, number: int) -> range:
        """The inputs of a shard."""
        return range(number * self.size, min((number + 1) * self.size, self.inputs))

    def file(self, number: int) -> Path:
        """Where a shard is, or will be."""
        return self.folder / f"{number:06}.safetensors"

    def missing(self) -> list[int]:
        """Shards that are not there."""
        there = {path.name for path in self.folder.glob("*.safetensors")}
        return [number for number in range(len(self)) if self.file(number).name not in there]

    def clean(self) -> None:
        """Remove what killed writers left. Nobody else may be writing."""
        remove_leftovers(self.folder)

    def write(self, number: int, rows: Mapping[int, MeasuredInput], skipped: Mapping[int, str]) -> None:
        """Write a shard under another name, then rename it.

        Args:
            rows: place of an input -> what was measured on it.
            skipped: place of an input that could not be used -> why.

        Raises:
            CheckpointError: the disk is full, or the folder cannot be written to.
        """
        tables: dict[str, list[np.ndarray | None]] = defaultdict(lambda: [None] * len(rows))
        for place, row in enumerate(rows.values()):
            for kind, measured in row.items():
                for name, table in _flat(measured).items():
                    tables[f"{kind}/{name}"][place] = table
        tensors = {name: torch.from_numpy(_stacked(column)) for name, column in tables.items()}
        facts = {"places": json.dumps(list(rows)), "skipped": json.dumps({str(p): why for p, why in skipped.items()})}
        save_tensors(self.file(number), tensors, facts)

    def read(self, number: int) -> tuple[Iterator[MeasuredInput], list[str]]:
        """The rows of a shard in the order of the inputs, and why others were skipped.

        Raises:
            CheckpointError: it is damaged.
        """
        tensors, facts = load_tensors(self.file(number))
        count, skipped = len(json.loads(facts["places"])), list(json.loads(facts["skipped"]).values())
        arrays = {name: tensor.numpy() for name, tensor in tensors.items()}
        return (_row({name: column[place] for name, column in arrays.items()}) for place in range(count)), skipped


def _flat(measured: Measured) -> dict[str, np.ndarray]:
    """Every table by name, and every pattern's chance."""
    found = {f"score/{name}": table for name, table in measured.scores.scores.items()}
    found |= {f"chance/{name}": np.asarray(value) for name, value in measured.scores.chance.items()}
    found |= {f"measure/{name}": table for name, table in measured.measures.items()}
    return found if measured.effect is None else found | {"effect/": measured.effect}


def _stacked(column: list[np.ndarray | None]) -> np.ndarray:
    """`(input, layer, head)` float64, not a number where an input has no such table."""
    shape = next(table.shape for table in column if table is not None)
    return np.stack([np.full(shape, np.nan) if table is None else table for table in column]).astype(np.float64)


def _row(tables: Mapping[str, np.ndarray]) -> MeasuredInput:
    """What `_flat` made of each kind."""
    parts: dict[str, dict[str, dict]] = defaultdict(lambda: defaultdict(dict))
    for path, table in sorted(tables.items()):
        kind, what, name = path.split("/", 2)
        if not np.isnan(table).all():
            parts[kind][what][name] = table
    return {
        kind: Measured(
            HeadScores(found["score"], {name: float(value) for name, value in found["chance"].items()}),
            found["effect"].get(""),
            found["measure"],
        )
        for kind, found in parts.items()
    }
