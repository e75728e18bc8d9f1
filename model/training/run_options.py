"""What every training run of the command line has in common: its options, its folder, its beginning and its end."""

import argparse
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from pathlib import Path

import torch
from torch import nn

from ..networks.config import Sizes
from ..runtime.checkpoint import CheckpointError, read_json, remove_leftovers, write_json
from .loop import CHECKPOINT, TrainingStart, TrainingTask, train
from .optimizer import Recipe
from .processes import ProcessGroup


def add_run_options(command: argparse.ArgumentParser, recipe: Recipe) -> None:
    """What every training run takes; the number of epochs is for the command itself to ask for."""
    command.add_argument("--out", type=Path, required=True, help="folder for checkpoint, metrics and weights")
    command.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    add_options_of(command, recipe, [field.name for field in fields(Recipe) if field.name != "epochs"])


def add_options_of(command: argparse.ArgumentParser, values: object, names: Iterable[str] | None = None) -> None:
    """An option for each of some fields of a dataclass, by default for all; what `values` has is the default."""
    for name in names or [field.name for field in fields(values)]:
        default = getattr(values, name)
        option = "--" + name.replace("_", "-")
        command.add_argument(option, type=type(default), default=default, help="default %(default)s")


def add_device_option(command: argparse.ArgumentParser) -> None:
    """Where the network runs."""
    command.add_argument("--device", default="auto", help="auto, cpu, cuda or mps")


def check_out(options: argparse.Namespace) -> None:
    """A run is either new or resumed, never both by accident.

    Raises:
        CheckpointError: `--resume` without a checkpoint in `--out`, or a checkpoint there without `--resume`.
    """
    if options.resume and not (options.out / CHECKPOINT).is_file():
        raise CheckpointError(
            "There is no {file} in {folder} to resume; leave --resume out to start.",
            file=CHECKPOINT,
            folder=options.out,
        )
    if options.resume and getattr(options, "start_from", None):
        raise CheckpointError("A run that began with --start-from goes on with --resume alone.")
    if not options.resume and (options.out / CHECKPOINT).is_file():
        raise CheckpointError(
            "{folder} holds a {file}; give --resume to go on, or another --out.", folder=options.out, file=CHECKPOINT
        )
    remove_leftovers(options.out)


def from_options(cls: type, options: argparse.Namespace, **given):
    """A dataclass filled from the options of the same names; lists become tuples."""
    found = {field.name: getattr(options, field.name) for field in fields(cls) if hasattr(options, field.name)}
    return cls(**{name: tuple(each) if isinstance(each, list) else each for name, each in found.items()} | given)


@dataclass(frozen=True)
class PreparedRun:
    """A network's sizes, what makes it with its data once the seed is set, and where its run begins."""

    config: Sizes
    task: Callable[[], TrainingTask]
    start: TrainingStart | None = None


def run_training(
    options: argparse.Namespace,
    recipe: Recipe,
    prepare: Callable[[ProcessGroup], PreparedRun],
    finish: Callable[[nn.Module, torch.device], None],
) -> int:
    """What every training run does; `finish` gets the averaged network, in the leading process alone."""
    processes = ProcessGroup.join(options.device)
    try:
        prepared = prepare(processes)
        sizes = prepared.config.to_dict()
        if options.resume and read_json(options.out / "config.json") != sizes:
            raise CheckpointError("{folder} holds a network of other sizes; give the same options.", folder=options.out)
        torch.manual_seed(recipe.seed)
        task = prepared.task()
        if processes.leads:
            write_json(options.out / "config.json", sizes)
        averaged = train(task, recipe, options.out, processes, options.resume, prepared.start)
        if processes.leads:
            finish(averaged, processes.device)
        processes.wait()
    finally:
        processes.leave()
    return 0
