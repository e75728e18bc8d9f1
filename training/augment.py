"""Random views of training pictures: crop, RandAugment, flip, colour, and mixing with another picture.

Every draw depends on the seed, the epoch and the picture only, so a resumed run and a run in several processes have the
same views as an uninterrupted run in one.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image, ImageEnhance, ImageOps

GREY = (128, 128, 128)  # fills areas outside the picture
ROTATION = 30.0  # degrees at full strength, as all below
SHEAR = 0.3  # pixels of shift for each row or column
SHIFT = 0.45  # of the picture's side
ENHANCE = 0.9  # the factor is 1 minus or plus this
BITS = 4  # removed of the 8 of each value
SOLARIZED = 256  # values above 256 minus this are inverted

Operation = Callable[[Image.Image, float], Image.Image]


def _affine(image: Image.Image, matrix: tuple[float, ...]) -> Image.Image:
    return image.transform(image.size, Image.Transform.AFFINE, matrix, Image.Resampling.BILINEAR, fillcolor=GREY)


def _enhance(enhancer: Any) -> Operation:
    return lambda image, strength: enhancer(image).enhance(1 + ENHANCE * strength)


# Each has a strength in [-1, 1]; where a sign has no meaning its absolute value is used.
OPERATIONS: dict[str, Operation] = {
    "identity": lambda image, strength: image,
    "autocontrast": lambda image, strength: ImageOps.autocontrast(image),
    "equalize": lambda image, strength: ImageOps.equalize(image),
    "rotate": lambda image, strength: image.rotate(ROTATION * strength, Image.Resampling.BILINEAR, fillcolor=GREY),
    "solarize": lambda image, strength: ImageOps.solarize(image, 256 - round(SOLARIZED * abs(strength))),
    "posterize": lambda image, strength: ImageOps.posterize(image, 8 - round(BITS * abs(strength))),
    "colour": _enhance(ImageEnhance.Color),
    "contrast": _enhance(ImageEnhance.Contrast),
    "brightness": _enhance(ImageEnhance.Brightness),
    "sharpness": _enhance(ImageEnhance.Sharpness),
    "shear across": lambda image, strength: _affine(image, (1, SHEAR * strength, 0, 0, 1, 0)),
    "shear down": lambda image, strength: _affine(image, (1, 0, 0, SHEAR * strength, 1, 0)),
    "shift across": lambda image, strength: _affine(image, (1, 0, SHIFT * strength * image.width, 0, 1, 0)),
    "shift down": lambda image, strength: _affine(image, (1, 0, 0, 0, 1, SHIFT * strength * image.height)),
}


@dataclass(frozen=True)
class Augmentation:
    """Ranges of the random changes to a picture.

    Raises:
        ValueError: a value lies outside its range.
    """

    # least share of the picture's area in a crop (random resized crop, Szegedy et al. 2015)
    smallest_crop: float = 0.25
    aspect: float = 4 / 3  # the crop's sides differ by at most this factor
    colour: float = 0.3  # brightness, contrast and saturation are each multiplied by 1 - colour to 1 + colour
    # share of the pictures that are mixed with another one; half of them as a weighted mean (mixup, Zhang et al. 2018),
    # half by pasting a rectangle (CutMix, Yun et al. 2019)
    mixed: float = 0.5
    # both parameters of the beta distribution that mixup's weight is drawn from; CutMix's is uniform
    mixup_alpha: float = 0.4
    # of RandAugment; see `rand_augment`
    operations: int = 0
    strength: float = 0.3

    def __post_init__(self) -> None:
        for name, fits, range_ in (
            ("smallest_crop", 0 < self.smallest_crop <= 1, "above 0 and at most 1"),
            ("aspect", 1 <= self.aspect < math.inf, "at least 1"),
            ("colour", 0 <= self.colour < 1, "at least 0 and below 1"),
            ("mixed", 0 <= self.mixed <= 1, "from 0 to 1"),
            ("mixup_alpha", 0 < self.mixup_alpha < math.inf, "above 0"),
            ("operations", self.operations >= 0, "at least 0"),
            ("strength", 0 <= self.strength <= 1, "from 0 to 1"),
        ):
            if not fits:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be {range_}.")


@dataclass(frozen=True, eq=False)
class TrainingExample:
    """One training example."""

    pixels: np.ndarray  # `(side, side, 3)` float32 in [0, 1]
    # classes of the picture and of the one mixed in; equal without mixing
    label: int
    other: int
    share: float  # weight of `label`; the rest is that of `other`


def draw_example(
    pictures: np.ndarray, labels: np.ndarray, index: int, side: int, how: Augmentation, seed: tuple[int, ...]
) -> TrainingExample:
    """Draw a random view of picture `index`, mixed or not.

    Args:
        pictures: `(picture, height, width, 3)` uint8.
        side: pixels a side of the view.
        seed: determines every draw, together with `index`.
    """
    draw = np.random.default_rng((*seed, index))
    pixels, label = random_view(pictures[index], side, how, draw), int(labels[index])
    if draw.random() >= how.mixed:
        return TrainingExample(pixels, label, label, 1.0)
    other = int(draw.integers(len(pictures)))
    second = random_view(pictures[other], side, how, draw)
    if draw.random() < 0.5:
        share = float(np.float32(draw.beta(how.mixup_alpha, how.mixup_alpha)))
        return TrainingExample(share * pixels + (1 - share) * second, label, int(labels[other]), share)
    pixels, share = paste_rectangle(pixels, second, draw)
    return TrainingExample(pixels, label, int(labels[other]), share)


def random_view(picture: np.ndarray, side: int, how: Augmentation, draw: np.random.Generator) -> np.ndarray:
    """Random crop, RandAugment, flip and colour of `(height, width, 3)` uint8: `(side, side, 3)` float32 in [0, 1]."""
    height, width = picture.shape[:2]
    area = height * width * draw.uniform(how.smallest_crop, 1)
    ratio = math.exp(draw.uniform(-math.log(how.aspect), math.log(how.aspect)))
    crop_width, crop_height = min(width, math.sqrt(area * ratio)), min(height, math.sqrt(area / ratio))
    left, top = draw.uniform(0, width - crop_width), draw.uniform(0, height - crop_height)
    box = (left, top, left + crop_width, top + crop_height)
    crop = Image.fromarray(picture).resize((side, side), Image.Resampling.BILINEAR, box)
    view = np.asarray(rand_augment(crop, how.operations, how.strength, draw), np.float32) / 255
    if draw.random() < 0.5:
        view = view[:, ::-1]
    brightness, contrast, saturation = draw.uniform(1 - how.colour, 1 + how.colour, 3).astype(np.float32)
    view = view * brightness
    view = (view - view.mean()) * contrast + view.mean()
    grey = view.mean(axis=2, keepdims=True)
    return (grey + (view - grey) * saturation).clip(0, 1)


def paste_rectangle(first: np.ndarray, second: np.ndarray, draw: np.random.Generator) -> tuple[np.ndarray, float]:
    """`first` with a random rectangle of `second`, and the remaining share of `first`."""
    side = first.shape[0]
    size = side * math.sqrt(draw.random())
    middle_row, middle_column = draw.uniform(0, side, 2)
    top, bottom = (round(min(side, max(0, middle_row + sign * size / 2))) for sign in (-1, 1))
    left, right = (round(min(side, max(0, middle_column + sign * size / 2))) for sign in (-1, 1))
    pasted = first.copy()
    pasted[top:bottom, left:right] = second[top:bottom, left:right]
    return pasted, 1 - (bottom - top) * (right - left) / side**2


def rand_augment(image: Image.Image, count: int, strength: float, draw: np.random.Generator) -> Image.Image:
    """RandAugment (Cubuk et al. 2020): `image` after `count` of `OPERATIONS`, each drawn from all, with a random sign.

    Args:
        strength: in [0, 1]; 1 is the strongest.
    """
    names = list(OPERATIONS)
    for _ in range(count):
        operation = OPERATIONS[names[draw.integers(len(names))]]
        image = operation(image, strength if draw.random() < 0.5 else -strength)
    return image
