"""The record that training leaves beside the weights, and the curves in it."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

METRICS = "metrics.jsonl"


def read_metrics(path: Path) -> list[dict]:
    """The lines of a metrics file; what follows a line cut short by a kill, or damaged, is left out."""
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
    """How one network was trained. Losses in nats per token."""

    steps: np.ndarray  # `(N,)` updates so far at each line of the log
    epochs: np.ndarray  # `(N,)` passes over the data so far, in fractions of a pass
    losses: np.ndarray  # `(N,)` what was minimised, label smoothing included, mean since the line before
    nlls: np.ndarray  # `(N,)` -ln p of the right token alone, likewise; with dropout on, as everything in training
    rates: np.ndarray  # `(N,)` learning rate
    # `(M,)` when sentences that are never trained on were scored
    heldout_steps: np.ndarray
    heldout_epochs: np.ndarray
    heldout_nlls: np.ndarray  # `(M,)` their mean -ln p, by the averaged weights, which are the ones that ship
    smoothing: float  # of the labels
    average_decay: float  # how much of the averaged weights stays at each step


def training_curves(folder: Path) -> TrainingCurves | None:
    """The curves in `folder`'s metrics file; None where there is none, or no epoch of it was finished."""
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
