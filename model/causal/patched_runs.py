"""Many changed runs of a network in batches: one a row, each resumed at the layer of its first change."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..networks.tap import Intervention
from ..runtime.progress import InSteps, Progress
from .metrics import Metric, evaluate
from .resumable import CausalNetwork, RecordedRun

POSITIONS = 4096  # of all rows of a batch together: more do not fit a CPU's cache and take longer each
ROWS = 256  # most rows of a batch


@dataclass(frozen=True, eq=False)
class Patch:
    """One change: a part of one tensor is replaced."""

    name: str  # of the tensor in the tap
    # `(1, ...)` or `(N, ...)`, one for each row of the run that is continued; the rest has the shape of the part
    values: Tensor
    index: tuple[Any, ...] = ()  # the part of one row's tensor; by default all of it

    def values_of(self, row: int) -> Tensor:
        """What replaces the part where row `row` of the recorded run is continued."""
        return self.values[row if len(self.values) > 1 else 0]


Case = tuple[Patch, ...]  # changes that are made together; without any, nothing is changed


@dataclass(frozen=True, eq=False)
class CaseValues:
    """A metric of every changed run."""

    values: np.ndarray  # `(case, N)` float64, the metric of each case for each row of the recorded run
    unchanged: np.ndarray  # `(N,)` float64, the metric of the recorded run
    # largest |difference| of a run without any change, one in every batch, from the recorded one; values are corrected
    # by it, so that a change of nothing has an effect of exactly 0
    drift: float

    @property
    def effects(self) -> np.ndarray:
        """`(case, N)`: the metric with each change minus that without."""
        return self.values - self.unchanged


@torch.inference_mode()
def run_cases_in_steps(
    network: CausalNetwork, run: RecordedRun, cases: Sequence[Case], metric: Metric
) -> InSteps[CaseValues]:
    """Measure a metric under each case, for every row of a recorded run.

    Args:
        run: of one input, or of several of equal shape, each of which meets every case.
    """
    unchanged = evaluate(network, run.hidden, metric)
    effects = np.zeros((len(cases), run.rows))
    drift, done = 0.0, 0
    for stage, batch in _batches(network, run, cases):
        effect, moved = _run_batch(network, run, [cases[number] for number in batch], metric, stage, unchanged)
        effects[batch], drift = effect, max(drift, moved)
        done += len(batch)
        yield Progress(done, len(cases))
    reference = unchanged.cpu().numpy()
    return CaseValues(reference + effects, reference, drift)


def _batches(
    network: CausalNetwork, run: RecordedRun, cases: Sequence[Case]
) -> list[tuple[tuple[int, int], list[int]]]:
    """Divide the numbers of the cases into batches of one stage each."""
    last = (len(network.stacks) - 1, list(network.stacks.values())[-1])
    stages: dict[tuple[int, int], list[int]] = {}
    for number, case in enumerate(cases):
        stage = min((network.stage_of(patch.name) for patch in case), default=last)
        stages.setdefault(stage, []).append(number)
    longest = max(network.lengths(run.inputs).values())
    rows = max(run.rows, min(ROWS, POSITIONS // longest))
    step = max(1, rows // run.rows - 1)  # one more is for the run without a change
    return [
        (stage, numbers[start : start + step])
        for stage, numbers in sorted(stages.items())
        for start in range(0, len(numbers), step)
    ]


def _run_batch(
    network: CausalNetwork,
    run: RecordedRun,
    cases: Sequence[Case],
    metric: Metric,
    stage: tuple[int, int],
    unchanged: Tensor,
) -> tuple[np.ndarray, float]:
    """Effects `(case, N)` of cases that are resumed at one stage, and the largest drift of the unchanged rows."""
    hidden = resume_cases(network, run, ((), *cases), stage)
    values = evaluate(network, hidden, metric).view(len(cases) + 1, run.rows)
    return (values[1:] - values[0]).cpu().numpy(), float((values[0] - unchanged).abs().max())


@torch.inference_mode()
def resume_cases(network: CausalNetwork, run: RecordedRun, cases: Sequence[Case], stage: tuple[int, int]) -> Tensor:
    """Hidden states `(case x N, output, d_model)` of changed runs, row by row of the recorded run within a case."""
    rows = torch.arange(run.rows, device=run.hidden.device).repeat(len(cases))
    changes: dict[str, list[tuple[int, int, Patch]]] = {}
    for number, case in enumerate(cases):
        for patch in case:
            own = ((number * run.rows + row, row, patch) for row in range(run.rows))
            changes.setdefault(patch.name, []).extend(own)
    tap = Intervention({name: Replace(len(rows), parts) for name, parts in changes.items()})
    stack = list(network.stacks)[stage[0]]
    return network.resume(run, stack, stage[1], rows, tap)


class Replace:
    """A change of a tensor of all rows: replaces a part of some of them."""

    def __init__(self, rows: int, parts: Sequence[tuple[int, int, Patch]]) -> None:
        self.rows, self.parts = rows, parts

    def __call__(self, tensor: Tensor) -> Tensor:
        changed = tensor.expand(self.rows, *tensor.shape[1:]).clone()
        for row, recorded, patch in self.parts:
            target = changed[row]
            if patch.index:
                target[patch.index] = patch.values_of(recorded).to(target.dtype)
            else:
                target.copy_(patch.values_of(recorded))
        return changed
