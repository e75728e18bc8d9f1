"""Measure the maps of a Vision Transformer: entropy, distance, concentration, and how often they find the object."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image
from tqdm import tqdm

from ..attribution.rollout import METHODS
from ..attribution.vision_analysis import attention_distance
from ..classifier import VisionClassifier, VisionTrace
from ..runtime.checkpoint import CheckpointError, read_json, write_json
from ..runtime.device import choose_device, describe_hardware
from .images import LabelledImages
from .map_card import COVERED, FILE, STRONGEST
from .recognition import resize_pictures
from .vision_card import validation_card

OBJECT = ".object.png"  # suffix of the file of a drawing's object


@dataclass(frozen=True, eq=False)
class KnownDrawing:
    """A drawing whose object has a known position."""

    name: str  # of its class
    picture: Image.Image  # RGB
    object: Image.Image  # of the same size, in grey: share of each pixel on the object


def read_drawings(folder: Path) -> list[KnownDrawing]:
    """Read the drawings of `python -m tools.samples --variants`: `<class>-<number>.png` and `….object.png`.

    Raises:
        CheckpointError: there are none, or one has no file of its object.
    """
    drawings = []
    for path in sorted(folder.glob("*.png")):
        if path.name.endswith(OBJECT):
            continue
        shape = path.with_name(path.stem + OBJECT)
        if not shape.is_file():
            raise CheckpointError("{file} has no {object} beside it; draw the variants anew.", file=path, object=shape)
        name = path.stem.rpartition("-")[0].replace("-", " ")
        drawings.append(KnownDrawing(name, Image.open(path).convert("RGB"), Image.open(shape).convert("L")))
    if not drawings:
        raise CheckpointError("There are no drawings in {folder}; give the folder of variants.", folder=folder)
    return drawings


def measure_maps(trace: VisionTrace, patch_size: int) -> dict[str, np.ndarray]:
    """Measure one picture's maps; each figure `(layer,)` float64, means over the heads.

    - `entropy`: of what a patch attends to, as a share of the largest possible; mean over the patches.
    - `distance`: in pixels, see `attention_distance`.
    - `strongest`: share of CLS's attention to patches on its `STRONGEST` patches. Few patches with most of it in late
      layers are sinks (Darcet et al. 2024, section 2).
    """
    weights = trace.attention.astype(np.float64)
    leading = weights.shape[-1] - trace.grid[0] * trace.grid[1]
    rows = weights[:, :, leading:]  # (layer, head, patch, 1 + patch)
    entropy = -(rows * np.log(np.where(rows > 0, rows, 1))).sum(axis=-1) / np.log(rows.shape[-1])
    of_cls = weights[:, :, 0, leading:]  # (layer, head, patch)
    total = np.maximum(of_cls.sum(axis=-1), np.finfo(np.float64).tiny)
    most = np.sort(of_cls, axis=-1)[..., -STRONGEST:].sum(axis=-1) / total  # (layer, head)
    return {
        "entropy": entropy.mean(axis=(1, 2)),
        "distance": attention_distance(trace.attention, trace.grid, patch_size).mean(axis=1),
        "strongest": most.mean(axis=1),
    }


def on_object(scores: np.ndarray, covered: np.ndarray) -> bool:
    """Whether the strongest patch lies on the object: the pointing game of Zhang et al. 2016, section 4.1, on patches.

    Args:
        scores: `(patch,)`, higher matters more.
        covered: `(row, column)`, share of each patch on the object, 0 to 1.
    """
    return bool(covered.ravel()[int(scores.argmax())] >= COVERED)


def study_maps(
    folder: Path,
    images: LabelledImages,
    drawn: list[KnownDrawing],
    before: Path | None = None,
    pictures: int = 200,
    device: str = "auto",
) -> dict:
    """Measure the maps of the ViT in `folder`, and of an earlier one in `before`, and write `FILE` into `folder`.

    Without `before`, the figures of an earlier network in the file do not change.

    Raises:
        CheckpointError: a folder cannot be read.
        ValueError: a classifier was trained on other data.
    """
    figures = {"facts": {"hardware": describe_hardware(choose_device(device)), "data_sha256": images.sha256}}
    figures |= _measure(folder, images, drawn, pictures, device)
    if before is not None:
        figures["before"] = _measure(before, images, drawn, pictures, device)
    elif (folder / FILE).is_file() and "before" in (known := read_json(folder / FILE)):
        figures["before"] = known["before"]
    write_json(folder / FILE, figures)
    return figures


def _measure(folder: Path, images: LabelledImages, drawn: list[KnownDrawing], pictures: int, device: str) -> dict:
    validation_card(folder, images)
    classifier = VisionClassifier.load(folder, device)
    size, patch = classifier.config.image_size, classifier.config.patch_size
    chosen = np.unique(np.linspace(0, len(images.validation) - 1, pictures).round().astype(int))
    figures = []
    for index in tqdm(chosen, desc="maps", mininterval=2):
        trace = classifier.trace(resize_pictures(images.validation.pictures[index : index + 1], size)[0])
        figures.append(measure_maps(trace, patch))
    hits, right, chance = {method: 0 for method in METHODS}, 0, []
    for drawing in tqdm(drawn, desc="drawings", mininterval=2):
        trace = classifier.trace(drawing.picture)
        covered = np.asarray(drawing.object.resize(trace.grid[::-1], Image.Resampling.BOX)) / 255  # (row, column)
        for method, scores in classifier.explain(trace, trace.answer).items():
            hits[method] += on_object(scores, covered)
        right += classifier.config.classes[trace.answer] == drawing.name
        chance.append((covered >= COVERED).mean())
    means = {
        name: np.round(np.mean([of_picture[name] for of_picture in figures], axis=0), 5).tolist() for name in figures[0]
    }
    return {
        "weights_sha256": classifier.weights_sha256,
        "pictures": len(chosen),
        "patches": classifier.config.grid**2,
        **means,
        "drawn": len(drawn),
        "drawn_right": right / len(drawn),
        "drawn_chance": float(np.mean(chance)),
        "pointing": {method: count / len(drawn) for method, count in hits.items()},
    }
