"""Run a study from its inputs to its results, in one process or in several that share a folder."""

from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Any, Literal

import numpy as np
from tqdm import tqdm

from ..attribution.head_measures import HeadMeasurements
from ..attribution.head_statistics import HeadStatistics, StatisticsAccumulator
from ..runtime.checkpoint import CheckpointError, read_json, write_json
from ..runtime.device import describe_hardware
from ..runtime.messages import UserError
from ..runtime.processes import ProcessGroup
from .mean_ablation import with_mean_ablation
from .networks import StudiedModel
from .results import write_results
from .shards import Shards
from .study_data import StudyError, StudyInputs

PLAN = "study.json"
FORMAT = 1  # of the shards
REASONS = 5  # stored in the results, the most frequent ones
NAMES = {"texts": "texts", "pairs": "pairs of texts", "pictures": "pictures"}


def run_study(
    studied: StudiedModel,
    inputs: StudyInputs,
    out: Path,
    processes: ProcessGroup,
    *,
    kinds: Collection[str] | None = None,
    ablates: bool = True,
    replacement: Literal["zero", "mean"] = "zero",
) -> HeadStatistics | None:
    """Measure every head on every input, in shards, and write the results; finished shards are reused.

    Each input is measured alone, and the means are taken in the order of the inputs, so that the numbers do not depend
    on the number of processes. All processes must share `out`.

    Args:
        kinds: names of the kinds of attention to measure; by default all.
        ablates: whether heads are ablated too, which takes most of the time; needs a network with a score.
        replacement: what ablated heads are replaced by: zero, or their means over `inputs`.

    Returns:
        The results, in the leading process; None in the others.

    Raises:
        StudyError: the network does not accept these inputs, none of them could be used, or `out` contains another
            study or a damaged shard.
        CheckpointError: a file cannot be written.
        ConnectionError: another process has ended.
    """
    chosen, ablates = studied.kinds(kinds, inputs), ablates and studied.ablates
    means = ablates and replacement == "mean"
    shards = Shards.of(out, len(inputs))
    if processes.leads:
        shards.clean()
        _write_plan(studied, inputs, out, chosen, ablates, {"replacement": "mean"} if means else {})
    processes.wait()
    if means:
        studied = with_mean_ablation(studied, inputs, out, processes)
    missing = shards.missing()
    processes.wait()  # no process writes before all have listed the missing shards
    with _progress_bar(shards, processes.leads) as bar:
        for number in missing[processes.rank :: processes.world_size]:
            _measure_shard(shards, number, studied, inputs, chosen, ablates, bar)
            _update_bar(bar, shards)
        processes.wait(lambda: _update_bar(bar, shards))  # while the others measure
        _update_bar(bar, shards)
    if not processes.leads:
        return None
    results = _reduce(shards, studied, inputs, chosen, processes, out)
    write_results(out, results)
    return results


def _write_plan(
    studied: StudiedModel,
    inputs: StudyInputs,
    out: Path,
    kinds: tuple[str, ...],
    ablates: bool,
    more: dict[str, str],
) -> None:
    """Write the plan of this study, or check that the one in the folder is equal.

    Args:
        more: what older plans lack.
    """
    plan: dict[str, Any] = {
        "format": FORMAT,
        "model": studied.name,
        "weights_sha256": studied.model.weights_sha256,
        "precision": getattr(studied.model, "precision", "float32"),
        "form": inputs.form,
        "inputs": len(inputs),
        "data_sha256": inputs.sha256(),
        "kinds": list(kinds),
        "ablates": ablates,
        **more,
    }
    if not (out / PLAN).is_file():
        write_json(out / PLAN, plan)
        return
    before = read_json(out / PLAN)
    names = [*plan, *(name for name in before if name not in plan)]
    others = [name for name in names if name != "model" and before.get(name) != plan.get(name)]
    if others:
        raise StudyError(
            f"{out} holds another study, which differs in {', '.join(others)}; give the same again, or another --out."
        )


def _measure_shard(
    shards: Shards,
    number: int,
    studied: StudiedModel,
    inputs: StudyInputs,
    kinds: tuple[str, ...],
    ablates: bool,
    bar: tqdm,
) -> None:
    """Measure the inputs of one shard and write it."""
    rows, skipped = {}, {}
    for place in shards.places(number):
        try:
            rows[place] = _check_finite(studied.measure(inputs[place], kinds, ablates))
        except (UserError, StudyError) as error:  # too long, say
            skipped[place] = str(error)
        bar.update()
    shards.write(number, rows, skipped)


def _check_finite(row: dict[str, HeadMeasurements]) -> dict[str, HeadMeasurements]:
    for measured in row.values():
        tables = [*measured.scores.scores.values(), *measured.measures.values()]
        tables += [] if measured.effect is None else [measured.effect]
        if not all(np.isfinite(table).all() for table in tables):
            raise StudyError("The network computes numbers that are not finite here; choose --dtype float32.")
    return row


def _progress_bar(shards: Shards, leads: bool) -> tqdm:
    done = _count_done(shards)
    return tqdm(total=shards.inputs, initial=done, desc="heads", unit="input", mininterval=2, disable=not leads)


def _update_bar(bar: tqdm, shards: Shards) -> None:
    """Show the inputs that all processes have finished."""
    bar.n = max(bar.n, _count_done(shards))
    bar.refresh()


def _count_done(shards: Shards) -> int:
    return shards.inputs - sum(len(shards.places(number)) for number in shards.missing())


def _reduce(
    shards: Shards,
    studied: StudiedModel,
    inputs: StudyInputs,
    kinds: tuple[str, ...],
    processes: ProcessGroup,
    out: Path,
) -> HeadStatistics:
    """The means over all shards, in the order of the inputs."""
    gathered, used = {kind: StatisticsAccumulator() for kind in kinds}, 0
    reasons: Counter[str] = Counter()
    for number in range(len(shards)):
        try:
            rows, skipped = shards.read(number)
        except CheckpointError as error:
            file = shards.file(number)
            raise StudyError(f"{file} is damaged; remove it and start again, and it is measured anew.") from error
        reasons.update(skipped)
        for row in rows:
            used += 1
            for kind, measured in row.items():
                gathered[kind].add(measured)
    if not used:
        raise StudyError(f"Not one of the {len(inputs):,} inputs could be used: {reasons.most_common(1)[0][0]}")
    plan = read_json(out / PLAN)
    facts = {
        **{name: plan[name] for name in ("model", "precision", "form", "data_sha256", "ablates")},
        **{name: plan[name] for name in ("replacement",) if name in plan},
        "hardware": describe_hardware(processes.device),
        "skipped": reasons.total(),
        "reasons": dict(reasons.most_common(REASONS)),
    }
    statistics = {kind: of_kind.statistics() for kind, of_kind in gathered.items()}
    return HeadStatistics(studied.model.weights_sha256, used, NAMES[inputs.form], statistics, facts)
