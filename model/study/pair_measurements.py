"""Measure one pair of texts by a causal method other than patching a site, and average its tables over pairs."""

from dataclasses import asdict
from typing import Any

import numpy as np
import torch

from ..causal.metrics import Logit, LogitDifference, Probability, evaluate
from ..causal.result_tables import Table, restored_share
from .networks import StudiedModel
from .study_data import StudyError, StudyInput

METHODS = ("path_patch", "logit_lens", "logit_attribution")


def measure_pair(studied: StudiedModel, pair: StudyInput, method: str, direction: str) -> dict[str, Any]:
    """Measure a pair of a clean and a corrupt text by one of `METHODS`.

    Path patching compares the two runs. The lens and the attribution read the clean run where the answers of the two
    runs differ first: the clean answer's probability and rank by layer; and the shares of its logit minus the corrupt
    answer's.

    Returns:
        What can be written as JSON: metric, tables with their axes, and the check.

    Raises:
        UserError, StudyError: the pair cannot be used.
    """
    model: Any = studied.model
    if method == "path_patch":
        paths = model.path_patch(pair.text(), pair.second, direction=direction)
        facts = {"receiver": paths.receiver, "donor": paths.donor}
        return _build_line(paths.metric, paths.tables, asdict(paths.check), **facts)
    experiment, resumable = model.prepare_experiment(pair.text(), pair.second), model.resumable
    metric = experiment.measured(None)
    if studied.trace is None or not isinstance(metric, LogitDifference | Probability | Logit):
        raise StudyError("The two texts differ in no single answer; choose another pair.")
    answering = range(len(experiment.clean_labels[resumable.output_stack]))[resumable.answering()]
    (place,) = metric.places(len(answering))
    trace: Any = studied.trace(StudyInput(pair.text()))
    if method == "logit_lens":
        lens = trace.logit_lens(1, metric.index)
        tables = {
            name: Table(table.values[:, answering[place]], table.axes[:1], table.unit)
            for name, table in lens.tables.items()
            if name in ("probability", "rank")
        }
        return _build_line(metric, tables, {"difference": lens.difference})
    parts = trace.logit_attribution(metric.index, getattr(metric, "other", None), place)
    measured = Logit(metric.index, metric.position) if isinstance(metric, Probability) else metric
    with torch.no_grad():
        apart = parts.logit - float(evaluate(resumable, resumable.run(experiment.clean), measured)[0])
    return _build_line(measured, parts.tables, {"remainder": abs(parts.remainder), "difference": abs(apart)})


def _build_line(metric: Any, tables: dict[str, Table], check: dict[str, float], **facts: float) -> dict[str, Any]:
    written = {
        name: {
            "unit": table.unit,
            "axes": {axis.name: list(axis.labels) for axis in table.axes},
            "values": _replace_nan(table.values),
        }
        for name, table in tables.items()
    }
    return {"metric": repr(metric), **facts, "tables": written, "check": check}


def summarize_tables(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """Mean and standard deviation over pairs of every table, of paths as shares of what lies between the two runs.

    Args:
        lines: of `measure_pair`, at least one.
    """
    tables = {}
    for name, first in lines[0]["tables"].items():
        values = np.stack([_read_comparable(line, name) for line in lines])  # (pair, ...)
        tables[name] = {
            "unit": "share" if "donor" in lines[0] else first["unit"],
            "axes": first["axes"],
            "mean": _replace_nan(values.mean(axis=0)),
            "sd": _replace_nan(values.std(axis=0, ddof=1)) if len(values) > 1 else None,
        }
    checks = {name: max(line["check"][name] for line in lines) for name in lines[0]["check"]}
    return {"tables": tables, "largest_check": checks}


def _read_comparable(line: dict[str, Any], name: str) -> np.ndarray:
    values = np.array(line["tables"][name]["values"], dtype=float)  # None becomes NaN
    if "donor" not in line:
        return values
    return restored_share(values + line["receiver"], line["receiver"], line["donor"])


def _replace_nan(values: np.ndarray) -> list:
    """Nested lists with None for NaN, which JSON lacks."""
    written = values.astype(object)
    written[np.isnan(values)] = None
    return written.tolist()
