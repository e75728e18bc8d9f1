"""Measure a causal method over a corpus of pairs; results are streamed to a file, which a later start continues.

`causal.jsonl` has the plan in its first line, then a line for each pair: the tables of effects with their axes, and the
check, or why the pair was skipped. `causal.json` has the means over the pairs.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np
from tqdm import tqdm

from ..causal.activation_patching import ActivationPatching, Direction
from ..causal.recurrent_patching import RECURRENT_SITES
from ..causal.sites import SITES
from ..runtime.checkpoint import CheckpointError, write_json
from ..runtime.messages import UserError
from .networks import StudiedModel
from .pair_measurements import METHODS, measure_pair, summarize_tables
from .study_data import StudyError, StudyInput, StudyInputs

LINES, SUMMARY = "causal.jsonl", "causal.json"
CAUSAL_SITES = tuple(dict.fromkeys((*SITES, *RECURRENT_SITES)))


def run_causal_study(
    studied: StudiedModel,
    inputs: StudyInputs,
    out: Path,
    site: str,
    *,
    part: str | None = None,
    direction: Direction | None = None,
) -> dict[str, Any]:
    """Measure every pair of a corpus, the second text of a pair being the corrupt one, and write both files.

    Args:
        site: that is patched, or one of `model.study.pair_measurements.METHODS`.
        part, direction: as of `patch`; the direction of "path_patch", too.

    Returns:
        What `causal.json` contains: pairs, skipped pairs, and for each layer and head mean and standard deviation over
        pairs of the restored share, at the position where it is largest; of other methods those of
        `model.study.pair_measurements.summarize_tables`.

    Raises:
        StudyError: the inputs are no pairs, the network has no such method, no pair could be used, or `out` has another
            study.
        CheckpointError: a file cannot be written.
    """
    if inputs.form != "pairs":
        raise StudyError("Patching compares two texts; give pairs, such as a .tsv with a clean and a corrupt text.")
    method = site if site in METHODS else "patch"
    if not hasattr(studied.model, method):
        raise StudyError(f"{studied.name} has no method {method}; choose another network.")
    if (part is not None and method != "patch") or (direction is not None and method not in ("patch", "path_patch")):
        raise StudyError(f"{method} has no --{'part' if part is not None else 'direction'}; leave it out.")
    direction = direction or ("noising" if method == "path_patch" else "denoising")
    if direction not in get_args(Direction):
        raise StudyError(f"There is no direction {direction}; choose denoising or noising.")
    plan = {
        "model": studied.name,
        "weights_sha256": studied.model.weights_sha256,
        "pairs": len(inputs),
        "data_sha256": inputs.sha256(),
        "site": site,
        "part": part,
        "direction": direction,
    }
    lines = _continue(out, plan)
    try:
        with (out / LINES).open("a", encoding="utf-8") as stream:
            for place in tqdm(range(len(lines), len(inputs)), desc="patching", initial=len(lines), total=len(inputs)):
                lines.append(_try_to_measure(studied, inputs, place, site, part, direction))
                stream.write(json.dumps(lines[-1]) + "\n")
                stream.flush()
                os.fsync(stream.fileno())
    except OSError as error:
        raise CheckpointError("{file} cannot be written: {reason}.", file=LINES, reason=str(error)) from error
    used = [line for line in lines if "skipped" not in line]
    if not used:
        raise StudyError(f"No pair could be used: {lines[0]['skipped'] if lines else 'there are none'}")
    counts = {"used": len(used), "skipped": len(lines) - len(used)}
    summary = plan | counts | (_summarize(used) if method == "patch" else summarize_tables(used))
    write_json(out / SUMMARY, summary)
    return summary


def _continue(out: Path, plan: dict[str, Any]) -> list[dict[str, Any]]:
    """The lines of pairs that an earlier start has written; without any, write the plan."""
    out.mkdir(parents=True, exist_ok=True)
    path = out / LINES
    if not path.is_file():
        path.write_text(json.dumps(plan) + "\n", encoding="utf-8")
        return []
    whole = list(_whole_lines(path))
    others = [name for name, value in plan.items() if not whole or (name != "model" and whole[0].get(name) != value)]
    if others:
        raise StudyError(f"{out} holds another study, which differs in {', '.join(others)}; give another --out.")
    text = "".join(json.dumps(line) + "\n" for line in whole)  # without a line that was cut off
    path.write_text(text, encoding="utf-8")
    return whole[1:]


def _whole_lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").split("\n"):
        try:
            content = json.loads(line)
        except ValueError:
            return
        if not isinstance(content, dict):
            return
        yield content


def _try_to_measure(
    studied: StudiedModel, inputs: StudyInputs, place: int, site: str, part: str | None, direction: str
) -> dict[str, Any]:
    """The line of one pair."""
    try:
        pair = inputs[place]
        if site in METHODS:
            return measure_pair(studied, pair, site, direction)
        return _patch(studied.model, pair, site, part, direction)
    except (UserError, StudyError) as error:
        return {"skipped": str(error)}


def _patch(model: Any, pair: StudyInput, site: str, part: str | None, direction: str) -> dict[str, Any]:
    result: ActivationPatching = model.patch(pair.text(), pair.second, site=site, part=part, direction=direction)
    check = result.check
    return {
        "part": result.part,
        "metric": repr(result.metric),
        "unit": result.metric.unit,
        "receiver": result.receiver,
        "donor": result.donor,
        "axes": {axis.name: list(axis.labels) for axis in result.grid.axes},
        "effects": result.effects.tolist(),
        "check": {"everything": check.everything, "nothing": check.nothing, "drift": check.drift},
    }


def _summarize(used: list[dict[str, Any]]) -> dict[str, Any]:
    """Means over the pairs that were patched, at least one."""
    strongest = np.array([_strongest(line) for line in used])  # (pair, [layer, [head]])
    axes = {name: labels for name, labels in used[0]["axes"].items() if name != "position"}
    worst = max(line["check"]["nothing"] for line in used)
    everything = [line["check"]["everything"] for line in used if line["check"]["everything"] is not None]
    return {
        "part": used[0]["part"],
        "axes": axes,
        "restored_mean": strongest.mean(axis=0).tolist(),
        "restored_sd": strongest.std(axis=0, ddof=1).tolist() if len(used) > 1 else None,
        "largest_nothing": worst,
        "largest_everything": max(everything, default=None),
    }


def _strongest(line: dict[str, Any]) -> np.ndarray:
    """The restored share by layer and head, at the position where it is largest."""
    distance = line["donor"] - line["receiver"]
    restored = np.array(line["effects"]) / distance if distance else np.zeros_like(np.array(line["effects"]))
    if "position" not in line["axes"]:
        return restored
    at = np.abs(restored).argmax(axis=-1)
    return np.take_along_axis(restored, np.expand_dims(at, -1), axis=-1)[..., 0]
