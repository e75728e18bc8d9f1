"""Write the results of a study: `heads.json`, as in the folder of a network's weights, and `heads.parquet`, in full."""

import io
import json
from pathlib import Path

import numpy as np

from ..attribution.head_statistics import FILE, HeadStatistics, KindStatistics, Spread
from ..runtime.checkpoint import write_atomically, write_json

TABLE = "heads.parquet"


def write_results(out: Path, results: HeadStatistics) -> None:
    """Write both files, the table first.

    The table has a row for each head: `kind`, `layer` and `head` (counted from 1), `label`, then for every pattern and
    measure its mean and standard deviation over the inputs, such as `previous_mean` and `previous_sd`, and for patterns
    the score of uniform attention, `previous_chance`, all float64; null where a kind has no such pattern. Its metadata
    contain the other fields of `heads.json`, such as `weights_sha256`.

    Raises:
        CheckpointError: the disk is full, or the folder cannot be written to.
    """
    import pyarrow as pa
    from pyarrow.parquet import write_table

    rows = [row for kind, table in results.kinds.items() for row in _rows(kind, table)]
    names = list(dict.fromkeys(name for row in rows for name in row))
    facts = {"weights_sha256": results.weights_sha256, "inputs": results.inputs, "of": results.of, **results.facts}
    table = pa.table({name: [row.get(name) for row in rows] for name in names})
    written = io.BytesIO()
    write_table(table.replace_schema_metadata({name: _as_text(value) for name, value in facts.items()}), written)
    write_atomically(out / TABLE, written.getvalue())
    write_json(out / FILE, results.to_dict())


def _rows(kind: str, table: KindStatistics) -> list[dict]:
    spreads = {**({} if table.effect is None else {"effect": table.effect}), **table.measures, **table.scores}
    rows = []
    for layer, head in np.ndindex(*table.shape):
        row = {"kind": kind, "layer": layer + 1, "head": head + 1, "label": table.label(layer, head).name}
        for name, spread in spreads.items():
            row |= _columns(name.replace(", ", "_").replace(" ", "_"), spread, table.chance.get(name), (layer, head))
        rows.append(row)
    return rows


def _columns(name: str, spread: Spread, chance: float | None, place: tuple[int, int]) -> dict[str, float]:
    columns = {f"{name}_mean": float(spread.mean[place]), f"{name}_sd": float(spread.sd[place])}
    return columns if chance is None else columns | {f"{name}_chance": chance}


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
