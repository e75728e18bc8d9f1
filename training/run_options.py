"""Options, folder, start and end of every training run of the command line."""

import argparse
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import torch
from torch import nn

from model.data.corpus import VALIDATION_SENTENCES, Corpus, read_split
from model.networks.config import NetworkConfig
from model.runtime.checkpoint import CheckpointError, read_json, remove_leftovers, write_json
from model.runtime.processes import ProcessGroup

from .loop import CHECKPOINT, Observe, TrainingStart, TrainingTask, train
from .optimizer import Recipe

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

DataclassT = TypeVar("DataclassT", bound="DataclassInstance")


def add_run_options(command: argparse.ArgumentParser, recipe: Recipe) -> None:
    """Add the options of every training run, except the number of epochs."""
    command.add_argument("--out", type=Path, required=True, help="folder for checkpoint, metrics and weights")
    command.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    add_options_of(command, recipe, [field.name for field in fields(Recipe) if field.name != "epochs"])


def add_options_of(
    command: argparse.ArgumentParser,
    values: "DataclassInstance | type[DataclassInstance]",
    names: Iterable[str] | None = None,
) -> None:
    """Add an option for each of some fields of a dataclass, by default all; the defaults are those of `values`."""
    for name in names or [field.name for field in fields(values)]:
        default = getattr(values, name)
        option = "--" + name.replace("_", "-")
        command.add_argument(option, type=type(default), default=default, help="default %(default)s")


def add_split_options(command: argparse.ArgumentParser) -> None:
    """Add the option for validation sentences; `--data` and `--heldout` are common to all commands on text."""
    command.add_argument(
        "--validation",
        type=int,
        default=VALIDATION_SENTENCES,
        help="further English sentences held out for choices, default %(default)s; 0 is the split of the first "
        "networks that shipped, measured on test sentences during training",
    )


def read_split_of(options: argparse.Namespace) -> Corpus:
    """The data of a training run; prints the counts of its parts."""
    corpus = read_split(options.data, options.heldout, options.validation)
    print("; ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in corpus.counts().items()), flush=True)
    return corpus


def add_device_option(command: argparse.ArgumentParser) -> None:
    """Add the option for the device."""
    command.add_argument("--device", default="auto", help="auto, cpu, cuda or mps")


def check_out(options: argparse.Namespace) -> None:
    """Check that `--out` fits `--resume`: a run is either new or resumed.

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
            "{folder} contains a {file}; give --resume to go on, or another --out.", folder=options.out, file=CHECKPOINT
        )
    remove_leftovers(options.out)


def from_options(cls: "type[DataclassT]", options: argparse.Namespace, **others: Any) -> "DataclassT":
    """A dataclass with values from the options of the same names, and from `others`; lists become tuples."""
    values = {field.name: getattr(options, field.name) for field in fields(cls) if hasattr(options, field.name)}
    return cls(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()} | others)


@dataclass(frozen=True)
class PreparedRun:
    """A network's sizes, a function that builds it and its data after seeding, and the start of its run."""

    config: NetworkConfig
    task: Callable[[], TrainingTask]
    start: TrainingStart | None = None


def _read_sizes(path: Path, config_type: type[NetworkConfig]) -> dict | None:
    """The sizes in a file, with the defaults of those that it lacks since it is older; None if they are impossible."""
    try:
        return config_type.from_dict(read_json(path)).to_dict()
    except (TypeError, ValueError):
        return None


def run_training(
    options: argparse.Namespace,
    recipe: Recipe,
    prepare: Callable[[ProcessGroup], PreparedRun],
    finish: Callable[[nn.Module, torch.device], None],
    observe: Callable[[TrainingTask, torch.device], Observe] | None = None,
) -> int:
    """Run training from preparation to the end; `finish` receives the averaged network, in the leading process only.

    `observe` makes the function of that name of `training.loop.train` from task and device.
    """
    processes = ProcessGroup.join(options.device)
    try:
        prepared = prepare(processes)
        sizes = prepared.config.to_dict()
        if options.resume and _read_sizes(options.out / "config.json", type(prepared.config)) != sizes:
            raise CheckpointError(
                "{folder} contains a network of other sizes; give the same options.", folder=options.out
            )
        torch.manual_seed(recipe.seed)
        task = prepared.task()
        if processes.leads:
            write_json(options.out / "config.json", sizes)
        look = None if observe is None else observe(task, processes.device)
        with processes.explained():
            averaged = train(task, recipe, options.out, processes, options.resume, prepared.start, look)
        if processes.leads:
            finish(averaged, processes.device)
        processes.wait()
    finally:
        processes.leave()
    return 0
