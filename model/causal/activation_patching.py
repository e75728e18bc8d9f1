"""Activation patching: replace a tensor of one run by that of another and measure what follows.

Vig et al. 2020 ("Investigating Gender Bias in Language Models Using Causal Mediation Analysis") patch heads and
neurons; Meng et al. 2022 ("Locating and Editing Factual Associations in GPT", section 2) patch the residual stream
by layer and position in a run whose input is corrupted by noise, see `model.causal.embedding_noise`. Both directions
are described by Heimersheim and Nanda 2024 ("How to use and interpret activation patching"):

- denoising: tensors of the clean run go into the corrupt run; what restores the answer is sufficient,
- noising: tensors of the corrupt run go into the clean run; what breaks the answer is necessary.

What it cannot show: with a backup, noising one head breaks nothing though it matters (Wang et al. 2022, section 3.3);
a tensor from another run may be one that the network never meets together with the rest.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import torch

from ..runtime.progress import InSteps, as_one_call
from .causal_error import CausalError
from .metrics import Metric, evaluate, output_logits
from .patched_runs import Case, resume_cases, run_cases_in_steps
from .result_tables import CausalResult, Table, restored_share
from .resumable import Inputs, RecordedRun, ResumableNetwork
from .sites import Alignment, Grid, check_alignment, find_site, make_grid

Direction = Literal["denoising", "noising"]


@dataclass(frozen=True)
class PatchingCheck:
    """Errors of two results that are known beforehand, as shares of the largest logit of the run that gives."""

    everything: float | None
    """Largest |difference| of a logit, with all cells of the grid and all of the stream replaced at once, from the run
    that gives; 0 in exact arithmetic. None if the two runs differ in shape, or the stream cannot be replaced.
    """
    nothing: float
    """The same with nothing replaced, from the run that receives."""
    effect_of_nothing: float
    """Effect on the metric of replacing nothing; 0."""
    drift: float
    """Largest |difference| of the metric between batches of different size, in the metric's unit; the effects are
    measured against a run in the same batch and do not contain it.
    """


@dataclass(frozen=True, eq=False, repr=False)
class ActivationPatching(CausalResult):
    """A metric with every cell of a site replaced in turn."""

    site: str
    part: str
    """`site`, `part`: see `model.causal.sites`."""
    direction: Direction
    """ "denoising" or "noising"."""
    metric: Metric
    """What was measured."""
    grid: Table
    """The metric with each cell replaced, in its unit; axes layer, head and position as the site has them. For the
    residual stream, layer 0 is the embedded input and layer k the output of layer k.
    """
    receiver: float
    donor: float
    """`receiver`, `donor`: the metric of the run that receives and of the run that gives."""
    check: PatchingCheck
    """See `PatchingCheck`."""
    standard_error: Table | None = None
    """Of the means over noisy samples, in the form of `grid`; None without noise."""
    samples: int = 1
    """Number of runs that `grid` is the mean of."""

    @property
    def effects(self) -> np.ndarray:
        """The metric with each cell replaced minus that of the run that receives, in the metric's unit."""
        return self.grid.values - self.receiver

    @property
    def restored(self) -> np.ndarray:
        """`effects` as a share of the distance between the runs: 0 changes nothing, 1 gives the other run's value.

        NaN where both runs have the same value up to rounding.
        """
        return restored_share(self.grid.values, self.receiver, self.donor)

    @property
    def tables(self) -> dict[str, Table]:
        axes = self.grid.axes
        tables = {
            "metric": self.grid,
            "effect": Table(self.effects, axes, self.metric.unit),
            "restored": Table(self.restored, axes, "share"),
        }
        return tables if self.standard_error is None else tables | {"standard_error": self.standard_error}


@torch.inference_mode()
def patch_in_steps(
    resumable: ResumableNetwork,
    clean: Inputs,
    corrupt: Inputs,
    metric: Metric,
    site: str = "residual",
    part: str | None = None,
    *,
    direction: Direction = "denoising",
    labels: Mapping[str, Sequence[str]] | None = None,
    by_position: bool | None = None,
    layers: Sequence[int] | None = None,
    positions: Sequence[int] | None = None,
    alignment: Alignment | None = None,
) -> InSteps[ActivationPatching]:
    """Replace each cell of a site in one run by that of another, and measure.

    Args:
        clean, corrupt: one input each, with a batch of one.
        site: a key of `model.causal.sites.SITES`.
        part: a stack or kind of attention that has it; by default the first.
        labels: stack -> labels of the positions of the run that receives; by default their numbers from 1.
        by_position: whether each position is a cell; by default for streams and outputs of sub-layers.
        layers: only these rows of layers, from 0; by default all.
        positions: only these positions of the run that receives, from 0; `[0]` is CLS in a ViT.
        alignment: stack -> pairs of positions (receives, gives), for inputs of different lengths.

    Raises:
        CausalError: a site, part, position or logit does not exist, or the inputs differ in length and are not aligned.
    """
    check_direction(direction)
    give, receive = (clean, corrupt) if direction == "denoising" else (corrupt, clean)
    lengths = resumable.lengths(receive)
    equal = lengths == resumable.lengths(give)
    if not equal and alignment is None:
        raise CausalError(
            "The two inputs have {first} and {second} positions; give an alignment, or inputs of equal length.",
            first=_sizes(lengths),
            second=_sizes(resumable.lengths(give)),
        )
    if alignment is not None:
        check_alignment(alignment, lengths, resumable.lengths(give))
    chosen = find_site(site)
    grid = make_grid(
        resumable,
        chosen,
        part or default_part(resumable, site),
        labels or number_positions(lengths),
        by_position=by_position,
        layers=layers,
        positions=positions,
        alignment=alignment,
        aligned_only=not equal,
    )
    if equal:
        both = resumable.record(tuple(torch.cat(pair) for pair in zip(receive, give, strict=True)))
        receiver, donor = both.row(0), both.row(1)
    else:
        receiver, donor = resumable.record(receive), resumable.record(give)
    metric.check(resumable, receiver.hidden.shape[1])
    metric.check(resumable, donor.hidden.shape[1])
    values = yield from run_cases_in_steps(resumable, receiver, [(), *grid.cases(donor)], metric)
    return ActivationPatching(
        site=site,
        part=grid.part,
        direction=direction,
        metric=metric,
        grid=Table(values.values[1:, 0].reshape(grid.shape), grid.axes, metric.unit),
        receiver=float(values.unchanged[0]),
        donor=float(evaluate(resumable, donor.hidden, metric)[0]),
        check=check_patching(resumable, grid, receiver, donor, metric, float(values.effects[0, 0]), values.drift),
    )


patch = as_one_call(patch_in_steps)


@torch.inference_mode()
def check_patching(
    resumable: ResumableNetwork,
    grid: Grid,
    receiver: RecordedRun,
    donor: RecordedRun,
    metric: Metric,
    effect_of_nothing: float,
    drift: float,
) -> PatchingCheck:
    """Replace nothing and everything in one batch, of the size in which the two runs were recorded."""
    cases: list[Case] = [()]
    whole = resumable.has_stream and resumable.lengths(receiver.inputs) == resumable.lengths(donor.inputs)
    whole = whole and all(own == other for own, other in grid.pairs)
    if whole:
        cases.append((*_whole_stream(resumable, receiver, donor), *grid.everything(donor)))
    wanted = [receiver.hidden] + [donor.hidden.expand(receiver.rows, -1, -1)] * whole
    expected = output_logits(resumable, torch.cat(wanted), metric)  # in a batch of the same size, for equal rounding
    logits = output_logits(resumable, resume_cases(resumable, receiver, cases, (0, 0)), metric)
    largest = float(expected[-1].abs().max()) or 1.0
    apart = [float(part.abs().max()) / largest for part in (logits - expected).split(receiver.rows)]
    return PatchingCheck(apart[1] if whole else None, apart[0], effect_of_nothing, drift)


def _whole_stream(resumable: ResumableNetwork, receiver: RecordedRun, donor: RecordedRun) -> Case:
    """Replace every row of the stream of every stack, as the site "residual" does."""
    labels = number_positions(resumable.lengths(receiver.inputs))
    grids = [make_grid(resumable, find_site("residual"), stack, labels) for stack in resumable.stacks]
    return tuple(patch for grid in grids for patch in grid.everything(donor))


def check_direction(direction: str) -> None:
    """Raise `CausalError` for a direction that does not exist."""
    if direction not in get_args(Direction):
        raise CausalError("There is no direction {direction!r}; choose denoising or noising.", direction=direction)


def default_part(resumable: ResumableNetwork, site: str) -> str:
    """The first part of a network that has a site."""
    return resumable.kinds[0].name if find_site(site).of_attention else next(iter(resumable.stacks))


def number_positions(lengths: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
    """Labels of positions without tokens: their numbers from 1."""
    return {stack: tuple(str(place + 1) for place in range(length)) for stack, length in lengths.items()}


def _sizes(lengths: Mapping[str, int]) -> str:
    return " + ".join(str(length) for length in lengths.values())
