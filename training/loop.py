"""The one training loop: any task, one process or many, resumable after a kill."""

import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from tqdm import tqdm

from model.runtime.checkpoint import (
    CheckpointError,
    load_tensors,
    load_weights,
    save_tensors,
    write_atomically,
    write_error,
)
from model.runtime.device import describe_hardware
from model.runtime.processes import ProcessGroup
from model.runtime.training_record import METRICS, read_metrics

from .optimizer import (
    Recipe,
    build_optimizers,
    optimizer_tensors,
    rate_factor,
    restore_optimizers,
    set_rate,
)

CHECKPOINT = "checkpoint.safetensors"
BEST = "best.safetensors"
LOG_EVERY = 25  # steps between two lines of the metrics file
SEED_EVERY = 25  # steps of an epoch after which dropout has a new seed, so that a run can be resumed there
SAVE_EVERY = 120.0  # seconds after which the next such step writes a checkpoint
PAUSE = 60.0  # seconds of a step that count as a pause: the process was stopped, or the machine slept

Observe = Callable[[nn.Module, int], dict[str, float] | None]  # the network in training, steps so far -> figures


class TrainingTask(Protocol):
    """A network and its data, as the loop needs them."""

    data: str  # identifies the training data; a resumed run must have the same

    @property
    def network(self) -> nn.Module:
        """The network with the weights to train."""

    @property
    def step(self) -> nn.Module:
        """Its forward(*tensors) returns (loss sum, -ln p sum), sums over the terms that `load` counts."""

    def plan(self, epoch: int, world_size: int) -> Sequence[list[int]]:
        """The epoch's global batches, as item indices."""

    def load(self, indices: list[int]) -> tuple[tuple[Tensor, ...], int]:
        """The tensors of some items, and the number of terms in their loss."""

    def validate(self, network: nn.Module, device: torch.device) -> dict[str, float]:
        """Figures on held-out data, for the metrics file.

        With `merit` among them, the result of training are the averaged weights of the epoch with the highest one, of
        equal ones the latest; else those of the last epoch.
        """


@dataclass(frozen=True)
class TrainingStart:
    """Epochs and steps before a run: none, or those of the weights that are trained further.

    Warm-up and fall of the learning rate span the epochs that follow (a warm restart; Loshchilov and Hutter 2017).
    """

    epoch: int = 0
    steps: int = 0


@dataclass
class TrainingState:
    """The content of a checkpoint."""

    network: nn.Module
    average: AveragedModel
    optimizers: list[torch.optim.Optimizer]
    recipe: Recipe
    start: TrainingStart = TrainingStart()
    epoch: int = 0
    steps: int = 0
    done: int = 0  # steps of the current epoch, and their seconds
    seconds: float = 0.0

    def __post_init__(self) -> None:
        self.epoch, self.steps = self.start.epoch, self.start.steps

    def rate_factor(self, done: float) -> float:
        """Share of the peak learning rate after a share `done` of the current epoch."""
        progress = (self.epoch - self.start.epoch + done) / (self.recipe.epochs - self.start.epoch)
        return rate_factor(self.steps - self.start.steps, progress, self.recipe.warmup_steps, self.recipe.schedule)

    def save(self, path: Path) -> None:
        """Write all of it in one safetensors file, atomically."""
        tensors = {f"network.{name}": tensor for name, tensor in self.network.state_dict().items()}
        tensors |= {f"average.{name}": tensor for name, tensor in self.average.module.state_dict().items()}
        tensors |= {"averaged": self.average.n_averaged} | optimizer_tensors(self.optimizers)
        metadata = {"epoch": str(self.epoch), "steps": str(self.steps), "recipe": json.dumps(self.recipe.to_dict())}
        metadata |= {"start": json.dumps(asdict(self.start)), "done": str(self.done), "seconds": str(self.seconds)}
        save_tensors(path, tensors, metadata)

    def load(self, path: Path) -> None:
        """Read the state that `save` wrote.

        Raises:
            CheckpointError: damaged file, or a checkpoint of another recipe. Two of its fields may differ: with another
                number of epochs the learning rate falls to zero at the new end; with another `average_decay` the
                average restarts from the current weights.
        """
        tensors, metadata = load_tensors(path)
        if not {"epoch", "steps", "recipe"} <= metadata.keys() or "averaged" not in tensors:
            raise CheckpointError(
                "{file} is not a checkpoint of this program; leave --resume out to start anew.", file=path
            )
        before, recipe = json.loads(metadata["recipe"]), self.recipe
        if {**before, "epochs": recipe.epochs, "average_decay": recipe.average_decay} != recipe.to_dict():
            raise CheckpointError(
                "{file} belongs to another recipe; give the same options or another --out.", file=path
            )
        for prefix, module in (("network.", self.network), ("average.", self.average.module)):
            part = {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
            load_weights(module, part, str(path))
        self.average.n_averaged.copy_(tensors["averaged"])
        if before["average_decay"] != recipe.average_decay:
            self.average.module.load_state_dict(self.network.state_dict())
        restore_optimizers(self.optimizers, tensors)
        self.epoch, self.steps = int(metadata["epoch"]), int(metadata["steps"])
        self.start = TrainingStart(**json.loads(metadata.get("start", "{}")))
        self.done, self.seconds = int(metadata.get("done", "0")), float(metadata.get("seconds", "0"))


def train(
    task: TrainingTask,
    recipe: Recipe,
    out: Path,
    processes: ProcessGroup,
    resume: bool = False,
    start: TrainingStart | None = None,
    observe: Observe | None = None,
) -> nn.Module:
    """Train to the end of the recipe and return the network with averaged weights.

    After every epoch, and every few minutes within one, the state goes to `out/checkpoint.safetensors` (temporary name,
    then renamed); figures go to `out/metrics.jsonl`. Every step at which a run can be resumed has its own seed, so a
    resumed run repeats an uninterrupted one with the same number of processes. `recipe.epochs` counts the
    epochs before `start` too.

    Args:
        observe: called before the first step and after every step, in the leading process; its figures become a line
            of the metrics file. It changes neither weights nor random numbers, and leaves the network in training mode.

    Raises:
        CheckpointError: `resume` without a usable checkpoint of this recipe and data.
    """
    device = processes.device
    task.network.to(device)
    decay = get_ema_multi_avg_fn(recipe.average_decay)
    # running statistics of batch normalisation are averaged with the weights
    average = AveragedModel(task.network, multi_avg_fn=decay, use_buffers=True)
    state = TrainingState(
        task.network, average, build_optimizers(task.network, recipe), recipe, start or TrainingStart()
    )
    if resume:
        state.load(out / CHECKPOINT)
        own_start = asdict(state.start)  # the data of earlier runs behind --start-from may differ
        own = [row for row in read_metrics(out / METRICS) if row.get("begun", own_start) == own_start]
        if any(row.get("data", task.data) != task.data for row in own):
            raise CheckpointError(
                "The run in {folder} was trained on other data; give the same --data, --heldout and --validation.",
                folder=out,
            )
    step = processes.wrap(task.step)
    log = MetricsLog(out / METRICS, state.epoch, processes.leads, state.steps)
    log.write(
        event="start",
        epoch=state.epoch,
        after=state.steps,
        data=task.data,
        hardware=describe_hardware(device),
        processes=processes.world_size,
        threads=torch.get_num_threads(),
        torch=torch.__version__,
        recipe=recipe.to_dict(),
        begun=asdict(state.start),
    )
    for epoch in range(state.epoch, recipe.epochs):
        _train_epoch(task, step, state, out, processes, log, observe if processes.leads else None)
        seconds = state.seconds
        state.epoch, state.done, state.seconds = epoch + 1, 0, 0.0
        if processes.leads:
            figures = task.validate(state.average.module, device)
            if "merit" in figures and figures["merit"] >= _highest_merit(out):
                save_tensors(out / BEST, state.average.module.state_dict())
            log.write(event="epoch", epoch=epoch, steps=state.steps, seconds=seconds, **figures)
            state.save(out / CHECKPOINT)
        processes.wait()
    if (out / BEST).is_file() and _highest_merit(out) > -math.inf:
        load_weights(state.average.module, load_tensors(out / BEST)[0], str(out / BEST))
    return state.average.module


def _highest_merit(out: Path) -> float:
    """Highest merit of the epochs so far; see `TrainingTask.validate`."""
    return max((row["merit"] for row in read_metrics(out / METRICS) if "merit" in row), default=-math.inf)


def _train_epoch(
    task: TrainingTask,
    step: nn.Module,
    state: TrainingState,
    out: Path,
    processes: ProcessGroup,
    log: "MetricsLog",
    observe: Observe | None = None,
) -> None:
    """Train one pass over the data, or its remaining steps."""
    device, epoch, recipe = processes.device, state.epoch, state.recipe
    _seed_dropout(recipe, epoch, state.done, processes.rank)
    batches = task.plan(epoch, processes.world_size)
    if observe is not None and not state.steps:
        log.observation(epoch, 0, observe(state.network, 0))
    started = saved = window_started = time.perf_counter()
    before = state.seconds
    # sums since the last log line: loss, -ln p, terms, norms of the gradients before they are clipped, steps
    window = torch.zeros(5, dtype=torch.float64)
    step.train()
    title = f"epoch {epoch + 1}/{recipe.epochs}"
    rest = batches[state.done :]
    bar = tqdm(rest, title, len(batches), initial=state.done, disable=not processes.leads, mininterval=2)
    for number, batch in enumerate(bar, start=state.done):
        if number % SEED_EVERY == 0:
            now = time.perf_counter()
            state.done, state.seconds = number, before + now - started
            if processes.leads and now - saved > SAVE_EVERY:
                state.save(out / CHECKPOINT)
                saved = now
            _seed_dropout(recipe, epoch, number, processes.rank)
        factor = state.rate_factor(number / len(batches))
        set_rate(state.optimizers, factor)
        began = time.perf_counter()
        sums = _train_step(task, step, state, batch, processes)
        took = time.perf_counter() - began
        state.steps += 1
        took = took if took > PAUSE else 0.0  # a pause is not time of training
        if observe is not None:
            began = time.perf_counter()
            log.observation(epoch, state.steps, observe(state.network, state.steps))
            took += time.perf_counter() - began
        started, window_started = started + took, window_started + took
        window += sums
        if state.steps % LOG_EVERY == 0:
            now = time.perf_counter()
            loss, nll = (window[:2] / window[2]).tolist()
            speed = window[2].item() / (now - window_started)
            bar.set_postfix_str(f"loss {loss:.3f}, {speed:.0f} tokens/s")
            log.write(
                event="step",
                epoch=epoch,
                step=state.steps,
                loss=loss,
                nll=nll,
                rate=factor * recipe.learning_rate,
                gradient_norm=window[3].item() / window[4].item(),
                tokens_per_second=round(speed),
            )
            window.zero_()
            window_started = now
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    state.seconds = before + time.perf_counter() - started


def _seed_dropout(recipe: Recipe, epoch: int, number: int, rank: int) -> None:
    """Seed dropout at a step of an epoch, a multiple of `SEED_EVERY`."""
    seed = recipe.seed * 1_000_003 + epoch * 1009 + rank
    block = number // SEED_EVERY
    torch.manual_seed((seed * 10_007 + block) % 2**63 if block else seed)


def _train_step(
    task: TrainingTask, step: nn.Module, state: TrainingState, batch: list[int], processes: ProcessGroup
) -> Tensor:
    """Forward, backward and update on this process's share; returns what a line of the log sums, `(5,)`.

    Where a batch has fewer items than there are processes, the others run on its first item with weight 0, since every
    process must take part in the exchange of gradients.
    """
    device = processes.device
    share = batch[processes.rank :: processes.world_size]
    tensors, terms = task.load(share or batch[:1])
    tensors = tuple(tensor.to(device, non_blocking=True) for tensor in tensors)
    with torch.autocast(device.type, torch.bfloat16, enabled=state.recipe.precision == "bf16"):
        loss, nll = step(*tensors)
    if not share:
        loss, nll, terms = loss * 0, nll * 0, 0
    sums = processes.total(torch.stack([loss.detach(), nll, loss.new_tensor(float(terms))]).double()).cpu()
    # DDP averages gradients over processes; times world_size, that is the gradient of the global mean
    (loss * (processes.world_size / sums[2].item())).backward()
    norm = nn.utils.clip_grad_norm_(state.network.parameters(), state.recipe.clip_norm)
    for optimizer in state.optimizers:
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    state.average.update_parameters(state.network)
    return torch.cat([sums, sums.new_tensor([norm.item(), 1.0])])


class MetricsLog:
    """Writes JSON lines. On resuming, lines of steps after the checkpoint are removed, since these are repeated."""

    def __init__(self, path: Path, first_epoch: int, active: bool, steps: int = 0) -> None:
        self.path, self.active = path, active
        if not active:
            return
        path.parent.mkdir(parents=True, exist_ok=True)

        def before_checkpoint(row: dict) -> bool:
            of_step = row["event"] in ("step", "observation")
            if row["epoch"] < first_epoch or of_step and row.get("step", steps + 1) <= steps:
                return True
            return row["event"] == "start" and row.get("after", steps) < steps  # took part in the unfinished epoch

        rows = [row for row in read_metrics(path) if before_checkpoint(row)]
        write_atomically(path, "".join(json.dumps(row) + "\n" for row in rows).encode())

    def observation(self, epoch: int, step: int, figures: dict[str, float] | None) -> None:
        """Append a line of figures on the network after a step, if there are any."""
        if figures:
            self.write(event="observation", epoch=epoch, step=step, **figures)

    def write(self, **row: Any) -> None:
        """Append one line; a part of it may remain where the disk is full, and is skipped on reading."""
        if self.active:
            try:
                with self.path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
            except OSError as error:
                raise write_error(self.path, error) from error
