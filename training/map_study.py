"""Measure the maps of a Vision Transformer: entropy, distance, concentration, and how often they find the object."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from tqdm import tqdm

from model.attribution.faithfulness import CENTRE, centre_order
from model.attribution.rollout import METHODS
from model.attribution.vision_analysis import attention_distance
from model.classifier import VisionClassifier, VisionTrace
from model.data.images import LabelledImages, read_images
from model.runtime.checkpoint import CheckpointError, read_json, write_json
from model.runtime.device import choose_device, describe_hardware

from .recognition import resize_pictures
from .study import MODEL, Study, check_count, check_transformer, counted, read_figures, validation_card
from .templates import table_rows
from .vision_scores import paired_gain

FILE = "maps.json"
STRONGEST = 4  # patches whose share of CLS attention is counted
COVERED = 0.5  # least share of a patch on the object for it to count as on the object
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
            raise CheckpointError("{file} has no {object} next to it; draw the variants anew.", file=path, object=shape)
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


def is_right(classifier: VisionClassifier, trace: VisionTrace, drawing: KnownDrawing) -> bool:
    """Whether the answer is the drawing's class; capitals do not count, since names of files may have none."""
    return classifier.config.classes[trace.answer].casefold() == drawing.name.casefold()


def measure_pointing(classifier: VisionClassifier, drawn: list[KnownDrawing]) -> dict:
    """Explain each drawing for the answer that it gets; count the strongest patches that lie on the object.

    Returns:
        "drawn", their number; "drawn_right", the share of right answers; "drawn_chance", the share of all patches on
        the object; "pointing", for each method and for "centre", the first patch of `centre_order`, the share of
        drawings where it lies on the object; "pointing_over_centre", what a method has more than the centre on the same
        drawings, see `paired_gain`.
    """
    hits: dict[str, list[bool]] = {name: [] for name in (*METHODS, CENTRE)}
    right, chance = 0, []
    for drawing in tqdm(drawn, desc="drawings", mininterval=2):
        trace = classifier.trace(drawing.picture)
        covered = np.asarray(drawing.object.resize(trace.grid[::-1], Image.Resampling.BOX)) / 255  # (row, column)
        for method, scores in classifier.explain(trace, trace.answer).items():
            hits[method].append(on_object(scores, covered))
        hits[CENTRE].append(bool(covered.ravel()[centre_order(trace.grid)[0]] >= COVERED))
        right += is_right(classifier, trace, drawing)
        chance.append((covered >= COVERED).mean())
    found = {name: np.array(each, dtype=float) for name, each in hits.items()}  # (drawing,)
    return {
        "drawn": len(drawn),
        "drawn_right": right / len(drawn),
        "drawn_chance": float(np.mean(chance)),
        "pointing": {name: float(each.mean()) for name, each in found.items()},
        "pointing_over_centre": {method: paired_gain(found[method] - found[CENTRE]) for method in METHODS},
    }


def study_maps(
    folder: Path,
    images: LabelledImages,
    drawn: list[KnownDrawing],
    before: Path | None = None,
    pictures: int = 200,
    device: str = "auto",
    off_centre: list[KnownDrawing] | None = None,
) -> dict:
    """Measure the maps of the ViT in `folder`, and of an earlier one in `before`, and write `FILE` into `folder`.

    Without `before`, the figures of an earlier network in the file do not change. With `off_centre`, drawings whose
    object does not cover the middle, the figures of `measure_pointing` on them are in "off_centre".

    Raises:
        CheckpointError: a folder cannot be read.
        ValueError: a classifier was trained on other data.
    """
    figures = {"facts": {"hardware": describe_hardware(choose_device(device)), "data_sha256": images.sha256}}
    figures |= _measure(folder, images, drawn, off_centre, pictures, device)
    if before is not None:
        figures["before"] = _measure(before, images, drawn, off_centre, pictures, device)
    elif (folder / FILE).is_file() and "before" in (known := read_json(folder / FILE)):
        figures["before"] = known["before"]
    write_json(folder / FILE, figures)
    return figures


def _measure(
    folder: Path,
    images: LabelledImages,
    drawn: list[KnownDrawing],
    off_centre: list[KnownDrawing] | None,
    pictures: int,
    device: str,
) -> dict:
    validation_card(folder, images)
    classifier = VisionClassifier.load(folder, device)
    size, patch = classifier.config.image_size, classifier.config.patch_size
    chosen = np.unique(np.linspace(0, len(images.validation) - 1, pictures).round().astype(int))
    figures = []
    for index in tqdm(chosen, desc="maps", mininterval=2):
        trace = classifier.trace(resize_pictures(images.validation.pictures[index : index + 1], size)[0])
        figures.append(measure_maps(trace, patch))
    means = {name: np.mean([of_picture[name] for of_picture in figures], axis=0).tolist() for name in figures[0]}
    return {
        "weights_sha256": classifier.weights_sha256,
        "pictures": len(chosen),
        "patches": classifier.config.grid**2,
        **means,
        **measure_pointing(classifier, drawn),
        **({"off_centre": measure_pointing(classifier, off_centre)} if off_centre else {}),
    }


def _block_values(study: dict) -> dict:
    before = study.get("before")

    def cell(formatted: Callable[[float], str], *keys: str | int) -> str:
        """A figure, and in brackets that of the earlier network where it has it."""
        value: Any = study
        earlier: Any = before
        for key in keys:
            value = value[key]
            known = earlier and (key in earlier if isinstance(earlier, dict) else int(key) < len(earlier))
            earlier = earlier[key] if known else None
        return formatted(value) + (f" ({formatted(earlier)})" if earlier is not None else "")

    groups: list[tuple[str, ...]] = [(), ("off_centre",)] if "off_centre" in study else [()]
    layers = (
        [
            layer + 1,
            cell("{:.3f}".format, "entropy", layer),
            cell("{:.1f} pixels".format, "distance", layer),
            cell(_percent, "strongest", layer),
        ]
        for layer in range(len(study["entropy"]))
    )
    explanations = [
        [
            _patch_of(name),
            *(_pointing(study, name, group, cell(_percent, *group, "pointing", name)) for group in groups),
        ]
        for name in study["pointing"]
    ]
    explanations.append(["any patch", *(cell(_percent, *group, "drawn_chance") for group in groups)])
    earlier, even = "", _percent(STRONGEST / study["patches"])
    if before:
        earlier = " In brackets: the network that was shipped before."
        if before["patches"] != study["patches"]:
            sizes = f"{before['patches']} patches, not of {study['patches']}"
            earlier = f""" In brackets: the network that was shipped before, which
read pictures of {sizes}: the first table is of pictures of two sizes and compares no networks."""
            even += f" ({_percent(STRONGEST / before['patches'])})"
    return study | {
        "earlier": earlier,
        "strongest_patches": STRONGEST,
        "covered": COVERED,
        "even": even,
        "layers": table_rows(layers),
        "right": cell(_percent, "drawn_right"),
        "right_aside": cell(_percent, "off_centre", "drawn_right") if "off_centre" in study else "",
        "explanations": table_rows(explanations),
        "verdict": _conclude(study) if CENTRE in study["pointing"] else "",
    }


def _patch_of(name: str) -> str:
    return "patch in the middle" if name == CENTRE else f"strongest patch of {name}"


def _pointing(study: dict, name: str, group: tuple[str, ...], share: str) -> str:
    """A share, and what a method has more than the middle patch."""
    figures = study[group[0]] if group else study
    if name not in figures.get("pointing_over_centre", {}):
        return share
    gain = figures["pointing_over_centre"][name]
    low, high = (f"{100 * gain[end]:+.1f}" for end in ("low", "high"))
    return f"{share}; {100 * gain['mean']:+.1f} ({low} to {high})"


def _conclude(study: dict) -> str:
    """State which methods beat the middle patch on the drawings with the object around the middle."""
    better = [name for name, gain in study["pointing_over_centre"].items() if gain["low"] > 0]
    if better:
        return f"Where the object is around the middle, it is above 0 with the whole band for: {', '.join(better)}."
    return "Where the object is around the middle, it is above 0 with the whole band for no method."


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _study_maps(options: argparse.Namespace) -> None:
    check_count(options.pictures, "pictures")
    check_transformer(options.model, "heads")
    drawn = read_drawings(options.drawn)
    off_centre = read_drawings(options.off_centre) if options.off_centre else None
    images = read_images(options.data)
    study_maps(options.model, images, drawn, options.before, options.pictures, options.device, off_centre)


MAPS = Study(
    "maps-vision",
    "how sharp its maps are, and how often they find the object",
    _study_maps,
    {
        "--model": MODEL | {"help": "folder of the trained classifier"},
        "--drawn": {"type": Path, "required": True, "help": "variants of `python -m tools.samples`"},
        "--off-centre": {"type": Path, "help": "variants drawn with --off-centre"},
        "--before": {"type": Path, "help": "folder of an earlier classifier to compare with"},
        "--pictures": counted(200, "pictures used"),
    },
    template="maps-vision",
    read=read_figures(FILE),
    values=_block_values,
)
