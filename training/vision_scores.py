"""Calibration of a picture classifier, and faithfulness of the explanations of its answers."""

import argparse
import math
from pathlib import Path

import numpy as np
from torch import Tensor
from tqdm import tqdm

from model.attribution.agreement import spearman, top_match
from model.attribution.faithfulness import CENTRE, RANDOM, centre_order
from model.attribution.rollout import INTEGRATED
from model.causal.metrics import Logit
from model.classifier import VisionClassifier
from model.data.images import LabelledImages, read_images
from model.lessons.inductive_bias import move_right
from model.picture_classifier import PictureClassifier
from model.runtime.checkpoint import write_json
from model.runtime.progress import run_to_end
from model.study.study_data import spread_evenly

from .agreement_study import agreement_cells, agreement_verdict, summarize_ranks_and_tops
from .recognition import resize_pictures
from .study import MODEL, Study, check_count, check_transformer, counted, validation_card
from .templates import fill, table_rows

BINS = 15
MOVED = 8  # pixels: one patch of the shipped Vision Transformer
BAND = 1.96  # standard errors on either side of a mean: 95 % of a normal distribution
STEPS = 50  # of the bisection for a temperature
BOUNDS = (0.05, 20.0)  # of the bisection
BASELINES = {CENTRE: "centre first", RANDOM: "random order"}
AREAS = ("deletion", "insertion")


def calibration_error(probabilities: Tensor, labels: Tensor, bins: int = BINS) -> float:
    """Expected calibration error (Guo et al. 2017, equation 3): mean |accuracy - confidence| over equal bins.

    Of probabilities `(picture, class)` and labels `(picture,)`.
    """
    confidence, answer = probabilities.double().max(dim=1)
    right = (answer == labels).double()
    place = (confidence * bins).ceil().long().clamp(1, bins) - 1  # bins are open below and closed above
    error = 0.0
    for number in place.unique():
        inside = place == number
        error += inside.double().mean().item() * abs((right[inside].mean() - confidence[inside].mean()).item())
    return error


def fit_temperature(logits: Tensor, labels: Tensor) -> float:
    """Divisor of the logits that minimises the mean -ln p of the labels (Guo et al. 2017, section 4.2).

    Mean -ln p is convex in the inverse of the temperature, so bisection of its slope finds the minimum.

    Args:
        logits: `(picture, class)`, of pictures that were not trained on.
        labels: `(picture,)`.

    Returns:
        A number within `BOUNDS`: above 1 where the network is overconfident.
    """
    logits = logits.double()
    right = logits.gather(1, labels[:, None])[:, 0]  # (picture,)
    low, high = (-math.log(bound) for bound in reversed(BOUNDS))
    for _ in range(STEPS):
        middle = (low + high) / 2
        expected = ((logits * math.exp(middle)).softmax(dim=1) * logits).sum(dim=1)  # (picture,)
        if (expected - right).mean() > 0:  # mean -ln p rises here
            high = middle
        else:
            low = middle
    return math.exp(-(low + high) / 2)


def measure_shift(classifier: PictureClassifier, pictures: np.ndarray, count: int) -> dict[str, float]:
    """Measure how much answers change when pictures move right by `MOVED` pixels, over `count` of them spread evenly.

    Returns:
        "pixels" moved by, "pictures", and median and 90th percentile over the pictures of the largest |change| of a
        class's probability.
    """
    changes = []
    for index in spread_evenly(len(pictures), count):
        pixels = resize_pictures(pictures[index : index + 1], classifier.config.image_size)[0]
        before, after = (classifier.probabilities(each) for each in (pixels, move_right(pixels, MOVED)))
        changes.append(float(np.abs(after - before).max()))
    median, most = np.quantile(changes, (0.5, 0.9))
    return {"pixels": MOVED, "pictures": len(changes), "median": float(median), "percentile_90": float(most)}


def compare_explanations(classifier: VisionClassifier, pictures: np.ndarray, count: int) -> dict:
    """Deletion and insertion areas of every explanation over `count` pictures spread evenly over `pictures`.

    Each picture's most probable class is explained. Differences are paired: a method's deletion area minus that of the
    mean of random orders on the same picture, so below 0 is better than random.

    Returns:
        Method, "centre" or "random" -> means and standard deviations of both areas, the paired difference with its
        standard error, the share of pictures on which the deletion area is below random's, and in "over_centre" by how
        much both areas are better than those of the order from the centre outwards; see `paired_gain`.
    """
    chosen = np.linspace(0, len(pictures) - 1, count).round().astype(int)
    areas: dict[str, list[tuple[float, float]]] = {}
    for index in tqdm(chosen, desc="faithfulness", mininterval=2):
        trace = classifier.trace(resize_pictures(pictures[index : index + 1], classifier.config.image_size)[0])
        scores = classifier.explain(trace, trace.answer)
        curves = classifier.faithfulness(trace, scores, trace.answer, seed=int(index))
        for method, curve in curves.items():
            areas.setdefault(method, []).append((curve.deletion_area, curve.insertion_area))
    measured = {method: np.array(rows) for method, rows in areas.items()}  # (picture, deletion or insertion)
    return {method: _spread(rows, measured) for method, rows in measured.items()}


def compare_with_leave_one_out(classifier: VisionClassifier, pictures: np.ndarray, count: int) -> dict:
    """Agreement of every explanation with leave-one-out over `count` pictures spread evenly over `pictures`.

    Each picture's most probable class is explained. Leave-one-out is the fall of its probability when each patch alone
    is covered, see `model.attribution.faithfulness.leave_out_in_steps`.

    Returns:
        "pictures"; "methods": method or "centre" -> figures of `summarize_ranks_and_tops`; "missing" and
        "most_missing": the mean and the largest share by which integrated gradients miss completeness.

    Raises:
        ValueError: see `summarize_ranks_and_tops`.
    """
    ranks, tops, missing, names = [], [], [], []
    chosen = spread_evenly(len(pictures), count)
    for index in tqdm(chosen, desc="leave-one-out", mininterval=2):
        trace = classifier.trace(resize_pictures(pictures[index : index + 1], classifier.config.image_size)[0])
        gradients = classifier.integrated_gradients(trace, Logit(trace.answer))
        change = gradients.value - gradients.baseline
        missing.append(abs(gradients.gap / change) if change else abs(gradients.gap))
        scores = classifier.explain(trace, trace.answer) | {INTEGRATED: gradients.attributions["patches"]}
        scores[CENTRE] = -np.argsort(centre_order(trace.grid))
        names = list(scores)
        without = run_to_end(classifier.leave_out_patches_in_steps(trace))[:, trace.answer]  # (patch,)
        drops = float(trace.probabilities[trace.answer]) - without
        ranks.append([spearman(score.ravel(), drops) for score in scores.values()])
        tops.append([top_match(score.ravel(), drops) for score in scores.values()])
    return {
        "pictures": len(chosen),
        "methods": summarize_ranks_and_tops(ranks, tops, names),
        "missing": float(np.mean(missing)),
        "most_missing": float(max(missing)),
    }


def _spread(rows: np.ndarray, measured: dict[str, np.ndarray]) -> dict:
    difference = rows[:, 0] - measured[RANDOM][:, 0]
    error = difference.std(ddof=1) / np.sqrt(len(rows)) if len(rows) > 1 else float("nan")
    return {
        "deletion": {"mean": float(rows[:, 0].mean()), "sd": float(rows[:, 0].std())},
        "insertion": {"mean": float(rows[:, 1].mean()), "sd": float(rows[:, 1].std())},
        "difference": {"mean": float(difference.mean()), "standard_error": float(error)},
        "below_random": float((difference < 0).mean()),
        "over_centre": {
            "deletion": paired_gain(measured[CENTRE][:, 0] - rows[:, 0]),
            "insertion": paired_gain(rows[:, 1] - measured[CENTRE][:, 1]),
        },
    }


def paired_gain(gains: np.ndarray) -> dict[str, float]:
    """Mean of paired differences `(picture,)` with the ends of its 95 % band: 1.96 standard errors to both sides.

    The ends of the band of a single picture are not numbers.
    """
    error = gains.std(ddof=1) / np.sqrt(len(gains)) if len(gains) > 1 else float("nan")
    mean = float(gains.mean())
    return {"mean": mean, "low": float(mean - BAND * error), "high": float(mean + BAND * error)}


def faithfulness_block(evaluation: dict) -> str:
    """Markdown from the `evaluation` of `card.json`; empty for a network without explanations."""
    if "faithfulness" not in evaluation:
        return ""
    figures = evaluation["faithfulness"]
    centre = CENTRE in figures  # older cards have no such baseline
    return fill(
        "faithfulness",
        explained=evaluation["explained"],
        rows=table_rows(_method_cells(name, of_method, centre) for name, of_method in figures.items()),
        centre=_compared_with_centre(figures) if centre else "",
    )


def _method_cells(name: str, figures: dict, centre: bool) -> list[str]:
    cells = [BASELINES.get(name, name), *(f"{figures[key]['mean']:.3f} ± {figures[key]['sd']:.3f}" for key in AREAS)]
    if name == RANDOM:
        cells += ["", ""]
    else:
        difference = figures["difference"]
        cells += [
            f"{difference['mean']:+.3f} ± {difference['standard_error']:.3f}",
            f"{100 * figures['below_random']:.0f} %",
        ]
    if centre:
        gains = figures.get("over_centre") if name != CENTRE else None
        cells += [_gain(gains[key]) if gains else "" for key in AREAS]
    return cells


def _gain(gain: dict[str, float]) -> str:
    return f"{gain['mean']:+.3f} ({gain['low']:+.3f} to {gain['high']:+.3f})"


def better_than_centre(figures: dict) -> list[str]:
    """List the methods whose bands are above 0 in both areas; baselines are no methods.

    Args:
        figures: of `compare_explanations`.
    """
    methods = {name: of_method["over_centre"] for name, of_method in figures.items() if name not in BASELINES}
    return [name for name, gains in methods.items() if all(gains[key]["low"] > 0 for key in AREAS)]


def _compared_with_centre(figures: dict) -> str:
    """State which methods are better than the order from the centre outwards."""
    better = better_than_centre(figures)
    rest = [name for name in figures if name not in BASELINES and name not in better]
    if not better:
        return "No method is better than it in both areas with its whole band."
    sentence = f"Better than it in both areas with the whole band: {', '.join(better)}."
    return sentence + (f" Not better: {', '.join(rest)}." if rest else "")


def measure_patch_agreement(folder: Path, images: LabelledImages, pictures: int, device: str = "auto") -> dict:
    """Compare the explanations of the ViT in `folder` with leave-one-out, and write the figures to `card.json`.

    Raises:
        CheckpointError: the folder cannot be read.
        ValueError: the data is not what this classifier was trained on; or two pictures are not enough.
    """
    card = validation_card(folder, images)
    classifier = VisionClassifier.load(folder, device)
    card["leave_one_out"] = compare_with_leave_one_out(classifier, images.validation.pictures, pictures)
    write_json(folder / "card.json", card)
    return card


def _block_values(many: dict) -> dict:
    methods = many["methods"]
    rows = ([BASELINES.get(name, name), agreement_cells(each)] for name, each in methods.items())
    return many | {"rows": table_rows(rows), "verdict": agreement_verdict([methods])}


def _measure(options: argparse.Namespace) -> None:
    check_count(options.pictures, "pictures")
    check_transformer(options.model, "heads")
    measure_patch_agreement(options.model, read_images(options.data), options.pictures, options.device)


AGREEMENT_VISION = Study(
    "agreement-vision",
    "which explanations of a Vision Transformer agree with leave-one-out",
    _measure,
    {"--model": MODEL | {"help": "folder of the trained classifier"}, "--pictures": counted(50, "pictures used")},
    template="agreement-vision",
    key="leave_one_out",
    read=lambda _, figures: figures,
    values=_block_values,
)
