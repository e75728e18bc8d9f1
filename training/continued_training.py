"""Continue the training of a finished translator: its weights, tokenizer and metrics, with a new optimiser."""

import json
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from model.data.corpus import Corpus
from model.networks.config import TransformerConfig
from model.runtime.checkpoint import CheckpointError, load_tensors, write_atomically
from model.runtime.training_record import METRICS, read_metrics
from model.translator import Translator

from .loop import TrainingStart
from .optimizer import Recipe
from .study import held_out_card


@dataclass(frozen=True, eq=False)
class EarlierTraining:
    """The parts of a finished run that a further run starts from."""

    config: TransformerConfig  # sizes, which do not change
    start: TrainingStart  # epochs and steps of the weights
    tensors: dict[str, Tensor]  # the averaged weights, as they were stored, in single precision
    tokenizer: bytes  # content of `tokenizer.model`
    record: list[dict]  # lines of the metrics file up to the last finished epoch

    def write_to(self, out: Path) -> None:
        """Write the tokenizer and the metrics to the new run's folder."""
        write_atomically(out / "tokenizer.model", self.tokenizer)
        write_atomically(out / METRICS, "".join(json.dumps(row) + "\n" for row in self.record).encode())


def read_earlier_training(folder: Path, corpus: Corpus, recipe: Recipe) -> EarlierTraining:
    """Read a finished translator's folder.

    Raises:
        CheckpointError: a file is missing or damaged, or the run has all epochs of `recipe` already.
        ValueError: it was trained on other data, or on sentences that are now held out.
    """
    card = held_out_card(folder, corpus)
    config = Translator.load(folder, "cpu").config  # verifies every file
    tensors, _ = load_tensors(folder / "model.safetensors", card["weights_sha256"])
    start, record = finished_epochs(folder)
    if recipe.epochs <= start.epoch:
        raise CheckpointError(
            "{folder} has trained for {epochs} {epochs:epoch|epochs}; give --epochs more than that.",
            folder=folder,
            epochs=start.epoch,
        )
    tensors = {name: tensor.float() for name, tensor in tensors.items()}
    return EarlierTraining(config, start, tensors, (folder / "tokenizer.model").read_bytes(), record)


def finished_epochs(folder: Path) -> tuple[TrainingStart, list[dict]]:
    """Start of a run that continues the one in `folder`, and the lines of the metrics file up to it.

    Raises:
        CheckpointError: no epoch was finished.
    """
    rows = read_metrics(folder / METRICS)
    ends = [row for row in rows if row["event"] == "epoch"]
    if not ends:
        raise CheckpointError(
            "{folder} has no {file} with a finished epoch, so its training cannot be continued.",
            folder=folder,
            file=METRICS,
        )
    start = TrainingStart(len(ends), ends[-1]["steps"])
    return start, [row for row in rows if row["epoch"] < start.epoch]
