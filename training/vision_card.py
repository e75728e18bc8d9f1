"""Write the shipped folder of a trained picture classifier: weights, and a card with measured figures."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import torch
import torch.nn.functional as F

from model.classifier import VisionClassifier
from model.convolution_classifier import ConvolutionClassifier
from model.data.images import LabelledImages, PictureSplit
from model.networks.convolution import ConvolutionalNetwork
from model.runtime.checkpoint import read_json, sha256_of, write_json
from model.runtime.device import choose_device, describe_hardware

from .card import training_facts, write_weights
from .distillation import Teacher
from .loop import METRICS, read_metrics
from .optimizer import Recipe
from .readable_card import write_readable_card
from .recognition import Recognizer, accuracy, classify_all
from .study import validation_card
from .vision_scores import calibration_error, compare_explanations, fit_temperature, measure_shift

DATA = {
    "name": "Imagenette at 128 x 128 pixels, ten classes of ImageNet",
    "source": "github.com/fastai/imagenette",
    "licence": "pictures of ImageNet, for research use; none of them is part of this project",
}
READING_SIZES = (1.0, 1.125, 1.25, 1.375)  # times the last size of training
EXPLAINED = 200  # validation pictures over which explanations are compared


def finish_recognizer(
    folder: Path,
    images: LabelledImages,
    recipe: Recipe,
    teacher: Teacher | None,
    network: Recognizer,
    device: torch.device,
) -> None:
    """Choose the size to read at, fit the temperature, write the weights, and evaluate them as written for the card."""
    rows = read_metrics(folder / METRICS)
    start = next(row for row in reversed(rows) if row["event"] == "start")
    epochs = [row for row in rows if row["event"] == "epoch"]
    pixels = [row["pixels"] for row in epochs]
    convolution = isinstance(network, ConvolutionalNetwork)
    reading = choose_reading_size(network, pixels[-1], images.held_back, device) if convolution else []
    write_json(folder / "config.json", network.config.to_dict())
    card = {
        "calibration": calibrate(network, images.held_back, device),
        **write_weights(folder, network),
        "data": {
            **DATA,
            "sha256": images.sha256,
            "training_pictures": len(images.train),
            "held_back": len(images.held_back),
            "views": start["data"].split("; views ")[1],
        },
        "training": training_facts(folder, recipe)
        | {"stages": [[size, pixels.count(size)] for size in dict.fromkeys(pixels)], "chosen": _chosen(epochs)}
        | ({"teacher": teacher.facts} if teacher else {})
        | ({"earlier": earlier} if (earlier := _earlier(rows)) else {})
        | ({"reading": reading} if reading else {}),
    }
    write_json(folder / "card.json", card)
    evaluate_recognizer(folder, images, str(device))


def _earlier(rows: list[dict]) -> list[list]:
    """Of each run that this one continues: number of epochs up to its end, and a text on its teacher and views."""
    starts = [row for row in rows if row["event"] == "start"]
    return [
        [row["epoch"], before["data"].split("; ", 2)[2]]
        for before, row in pairwise(starts)
        if row["epoch"] == row.get("begun", {}).get("epoch") > before.get("begun", {}).get("epoch", 0)
    ]


def _chosen(epochs: list[dict]) -> dict:
    """The epoch whose weights are written, counted from 1, and its accuracy on the pictures held back."""
    best = max((row for row in epochs if "merit" in row), key=lambda row: (row["merit"], row["epoch"]))
    return {"epoch": best["epoch"] + 1, "top1": best["top1"]}


def choose_reading_size(
    network: Recognizer, trained: int, split: PictureSplit, device: torch.device
) -> list[list[float]]:
    """Set a network to the picture size with the highest accuracy on `split`.

    Objects are larger in random crops than in whole pictures, so pictures somewhat larger than the last size of
    training, `trained`, can suit it better (Touvron et al. 2019). A Vision Transformer interpolates its positions.

    Returns:
        Pixels a side and accuracy, for each size tried; of two equal ones the smaller is chosen.
    """
    step = network.config.stride if isinstance(network, ConvolutionalNetwork) else network.config.patch_size
    sides = sorted({round(factor * trained / step) * step for factor in READING_SIZES})
    tried = [(side, accuracy(*classify_all(network.eval(), split, side, device))) for side in sides]
    best, _ = max(tried, key=lambda row: (row[1], -row[0]))
    if isinstance(network, ConvolutionalNetwork):
        network.config = replace(network.config, image_size=best)
    else:
        network.resize(best)
    return [[side, share] for side, share in tried]


def calibrate(network: Recognizer, split: PictureSplit, device: torch.device) -> dict:
    """Divide the network's last layer by the temperature that fits `split`, so that its probabilities are calibrated.

    Returns the temperature, the number of pictures, and the expected calibration error on them before and after.
    """
    logits, labels = classify_all(network.eval(), split, network.config.image_size, device)
    temperature = fit_temperature(logits, labels)
    with torch.no_grad():
        network.head.weight.div_(temperature)
        network.head.bias.div_(temperature)
    errors = [calibration_error((logits / by).softmax(dim=1), labels) for by in (1.0, temperature)]
    return {"temperature": temperature, "pictures": len(labels), "error_before": errors[0], "error_after": errors[1]}


def evaluate_recognizer(folder: Path, images: LabelledImages, device: str = "auto") -> dict:
    """Score the classifier in `folder` on the validation pictures and write `card.json` and `card.md` anew.

    Raises:
        CheckpointError: the folder cannot be read.
        ValueError: the data is not what this classifier was trained on.
    """
    card = validation_card(folder, images)
    convolution = "widths" in read_json(folder / "config.json")
    classifier = (ConvolutionClassifier if convolution else VisionClassifier).load(folder, device)
    card.setdefault("config_sha256", sha256_of(folder / "config.json"))  # older cards have none
    split = images.validation
    logits, labels = classify_all(classifier.network, split, classifier.config.image_size, classifier.device)
    card["evaluation"] = {
        "pictures": len(split),
        "hardware": describe_hardware(choose_device(device)),
        "top1": accuracy(logits, labels),
        "heldout_nll": F.cross_entropy(logits, labels).item(),
        "calibration_error": calibration_error(logits.softmax(dim=1), labels),
        "classes": {
            name: accuracy(logits[labels == number], labels[labels == number])
            for number, name in enumerate(classifier.config.classes)
            if (labels == number).any()
        },
    }
    count = min(EXPLAINED, len(split))
    card["evaluation"]["moved"] = measure_shift(classifier, split.pictures, count)
    if isinstance(classifier, VisionClassifier):
        faithfulness = compare_explanations(classifier, split.pictures, count)
        card["evaluation"] |= {"explained": count, "faithfulness": faithfulness}
    card["parameters"] = classifier.parameters
    write_json(folder / "card.json", card)
    write_readable_card(folder)
    return card
