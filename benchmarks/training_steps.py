"""How long an epoch of the small networks that differ in their positions takes on one thread.

    python -m benchmarks.training_steps --data fra-eng.zip [--kind sinusoidal alibi] [--steps 30]

The steps are spread evenly over the batches of an epoch, after three that are not counted. Time of the processor, so
that other programs on the machine matter little.
"""

import argparse
import statistics
import time
from pathlib import Path

import torch
from torch.optim.swa_utils import AveragedModel

from model.data.corpus import read_split
from model.networks.config import POSITION_KINDS
from model.networks.transformer import Transformer
from model.recurrent_translator import TOKENIZER
from model.runtime.device import describe_hardware
from model.runtime.processes import ProcessGroup
from model.text.tokenizer import Tokenizer
from training.loop import TrainingState, _train_step
from training.optimizer import Recipe, build_optimizers
from training.position_networks import LONGEST_TOKENS, POSITIONS_RECIPE, positions_config
from training.translation import TranslationTask

WARM_UP = 3
ALONE = ProcessGroup(0, 1, torch.device("cpu"))


def seconds_a_step(task: TranslationTask, recipe: Recipe, steps: int) -> tuple[float, int]:
    """Mean processor seconds of a step, and the steps of an epoch."""
    average = AveragedModel(task.network)
    state = TrainingState(task.network, average, build_optimizers(task.network, recipe), recipe)
    batches = task.plan(0, 1)
    chosen = [batches[number * len(batches) // (steps + WARM_UP)] for number in range(steps + WARM_UP)]
    times = []
    task.step.train()
    for batch in chosen:
        began = time.process_time()
        _train_step(task, task.step, state, batch, ALONE)
        times.append(time.process_time() - began)
    return statistics.fmean(times[WARM_UP:]), len(batches)


def main() -> None:
    """Print a line for each kind of positions and precision."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="sentence pairs, as for training")
    parser.add_argument("--kind", nargs="+", choices=POSITION_KINDS, default=["sinusoidal"])
    parser.add_argument("--precision", nargs="+", choices=("fp32", "bf16"), default=["fp32", "bf16"])
    parser.add_argument("--steps", type=int, default=30)
    options = parser.parse_args()
    torch.set_num_threads(1)
    tokenizer, corpus = Tokenizer(TOKENIZER), read_split(options.data)
    print(describe_hardware(torch.device("cpu")))
    for kind in options.kind:
        for precision in options.precision:
            recipe = Recipe(**POSITIONS_RECIPE.to_dict() | {"precision": precision})
            torch.manual_seed(0)
            network = Transformer(positions_config(kind, len(tokenizer)))
            task = TranslationTask(network, tokenizer, corpus, recipe, LONGEST_TOKENS)
            each, count = seconds_a_step(task, recipe, options.steps)
            print(
                f"{kind}, {precision}: {each:.2f} s a step, {count:,} steps an epoch: {each * count / 60:.0f} minutes; "
                f"{len(task.pairs):,} pairs",
                flush=True,
            )


if __name__ == "__main__":
    main()
