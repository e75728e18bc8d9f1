"""How a patch becomes a vector: its three colour planes, the vector read off them, and the embedding. SVG for the page.

Every cell and bar names its full value when the pointer rests on it.
"""

from collections.abc import Sequence

import numpy as np

from .. import maps, palette
from ..figures.overlay import data_url
from ..patches import CHANNELS, as_bytes, value_names
from ..text import literal
from ..text.catalogue import say
from ..text.numbers import percent
from .blocks import INK

_WIDTH = 440  # so that its texts can still be read on a phone
_INKS = ("#C0392B", "#2E8B57", "#2F6FB5")  # red, green, blue: what the planes hold, not a kind of attention
_GAP = 16


def steps(patch: np.ndarray, vector: np.ndarray, embedding: np.ndarray) -> str:
    """From pixels to the embedding, from top to bottom.

    Args:
        patch: `(size, size, 3)` in [0, 1].
        vector: `(3 * size ** 2,)` in [-1, 1], the patch flattened.
        embedding: `(d_model,)`.
    """
    size = patch.shape[0]
    side = (_WIDTH - 3 * _GAP) / 4
    planes = [_cells(as_bytes(patch), 0, side)]
    for channel, name in enumerate(CHANNELS):
        values, plane = patch[..., channel], np.zeros_like(patch)  # black is 0, the full colour 1
        plane[..., channel] = values
        titles = [_value(name(row=y + 1, column=x + 1), values[y, x]) for y, x in np.ndindex(values.shape)]
        planes.append(_cells(as_bytes(plane), (channel + 1) * (side + _GAP), side, titles))
    names = value_names(size)
    tops = side + 52, side + 190
    inks = [_INKS[place // size**2] for place in range(len(vector))]
    flattened = say(
        "patch.flattened",
        "Flattened: {count} numbers, \u22121 to 1: all red, all green, all blue",
        count=len(vector),
    )
    dimensions = [say("patch.dimension", "dimension {place}", place=place) for place in range(1, len(embedding) + 1)]
    largest, hues = float(np.abs(embedding).max()) or 1.0, [palette.HUES["vision"]] * len(embedding)
    parts = [
        _text(
            0, 12, say("patch.pixels", "{size} \u00d7 {size} pixels, and how much of each colour they hold", size=size)
        ),
        f'<g transform="translate(0 22)">{"".join(planes)}</g>',
        _text(0, tops[0], flattened),
        _bars(vector, 1.0, tops[0] + 10, inks, names),
        _text(0, tops[1], say("patch.embedded", "Embedded: W x + b, {count} numbers", count=len(embedding))),
        _bars(embedding, largest, tops[1] + 10, hues, dimensions),
    ]
    height = tops[1] + 118
    label = say(
        "patch.steps",
        "A patch as pixels, as colour planes, as a vector, and embedded. The table below has the same numbers.",
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:.0f}" role="img" '
        f'aria-label="{literal.html(label)}">{"".join(parts)}</svg>'
    )


def _text(x: float, y: float, text: str) -> str:
    return f'<text x="{x:g}" y="{y:.0f}" font-size="13" fill="{INK}">{literal.html(text)}</text>'


def _cells(pixels: np.ndarray, left: float, side: float, titles: Sequence[str] = ()) -> str:
    """Pixels `(size, size, 3)` uint8 as squares, each with its title where there are any."""
    cell = side / len(pixels)
    drawn = "".join(
        f'<rect x="{left + place % len(pixels) * cell:.2f}" y="{place // len(pixels) * cell:.2f}" '
        f'width="{cell + 0.3:.2f}" height="{cell + 0.3:.2f}" fill="{palette.to_hex(colour)}"'
        + (f"><title>{titles[place]}</title></rect>" if titles else "/>")
        for place, colour in enumerate(pixels.reshape(-1, 3).tolist())
    )
    return f"<g>{drawn}</g>"


def _bars(values: np.ndarray, top: float, y: float, inks: list[str], names: list[str]) -> str:
    """Bars up and down from a line; full height is `top`."""
    step, half = _WIDTH / len(values), 48
    middle = y + half
    drawn = "".join(
        f'<rect x="{place * step:.2f}" y="{middle - max(0.0, share) * half:.2f}" width="{0.8 * step:.2f}" '
        f'height="{max(0.4, abs(share) * half):.2f}" fill="{ink}"><title>{_value(name, value)}</title></rect>'
        for place, (value, share, ink, name) in enumerate(
            zip(map(float, values), map(float, values / top), inks, names, strict=True)
        )
    )
    line = f'<line x1="0" x2="{_WIDTH}" y1="{middle}" y2="{middle}" stroke="{INK}" stroke-opacity=".4"/>'
    return f"<g>{line}{drawn}</g>"


def _value(name: str, value: float) -> str:
    """What is read out where the pointer rests; the name is said by the page."""
    return literal.html(f"{name}: {float(value):.7g}")


def strip(sequence: np.ndarray, columns: int, chosen: int) -> str:
    """The order of the sequence in HTML: CLS, then every patch of `sequence` `(size, size * P, 3)` uint8.

    Args:
        columns: patches in a row of the picture.
        chosen: position that is marked, from 0.
    """
    size = sequence.shape[0]
    count = sequence.shape[1] // size
    cls = literal.html(say("patch.cls", "position 0: CLS, a learned vector"))
    items = [f'<span{literal.TOKEN} class="aa-cls" role="listitem" title="{cls}">{maps.CLS}</span>']
    for patch in range(count):
        row, column = divmod(patch, columns)
        mark = ' class="aa-chosen-patch"' if patch + 1 == chosen else ""
        name = say("patch.position", "position {place}: {patch}", place=patch + 1, patch=maps.patch_name(row, column))
        items.append(
            f'<span{mark} role="listitem" title="{literal.html(name)}" '
            f'style="background-position:{-24 * patch}px 0"></span>'
        )
    style = (
        "<style>.aa-sequence{display:flex;flex-wrap:wrap;gap:3px}"
        f".aa-sequence span{{width:24px;height:24px;background:url({data_url(sequence)}) 0 0/{24 * count}px 24px;"
        "image-rendering:pixelated}"
        f".aa-sequence .aa-cls{{width:auto;background:{palette.HUES['vision']};color:#000;font-size:.75rem;"
        "line-height:24px;padding:0 6px}"
        ".aa-sequence .aa-chosen-patch{outline:2px solid currentColor;outline-offset:1px}</style>"
    )
    return f'{style}<div class="aa-sequence" role="list">{"".join(items)}</div>'


def filters(components: np.ndarray, shares: np.ndarray) -> str:
    """Filters `(count, size, size, 3)` as pictures, grey where 0, each with the share of variance it explains."""
    largest = np.abs(components).max(axis=(1, 2, 3), keepdims=True)
    shown = np.round(127.5 + 127.5 * components / largest).astype(np.uint8)
    items = "".join(
        f'<figure role="listitem"><img src="{data_url(picture)}" alt="{_filter(number)}">'
        f"<figcaption>{literal.html(percent(float(share)))}</figcaption></figure>"
        for number, (picture, share) in enumerate(zip(shown, shares, strict=True), 1)
    )
    style = (
        "<style>.aa-filters{display:grid;grid-template-columns:repeat(auto-fill,minmax(56px,1fr));gap:8px}"
        ".aa-filters figure{margin:0;font-size:.75rem;text-align:center;font-variant-numeric:tabular-nums}"
        ".aa-filters img{width:100%;image-rendering:pixelated;display:block}</style>"
    )
    return f'{style}<div class="aa-filters" role="list">{items}</div>'


def _filter(number: int) -> str:
    return literal.html(say("patch.filter", "filter {number}", number=number))
