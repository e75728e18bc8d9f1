"""Elements of network diagrams: blocks, arrows, and links to the pages that explain them."""

import re
from collections.abc import Callable, Iterable, Mapping
from urllib.parse import urlencode

from .. import palette
from ..text import literal
from ..text.catalogue import say
from ..text.numbers import grouped

WIDTH, TOP, HEIGHT = 600, 40, 680  # of a diagram
ENCODER, DECODER = 146, 454  # x of the middle of each stack
BLOCK = 236  # width of a block
INK = "var(--st-text-color, #1B1F24)"
PAPER = "var(--st-background-color, #FFFFFF)"


def diagram(elements: Iterable[str], title: str) -> str:
    """The SVG, in which data flows from the bottom up; `title` describes it for screen readers."""
    # A group: screen readers do not announce links inside an image.
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 {TOP} {WIDTH} {HEIGHT}" role="group" '
        f'aria-label="{literal.html(title)}" font-size="17" text-anchor="middle">{MARKERS}{"".join(elements)}</svg>'
    )


def output_blocks(vocabulary_size: int, d_model: int, link: Callable[[str, str, str], str]) -> list[str]:
    """The blocks from the decoder's output to the next token, and the loss next to them, each as a `link`."""
    count = grouped(vocabulary_size)
    linear, softmax = say("diagram.linear", "Linear"), say("diagram.softmax", "Softmax")
    table = say("diagram.answer", "{model} \u2192 {vocabulary}, the same table", model=d_model, vocabulary=count)
    probabilities = say("diagram.probabilities", "{count} probabilities", count=count)
    following = say("diagram.next", "Next French token")
    training = say("diagram.loss.training", "Loss, in training only")
    return [
        link("linear", block(DECODER, 160, "decoder", linear, table), linear),
        arrow(DECODER, 160, 140),
        link("softmax", block(DECODER, 94, "decoder", softmax, probabilities), softmax),
        arrow(DECODER, 94, 74),
        link("next", caption(DECODER, 62, following), following),
        link("loss", small_block(ENCODER, 101, 190, training), say("diagram.loss", "Loss")),
        path(f"M{DECODER - BLOCK // 2} 116 H{ENCODER + 96}"),
    ]


def linked_block(
    svg: str,
    name: str,
    page: str,
    settings: Mapping[str, str],
    pages: Mapping[str, str] | None,
    keep: Mapping[str, str | list[str]] | None,
) -> str:
    """A block as a link to a page, if that page is available.

    Args:
        svg: the block.
        name: its name.
        settings: settings of the page.
        pages: id -> title of the available pages.
        keep: settings that every link contains, such as the sentence.
    """
    if not pages or page not in pages:
        return svg
    address = literal.html(f"{page}?{urlencode({**settings, **(keep or {})})}".rstrip("?"))
    label = literal.html(say("diagram.link", "{block}: open the page {page}", block=name, page=pages[page]))
    inside = " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", svg))
    name = f"{label} ({inside})" if inside else label  # voice control needs the visible text in the name
    shown = svg.replace("</text>", "</text> ")  # as in the name: between two lines there is no other space
    # the tooltip is outside the link: it is no text that the link shows
    return f'<g><title>{label}</title><a href="{address}" target="_self" aria-label="{name}">{shown}</a></g>'


def _marker(name: str, colour: str) -> str:
    return (
        f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0 L8 4 L0 8 z" fill="{colour}"/></marker>'
    )


MARKERS = f"<defs>{_marker('flow', INK)}{_marker('memory', palette.HUES['cross'])}</defs>"


def block(middle: int, top: int, kind: str, name: str, detail: str, width: int = BLOCK) -> str:
    """A block with its name above its detail; `kind` decides its hue."""
    hue = palette.HUES[kind]
    box = f'x="{middle - width // 2}" y="{top}" width="{width}" height="44" rx="4"'
    return (
        f'<rect {box} fill="{PAPER}"/><rect {box} fill="{hue}" fill-opacity=".16" stroke="{hue}" class="mark"/>'
        f'<text x="{middle}" y="{top + 18}" font-weight="600" fill="{INK}">{literal.html(name)}</text>'
        f'<text x="{middle}" y="{top + 37}" font-size="14.5" fill="{INK}">{literal.html(detail)}</text>'
    )


def small_block(middle: int, top: int, width: int, name: str) -> str:
    """A small block next to the data flow."""
    return (
        f'<rect x="{middle - width // 2}" y="{top}" width="{width}" height="30" rx="4" fill="{PAPER}" '
        f'stroke="{INK}" stroke-opacity=".5" stroke-dasharray="4 3" class="mark"/>'
        f'<text x="{middle}" y="{top + 20}" font-size="15" fill="{INK}">{literal.html(name)}</text>'
    )


def stack(middle: int, top: int, bottom: int, kind: str, name: str) -> str:
    """A dashed frame around the blocks of a stack, with its name above."""
    left = middle - BLOCK // 2 - 12
    return (
        f'<rect x="{left}" y="{top}" width="{BLOCK + 24}" height="{bottom - top}" rx="8" fill="none" '
        f'stroke="{palette.HUES[kind]}" stroke-opacity=".5" stroke-dasharray="4 4"/>'
        f'<text x="{middle + 10}" y="{top - 8}" text-anchor="start" font-weight="600" fill="{INK}">'
        f"{literal.html(name)}</text>"
    )


def arrow(x: int, start: int, end: int) -> str:
    """A vertical arrow along the data flow."""
    return path(f"M{x} {start} V{end + 1}")


def path(line: str) -> str:
    """An arrow along `line`, in SVG's path syntax."""
    return f'<path d="{line}" stroke="{INK}" stroke-width="1.4" fill="none" marker-end="url(#flow)"/>'


def memory_arrow(line: str) -> str:
    """The arrow from the encoder to the decoder, along `line`."""
    hue = palette.HUES["cross"]
    return f'<path d="{line}" stroke="{hue}" stroke-width="2" fill="none" marker-end="url(#memory)"/>'


def caption(x: int, y: int, text: str) -> str:
    """The name of an input or output."""
    return (
        f'<rect x="{x - 90}" y="{y - 17}" width="180" height="23" rx="4" fill-opacity="0" class="mark"/>'
        f'<text x="{x}" y="{y}" font-style="italic" fill="{INK}">{literal.html(text)}</text>'
    )
