"""The answer of a run with one patched cell, for networks that give one answer to one input."""

from collections.abc import Sequence

import numpy as np
import torch

from .activation_patching import Direction
from .experiments import Experiment
from .patched_runs import resume_cases
from .patched_translation import receiving_labels, runs_of
from .resumable import ResumableNetwork
from .sites import find_site, make_grid


@torch.inference_mode()
def patched_probabilities(
    resumable: ResumableNetwork,
    experiment: Experiment,
    site: str,
    part: str,
    cell: Sequence[int],
    *,
    direction: Direction = "denoising",
    positions: Sequence[int] | None = None,
) -> np.ndarray:
    """Probabilities at the last output position with one cell of a patching grid replaced, `(column,)` float64.

    Args:
        cell: index of the cell in the grid of `patch` with the same site, part and positions.

    Raises:
        CausalError: as `model.causal.activation_patching.patch_in_steps`.
    """
    give, receive = runs_of(experiment, direction)
    grid = make_grid(resumable, find_site(site), part, receiving_labels(experiment, direction), positions=positions)
    case = grid.cases(resumable.record(give))[int(np.ravel_multi_index(tuple(cell), grid.shape))]
    stage = min(resumable.stage_of(patch.name) for patch in case)
    hidden = resume_cases(resumable, resumable.record(receive), [case], stage)
    return resumable.logits(hidden[0, -1]).double().softmax(dim=-1).cpu().numpy()
