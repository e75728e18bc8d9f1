"""Convert a picture's colours to sRGB by its own colour profile.

A profile is untrusted, like the picture itself. One that is damaged, or made for another kind of picture, is ignored:
the colours are then taken as sRGB, as they are if there is no profile at all.
"""

import io
from collections.abc import Callable

import numpy as np
from PIL import Image, ImageCms

from ..text.catalogue import Message

MAX_BYTES = 4 * 1024 * 1024  # of a profile; those of presses have one or two megabytes

CONVERTED = Message("picture.note.profile", "Its colours are converted from its own colour profile to sRGB.")
UNUSABLE = Message("picture.note.profile.unusable", "Its colour profile cannot be used; its colours are read as sRGB.")

Convert = Callable[[Image.Image], Image.Image]
_MODES = {"RGB": "RGB", "GRAY": "L", "CMYK": "CMYK"}  # of a profile, and of the picture that it is for
_SRGB = ImageCms.createProfile("sRGB")
_STEPS = np.linspace(0, 255, 9).round().astype(np.uint8)  # of each channel, where a profile is compared with sRGB


def plain_rgb(image: Image.Image) -> Image.Image:
    """`image` in RGB by Pillow's own rules, for colours without a profile."""
    return image.convert("RGB")


def converter(source: Image.Image) -> tuple[Convert, list[Message]]:
    """A function that converts parts of a picture, without their alpha channel, to sRGB; and notes about it."""
    content = source.info.get("icc_profile")
    if source.mode == "LAB":
        return _lab_converter(), []
    if not content:
        return plain_rgb, []
    try:
        mode, convert = _profile_converter(content, source.mode)
    except (OSError, ValueError, ImageCms.PyCMSError):
        return plain_rgb, [UNUSABLE]
    return (plain_rgb, []) if _is_srgb(mode, convert) else (convert, [CONVERTED])


def _lab_converter() -> Convert:
    """Convert CIELAB, whose colours need no profile, to sRGB."""
    transform = ImageCms.buildTransform(ImageCms.createProfile("LAB"), _SRGB, "LAB", "RGB")
    return lambda image: _transformed(image, transform)


def _profile_converter(content: bytes, mode: str) -> tuple[str, Convert]:
    """The mode in which the profile describes a picture of `mode`, and the conversion from there to sRGB.

    Raises:
        OSError, ValueError, ImageCms.PyCMSError: it is damaged, too large, or for another kind of picture.
    """
    if len(content) > MAX_BYTES:
        raise ValueError("The profile is too large.")
    profile = ImageCms.ImageCmsProfile(io.BytesIO(content))
    profile_mode = _MODES.get(profile.profile.xcolor_space.strip(), "")
    grey = mode in ("1", "L", "LA", "La") or mode.startswith("I;16")
    if not profile_mode or (profile_mode == "CMYK") != (mode == "CMYK") or (profile_mode == "L" and not grey):
        raise ValueError("The profile is for another kind of picture.")
    if profile_mode == "L":
        return profile_mode, _grey_converter(profile)
    transform = ImageCms.buildTransform(profile, _SRGB, profile_mode, "RGB")
    return profile_mode, lambda image: _transformed(image.convert(profile_mode), transform)


def _transformed(image: Image.Image, transform: ImageCms.ImageCmsTransform) -> Image.Image:
    converted = ImageCms.applyTransform(image, transform)
    assert converted is not None, "`applyTransform` returns None only in place"
    return converted


def _grey_converter(profile: ImageCms.ImageCmsProfile) -> Convert:
    """Convert grey levels to sRGB by a table of all 256; a shorter table would make dark levels wrong."""
    transform = ImageCms.buildTransform(profile, _SRGB, "L", "RGB", flags=ImageCms.Flags.NOOPTIMIZE)
    levels = Image.fromarray(np.arange(256, dtype=np.uint8)[None])
    table = np.asarray(_transformed(levels, transform))[0]  # (level, channel)

    def convert(image: Image.Image) -> Image.Image:
        grey = image.convert("L")
        return Image.merge("RGB", [grey.point(channel.tolist()) for channel in table.T])

    return convert


def _is_srgb(mode: str, convert: Convert) -> bool:
    """True if the conversion changes no colour by more than one level of 255: most profiles describe sRGB itself."""
    if mode == "CMYK":
        return False
    colours = np.stack(np.meshgrid(_STEPS, _STEPS, _STEPS), axis=-1).reshape(27, 27, 3)
    if mode == "L":
        colours = np.repeat(np.arange(256, dtype=np.uint8).reshape(16, 16, 1), 3, axis=2)
    image = Image.fromarray(colours)
    return np.abs(np.asarray(convert(image)).astype(int) - np.asarray(image)).max() <= 1
