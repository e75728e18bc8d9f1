"""Reads the log that training writes next to the weights, and its curves."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .checkpoint import check_shipped

METRICS = "metrics.jsonl"


def read_metrics(path: Path) -> list[dict]:
    """Read the lines of a metrics file, up to the first line that is damaged or was cut short by a kill."""
    rows = []
    for line in path.read_bytes().splitlines() if path.is_file() else []:
        try:
            row = json.loads(line)
        except ValueError:
            break
        if not isinstance(row, dict):
            break
        rows.append(row)
    return rows


@dataclass(frozen=True, eq=False)
class TrainingCurves:
    """The course of one network's training. Losses in nats per token."""

    steps: np.ndarray  # `(N,)` updates so far at each line of the log
    epochs: np.ndarray  # `(N,)` passes over the data so far, in fractions of a pass
    losses: np.ndarray  # `(N,)` the minimised loss, label smoothing included, mean since the previous line
    nlls: np.ndarray  # `(N,)` -ln p of the right token without smoothing, likewise; with dropout on, as in training
    rates: np.ndarray  # `(N,)` learning rate
    # `(M,)` when held-out sentences were scored
    heldout_steps: np.ndarray
    heldout_epochs: np.ndarray
    heldout_nlls: np.ndarray  # `(M,)` their mean -ln p, with the averaged weights, which are shipped
    smoothing: float  # label smoothing
    average_decay: float  # share of the averaged weights that remains at each step


def training_curves(folder: Path) -> TrainingCurves | None:
    """Read the curves from `folder`'s metrics file; None if there is no file, or no finished epoch in it.

    Raises:
        CheckpointError: the file ships and was altered.
    """
    if (folder / METRICS).is_file():
        check_shipped(folder / METRICS)
    rows = read_metrics(folder / METRICS)
    ends = [row for row in rows if row.get("event") == "epoch" and "heldout_nll" in row]
    starts = [row for row in rows if row.get("event") == "start"]
    points = [row for row in rows if row.get("event") == "step" and row["epoch"] <= (ends[-1]["epoch"] if ends else -1)]
    if not ends or not points or not starts:
        return None
    bounds = np.array([0, *(row["steps"] for row in ends)], dtype=np.float64)
    steps = np.array([row["step"] for row in points])
    recipe = starts[0].get("recipe", {})
    return TrainingCurves(
        steps=steps,
        epochs=np.interp(steps, bounds, np.arange(len(bounds))),
        losses=_column(points, "loss"),
        nlls=_column(points, "nll"),
        rates=_column(points, "rate"),
        heldout_steps=bounds[1:].astype(int),
        heldout_epochs=np.arange(1, len(bounds)),
        heldout_nlls=_column(ends, "heldout_nll"),
        smoothing=float(recipe.get("label_smoothing", 0.0)),
        average_decay=float(recipe.get("average_decay", 0.0)),
    )


def _column(rows: list[dict], name: str) -> np.ndarray:
    return np.array([row[name] for row in rows], dtype=np.float64)
