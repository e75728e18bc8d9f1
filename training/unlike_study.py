"""Measure how far pictures are from the training pictures, and how often that tells unlike pictures."""

import argparse
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import torch
from PIL import Image, UnidentifiedImageError
from tqdm import tqdm

from model.attribution.training_distance import FILE, TrainingDistances, picture_vectors
from model.classifier import VisionClassifier
from model.data.images import SUFFIXES, ImageDataError, LabelledImages, PictureSplit, read_images
from model.networks.tap import Recorder
from model.runtime.arrays import softmax
from model.runtime.device import choose_device, describe_hardware
from model.trained_model import ASSETS

from .proportions import wilson_interval
from .recognition import resize_pictures
from .study import MODEL, Study, check_transformer, read_figures, validation_card
from .templates import table_header, table_rows

ALLOWED = 0.04  # of the pictures held back may lie above the threshold
AT_ONCE = 32  # pictures in a batch
NEIGHBOURS = 20  # of the score by neighbours
SAMPLES = ASSETS / "samples"

Score = Callable[[np.ndarray, np.ndarray], np.ndarray]  # vectors and logits -> `(picture,)`, higher is more unlike


def read_pictures(folder: Path) -> list[Image.Image]:
    """Read all pictures in a folder, by name.

    Raises:
        ImageDataError: there are none, or one cannot be read.
    """
    paths = sorted(path for path in folder.glob("*") if path.suffix.lower() in SUFFIXES)
    if not paths:
        raise ImageDataError(
            f"There are no pictures in {folder}; give a folder of {', '.join(sorted(SUFFIXES))} files."
        )
    pictures = []
    for path in paths:
        try:
            pictures.append(Image.open(path).convert("RGB"))
        except (UnidentifiedImageError, OSError, ValueError) as error:
            raise ImageDataError(f"{path} is not a picture that can be read ({error}).") from error
    return pictures


def study_unlike(
    folder: Path,
    images: LabelledImages,
    chosen_by: dict[str, Path],
    reported: dict[str, Path],
    device: str = "auto",
) -> dict:
    """Fit the distances of the ViT in `folder` to its training pictures, choose the threshold, and measure both.

    Writes the files of `model.attribution.training_distance` into `folder`.

    Args:
        chosen_by: name -> folder of pictures of other things, by which scores are compared.
        reported: the same, of pictures by which nothing is chosen.

    Raises:
        CheckpointError: the folder cannot be read.
        ValueError: it was trained on other pictures or held none back, or a picture cannot be read.
    """
    card = validation_card(folder, images)
    if not card["data"].get("held_back"):
        raise ValueError("No pictures were held back from its training, by which a threshold could be chosen.")
    unlike = {**chosen_by, **reported}
    pictures = {name: read_pictures(path) for name, path in unlike.items()} | {"samples": read_pictures(SAMPLES)}
    images = images.hold_back(card["data"]["held_back"])
    classifier = VisionClassifier.load(folder, device)
    trained, trained_logits = _of_split(classifier, images.train, "training pictures")
    known = {
        "held_back": _of_split(classifier, images.held_back, "pictures held back"),
        "validation": _of_split(classifier, images.validation, "validation pictures"),
    }
    others = {
        name: vectors_and_logits(classifier, [classifier.prepare(each) for each in group], name)
        for name, group in pictures.items()
    }
    distances = TrainingDistances.fit(trained, images.train.labels)
    held_back = distances.distances(known["held_back"][0])
    threshold = float(np.quantile(held_back, 1 - ALLOWED))
    distances = TrainingDistances(distances.means, distances.whitening, threshold)

    def count(vectors: np.ndarray) -> dict[str, float]:
        return count_found(distances.distances(vectors), threshold)

    figures = {
        "facts": {"hardware": describe_hardware(choose_device(device)), "data_sha256": images.sha256},
        "trained": len(images.train),
        "allowed": ALLOWED,
        **{name: count(vectors) for name, (vectors, _) in known.items()},
        "samples": count(others["samples"][0]),
        "chosen_by": {name: count(others[name][0]) for name in chosen_by},
        "reported": {name: count(others[name][0]) for name in reported},
        "compared": {
            name: _compare(score, known, {each: others[each] for each in chosen_by})
            for name, score in scores(trained, images.train.labels, classifier.config.d_model).items()
        },
    }
    distances.save(folder, classifier.weights_sha256, figures)
    return figures


def count_found(values: np.ndarray, threshold: float) -> dict[str, float]:
    """Count how many of `values` `(picture,)` are above the threshold; the share has a 95 % interval."""
    found = int((values > threshold).sum())
    low, high = wilson_interval(found, len(values))
    return {"pictures": len(values), "found": found, "low": low, "high": high}


def scores(trained: np.ndarray, labels: np.ndarray, width: int) -> dict[str, Score]:
    """The scores that are compared, by name; a higher one is more unlike.

    Args:
        trained: `(picture, 2 * width)` vectors of the training pictures; the first `width` numbers are those of CLS.
        labels: `(picture,)`.
    """
    both, cls, patches = (TrainingDistances.fit(trained[:, cut], labels) for cut in _cuts(width))
    directions = _directions(trained[:, :width])

    def energy(_: np.ndarray, logits: np.ndarray) -> np.ndarray:
        most = logits.max(axis=1)
        return -(most + np.log(np.exp(logits - most[:, None]).sum(axis=1)))

    def neighbours(vectors: np.ndarray, _: np.ndarray) -> np.ndarray:
        cosines = _directions(vectors[:, :width]) @ directions.T
        place = cosines.shape[1] - min(NEIGHBOURS, cosines.shape[1])
        return -np.partition(cosines, place, axis=1)[:, place]

    return {
        "largest probability": lambda _, logits: -softmax(logits.astype(np.float64)).max(axis=-1),
        "largest logit": lambda _, logits: -logits.max(axis=1),
        "energy of the logits": energy,
        f"cosine to the {NEIGHBOURS}th nearest training picture, CLS": neighbours,
        "distance to the nearest class, CLS": lambda vectors, _: cls.distances(vectors[:, :width]),
        "distance to the nearest class, mean of the patches": lambda vectors, _: patches.distances(vectors[:, width:]),
        "distance to the nearest class, both": lambda vectors, _: both.distances(vectors),
    }


def _cuts(width: int) -> tuple[slice, slice, slice]:
    return slice(None), slice(width), slice(width, None)


def _directions(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.finfo(np.float32).tiny)


def _compare(
    score: Score, known: dict[str, tuple[np.ndarray, np.ndarray]], unlike: dict[str, tuple[np.ndarray, np.ndarray]]
) -> dict:
    """Count what a score finds at the threshold above which `ALLOWED` of the pictures held back lie."""
    threshold = float(np.quantile(score(*known["held_back"]), 1 - ALLOWED))
    groups = {"validation": known["validation"], **unlike}
    return {name: count_found(score(*group), threshold) for name, group in groups.items()}


def _of_split(classifier: VisionClassifier, split: PictureSplit, what: str) -> tuple[np.ndarray, np.ndarray]:
    side = classifier.config.image_size
    prepared = (resize_pictures(split.pictures[at : at + 1], side)[0] for at in range(len(split)))
    return vectors_and_logits(classifier, prepared, what, len(split))


@torch.inference_mode()
def vectors_and_logits(
    classifier: VisionClassifier,
    pictures: Iterable[np.ndarray] | Sequence[np.ndarray],
    what: str,
    total: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Compute `picture_vectors` `(picture, 2 * d_model)` and logits `(picture, class)` of prepared pictures."""
    last = f"vision.{classifier.config.n_layers - 1}.residual"
    vectors: list[np.ndarray] = []
    logits: list[np.ndarray] = []
    batch: list[np.ndarray] = []

    def run() -> None:
        recorder = Recorder([last])
        pixels = torch.from_numpy(np.stack(batch).transpose(0, 3, 1, 2)).float().to(classifier.device) * 2 - 1
        logits.append(classifier.network(pixels, recorder).float().cpu().numpy())
        vectors.append(picture_vectors(classifier.network, recorder.tensors[last]).float().cpu().numpy())
        batch.clear()

    for picture in tqdm(pictures, desc=what, total=total, mininterval=2):
        batch.append(picture)
        if len(batch) == AT_ONCE:
            run()
    if batch:
        run()
    return np.concatenate(vectors), np.concatenate(logits)


def _block_values(figures: dict) -> dict:
    groups = [("validation pictures, of its classes", figures["validation"]), ("drawn samples", figures["samples"])]
    groups += list(figures["reported"].items())
    groups += [(f"{name}, by which the score was chosen", counts) for name, counts in figures["chosen_by"].items()]
    names = list(next(iter(figures["compared"].values())))
    compared = [[score, *(_share(counts[name]) for name in names)] for score, counts in figures["compared"].items()]
    return figures | {
        "marked": table_rows([name, f"{counts['pictures']:,}", _interval(counts)] for name, counts in groups),
        "compared_header": table_header(["score", *names]),
        "compared_rows": table_rows(compared),
    }


def _share(counts: dict) -> str:
    return f"{100 * counts['found'] / counts['pictures']:.1f} %"


def _interval(counts: dict) -> str:
    low, high = (100 * counts[end] for end in ("low", "high"))
    return f"{_share(counts)} ({low:.1f} to {high:.1f} %)"


def _measure(options: argparse.Namespace) -> None:
    check_transformer(options.model, "CLS")
    chosen_by, reported = (_named_folders(getattr(options, name), name) for name in ("choose", "report"))
    if both := set(chosen_by) & set(reported):
        raise ValueError(f"--choose and --report both name {', '.join(sorted(both))}; give each group its own name.")
    study_unlike(options.model, read_images(options.data), chosen_by, reported, options.device)


def _named_folders(pairs: list[str], option: str) -> dict[str, Path]:
    """Parse NAME=FOLDER.

    Raises:
        ValueError: the message names the option.
    """
    folders = {}
    for pair in pairs:
        name, separator, folder = pair.partition("=")
        if not (name and separator and folder):
            raise ValueError(
                f"--{option} {pair} has no name or no folder; give NAME=FOLDER, such as photographs=photos."
            )
        folders[name] = Path(folder)
    return folders


def _pictures(purpose: str) -> dict[str, object]:
    """Settings of an option for folders of pictures."""
    what = f"pictures of other things, {purpose}"
    return {"action": "append", "default": [], "metavar": "NAME=FOLDER", "help": what}


UNLIKE = Study(
    "unlike-vision",
    "measure how to tell pictures unlike the training pictures",
    _measure,
    {
        "--model": MODEL | {"help": "folder of the trained classifier"},
        "--choose": _pictures("by which scores are compared"),
        "--report": _pictures("by which nothing is chosen"),
    },
    template="unlike-vision",
    read=read_figures(FILE),
    values=_block_values,
)
