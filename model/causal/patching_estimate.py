"""How long grids of activation patching, or all edges of path patching, will take, before they are computed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

import torch

from .experiments import Experiment
from .path_patching import INPUTS, count_edges
from .resumable import ResumableNetwork
from .sites import find_site, make_grid, parts_of

ASKED_FROM = 2000  # runs of a grid, from which on a page states the time and asks first
MEASURED = 8  # rows of the run that is timed


@dataclass(frozen=True)
class PatchingEstimate:
    """What a measurement will take."""

    runs: int
    """Number of forward passes, one for each cell or edge."""
    seconds: float
    """Estimated from one measured batch; runs that are resumed at a later layer take less."""

    @property
    def asks_first(self) -> bool:
        """Whether the time is to be stated, and confirmed, before it starts."""
        return self.runs > ASKED_FROM


@torch.inference_mode()
def estimate_grids(
    resumable: ResumableNetwork,
    experiment: Experiment,
    sites: Mapping[str, Sequence[str]],
    *,
    by_position: bool | None = None,
    positions: Sequence[int] | None = None,
) -> PatchingEstimate:
    """Estimate how long some grids will take together, from one batch of runs.

    Args:
        sites: site -> parts of the network; without any, all that have it.
        by_position, positions: as of `model.causal.activation_patching.patch_in_steps`.

    Raises:
        CausalError: a site, part or position does not exist, or the network has no such tensors.
    """
    runs = 0
    for name, parts in sites.items():
        site = find_site(name)
        for part in parts or parts_of(resumable, site):
            labels = experiment.corrupt_labels
            runs += make_grid(resumable, site, part, labels, by_position=by_position, positions=positions).cells
    return time_runs(resumable, experiment, runs)


@torch.inference_mode()
def estimate_paths(resumable: ResumableNetwork, experiment: Experiment, *, by_token: bool = True) -> PatchingEstimate:
    """Estimate how long all edges of `model.causal.path_edges` will take, from one batch of runs.

    Args:
        by_token: as of `path_edges_in_steps`.
    """
    senders = 1
    if by_token:
        senders = int((experiment.clean[0] != experiment.corrupt[0]).sum())
    inputs = sum(resumable.stacks[kind.stack] * len(INPUTS) for kind in resumable.kinds)
    return time_runs(resumable, experiment, count_edges(resumable) + senders * resumable.n_heads * inputs)


@torch.inference_mode()
def time_runs(resumable: ResumableNetwork, experiment: Experiment, runs: int) -> PatchingEstimate:
    """Estimate how long some runs of the corrupt input take, from one batch of them."""
    rows = min(MEASURED, runs)
    inputs = tuple(one.expand(rows, *one.shape[1:]) for one in experiment.corrupt)
    start = perf_counter()
    resumable.run(inputs)
    return PatchingEstimate(runs, (perf_counter() - start) / rows * runs)
