"""Convert any picture of Pillow's to upright RGB on white, as the app converts an uploaded file.

The app's reader (`views.controls.pictures`) does the same strip by strip, with limits for untrusted files; both are
tested to give equal pixels.
"""

import io

import numpy as np
from PIL import Image, ImageCms, ImageOps

from .runtime.messages import Template
from .sentence_check import InputError

UNREADABLE = Template("This picture cannot be read ({reason}); save it again, or give another one.")
_WITH_ALPHA = ("RGBA", "RGBa", "LA", "La", "PA")
_MODES = {"RGB": "RGB", "GRAY": "L", "CMYK": "CMYK"}  # colour space of a profile -> mode of the picture that it is for


def upright_rgb(image: Image.Image) -> Image.Image:
    """Convert a picture to RGB: its first frame, turned as its EXIF data says, with transparent parts on white.

    Colours are converted to sRGB by the picture's own profile, where it has one that can be used. Grey levels of 16
    bits become 8; those of a format without a range (32 bits, float) are stretched from the darkest to the brightest.

    Returns:
        RGB without metadata; `image` itself is left as it is, but for its frame.

    Raises:
        InputError: it is damaged, closed or without pixels, contains no finite number, or is no picture of Pillow's.
    """
    if not isinstance(image, Image.Image):
        kind = type(image).__name__
        raise InputError(
            "Pass a picture that Pillow has opened, as Image.open(path) does; this is a {kind}.", kind=kind
        )
    if 0 in image.size:
        raise InputError(UNREADABLE, reason=f"{image.width} x {image.height}")
    try:
        return _upright(image)
    except InputError:
        raise
    except Exception as error:  # damaged files make decoders raise almost anything
        reason = ": ".join(filter(None, (type(error).__name__, str(error).partition("\n")[0][:200].rstrip(" ."))))
        raise InputError(UNREADABLE, reason=reason) from None


def _upright(image: Image.Image) -> Image.Image:
    if getattr(image, "n_frames", 1) > 1:
        image.seek(0)
    turns_itself = image.format == "TIFF"  # while Pillow loads it
    image.load()
    colours = _to_srgb(image)
    if turns_itself:
        return colours
    try:
        colours.getexif()[0x0112] = int(image.getexif().get(0x0112, 1))
    except Exception:  # unreadable EXIF data must not cost the picture
        return colours
    return ImageOps.exif_transpose(colours)


def _to_srgb(image: Image.Image) -> Image.Image:
    if image.mode in ("I", "F"):
        return _stretched(image).convert("RGB")
    profile = image.info.get("icc_profile")
    if image.mode.startswith("I;16"):
        return _by_profile(_from_16_bits(image), profile, image.mode)
    if image.mode in _WITH_ALPHA or image.info.get("transparency") is not None:
        picture = (image.convert("LA") if image.mode == "La" else image).convert("RGBA")
        opaque = picture.convert("RGB").convert("L" if image.mode in ("1", "L", "LA", "La") else "RGB")
        colours = _by_profile(opaque, profile, image.mode)
        colours.putalpha(picture.getchannel("A"))
        return Image.alpha_composite(Image.new("RGBA", image.size, "white"), colours).convert("RGB")
    return _by_profile(image, profile, image.mode)


def _by_profile(image: Image.Image, content: bytes | None, mode: str) -> Image.Image:
    """RGB by a colour profile for pictures of `mode`; a profile for others, or a damaged one, is ignored."""
    plain = Image.frombytes("RGB", image.size, image.convert("RGB").tobytes())  # without metadata
    if not content:
        return plain
    try:
        profile = ImageCms.ImageCmsProfile(io.BytesIO(content))
        space = _MODES.get(profile.profile.xcolor_space.strip(), "")
        grey = mode in ("1", "L", "LA", "La") or mode.startswith("I;16")
        if not space or (space == "CMYK") != (mode == "CMYK") or (space == "L" and not grey):
            return plain
        precise = ImageCms.Flags.NOOPTIMIZE if space == "L" else ImageCms.Flags.NONE
        transform = ImageCms.buildTransform(profile, ImageCms.createProfile("sRGB"), space, "RGB", flags=precise)
        converted = ImageCms.applyTransform(image.convert(space), transform)
    except (OSError, ValueError, ImageCms.PyCMSError):
        return plain
    assert converted is not None, "`applyTransform` returns None only in place"
    converted.info.clear()
    return converted


def _from_16_bits(image: Image.Image) -> Image.Image:
    """Grey levels 0..65535 to 0..255, rounded; Pillow's own conversion cuts or shifts them."""
    values = np.asarray(image).astype(np.uint32)  # (row, column)
    grey = ((values + 128) // 257).astype(np.uint8)
    transparent = image.info.get("transparency")
    if isinstance(transparent, int):
        grey[values == transparent] = 255
    return Image.fromarray(grey)


def _stretched(image: Image.Image) -> Image.Image:
    values = np.asarray(image, dtype=np.float64)  # (row, column)
    finite = values[np.isfinite(values)]
    if not finite.size:
        raise InputError("This picture contains no finite number; give one with grey levels or colours.")
    low, high = float(finite.min()), float(finite.max())
    share = (np.nan_to_num(values, nan=low, posinf=high, neginf=low) - low) / ((high - low) or 1.0)
    return Image.fromarray((255 * share).round().astype(np.uint8))
