"""Colours and colour scales. A colour has the same meaning everywhere.

Encoder blue, decoder orange, cross green and vision purple are hues of Okabe and Ito's palette (2008), which people
with any common form of colour blindness can tell apart. Each has a sequential scale from the page's background through
the hue: lightness changes in equal steps in OKLab (Ottosson 2020), so equal steps of a number look like equal steps.
"""

import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal

import numpy as np
from PIL.ImageColor import getrgb as to_rgb

Theme = Literal["light", "dark"]

HUES = {"encoder": "#0072B2", "decoder": "#D55E00", "cross": "#009E73", "vision": "#CC79A7"}
SPARE = ("#56B4E9", "#E69F00")  # its sky blue and amber, for kinds that are none of these
BACKGROUND = {"light": "#FFFFFF", "dark": "#12151A"}  # the same as in .streamlit/config.toml
INK = {"light": "#1B1F24", "dark": "#E4E7EB"}  # text colour, likewise
SECONDARY = {"light": ("#F5F6F8", "#D9DCE1"), "dark": ("#1B2027", "#343A44")}  # background and border, likewise
MASKED = {"light": "#DADCE0", "dark": "#3A3F47"}
STOPS = 17
# Eight colours for heads, in an order in which neighbours differ most. Chosen by search so that any two of them stay at
# least 0.11 apart in OKLab for common vision and for each kind of colour blindness as Machado et al. (2009) simulate
# it (Okabe and Ito's own eight: 0.08), and each has a contrast of at least 3 with the page.
HEADS = {
    "light": ("#2154D8", "#DF6815", "#0BA880", "#A32C74", "#645406", "#9C7BD2", "#001A81", "#4F152C"),
    "dark": ("#2E64EA", "#F0772D", "#57B1A0", "#AB4197", "#686722", "#F295FB", "#68F06C", "#EEEEEE"),
}
DASHES = ((), (10, 4), (3, 3), (12, 3, 3, 3))  # alternating pixels drawn and left out; none: solid
NEGATIVE = "#E69F00"  # amber of the same palette; the other end of signed scales
COOL_NEGATIVE = "#56B4E9"  # its sky blue: the other end of orange and purple, which some people cannot tell from amber
DIFFERENCE = "difference"  # kind of the scale for differences
# Far apart for people with any form of colour blindness, which amber and the decoder's orange are not.
LESS_AND_MORE = ("#D55E00", "#0072B2")

_END_LIGHTNESS = {"light": 0.28, "dark": 0.94}
_SIGNED_LIGHTNESS = {"light": 0.46, "dark": 0.76}

_LINEAR_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_LMS_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def to_hex(channels: Iterable[int]) -> str:
    """Three numbers from 0 to 255 to `#RRGGBB`."""
    return "#{:02X}{:02X}{:02X}".format(*channels)


def to_oklab(colour: str) -> np.ndarray:
    """`#RRGGBB` to OKLab, `(3,)`: lightness from 0 to 1, then the two colour axes."""
    srgb = np.array(to_rgb(colour)) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    return _LMS_TO_LAB @ np.cbrt(_LINEAR_TO_LMS @ linear)


def _to_linear(lab: np.ndarray) -> np.ndarray:
    return np.linalg.inv(_LINEAR_TO_LMS) @ (np.linalg.inv(_LMS_TO_LAB) @ lab) ** 3


def from_oklab(lab: np.ndarray) -> str:
    """OKLab `(3,)` to `#RRGGBB`; the chroma of a colour that screens cannot show is reduced until they can."""
    if not _displayable(lab):
        low, high = 0.0, 1.0
        for _ in range(24):
            middle = (low + high) / 2
            low, high = (middle, high) if _displayable(lab * (1, middle, middle)) else (low, middle)
        lab = lab * (1, low, low)
    linear = _to_linear(lab).clip(0, 1)
    srgb = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return to_hex(round(255 * channel) for channel in srgb)


def _displayable(lab: np.ndarray) -> bool:
    linear = _to_linear(lab)
    return bool((linear >= -1e-4).all() and (linear <= 1 + 1e-4).all())


def hue_of(kind: str) -> str:
    """The colour of a kind of attention, or of a part of one (`decoder-8-heads`).

    One that has none of its own gets one of `SPARE`, always the same.
    """
    kind = "decoder" if kind == "prefix" else kind
    return HUES.get(kind) or HUES.get(kind.partition("-")[0]) or SPARE[zlib.crc32(kind.encode()) % len(SPARE)]


@lru_cache(maxsize=16)
def scale(kind: str, theme: Theme) -> tuple[str, ...]:
    """`STOPS` colours from the background (0) through the kind's hue to its deepest shade (1)."""
    start, hue = to_oklab(BACKGROUND[theme]), to_oklab(hue_of(kind))
    end = np.array([_END_LIGHTNESS[theme], *0.4 * hue[1:]])
    hue_position = (hue[0] - start[0]) / (end[0] - start[0])  # position of the hue itself on the scale
    return tuple(map(from_oklab, _between(np.linspace(0, 1, STOPS), (0, hue_position, 1), np.stack([start, hue, end]))))


def colours(kind: str, theme: Theme, signed: bool) -> tuple[str, ...]:
    """The colours for numbers of both signs, or for those from 0 on."""
    return (signed_scale if signed else scale)(kind, theme)


def shades(share: np.ndarray, colours: Sequence[str]) -> np.ndarray:
    """Numbers from 0 to 1 as colours at equal distances and between them: `(..., 3)` float64 from 0 to 255."""
    stops = np.array([to_rgb(colour) for colour in colours], dtype=float)  # (stop, channel)
    return _between(np.clip(share, 0, 1) * (len(stops) - 1), range(len(stops)), stops)


def _between(positions: np.ndarray, known: Sequence[float], stops: np.ndarray) -> np.ndarray:
    """Interpolate `stops` `(stop, 3)`, which are at the positions `known`, at `positions`: `(..., 3)`."""
    return np.stack([np.interp(positions, known, channel) for channel in stops.T], axis=-1)


def head_style(head: int, theme: Theme) -> tuple[str, tuple[int, ...]]:
    """Colour and dashes of a head's lines, by its number from 0.

    Colours repeat after eight heads, with other dashes: up to 32 heads have different styles. A head's number is always
    written next to its colour too.
    """
    colours = HEADS[theme]
    return colours[head % len(colours)], DASHES[head // len(colours) % len(DASHES)]


@lru_cache(maxsize=16)
def signed_scale(kind: str, theme: Theme) -> tuple[str, ...]:
    """`2 * STOPS - 1` colours for numbers of both signs: `signed_hues` at the ends, the background at 0.

    Both ends are equally light and differ in hue, so that neither sign looks stronger and they cannot be confused.
    The kind "difference" has the two hues of `LESS_AND_MORE`, whichever kinds are compared.
    """
    below, above = (_towards(to_oklab(colour), theme) for colour in signed_hues(kind))
    return (*below[:0:-1], *above)


def signed_hues(kind: str) -> tuple[str, str]:
    """The hue of numbers below 0 and that of numbers above: amber or sky blue, and the kind's own."""
    if kind == DIFFERENCE:
        return LESS_AND_MORE
    return COOL_NEGATIVE if kind in ("decoder", "prefix", "vision") else NEGATIVE, hue_of(kind)


def _towards(hue: np.ndarray, theme: Theme) -> list[str]:
    """`STOPS` colours from the background to a colour of `hue`, with the same lightness as the end of other scales."""
    start = to_oklab(BACKGROUND[theme])
    end = np.array([_SIGNED_LIGHTNESS[theme], *hue[1:]])
    return [from_oklab(start + position * (end - start)) for position in np.linspace(0, 1, STOPS)]
