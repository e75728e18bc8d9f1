"""The answer of a run with one patched cell, for networks that give one answer to one input."""

from collections.abc import Sequence

import numpy as np
import torch

from .activation_patching import Direction
from .experiments import Experiment
from .patched_translation import run_cell
from .resumable import ResumableNetwork
from .sites import Alignment


@torch.inference_mode()
def patched_probabilities(
    resumable: ResumableNetwork,
    experiment: Experiment,
    site: str,
    part: str,
    cell: Sequence[int],
    *,
    direction: Direction = "denoising",
    layers: Sequence[int] | None = None,
    positions: Sequence[int] | None = None,
    by_position: bool | None = None,
    alignment: Alignment | None = None,
    position: int = -1,
) -> np.ndarray:
    """Probabilities at an output position with one cell of a patching grid replaced, `(column,)` float64.

    Args:
        cell: index of the cell in the grid of `patch` with the same site, part and further arguments.
        position: the output position.

    Raises:
        CausalError: as `model.causal.activation_patching.patch_in_steps`.
    """
    grid = {"by_position": by_position, "layers": layers, "positions": positions}
    hidden = run_cell(resumable, experiment, site, part, cell, direction, alignment=alignment, **grid)[1]
    return resumable.logits(hidden[:1, position])[0].double().softmax(dim=-1).cpu().numpy()
