"""The shipped folder of a trained picture classifier: weights, and a card with accuracy, calibration, faithfulness."""

from __future__ import annotations

from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

from model.classifier import VisionClassifier
from model.runtime.checkpoint import read_json, sha256_of, write_json
from model.runtime.device import choose_device, hardware
from model.training.card import training_facts, training_lines, write_weights
from model.training.head_card import write_readable_card
from model.training.images import LabelledImages
from model.training.loop import METRICS, read_metrics
from model.training.optimizer import Recipe
from model.training.recognition import classify_all
from model.training.vision_scores import BINS, calibration_error, compare_explanations

DATA_NAME = "Imagenette at 128 x 128 pixels, ten classes of ImageNet"
DATA_SOURCE = "github.com/fastai/imagenette"
DATA_LICENCE = "pictures of ImageNet, for research use; none of them is part of this project"
EXPLAINED = 200  # validation pictures over which explanations are compared


def finish_vision(
    folder: Path, network: nn.Module, images: LabelledImages, recipe: Recipe, device: torch.device
) -> None:
    """Write the weights in half precision, then evaluate exactly what was written and write the card."""
    start = next(row for row in reversed(read_metrics(folder / METRICS)) if row["event"] == "start")
    epochs = [row for row in read_metrics(folder / METRICS) if row["event"] == "epoch"]
    pixels = [row["pixels"] for row in epochs]
    card = {
        **write_weights(folder, network),
        "data": {
            "name": DATA_NAME,
            "source": DATA_SOURCE,
            "licence": DATA_LICENCE,
            "sha256": images.sha256,
            "training_pictures": len(images.train),
            "views": start["data"].split("; views ")[1],
        },
        "training": training_facts(folder, recipe)
        | {"stages": [[size, pixels.count(size)] for size in dict.fromkeys(pixels)]},
    }
    write_json(folder / "card.json", card)
    evaluate_vision(folder, images, str(device))


def evaluate_vision(folder: Path, images: LabelledImages, device: str = "auto") -> dict:
    """Score the classifier in `folder` on the validation pictures and write `card.json` and `card.md` anew.

    Raises:
        CheckpointError: the folder cannot be read.
        ValueError: the data is not what this classifier was trained on.
    """
    card = validation_card(folder, images)
    classifier = VisionClassifier.load(folder, device)
    card.setdefault("config_sha256", sha256_of(folder / "config.json"))  # older cards have none
    split = images.validation
    logits = classify_all(classifier.network, split.pictures, classifier.config.image_size, classifier.device)
    labels = torch.from_numpy(split.labels)
    right = logits.argmax(dim=1) == labels
    card["evaluation"] = {
        "pictures": len(split),
        "hardware": hardware(choose_device(device)),
        "top1": right.double().mean().item(),
        "heldout_nll": F.cross_entropy(logits, labels).item(),
        "calibration_error": calibration_error(logits.softmax(dim=1), labels),
        "classes": {
            name: right[labels == number].double().mean().item()
            for number, name in enumerate(classifier.config.classes)
            if (labels == number).any()
        },
        "explained": min(EXPLAINED, len(split)),
        "faithfulness": compare_explanations(classifier, split.pictures, min(EXPLAINED, len(split))),
    }
    card["parameters"] = classifier.parameters
    write_json(folder / "card.json", card)
    write_readable_card(folder, card_markdown)
    return card


def validation_card(folder: Path, images: LabelledImages) -> dict:
    """The card of the classifier in `folder`, which has never seen the validation pictures of `images`.

    Raises:
        CheckpointError: there is no card.
        ValueError: as `evaluate_vision` says.
    """
    card = read_json(folder / "card.json")
    if card["data"]["sha256"] != images.sha256:
        raise ValueError("These pictures are not the ones the classifier was trained with, so none is known to be new.")
    return card


def card_markdown(card: dict, sizes: dict, heads: str = "") -> str:
    """The card for people. Every figure comes from `card.json` and `config.json`; `heads` is a section on the heads."""
    data, training, evaluation = card["data"], card["training"], card["evaluation"]
    stages = ", then ".join(f"{epochs} epochs at {size} pixels" for size, epochs in training["stages"])
    classes = "\n".join(f"| {name} | {100 * share:.1f} % |" for name, share in evaluation["classes"].items())
    methods = "\n".join(_method_line(name, figures) for name, figures in evaluation["faithfulness"].items())
    return f"""# Model card: picture classifier

Written by `python -m model.training`; every figure is measured on the weights in this folder.

## What it is

A Vision Transformer as in "An Image is Worth 16x16 Words": {sizes["n_layers"]} layers, {sizes["n_heads"]} heads,
d_model {sizes["d_model"]}, d_ff {sizes["d_ff"]}; pictures of {sizes["image_size"]} x {sizes["image_size"]} pixels in
patches of {sizes["patch_size"]} x {sizes["patch_size"]}. {card["parameters"]:,} parameters, stored in half precision
({card["weights_bytes"] / 1e6:.1f} MB).

It is made to be looked into. It knows {len(sizes["classes"])} classes and answers with one of them whatever it sees.

## Data

{data["name"]}.

- Source: {data["source"]}
- Licence: {data["licence"]}
- {data["training_pictures"]:,} pictures to train on, {evaluation["pictures"]:,} to validate
- SHA-256 over all pictures and labels: `{data["sha256"]}`

## Training

{training_lines(training)}
- {stages}; about {training["recipe"]["batch_tokens"]:,} patches a batch and process
- Random views: {data["views"]}
- Stochastic depth up to {sizes["drop_path"]}

## Quality

On the {evaluation["pictures"]:,} validation pictures, on {evaluation["hardware"]}:

- Top-1 accuracy {100 * evaluation["top1"]:.1f} %
- Expected calibration error {100 * evaluation["calibration_error"]:.1f} % ({BINS} bins)
- Mean -ln p of the right class {evaluation["heldout_nll"]:.3f}

| class | right |
| --- | --- |
{classes}

## Which explanation is faithful

Over {evaluation["explained"]} validation pictures, for each picture's most probable class: mean area under the
deletion and insertion curves with the standard deviation over pictures; the paired difference of the deletion area to
random orders with its standard error, below 0 is better than random; and the share of pictures where it is below.

| method | deletion | insertion | difference to random | below random |
| --- | --- | --- | --- | --- |
{methods}

{heads}## Files

- `model.safetensors`, SHA-256 `{card["weights_sha256"]}`, verified when it is loaded
- `config.json`, SHA-256 `{card["config_sha256"]}`, likewise
- `metrics.jsonl`: the training curve, one JSON object a line
"""


def _method_line(name: str, figures: dict) -> str:
    areas = " | ".join(f"{figures[key]['mean']:.3f} ± {figures[key]['sd']:.3f}" for key in ("deletion", "insertion"))
    if name == "random":
        return f"| random order | {areas} | | |"
    difference = figures["difference"]
    return (
        f"| {name} | {areas} | {difference['mean']:+.3f} ± {difference['standard_error']:.3f} | "
        f"{100 * figures['below_random']:.0f} % |"
    )
