"""Measurements of every input on disk, in shards that are written atomically: a killed process loses at most one."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from ..attribution.head_labels import HeadScores
from ..attribution.head_measures import HeadMeasurements
from ..runtime.checkpoint import load_tensors, remove_leftovers, save_tensors

FOLDER = "shards"
MOST, SHARDS = 64, 64  # most inputs in a shard; least number of shards, if there are as many inputs

MeasuredInput = Mapping[str, HeadMeasurements]  # kind -> measurements of one input


@dataclass(frozen=True)
class Shards:
    """The shards of a study of `inputs` inputs, whose distribution follows from their number alone."""

    folder: Path
    inputs: int

    @classmethod
    def of(cls, out: Path, inputs: int) -> "Shards":
        """The shards of the study in a folder."""
        return cls(out / FOLDER, inputs)

    @property
    def size(self) -> int:
        """Number of inputs in a shard; the last one may have fewer."""
        return min(max(self.inputs // SHARDS, 1), MOST)

    def __len__(self) -> int:
        return -(-self.inputs // self.size)

    def places(self, number: int) -> range:
        """Indices of the inputs of a shard."""
        return range(number * self.size, min((number + 1) * self.size, self.inputs))

    def file(self, number: int) -> Path:
        """Path of a shard."""
        return self.folder / f"{number:06}.safetensors"

    def missing(self) -> list[int]:
        """Numbers of the shards that are not written yet."""
        written = {path.name for path in self.folder.glob("*.safetensors")}
        return [number for number in range(len(self)) if self.file(number).name not in written]

    def clean(self) -> None:
        """Remove unfinished files of killed processes. No other process may be writing."""
        remove_leftovers(self.folder)

    def write(self, number: int, rows: Mapping[int, MeasuredInput], skipped: Mapping[int, str]) -> None:
        """Write a shard under another name, then rename it.

        Args:
            rows: index of an input -> its measurements.
            skipped: index of an input that could not be used -> the reason.

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
        """The rows of a shard in the order of the inputs, and the reasons for skipped ones.

        Raises:
            CheckpointError: it is damaged.
        """
        tensors, facts = load_tensors(self.file(number))
        count, skipped = len(json.loads(facts["places"])), list(json.loads(facts["skipped"]).values())
        arrays = {name: tensor.numpy() for name, tensor in tensors.items()}
        return (_row({name: column[place] for name, column in arrays.items()}) for place in range(count)), skipped


def _flat(measured: HeadMeasurements) -> dict[str, np.ndarray]:
    """Every table by name, and every pattern's chance."""
    tables = {f"score/{name}": table for name, table in measured.scores.scores.items()}
    tables |= {f"chance/{name}": np.asarray(value) for name, value in measured.scores.chance.items()}
    tables |= {f"measure/{name}": table for name, table in measured.measures.items()}
    return tables if measured.effect is None else tables | {"effect/": measured.effect}


def _stacked(column: list[np.ndarray | None]) -> np.ndarray:
    """`(input, layer, head)` float64, NaN where an input has no such table."""
    shape = next(table.shape for table in column if table is not None)
    return np.stack([np.full(shape, np.nan) if table is None else table for table in column]).astype(np.float64)


def _row(tables: Mapping[str, np.ndarray]) -> MeasuredInput:
    """The inverse of `_flat` for each kind."""
    parts: dict[str, dict[str, dict]] = defaultdict(lambda: defaultdict(dict))
    for path, table in sorted(tables.items()):
        kind, what, name = path.split("/", 2)
        if not np.isnan(table).all():
            parts[kind][what][name] = table
    return {
        kind: HeadMeasurements(
            HeadScores(by_name["score"], {name: float(value) for name, value in by_name["chance"].items()}),
            by_name["effect"].get(""),
            by_name["measure"],
        )
        for kind, by_name in parts.items()
    }
