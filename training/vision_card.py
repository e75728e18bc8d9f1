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

from .card import card_page, training_facts, write_weights
from .distillation import Teacher
from .explanation_card import faithfulness_section, patch_agreement_section
from .head_card import write_readable_card
from .loop import METRICS, read_metrics
from .optimizer import Recipe
from .recognition import Recognizer, accuracy, classify_all
from .vision_scores import (
    BINS,
    calibration_error,
    compare_explanations,
    compare_with_leave_one_out,
    fit_temperature,
    measure_shift,
)

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
    write_readable_card(folder, card_markdown)
    return card


def evaluate_agreement(folder: Path, images: LabelledImages, pictures: int, device: str = "auto") -> dict:
    """Compare the explanations of the ViT in `folder` with leave-one-out, and write `card.json` and `card.md` anew.

    Raises:
        CheckpointError, ValueError: as of `evaluate_recognizer`; or two pictures are not enough.
    """
    card = validation_card(folder, images)
    classifier = VisionClassifier.load(folder, device)
    card["leave_one_out"] = compare_with_leave_one_out(classifier, images.validation.pictures, pictures)
    write_json(folder / "card.json", card)
    write_readable_card(folder, card_markdown)
    return card


def validation_card(folder: Path, images: LabelledImages) -> dict:
    """The card of the classifier in `folder`, after a check that it has not seen the validation pictures of `images`.

    Raises:
        CheckpointError: there is no card.
        ValueError: see `evaluate_recognizer`.
    """
    card = read_json(folder / "card.json")
    if card["data"]["sha256"] != images.sha256:
        raise ValueError("These pictures are not the ones the classifier was trained with, so none is known to be new.")
    return card


def card_markdown(card: dict, sizes: dict, heads: str = "") -> str:
    """The readable card, from `card.json` and `config.json`; `heads` is a section on the heads."""
    data, training, evaluation = card["data"], card["training"], card["evaluation"]
    title, what, unit, more = _network_lines(card, sizes)
    stages = ", then ".join(f"{epochs} epochs at {size} pixels" for size, epochs in training["stages"])
    classes = "\n".join(f"| {name} | {100 * share:.1f} % |" for name, share in evaluation["classes"].items())
    back, chosen, calibration = data.get("held_back"), training.get("chosen"), card.get("calibration")
    counted = f"{data['training_pictures']:,} pictures to train on, {evaluation['pictures']:,} to validate"
    if back:  # older cards have none of these
        counted += f"\n- {back:,} further training pictures held back: epoch and temperature are chosen by them alone"
    if teacher := training.get("teacher"):
        share = 100 * teacher["share"]
        more += f"""
- Teacher: a convolutional network of {teacher["parameters"]:,} parameters, trained in {teacher["minutes"]:.1f} minutes,
  which recognizes {100 * teacher["top1"]:.1f} % of the pictures held back (SHA-256 `{teacher["sha256"]}`).
  It reads the same view at {teacher["pixels"]} pixels; its answers at temperature {teacher["temperature"]:g} make
  up {share:g} % of the loss"""
        if rounds := teacher.get("rounds"):
            more += f"; the same views come again after {rounds} epochs"
    more += "".join(f"\n- Until epoch {end}: {what}" for end, what in training.get("earlier", []))
    if chosen:
        share = 100 * chosen["top1"]
        more += f"\n- Shipped: epoch {chosen['epoch']}, which recognizes most of the pictures held back, {share:.1f} %"
    if reading := training.get("reading"):
        tried = ", ".join(f"{100 * share:.1f} % at {size}" for size, share in reading)
        more += f"\n- Pictures are read at the size at which most of those held back are recognized: {tried} pixels"
    if calibration:
        more += f"""
- Temperature {calibration["temperature"]:.3f}, fitted on the pictures held back (calibration error there
  {100 * calibration["error_before"]:.1f} % before, {100 * calibration["error_after"]:.1f} % after); it is part of the
  last layer's weights"""
    what += f""" {card["parameters"]:,} parameters, stored in half precision
({card["weights_bytes"] / 1e6:.1f} MB).

It is made for inspection. It has {len(sizes["classes"])} classes and answers every picture with one of them."""
    facts = f"- {counted}\n- SHA-256 over all pictures and labels: `{data['sha256']}`"
    trained = f"""- {stages}; about {training["recipe"]["batch_tokens"]:,} {unit} a batch and process
- Random views: {data["views"]}{more}"""
    quality = f"""On the {evaluation["pictures"]:,} validation pictures, on {evaluation["hardware"]}:

- Top-1 accuracy {100 * evaluation["top1"]:.1f} %
- Expected calibration error {100 * evaluation["calibration_error"]:.1f} % ({BINS} bins)
- Mean -ln p of the right class {evaluation["heldout_nll"]:.3f}{_moved_line(evaluation)}

| class | right |
| --- | --- |
{classes}

{faithfulness_section(evaluation)}{patch_agreement_section(card.get("leave_one_out"))}{heads}"""
    return card_page(card, title, what, "", facts, trained, quality)


def _moved_line(evaluation: dict) -> str:
    """Line on pictures that are moved; older cards have none."""
    if "moved" not in evaluation:
        return ""
    moved = evaluation["moved"]
    tenth = f"{100 * moved['percentile_90']:.1f} %"
    return f"""
- Moved right by {moved["pixels"]} pixels: the probability that changes most changes by {100 * moved["median"]:.1f} % in
  the median of {moved["pictures"]} of these pictures, by {tenth} or more in a tenth of them"""


def _network_lines(card: dict, sizes: dict) -> tuple[str, str, str, str]:
    """Title, description of the network, unit of a batch, and further lines on training."""
    if "widths" in sizes:
        widths = ", ".join(map(str, sizes["widths"]))
        what = f"""A residual convolutional network: a stem of two 3 x 3 convolutions, stages of {widths} channels with
{sizes["blocks"]} blocks each, squeeze-and-excitation; pictures of {sizes["image_size"]} x {sizes["image_size"]}
pixels."""
        return "convolutional picture classifier", what, "places of the last maps", ""
    layers = f"{sizes['n_layers']} layers, {sizes['n_heads']} heads"
    what = f"""A Vision Transformer as in "An Image is Worth 16x16 Words": {layers},
d_model {sizes["d_model"]}, d_ff {sizes["d_ff"]}; pictures of {sizes["image_size"]} x {sizes["image_size"]} pixels in
patches of {sizes["patch_size"]} x {sizes["patch_size"]}."""
    return "picture classifier", what, "patches", f"\n- Stochastic depth up to {sizes['drop_path']}"
