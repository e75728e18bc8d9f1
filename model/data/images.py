"""Read labelled pictures from the hub's parquet shards or a folder of class folders, decoded once."""

import hashlib
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from PIL import Image, UnidentifiedImageError
from tqdm import tqdm

from ..picture_classifier import middle_square

SIDE = 128  # pixels a side of stored pictures
SPLITS = ("train", "validation")
HELD_BACK_SEED = 22  # one for all networks, so that pictures held back from a student are from its teacher too
SUFFIXES = {".jpg", ".jpeg", ".png", ".webp", ".bmp"}

# Imagenette's ten classes in label order, by the WordNet numbers that are its folders' names.
IMAGENETTE = {
    "n01440764": "tench",
    "n02102040": "English springer",
    "n02979186": "cassette player",
    "n03000684": "chain saw",
    "n03028079": "church",
    "n03394916": "French horn",
    "n03417042": "garbage truck",
    "n03425413": "gas pump",
    "n03445777": "golf ball",
    "n03888257": "parachute",
}


class ImageDataError(ValueError):
    """The pictures cannot be used; the message names the file and the reason."""


@dataclass(frozen=True, eq=False)
class PictureSplit:
    """Pictures `(picture, SIDE, SIDE, 3)` uint8 and labels `(picture,)` int64."""

    pictures: np.ndarray
    labels: np.ndarray

    def __len__(self) -> int:
        return len(self.labels)

    @classmethod
    def empty(cls) -> "PictureSplit":
        """No pictures."""
        return cls(np.empty((0, SIDE, SIDE, 3), dtype=np.uint8), np.empty(0, dtype=np.int64))

    def part(self, indices: np.ndarray) -> "PictureSplit":
        """The pictures at `indices`, in that order."""
        return PictureSplit(self.pictures[indices], self.labels[indices])


@dataclass(frozen=True, eq=False)
class LabelledImages:
    """Pictures with labels."""

    # the two splits
    train: PictureSplit
    validation: PictureSplit
    classes: tuple[str, ...]  # the classes' names in label order
    sha256: str  # over every picture's bytes and label
    # training pictures that are not trained on: epochs are chosen by them, so that the validation pictures influence
    # the network in no way
    held_back: PictureSplit = field(default_factory=PictureSplit.empty)

    def hold_back(self, count: int) -> "LabelledImages":
        """Hold `count` training pictures back, always the same ones.

        Raises:
            ImageDataError: `count` is not positive, or nothing would be left to train on.
        """
        if not 0 < count < len(self.train):
            raise ImageDataError(
                f"{count} of {len(self.train)} training pictures cannot be held back; hold back at least 1 and fewer "
                "than there are."
            )
        order = np.random.default_rng(HELD_BACK_SEED).permutation(len(self.train))
        back, left = (np.sort(part) for part in np.split(order, [count]))
        return replace(self, train=self.train.part(left), held_back=self.train.part(back))


def read_images(folder: Path) -> LabelledImages:
    """Read `train-*.parquet` and `validation-*.parquet`, or `train/<class>/*` and `val/<class>/*`.

    Pictures of other sizes are scaled so that the short side fits and cut to the middle square.

    Raises:
        ImageDataError: missing, empty, or of another form.
    """
    if not folder.is_dir():
        raise ImageDataError(f"{folder} is no folder; give the one that holds the pictures.")
    if sorted(folder.glob("train-*.parquet")):
        names, sources = _parquet_names(folder), {split: _parquet(folder, split) for split in SPLITS}
    elif (folder / "train").is_dir():
        names = sorted(path.name for path in (folder / "train").iterdir() if path.is_dir())
        if len(names) < 2:
            raise ImageDataError(f"{folder / 'train'} needs a folder for each class, at least two.")
        sources = {split: _class_folders(folder, split, names) for split in SPLITS}
        names = [IMAGENETTE.get(name, name) for name in names]
    else:
        raise ImageDataError(f"{folder} holds neither train-*.parquet files nor a folder called train.")
    digest = hashlib.sha256()
    splits = {split: _decode(source, split, len(names), digest) for split, source in sources.items()}
    return LabelledImages(splits["train"], splits["validation"], tuple(names), digest.hexdigest())


def _decode(source: Iterator[tuple[str, bytes, int]], split: str, classes: int, digest) -> PictureSplit:
    pictures, labels = [], []
    for name, content, label in tqdm(source, desc=f"reading {split}", mininterval=2):
        if not 0 <= label < classes:
            raise ImageDataError(f"{name} has label {label}, but there are {classes} classes.")
        try:
            pictures.append(middle_square(Image.open(io.BytesIO(content)), SIDE))
        except (UnidentifiedImageError, OSError, ValueError) as error:
            raise ImageDataError(f"{name} is not a picture that can be read ({error}).") from error
        labels.append(label)
        digest.update(hashlib.sha256(content).digest() + label.to_bytes(4, "little"))
    if not labels:
        raise ImageDataError(f"There are no {split} pictures.")
    return PictureSplit(np.stack(pictures), np.array(labels))


def _parquet(folder: Path, split: str) -> Iterator[tuple[str, bytes, int]]:
    from pyarrow.parquet import read_table

    for path in sorted(folder.glob(f"{split}-*.parquet")):
        with _reading(path):
            table = read_table(path, columns=["image", "label"])
        for number, row in enumerate(table.to_pylist()):
            if not isinstance(row["image"], dict) or not isinstance(row["image"].get("bytes"), bytes):
                raise ImageDataError(f"Row {number + 1} of {path} has no picture; the image column needs bytes.")
            if not isinstance(row["label"], int):
                raise ImageDataError(f"Row {number + 1} of {path} has no label.")
            yield f"row {number + 1} of {path}", row["image"]["bytes"], row["label"]


def _parquet_names(folder: Path) -> list[str]:
    """Class names from the table's metadata, as the hub stores them; Imagenette's where there are none."""
    from pyarrow.parquet import read_schema

    path = min(folder.glob("train-*.parquet"))
    with _reading(path):
        hub = json.loads((read_schema(path).metadata or {}).get(b"huggingface", b"{}"))
    names = hub.get("info", {}).get("features", {}).get("label", {}).get("names")
    return [str(name) for name in names] if names else list(IMAGENETTE.values())


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    from pyarrow import ArrowException

    try:
        yield
    except (ArrowException, OSError, ValueError, KeyError) as error:
        raise ImageDataError(f"{path} cannot be read as pictures with labels ({error}).") from error


def _class_folders(folder: Path, split: str, names: list[str]) -> Iterator[tuple[str, bytes, int]]:
    root = folder / ("train" if split == "train" else "val")
    for label, name in enumerate(names):
        for path in sorted((root / name).glob("*")):
            if path.suffix.lower() in SUFFIXES:
                yield str(path), path.read_bytes(), label
