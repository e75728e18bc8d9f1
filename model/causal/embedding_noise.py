"""Activation patching into runs whose input is corrupted by noise (Meng et al. 2022, section 2.1).

Gaussian noise of three standard deviations is added to the embeddings of chosen positions; then each cell of a site is
replaced by that of the clean run. The noise is drawn several times, and the result is the mean over these samples.

The standard deviation is that of all numbers in the embedding table, as they enter the network; of a ViT, that of the
embedded patches of the picture.
"""

import math
from collections.abc import Mapping, Sequence
from numbers import Real

import numpy as np
import torch
from torch import Tensor

from ..networks.tap import Intervention
from ..runtime.progress import InSteps, as_one_call
from .activation_patching import ActivationPatching, check_patching, default_part, number_positions
from .causal_error import CausalError, check_all_whole, check_whole
from .metrics import Metric, evaluate
from .patched_runs import run_cases_in_steps
from .result_tables import Table
from .resumable import Inputs, RecordedRun, ResumableNetwork
from .sites import find_site, make_grid

SCALE = 3.0  # standard deviations
SAMPLES, MOST_SAMPLES = 10, 10_000
EXAMPLE = "{'encoder': [1, 2]}"


@torch.inference_mode()
def patch_noise_in_steps(
    resumable: ResumableNetwork,
    clean: Inputs,
    metric: Metric,
    noisy: Mapping[str, Sequence[int]],
    site: str = "residual",
    part: str | None = None,
    *,
    samples: int = SAMPLES,
    scale: float = SCALE,
    seed: int = 0,
    labels: Mapping[str, Sequence[str]] | None = None,
    by_position: bool | None = None,
    layers: Sequence[int] | None = None,
    positions: Sequence[int] | None = None,
) -> InSteps[ActivationPatching]:
    """Replace each cell of a site in noisy runs by that of the clean run, and measure.

    Args:
        clean: one input, with a batch of one.
        noisy: stack -> positions, from 0, whose embeddings get noise.
        samples: how often noise is drawn, at least 2.
        scale: size of the noise in standard deviations of the embeddings.
        seed: of the noise; equal seeds give equal results.

    The other arguments are those of `model.causal.activation_patching.patch_in_steps`.

    Returns:
        Means over the samples, with their standard error: the standard deviation over samples divided by the square
        root of their number.

    Raises:
        CausalError: a site, part, position or logit does not exist, or a number is out of range.
    """
    lengths = resumable.lengths(clean)
    _check_noise(noisy, lengths, samples, scale)
    check_whole("seed", seed, -(2**63), 2**63 - 1)
    labels = labels or number_positions(lengths)
    part = part or default_part(resumable, site)
    own = find_site(site)
    grid = make_grid(resumable, own, part, labels, by_position=by_position, layers=layers, positions=positions)
    donor = resumable.record(clean)
    metric.check(resumable, donor.hidden.shape[1])
    changes = _noise(resumable, donor, noisy, samples, scale, seed)
    repeated = tuple(part.expand(samples, *part.shape[1:]) for part in clean)
    receiver = resumable.record(repeated, changes)
    values = yield from run_cases_in_steps(resumable, receiver, [(), *grid.cases(donor)], metric)
    measured = values.values[1:]  # (cell, sample)
    errors = measured.std(axis=1, ddof=1) / math.sqrt(samples)
    nothing = float(np.abs(values.effects[0]).max())
    return ActivationPatching(
        site=site,
        part=grid.part,
        direction="denoising",
        metric=metric,
        grid=Table(measured.mean(axis=1).reshape(grid.shape), grid.axes, metric.unit),
        receiver=float(values.unchanged.mean()),
        donor=float(evaluate(resumable, donor.hidden, metric)[0]),
        check=check_patching(resumable, grid, receiver, donor, metric, nothing, values.drift),
        standard_error=Table(errors.reshape(grid.shape), grid.axes, metric.unit),
        samples=samples,
    )


patch_noise = as_one_call(patch_noise_in_steps)


def _noise(
    resumable: ResumableNetwork,
    run: RecordedRun,
    noisy: Mapping[str, Sequence[int]],
    samples: int,
    scale: float,
    seed: int,
) -> Intervention:
    """Add noise to the embedded input of several equal rows; drawn on the CPU, so that devices agree."""
    size = scale * resumable.embedding_deviation(run)
    generator = torch.Generator().manual_seed(seed)
    changes = {}
    for stack, positions in noisy.items():
        name, _ = resumable.embedded_tokens(run, stack)
        embedded = run.tensors[name]
        shape = (samples, len(positions), embedded.shape[-1])
        added = size * torch.randn(shape, generator=generator, dtype=torch.float64).to(embedded)
        changes[name] = _Add(list(positions), added)
    return Intervention(changes)


class _Add:
    """Add `(row, chosen position, d_model)` to the chosen positions of a stream."""

    def __init__(self, positions: list[int], added: Tensor) -> None:
        self.positions, self.added = positions, added

    def __call__(self, stream: Tensor) -> Tensor:
        changed = stream.clone()
        changed[:, self.positions] += self.added
        return changed


def _check_noise(noisy: Mapping[str, Sequence[int]], lengths: Mapping[str, int], samples: int, scale: float) -> None:
    if check_whole("samples", samples) < 2:
        raise CausalError(
            "{samples} {samples:sample of noise has|samples of noise have} no standard error; draw at least 2.",
            samples=samples,
        )
    check_whole("samples", samples, 2, MOST_SAMPLES)
    if not isinstance(scale, Real) or isinstance(scale, bool) or not (math.isfinite(scale) and scale > 0):
        raise CausalError("Noise of {scale} standard deviations changes nothing; choose a number above 0.", scale=scale)
    if not isinstance(noisy, Mapping):
        raise CausalError("`noisy` must have a list of positions for each stack, such as {example}.", example=EXAMPLE)
    noisy = {stack: check_all_whole("noisy", positions) for stack, positions in noisy.items()}
    if not any(noisy.values()):
        raise CausalError("No position gets noise; choose at least one.")
    for stack, positions in noisy.items():
        if stack not in lengths:
            raise CausalError(
                "There is no stack {stack!r}; choose one of {known}.", stack=stack, known=", ".join(lengths)
            )
        for place in positions:
            if not 0 <= place < lengths[stack]:
                raise CausalError(
                    "There is no position {place}; there are {count}, from 0 to {last}.",
                    place=place,
                    count=lengths[stack],
                    last=lengths[stack] - 1,
                )
