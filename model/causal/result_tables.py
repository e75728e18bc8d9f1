"""The form of all causal results: named tables with labelled axes, as arrays, as an archive, and as columns."""

import io
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from ..runtime.checkpoint import write_atomically
from .causal_error import CausalError

ROUNDING = 1e-6  # relative: eight times that of a number in single precision


@dataclass(frozen=True)
class TableAxis:
    """One axis of a table."""

    name: str
    labels: tuple[str | int, ...]  # one for each place; numbers of layers and heads count from 1

    @classmethod
    def counted(cls, name: str, count: int, first: int = 1) -> "TableAxis":
        """An axis of `count` places that are numbered from `first`."""
        return cls(name, tuple(range(first, first + count)))


@dataclass(frozen=True, eq=False)
class Table:
    """Numbers with labelled axes."""

    values: np.ndarray
    axes: tuple[TableAxis, ...]
    unit: str

    def __post_init__(self) -> None:
        expected = tuple(len(axis.labels) for axis in self.axes)
        if self.values.shape != expected:
            raise ValueError(f"A table of shape {self.values.shape} cannot have axes of {expected}.")

    def columns(self) -> dict[str, np.ndarray]:
        """One row for each number that is defined: a column for each axis with its labels, and `value`."""
        where = np.nonzero(~np.isnan(self.values))
        columns: dict[str, np.ndarray] = {}
        for axis, index in zip(self.axes, where, strict=True):
            numbers = all(isinstance(label, int) for label in axis.labels)
            labels = np.array(axis.labels, dtype=np.int64 if numbers else object)
            columns[axis.name] = labels[index]
            if not numbers:  # places distinguish equal tokens
                columns[f"{axis.name}_place"] = index + 1
        return columns | {"value": self.values[where]}

    def strongest(self, count: int = 10) -> list[tuple[tuple[int, ...], float]]:
        """The places of the `count` largest |values|, from 0, with their values, largest first; NaN is left out."""
        flat = np.where(np.isnan(self.values), -1.0, np.abs(self.values)).ravel()
        order = np.argsort(-flat, kind="stable")[:count]
        places = [tuple(int(part) for part in np.unravel_index(number, self.values.shape)) for number in order]
        return [(place, float(self.values[place])) for place in places if not np.isnan(self.values[place])]


class CausalResult(ABC):
    """Base of all results. They are frozen, and carry their check."""

    @property
    @abstractmethod
    def tables(self) -> dict[str, Table]:
        """The result's tables by name; the first is the main one."""

    def __repr__(self) -> str:
        tables = ", ".join(
            f"{name} {' x '.join(map(str, table.values.shape))} ({table.unit})" for name, table in self.tables.items()
        )
        return f"<{type(self).__name__}: {tables}>"

    def columns(self, table: str | None = None) -> dict[str, np.ndarray]:
        """One table as columns of equal length, for a data frame: `pandas.DataFrame(result.columns())`.

        Args:
            table: its name; by default the first.

        Raises:
            CausalError: there is no such table.
        """
        tables = self.tables
        name = next(iter(tables)) if table is None else table
        if name not in tables:
            raise CausalError(
                "There is no table {name!r} here; choose one of {known}.", name=name, known=", ".join(tables)
            )
        return tables[name].columns()

    def to_npz(self, path: str | PathLike[str]) -> None:
        """Write all tables to a NumPy archive, atomically.

        For each table there are `<table>`, its numbers, `<table>_<axis>`, the labels of each axis, and `<table>_axes`,
        their names in order. `np.load(path)` needs no pickle.

        Raises:
            CheckpointError: the folder cannot be written to, or the disk is full; an older file is unchanged.
        """
        arrays: dict[str, np.ndarray] = {}
        for name, table in self.tables.items():
            arrays[name] = table.values
            arrays[f"{name}_axes"] = np.array([axis.name for axis in table.axes], dtype=str)
            for axis in table.axes:
                numbers = all(isinstance(label, int) for label in axis.labels)
                arrays[f"{name}_{axis.name}"] = np.array(axis.labels, dtype=np.int64 if numbers else str)
        content = io.BytesIO()
        np.savez_compressed(content, **arrays)  # type: ignore[arg-type]  # NumPy's stub knows only `allow_pickle`
        write_atomically(Path(path), content.getvalue())


def restored_share(values: ArrayLike, receiver: float, donor: float) -> np.ndarray:
    """How far values are from one run towards another: 0 at the receiver's value, 1 at the donor's.

    Args:
        values: of a metric.
        receiver, donor: the metric of the run that is changed, and of the run that the changes come from.

    Returns:
        An array of the shape of `values`; NaN where both runs have the same value up to single-precision rounding, of
        which a share would be the share of an error.
    """
    values = np.asarray(values, np.float64)
    if math.isclose(receiver, donor, rel_tol=ROUNDING):
        return np.full_like(values, np.nan)
    return (values - receiver) / (donor - receiver)
