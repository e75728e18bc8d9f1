"""A study from its inputs to its results, in one process or in several that share a folder."""

from collections import Counter
from collections.abc import Collection
from pathlib import Path

import numpy as np
from tqdm import tqdm

from ..attribution.head_measures import Measured
from ..attribution.head_statistics import Gathering, HeadStatistics
from ..runtime.checkpoint import CheckpointError, read_json, write_json
from ..runtime.device import hardware
from ..runtime.messages import ReaderError
from ..training.processes import ProcessGroup
from .networks import StudiedModel
from .results import write_results
from .shards import Shards
from .study_data import StudyError, StudyInputs

PLAN = "study.json"
FORMAT = 1  # of the shards
REASONS = 5  # most frequent ones that are kept
NAMES = {"texts": "texts", "pairs": "pairs of texts", "pictures": "pictures"}


def run_study(
    subject: StudiedModel,
    inputs: StudyInputs,
    out: Path,
    processes: ProcessGroup,
    *,
    kinds: Collection[str] | None = None,
    ablates: bool = True,
) -> HeadStatistics | None:
    """Measure every head on every input, in shards, and write the results; what is already there is not done again.

    Each input is measured alone, and the means are taken in the order of the inputs, so that the numbers do not depend
    on how many processes there are. All of them must see `out`.

    Args:
        kinds: names of the kinds of attention to measure; all where nothing is given.
        ablates: whether heads are ablated too, which takes most of the time; a network that scores nothing cannot.

    Returns:
        The results, in the leading process; None in the others.

    Raises:
        StudyError: the network cannot take these inputs, not one of them could be used, or `out` holds another study
            or a damaged shard.
        CheckpointError: a file cannot be written.
        ConnectionError: another process has ended.
    """
    wanted, ablates = subject.kinds(kinds, inputs), ablates and subject.ablates
    shards = Shards.of(out, len(inputs))
    if processes.leads:
        shards.clean()
        _write_plan(subject, inputs, out, wanted, ablates)
    processes.wait()
    missing = shards.missing()
    processes.wait()  # nobody writes before all have seen what is missing
    with _progress_bar(shards, processes.leads) as bar:
        for number in missing[processes.rank :: processes.world_size]:
            _measure_shard(shards, number, subject, inputs, wanted, ablates, bar)
            _update_bar(bar, shards)
        processes.wait(lambda: _update_bar(bar, shards))  # the others are still at theirs
        _update_bar(bar, shards)
    if not processes.leads:
        return None
    found = _reduce(shards, subject, inputs, wanted, processes, out)
    write_results(out, found)
    return found


def _write_plan(subject: StudiedModel, inputs: StudyInputs, out: Path, kinds: tuple[str, ...], ablates: bool) -> None:
    """Write down what this study is, or see that the one in the folder is the same."""
    plan = {
        "format": FORMAT,
        "model": subject.name,
        "weights_sha256": subject.model.weights_sha256,
        "precision": getattr(subject.model, "precision", "float32"),
        "form": inputs.form,
        "inputs": len(inputs),
        "data_sha256": inputs.sha256(),
        "kinds": list(kinds),
        "ablates": ablates,
    }
    if not (out / PLAN).is_file():
        write_json(out / PLAN, plan)
        return
    before = read_json(out / PLAN)
    others = [name for name, value in plan.items() if name != "model" and before.get(name) != value]
    if others:
        raise StudyError(
            f"{out} holds another study, which differs in {', '.join(others)}; give the same again, or another --out."
        )


def _measure_shard(
    shards: Shards,
    number: int,
    subject: StudiedModel,
    inputs: StudyInputs,
    kinds: tuple[str, ...],
    ablates: bool,
    bar: tqdm,
) -> None:
    """Measure the inputs of one shard and write it."""
    rows, skipped = {}, {}
    for place in shards.places(number):
        try:
            rows[place] = _check_finite(subject.measure(inputs[place], kinds, ablates))
        except (ReaderError, StudyError) as error:  # too long, say
            skipped[place] = str(error)
        bar.update()
    shards.write(number, rows, skipped)


def _check_finite(row: dict[str, Measured]) -> dict[str, Measured]:
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
    """What all processes have finished."""
    bar.n = max(bar.n, _count_done(shards))
    bar.refresh()


def _count_done(shards: Shards) -> int:
    return shards.inputs - sum(len(shards.places(number)) for number in shards.missing())


def _reduce(
    shards: Shards,
    subject: StudiedModel,
    inputs: StudyInputs,
    kinds: tuple[str, ...],
    processes: ProcessGroup,
    out: Path,
) -> HeadStatistics:
    """The means over all shards, in the order of the inputs."""
    gathered, used, reasons = {kind: Gathering() for kind in kinds}, 0, Counter()
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
        raise StudyError(f"Not one of the {len(inputs)} inputs could be used: {reasons.most_common(1)[0][0]}")
    plan = read_json(out / PLAN)
    facts = {
        **{name: plan[name] for name in ("model", "precision", "form", "data_sha256", "ablates")},
        "hardware": hardware(processes.device),
        "skipped": reasons.total(),
        "reasons": dict(reasons.most_common(REASONS)),
    }
    statistics = {kind: found.statistics() for kind, found in gathered.items()}
    return HeadStatistics(subject.model.weights_sha256, used, NAMES[inputs.form], statistics, facts)
