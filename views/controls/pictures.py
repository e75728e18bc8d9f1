"""Convert an uploaded picture to plain RGB, or refuse it with one sentence.

The bytes are untrusted: only six formats are tried, whatever the file is called; the size is checked in the header
before anything is decoded; only a small copy of the pixels is stored. Nothing is written to disk.
"""

import hashlib
import io
import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError

from ..text.catalogue import Message
from .colour_profiles import Convert, converter, plain_rgb

MAX_BYTES = 8 * 1024 * 1024
MAX_PIXELS = 25_000_000
FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")

REDUCED_SIDE = 3000  # longest side in pixels to which a browser reduces a picture over one of these limits

WORKING_PIXELS = 1024 * 1024  # of the copy: the model needs a few hundred a side; a page shows little more
WORKING_SIDE = 4096
STRIP_PIXELS = 1024 * 1024  # converted at a time, so that only the decoder has the whole picture in memory

EMPTY = Message("picture.file.empty", "This file is empty: choose a picture.")
TOO_HEAVY = Message(
    "picture.file.heavy", "This file is larger than 8 MB: save the picture smaller, or as a JPEG, and try again."
)
UNKNOWN = Message(
    "picture.file.unknown",
    "This file is not a picture in a supported format, whatever its name is: save it as PNG, JPEG, WebP, GIF, BMP "
    "or TIFF and try again.",
)
NOT_REDUCED = Message(
    "picture.file.not-reduced",
    "This file is larger than 8 MB, and this browser cannot read it to make it smaller: "
    "save the picture smaller, or as a JPEG, and try again.",
)
PHONE = Message(
    "picture.file.phone",
    "This picture is stored as {form}, which is not read here: "
    "save or share it as a JPEG, in the phone's photo app for example, and try again.",
)
TOO_LARGE = Message("picture.file.large", "This picture has more than 25 megapixels: make it smaller and try again.")
DAMAGED = Message(
    "picture.file.damaged", "This picture is damaged or incomplete: save it again, or choose another one."
)
COSTLY = Message(
    "picture.file.costly",
    "This picture is stored in an unusually costly way: save it again as PNG or JPEG and try again.",
)

REDUCED = Message(
    "picture.note.reduced",
    "The browser made it smaller before it sent it: it had {width} \u00d7 {height} pixels, or more than 8 MB.",
)
OWN_TITLE = Message("picture.own", "Your picture")
ANIMATION = Message("picture.note.animation", "The first frame of an animation is shown.")
PAGES = Message("picture.note.pages", "The first of several pages is shown.")
TURNED = Message("picture.note.turned", "Rotated according to its EXIF data.")
ON_WHITE = Message("picture.note.transparent", "Its transparent parts are shown on white.")
STRETCHED = Message("picture.note.stretched", "Its brightness is stretched: darkest to black, brightest to white.")

_TURNED_ORIENTATIONS = range(2, 9)  # values of EXIF's orientation that turn or mirror a picture
_SIDEWAYS_ORIENTATIONS = range(5, 9)


class PictureError(ValueError):
    """The bytes are not a usable picture; the error's text is one sentence for the user, in English.

    Attributes:
        message: returns the sentence in the language of the page.
    """

    def __init__(self, reason: Message, **values: object) -> None:
        super().__init__(reason.english.format(**values) if values else reason.english)
        self.message = partial(reason, **values)


@dataclass(frozen=True)
class Picture:
    """A picture as the model and the page use it."""

    stored: Image.Image | bytes  # `image`, or the same compressed without loss
    size: tuple[int, int]  # width and height in pixels as sent, upright
    format: str  # one of `FORMATS`
    sha256: str  # of the bytes as sent, in hexadecimal
    notes: tuple[Callable[[], str], ...] = ()  # what was done to it, a short sentence each
    # its name in sentences of a page; `OWN_TITLE` unless it is one of this project's
    title: Callable[[], str] = OWN_TITLE

    @property
    def image(self) -> Image.Image:
        """RGB without any metadata, upright, of at most `WORKING_PIXELS` pixels and `WORKING_SIDE` per side."""
        if isinstance(self.stored, Image.Image):
            return self.stored
        image = Image.open(io.BytesIO(self.stored), formats=("WEBP",)).convert("RGB")
        return Image.frombytes("RGB", image.size, image.tobytes())  # without metadata

    def compressed(self) -> "Picture":
        """The same picture in a third to a half of the memory, for one that is retained; `image` then decodes it."""
        if not isinstance(self.stored, Image.Image):
            return self
        file = io.BytesIO()
        # method 0 takes half the time of PNG for a smaller file
        self.stored.save(file, "WEBP", lossless=True, quality=0, method=0)
        return replace(self, stored=file.getvalue())

    @property
    def is_own(self) -> bool:
        """True for a user's own picture; nothing of it may outlast the visit."""
        return self.title == OWN_TITLE


def read_picture(content: bytes) -> Picture:
    """Decode the bytes of an uploaded picture.

    One frame or page, upright, transparency over white, 16 bits a channel scaled to 8, CMYK, palettes and grey levels
    converted to sRGB, by the picture's own colour profile if it has one. Peak memory is about 450 MB, for the largest
    picture accepted.

    Raises:
        PictureError: it is empty, too heavy, too large, damaged, or no picture; the sentence contains what to do.
    """
    if not content:
        raise PictureError(EMPTY)
    if len(content) > MAX_BYTES:
        raise PictureError(TOO_HEAVY)
    if is_costly(content):
        raise PictureError(COSTLY)
    try:
        return _read(content)
    except PictureError:
        raise
    except Image.DecompressionBombError:
        raise PictureError(TOO_LARGE) from None
    except UnidentifiedImageError:
        form = phone_format(content)
        raise (PictureError(PHONE, form=form) if form else PictureError(UNKNOWN)) from None
    except Exception as error:  # damaged files make decoders raise almost anything
        raise PictureError(DAMAGED) from error


def _read(content: bytes) -> Picture:
    with Image.open(io.BytesIO(content), formats=FORMATS) as source:
        _check_size(source)
        size, several = source.size, getattr(source, "is_animated", False)
        rotated_by_pillow = (
            source.format == "TIFF"
        )  # while Pillow loads it; afterwards its EXIF data no longer contains how
        orientation = _orientation(source) if rotated_by_pillow else 1
        if source.format in ("JPEG", "MPO"):
            # The decoder can halve a JPEG while it reads it: less memory, less time.
            source.draft(None, _working_size(size))
        source.load()
        _check_size(source)  # a GIF's frame may be larger than its screen
        image, notes = _small_rgb(source)
        if not rotated_by_pillow:
            orientation = _orientation(source)
            if orientation in _TURNED_ORIENTATIONS:
                image.getexif()[ExifTags.Base.Orientation] = orientation
                image = ImageOps.exif_transpose(image)
            if orientation in _SIDEWAYS_ORIENTATIONS:
                size = size[::-1]
        if orientation in _TURNED_ORIENTATIONS:
            notes.append(TURNED)
        if several and source.format != "MPO":  # phones append depth maps and the like to a JPEG, which need no note
            notes.append(PAGES if source.format == "TIFF" else ANIMATION)
        form = "JPEG" if source.format == "MPO" else str(source.format)
    return Picture(image, size, form, hashlib.sha256(content).hexdigest(), tuple(notes))


def _check_size(source: Image.Image) -> None:
    width, height = source.size
    if width * height > MAX_PIXELS:
        raise PictureError(TOO_LARGE)
    if width < 1 or height < 1:
        raise PictureError(DAMAGED)


def _orientation(source: Image.Image) -> int:
    try:
        return int(source.getexif().get(ExifTags.Base.Orientation, 1))
    except Exception:  # unreadable EXIF data must not cost the picture
        return 1


def _working_size(size: tuple[int, int]) -> tuple[int, int]:
    """The size of the working copy: the same aspect ratio, never larger."""
    width, height = size
    scale = min(1.0, (WORKING_PIXELS / (width * height)) ** 0.5, WORKING_SIDE / max(size))
    return max(1, int(width * scale)), max(1, int(height * scale))


def _small_rgb(source: Image.Image) -> tuple[Image.Image, list[Message]]:
    """RGB of at most the working size, and notes on how its colours were converted.

    Strip by strip the picture is converted and averaged over whole blocks of pixels, down to at least twice the target
    size; Lanczos resampling does the rest, because block averages alone alias fine stripes into coarse ones.
    """
    width, height = source.size
    target = _working_size(source.size)
    across, down = (max(1, side // (2 * goal)) for side, goal in zip(source.size, target, strict=True))
    span = _span(source) if source.mode in ("I", "F") else None
    on_white = _is_transparent(source)
    convert, notes = converter(source) if span is None else (plain_rgb, [])
    small = Image.new("RGB", (-(-width // across), -(-height // down)))
    rows = max(1, STRIP_PIXELS // (width * down)) * down
    for top in range(0, height, rows):
        strip = source.crop((0, top, width, min(height, top + rows)))
        strip.info = dict(source.info)
        small.paste(_to_rgb(strip, span, convert).reduce((across, down)), (0, top // down))
    if small.size != target:
        # The last block of a row may extend over the picture's edge.
        small = small.resize(target, Image.Resampling.LANCZOS, box=(0, 0, width / across, height / down))
    return small, notes + [ON_WHITE] * on_white + [STRETCHED] * (span is not None)


def _is_transparent(source: Image.Image) -> bool:
    if source.mode != "LAB" and ("A" in source.getbands() or "a" in source.getbands()):  # whose A is a colour
        alpha = source.getchannel("A" if "A" in source.getbands() else "a")
        lowest = alpha.getextrema()[0]
        assert not isinstance(lowest, tuple), "an image of one band has one minimum"
        return lowest < 255
    return source.info.get("transparency") is not None


def _to_rgb(strip: Image.Image, span: tuple[float, float] | None, convert: Convert) -> Image.Image:
    if span is not None:
        return convert(_stretched(strip, span))
    if strip.mode.startswith("I;16"):
        return convert(_from_16_bits(strip))
    if strip.mode in ("RGBA", "RGBa", "LA", "La", "PA") or strip.info.get("transparency") is not None:
        if strip.mode == "La":
            strip = strip.convert("LA")
        return _over_white(strip.convert("RGBA"), "L" if strip.mode in ("1", "L", "LA") else "RGB", convert)
    return convert(strip)


def _over_white(strip: Image.Image, mode: str, convert: Convert) -> Image.Image:
    """The strip's colours in `mode`, converted, where it is opaque; alpha has no colour."""
    colours = convert(strip.convert("RGB").convert(mode))
    colours.putalpha(strip.getchannel("A"))
    white = Image.new("RGBA", strip.size, "white")
    return Image.alpha_composite(white, colours).convert("RGB")


def _from_16_bits(strip: Image.Image) -> Image.Image:
    """Grey levels 0..65535 to 0..255, rounded; Pillow's own conversion cuts or shifts them."""
    values = np.asarray(strip).astype(np.uint32)  # (row, column)
    grey = ((values + 128) // 257).astype(np.uint8)
    transparent = strip.info.get("transparency")
    if isinstance(transparent, int):
        grey[values == transparent] = 255
    return Image.fromarray(grey)


def _span(source: Image.Image) -> tuple[float, float]:
    """Darkest and brightest finite value of a picture whose format has no range."""
    low, high = np.inf, -np.inf
    rows = max(1, STRIP_PIXELS // source.width)
    for top in range(0, source.height, rows):
        values = np.asarray(source.crop((0, top, source.width, min(source.height, top + rows))), dtype=np.float64)
        finite = values[np.isfinite(values)]
        if finite.size:
            low, high = min(low, finite.min()), max(high, finite.max())
    if not np.isfinite(low):
        raise PictureError(DAMAGED)
    return float(low), float(high)


def _stretched(strip: Image.Image, span: tuple[float, float]) -> Image.Image:
    low, high = span
    values = np.asarray(strip, dtype=np.float64)  # (row, column)
    share = (np.nan_to_num(values, nan=low, posinf=high, neginf=low) - low) / ((high - low) or 1.0)
    return Image.fromarray((255 * share).round().astype(np.uint8))


# Check a picture file's bytes before any decoder reads it.
#
# Finds files that are small and well-formed but take a decoder minutes or gigabytes, and formats that are not read
# here.

MAX_SCANS = 100  # of a progressive JPEG; photographs have about ten
MAX_ENTRIES = 32_768  # of one TIFF tag, such as the offsets of its strips; photographs have some thousands

_HEIC = {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"mif1", b"msf1"}
_BYTE_TYPES = (1, 2, 6, 7)  # texts and profiles: long, and read as one block


def is_costly(content: bytes) -> bool:
    """True if decoding would cost far more than the size of the picture explains."""
    if content.startswith(b"\xff\xd8"):
        return content.count(b"\xff\xda") > MAX_SCANS
    if content[:4] in (b"II*\0", b"MM\0*"):
        return _tiff_entries(content, "H", "HHI4x", "I", 4) > MAX_ENTRIES
    if content[:4] in (b"II+\0", b"MM\0+"):
        return _tiff_entries(content, "Q", "HHQ8x", "Q", 8) > MAX_ENTRIES
    return False


def phone_format(content: bytes) -> str:
    """`HEIC` or `AVIF` for pictures as phones and newer cameras store them, whatever the file is called; else "".

    Both are files of the ISO base media format (ISO/IEC 14496-12), which begin with a list of brands.
    """
    if len(content) < 16 or content[4:8] != b"ftyp":
        return ""
    end = min(int.from_bytes(content[:4], "big"), 256, len(content))
    brands = {content[start : start + 4] for start in (8, *range(16, end - 3, 4))}
    if brands & {b"avif", b"avis"}:
        return "AVIF"
    return "HEIC" if brands & _HEIC else ""


def _tiff_entries(content: bytes, tags: str, tag: str, offset: str, offset_at: int) -> int:
    """The largest number of entries of a tag of the first page, whose offset is at `offset_at`.

    `tags`, `tag`, `offset`: `struct` formats of the number of tags, of one (number, type, entries) and of an offset.
    """
    order = "<" if content.startswith(b"II") else ">"
    most = 0
    try:
        (start,) = struct.unpack_from(order + offset, content, offset_at)
        (count,) = struct.unpack_from(order + tags, content, start)
        start += struct.calcsize(order + tags)
        for index in range(count):
            _, kind, entries = struct.unpack_from(order + tag, content, start + index * struct.calcsize(order + tag))
            if kind not in _BYTE_TYPES:
                most = max(most, entries)
    except (struct.error, OverflowError):  # the decoder will report that the file is damaged
        pass
    return most
