"""Weights of a network at many steps of its training, and the choice of a few of them by held-out loss."""

import re
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import nn

from model.runtime.checkpoint import FOLDER, CheckpointError, load_tensors, save_tensors, snapshot_file

from .loop import TrainingTask

RATIO = 1.12  # of a stored step to the one before: the loss falls fast at first
STORED = re.compile(r"step-(\d+)\.safetensors")
SELECTED = 12


class SnapshotWriter:
    """Stores weights in half precision at step 0 and at steps that grow by `RATIO`, with their held-out loss.

    The weights are those that training changes, not their average, which lags behind in the first thousand steps.
    A resumed run writes the same files again.

    Args:
        out: folder of the run; the weights go to `FOLDER` in it.
        task: measures the loss by its `validate`.
        device: of the network.
    """

    def __init__(self, out: Path, task: TrainingTask, device: torch.device) -> None:
        self.out, self.task, self.device = out, task, device
        self.steps = 0  # of the last call

    def __call__(self, network: nn.Module, steps: int) -> dict[str, float] | None:
        """Store the network if this is one of the steps, and return its held-out figures."""
        self.steps = steps
        return self.store(network) if is_stored(steps) else None

    def store(self, network: nn.Module) -> dict[str, float]:
        """Store the network at the step of the last call, and return its held-out figures."""
        training = network.training
        figures = self.task.validate(network, self.device)
        network.train(training)
        tensors = {name: tensor.detach().cpu().half() for name, tensor in network.state_dict().items()}
        facts = {"step": str(self.steps), "heldout_nll": repr(figures["heldout_nll"])}
        save_tensors(snapshot_file(self.out, self.steps), tensors, facts)
        return figures


def is_stored(step: int) -> bool:
    """Whether a step is 0, 1, 2, ... or, where powers of `RATIO` are further apart, nearest to one of them."""
    power, last = 1.0, 0
    while last < step:
        last = max(last + 1, round(power))
        power *= RATIO
    return last == step


def read_losses(folder: Path) -> dict[int, float]:
    """Step -> held-out loss of the weights that a run stored.

    Raises:
        CheckpointError: there are none, or a file is damaged.
    """
    files = sorted((folder / FOLDER).glob("step-*.safetensors"))
    losses = {}
    for file in files:
        _, facts = load_tensors(file)
        losses[int(facts["step"])] = float(facts["heldout_nll"])
    if not losses:
        raise CheckpointError("There are no snapshots in {folder}; train it with --snapshots.", folder=folder)
    return losses


def select_steps(losses: Mapping[int, float], count: int = SELECTED) -> list[int]:
    """Select steps between which the held-out loss falls by nearly equal amounts, the first and the last among them.

    Args:
        losses: step -> held-out loss.
        count: number of steps, at least 2.

    Returns:
        Increasing steps. Each but the first and last is, of those after the step before it that leave enough for
        the rest, the one with the loss nearest to its share of the whole fall.

    Raises:
        ValueError: there are fewer steps than `count`.
    """
    steps = sorted(losses)
    if not 2 <= count <= len(steps):
        raise ValueError(f"{len(steps)} stored steps are too few to select {count} of them; train longer.")
    first, last = losses[steps[0]], losses[steps[-1]]
    places = [0]
    for number in range(1, count - 1):
        wanted = first + (last - first) * number / (count - 1)
        open_places = range(places[-1] + 1, len(steps) - (count - 1 - number))
        places.append(min(open_places, key=lambda place: abs(losses[steps[place]] - wanted)))
    return [steps[place] for place in (*places, len(steps) - 1)]


def remove_others(folder: Path, steps: list[int]) -> None:
    """Remove the stored weights of all other steps, so that what remains can ship."""
    for file in (folder / FOLDER).iterdir():
        match = STORED.fullmatch(file.name)
        if match and int(match[1]) not in steps:
            file.unlink()
