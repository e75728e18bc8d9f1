"""Continue the training of a finished Vision Transformer: its weights and metrics, with a new optimiser."""

import json
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from model.classifier import VisionClassifier
from model.data.images import LabelledImages
from model.networks.vision import VisionConfig
from model.runtime.checkpoint import save_tensors, write_atomically
from model.runtime.training_record import METRICS, read_metrics

from .continued_training import finished_epochs
from .loop import BEST, TrainingStart
from .recognition import Stages


@dataclass(frozen=True, eq=False)
class EarlierVisionTraining:
    """The parts of a finished run on pictures that a further run starts from."""

    config: VisionConfig  # sizes, which do not change, and the new pixels a side
    start: TrainingStart  # epochs and steps of the weights
    tensors: dict[str, Tensor]  # the shipped weights in single precision, without their temperature
    record: list[dict]  # lines of the metrics file up to the last finished epoch
    stages: Stages  # those of the earlier run, then the new ones

    def write_to(self, out: Path) -> None:
        """Write the metrics, and the weights that ship unless an epoch is better, to the new run's folder."""
        out.mkdir(parents=True, exist_ok=True)
        if any("merit" in row for row in self.record):
            save_tensors(out / BEST, self.tensors)
        write_atomically(out / METRICS, "".join(json.dumps(row) + "\n" for row in self.record).encode())


def read_earlier_vision_training(folder: Path, images: LabelledImages, stages: Stages) -> EarlierVisionTraining:
    """Read a finished Vision Transformer's folder, to train `stages` further, for pictures as large or larger.

    Position vectors for larger pictures are interpolated from the learned ones; since accuracy at the earlier size does
    not predict that at the new one, only epochs at the new size can ship then.

    Raises:
        CheckpointError: a file is missing or damaged, or no epoch was finished.
        ValueError: it was trained on other pictures, or on some that are now held back, or for a larger size.
    """
    classifier = VisionClassifier.load(folder, "cpu")  # verifies every file
    card, config = classifier.card, classifier.config
    if card["data"]["sha256"] != images.sha256:
        raise ValueError("The network to start from was trained with other pictures; give the ones it has learned.")
    known = card["data"].get("held_back", 0)  # older runs held none back
    if known < len(images.held_back):  # pictures are held back in a fixed order
        raise ValueError(
            f"From the network to start from {known} pictures were held back, and {len(images.held_back)} are to be "
            "now, so it knows some of those that epochs are chosen by; train anew, or hold back no more than it did."
        )
    if config.image_size > stages.final_size:
        raise ValueError(
            f"The network to start from reads {config.image_size} pixels; let the last of --stages have no fewer."
        )
    start, record = finished_epochs(folder)
    pixels = [row["pixels"] for row in record if row["event"] == "epoch"]
    if pixels[-1] < stages.final_size:
        record = [{name: value for name, value in row.items() if name != "merit"} for row in record]
    if config.image_size < stages.final_size:
        classifier.network.resize(stages.final_size)
    tensors = {name: tensor.float().clone() for name, tensor in classifier.network.state_dict().items()}
    for name in ("head.weight", "head.bias"):
        tensors[name] *= card.get("calibration", {}).get("temperature", 1.0)
    return EarlierVisionTraining(classifier.network.config, start, tensors, record, stages_after(pixels, stages))


def stages_after(pixels: list[int], stages: Stages) -> Stages:
    """`stages` after earlier epochs with these pixels a side."""
    return Stages((*((side, 1) for side in pixels), *stages.pairs))


def pixels_before(out: Path) -> list[int]:
    """Pixels a side of each epoch before the start of the run in `out`; empty for a run from random weights."""
    rows = read_metrics(out / METRICS)
    first = max((row.get("begun", {}).get("epoch", 0) for row in rows if row["event"] == "start"), default=0)
    return [row["pixels"] for row in rows if row["event"] == "epoch" and row["epoch"] < first]
