"""RandAugment (Cubuk et al. 2020): a few operations, drawn at random, each as strong as one number says."""

from collections.abc import Callable

import numpy as np
from PIL import Image, ImageEnhance, ImageOps

GREY = (128, 128, 128)  # what comes into the picture from outside
TURN = 30.0  # degrees, at full strength; and so on
SHEAR = 0.3  # places aside for each place down
SHIFT = 0.45  # of the picture's side
ENHANCE = 0.9  # a factor of 1 minus or plus this
BITS = 4  # fewer of the 8 of each value
SOLARIZED = 256  # values above 256 minus this are turned into their negative

Operation = Callable[[Image.Image, float], Image.Image]


def _affine(image: Image.Image, matrix: tuple[float, ...]) -> Image.Image:
    return image.transform(image.size, Image.Transform.AFFINE, matrix, Image.Resampling.BILINEAR, fillcolor=GREY)


def _enhanced(kind: type) -> Operation:
    return lambda image, strength: kind(image).enhance(1 + ENHANCE * strength)


# Each takes a strength in [-1, 1]; where a sign has no meaning the size alone counts.
OPERATIONS: dict[str, Operation] = {
    "identity": lambda image, strength: image,
    "autocontrast": lambda image, strength: ImageOps.autocontrast(image),
    "equalize": lambda image, strength: ImageOps.equalize(image),
    "rotate": lambda image, strength: image.rotate(TURN * strength, Image.Resampling.BILINEAR, fillcolor=GREY),
    "solarize": lambda image, strength: ImageOps.solarize(image, 256 - round(SOLARIZED * abs(strength))),
    "posterize": lambda image, strength: ImageOps.posterize(image, 8 - round(BITS * abs(strength))),
    "colour": _enhanced(ImageEnhance.Color),
    "contrast": _enhanced(ImageEnhance.Contrast),
    "brightness": _enhanced(ImageEnhance.Brightness),
    "sharpness": _enhanced(ImageEnhance.Sharpness),
    "shear across": lambda image, strength: _affine(image, (1, SHEAR * strength, 0, 0, 1, 0)),
    "shear down": lambda image, strength: _affine(image, (1, 0, 0, SHEAR * strength, 1, 0)),
    "shift across": lambda image, strength: _affine(image, (1, 0, SHIFT * strength * image.width, 0, 1, 0)),
    "shift down": lambda image, strength: _affine(image, (1, 0, 0, 0, 1, SHIFT * strength * image.height)),
}


def rand_augment(image: Image.Image, count: int, strength: float, draw: np.random.Generator) -> Image.Image:
    """`image` after `count` operations, each drawn from all of `OPERATIONS` with a random sign.

    Args:
        strength: in [0, 1]; 1 is the strongest that any operation is used with.
    """
    names = list(OPERATIONS)
    for _ in range(count):
        operation = OPERATIONS[names[draw.integers(len(names))]]
        image = operation(image, strength if draw.random() < 0.5 else -strength)
    return image
