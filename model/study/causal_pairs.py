"""Measure activation patching over a corpus of pairs; results are streamed to a file, which a later start continues.

`causal.jsonl` has the plan in its first line, then a line for each pair: the whole grid of effects with its axes, the
two runs' values, and the check, or why the pair was skipped. `causal.json` has the means over the pairs.
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
    direction: Direction = "denoising",
) -> dict[str, Any]:
    """Patch every pair of a corpus, the second text of a pair being the corrupt one, and write both files.

    Args:
        site, part, direction: as of `patch`.

    Returns:
        What `causal.json` contains: pairs, skipped pairs, and for each layer and head mean and standard deviation over
        pairs of the restored share, at the position where it is largest.

    Raises:
        StudyError: the inputs are no pairs, the network has no patching, no pair could be used, or `out` has another
            study.
        CheckpointError: a file cannot be written.
    """
    if inputs.form != "pairs":
        raise StudyError("Patching compares two texts; give pairs, such as a .tsv with a clean and a corrupt text.")
    if not hasattr(studied.model, "patch"):
        raise StudyError(f"Nothing can be patched in {studied.name}; choose another network.")
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
                lines.append(_measure(studied, inputs[place], site, part, direction))
                stream.write(json.dumps(lines[-1]) + "\n")
                stream.flush()
                os.fsync(stream.fileno())
    except OSError as error:
        raise CheckpointError("{file} cannot be written: {reason}.", file=LINES, reason=str(error)) from error
    summary = plan | _summarize(lines)
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


def _measure(studied: StudiedModel, pair: StudyInput, site: str, part: str | None, direction: str) -> dict[str, Any]:
    """The line of one pair."""
    model: Any = studied.model
    try:
        result: ActivationPatching = model.patch(pair.text(), pair.second, site=site, part=part, direction=direction)
    except (UserError, StudyError) as error:
        return {"skipped": str(error)}
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


def _summarize(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """Means over the pairs.

    Raises:
        StudyError: no pair could be used.
    """
    used = [line for line in lines if "effects" in line]
    if not used:
        reason = lines[0]["skipped"] if lines else "there are none"
        raise StudyError(f"No pair could be used: {reason}")
    strongest = np.array([_strongest(line) for line in used])  # (pair, [layer, [head]])
    axes = {name: labels for name, labels in used[0]["axes"].items() if name != "position"}
    worst = max(line["check"]["nothing"] for line in used)
    everything = [line["check"]["everything"] for line in used if line["check"]["everything"] is not None]
    return {
        "used": len(used),
        "skipped": len(lines) - len(used),
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
