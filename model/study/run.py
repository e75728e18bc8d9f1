"""Run a study from its inputs to its results, in one process or in several that share a folder."""

import io
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from tqdm import tqdm

from ..attribution.head_labels import HeadScores
from ..attribution.head_statistics import (
    FILE,
    HeadMeasurements,
    HeadStatistics,
    KindStatistics,
    Spread,
    StatisticsAccumulator,
)
from ..causal.causal_error import CausalError
from ..causal.causal_methods import CausalMethods
from ..causal.head_replacement import HeadMeans, measure_means
from ..causal.metrics import Metric, TargetLoss
from ..causal.resumable import Inputs
from ..runtime.checkpoint import (
    CheckpointError,
    load_tensors,
    read_json,
    remove_leftovers,
    save_tensors,
    write_atomically,
    write_json,
)
from ..runtime.device import describe_hardware
from ..runtime.messages import UserError
from ..runtime.processes import ProcessGroup
from .networks import Measure, StudiedModel, known_class
from .study_data import StudyError, StudyInput, StudyInputs

# Measurements of every input on disk, in shards that are written atomically: a killed process loses at most one.

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


# Ablation by the mean over a study's own inputs: two passes, one for the means and one for the effects.
#
# Wang et al. 2022 (section 2.2) replace what a head says about one input by what it says on average. The means of all
# heads are measured first, over every position of every input that the network can use, and stored in the folder of the
# study, where all processes read them.

TraceItem = Callable[[StudyInput], Any]


def with_mean_ablation(studied: StudiedModel, inputs: StudyInputs, out: Path, processes: ProcessGroup) -> StudiedModel:
    """The same network, whose heads are ablated by their means over `inputs`.

    The leading process measures them, unless the folder has them for these weights; the others wait.

    Raises:
        StudyError: this network's heads have no such means, or none of the inputs could be used.
        CheckpointError: a file cannot be written, or is damaged.
        ConnectionError: another process has ended.
    """
    model = studied.model
    if studied.trace is None or not studied.ablates or not isinstance(model, CausalMethods):
        raise StudyError(f"Heads of {studied.name} cannot be replaced by a mean; leave out --replacement.")
    if getattr(model, "form", "classes") != "classes":
        raise StudyError(f"The classes of {studied.name} do not exclude each other; leave out --replacement.")
    try:
        if processes.leads and HeadMeans.load(out, studied.model.weights_sha256) is None:
            measured = measure_means(model.resumable, _inputs(model, studied.trace, inputs))
            measured.save(out, studied.model.weights_sha256)
    except CausalError as error:
        raise StudyError(str(error)) from error
    processes.wait()
    means = HeadMeans.load(out, studied.model.weights_sha256)
    assert means is not None, "the leading process has written them"
    return replace(studied, measure=_MeanAblation(model, studied.trace, studied.measure, means))


def _inputs(model: CausalMethods, trace: TraceItem, inputs: StudyInputs) -> Iterator[Inputs]:
    """What the network reads for every input that it can use."""
    for place in tqdm(range(len(inputs)), desc="means", unit="input", mininterval=2):
        try:
            yield model.read_trace(trace(inputs[place])).inputs
        except (UserError, StudyError):  # skipped, as in the study itself
            continue


class _MeanAblation:
    """Measures an input as the study does, and the increase of the loss with each head at its mean."""

    def __init__(self, model: CausalMethods, trace: TraceItem, measure: Measure, means: HeadMeans) -> None:
        self.model, self.trace, self.measure, self.means = model, trace, measure, means

    def __call__(self, item: StudyInput, kinds: Collection[str], ablates: bool) -> dict[str, HeadMeasurements]:
        measured = self.measure(item, kinds, False)
        if not ablates:
            return measured
        trace = self.trace(item)
        metric = self._metric(item, trace)
        ablation = self.model.replace_heads(trace, "mean", metric=metric, means=self.means, pairs_among=0)
        return {kind: replace(own, effect=ablation.effects[kind]) for kind, own in measured.items()}

    def _metric(self, item: StudyInput, trace: Any) -> Metric | None:
        """The loss of the class that the input's label names, else of the answer; of texts that of all tokens."""
        if getattr(trace, "classes", None) is None:
            return None  # what the model proposes
        known = known_class(item, trace.classes)
        return TargetLoss((int(trace.logits.argmax()) if known is None else known,))


# Write the results of a study: `heads.json`, as in the folder of a network's weights, and `heads.parquet`, in full.

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
