"""The encoder-decoder Transformer as a diagram, with the sizes of the model that is loaded."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from views import palette
from views.text import literal
from views.text.numbers import grouped

_WIDTH, _TOP, _HEIGHT = 600, 40, 680
_BLOCK = 236  # width of a block
_ENCODER, _DECODER = 146, 454  # middle of each stack
_INK = "var(--st-text-color, #1B1F24)"
_PAPER = "var(--st-background-color, #FFFFFF)"


# Where each block leads: a page, and what is set there.
DESTINATIONS: dict[str, tuple[str, dict[str, str]]] = {
    "pieces": ("tokens", {}),
    "embedding": ("tokens", {}),
    "positions": ("positions", {}),
    "encoder self-attention": ("attention", {"kind": "Encoder"}),
    "decoder self-attention": ("attention", {"kind": "Decoder"}),
    "cross-attention": ("attention", {"kind": "Cross"}),
    "mask": ("masks", {}),
    "feed-forward": ("inside", {}),
    "add and normalise": ("inside", {}),
    "linear": ("decoding", {"part": "Linear + softmax"}),
    "softmax": ("decoding", {}),
    "next piece": ("decoding", {}),
    "loss": ("loss", {}),
}


@dataclass(frozen=True)
class Sizes:
    """What the diagram states; names as in the paper."""

    vocabulary_size: int
    d_model: int
    n_heads: int
    d_k: int
    d_ff: int
    n_encoder_layers: int
    n_decoder_layers: int


def architecture(sizes: Sizes, pages: Collection[str] = (), keep: Mapping[str, str] | None = None) -> str:
    """An SVG that reads from the bottom up, as data flows. Encoder blue, decoder orange, cross-attention green.

    Args:
        pages: names of the pages there are; a block whose page is among them is a link to it.
        keep: settings that every link carries on, such as the sentence.
    """
    heads = f"{sizes.n_heads} heads, d_k = {sizes.d_k}"
    feed_forward = f"{sizes.d_model} \u2192 {grouped(sizes.d_ff)} \u2192 {sizes.d_model}, ReLU"
    table = f"{grouped(sizes.vocabulary_size)} \u00d7 {sizes.d_model}"
    answer = f"{sizes.d_model} \u2192 {grouped(sizes.vocabulary_size)}, the same table"

    def link(block: str, drawn: str, name: str) -> str:
        page, settings = DESTINATIONS[block]
        if page not in pages:
            return drawn
        address = literal.html(f"{page}?{urlencode({**settings, **(keep or {})})}".rstrip("?"))
        label = literal.html(f"{name}: open the page {page.capitalize()}")
        return f'<a href="{address}" target="_self" aria-label="{label}"><title>{label}</title>{drawn}</a>'

    def norm(middle: int, top: int, kind: str, stack: str) -> str:
        return link("add and normalise", _norm(middle, top, kind), f"{stack}, add and normalise")

    def bottom(middle: int, kind: str, detail: str, stack: str) -> str:
        left, right = middle - _BLOCK // 4 - 2, middle + _BLOCK // 4 + 2
        half = _BLOCK // 2 - 4
        words = f"{stack}, embedding", f"{stack}, positions"
        return link("embedding", _block(left, 622, kind, "Embedding", detail, half), words[0]) + link(
            "positions", _block(right, 622, kind, "+ position", "sines, cosines", half), words[1]
        )

    parts = [
        _stack(_ENCODER, 374, 568, "encoder", sizes.n_encoder_layers),
        _stack(_DECODER, 266, 568, "decoder", sizes.n_decoder_layers),
        # Encoder, bottom up.
        link("pieces", _caption(_ENCODER, 704, "English pieces"), "English pieces"),
        _arrow(_ENCODER, 688, 668),
        bottom(_ENCODER, "encoder", table, "Encoder"),
        _arrow(_ENCODER, 622, 552),
        link(
            "encoder self-attention",
            _block(_ENCODER, 506, "encoder", "Self-attention", heads),
            "Encoder self-attention",
        ),
        norm(_ENCODER, 482, "encoder", "Encoder"),
        _arrow(_ENCODER, 482, 462),
        link("feed-forward", _block(_ENCODER, 416, "encoder", "Feed-forward", feed_forward), "Encoder, feed-forward"),
        norm(_ENCODER, 392, "encoder", "Encoder"),
        # Decoder, bottom up.
        link("pieces", _caption(_DECODER, 704, "French pieces so far"), "French pieces so far"),
        _arrow(_DECODER, 688, 668),
        bottom(_DECODER, "decoder", "the same table", "Decoder"),
        _arrow(_DECODER, 622, 552),
        link(
            "decoder self-attention",
            _block(_DECODER, 506, "decoder", "Masked self-attention", heads),
            "Masked decoder self-attention",
        ),
        link("mask", _aside(300, 512, 44, "mask"), "Causal mask"),
        norm(_DECODER, 482, "decoder", "Decoder, self-attention"),
        _arrow(_DECODER, 482, 462),
        link("cross-attention", _block(_DECODER, 416, "cross", "Cross-attention", heads), "Cross-attention"),
        norm(_DECODER, 392, "cross", "Decoder, cross-attention"),
        _arrow(_DECODER, 392, 372),
        link("feed-forward", _block(_DECODER, 326, "decoder", "Feed-forward", feed_forward), "Decoder, feed-forward"),
        norm(_DECODER, 302, "decoder", "Decoder, feed-forward"),
        _arrow(_DECODER, 302, 206),
        link("linear", _block(_DECODER, 160, "decoder", "Linear", answer), "Linear"),
        _arrow(_DECODER, 160, 140),
        link(
            "softmax",
            _block(_DECODER, 94, "decoder", "Softmax", f"{grouped(sizes.vocabulary_size)} probabilities"),
            "Softmax",
        ),
        _arrow(_DECODER, 94, 74),
        link("next piece", _caption(_DECODER, 62, "Next French piece"), "Next French piece"),
        link("loss", _aside(_ENCODER, 101, 190, "Loss, in training only"), "Loss"),
        _path(f"M{_DECODER - _BLOCK // 2} 116 H{_ENCODER + 96}"),
        _path(f"M322 527 H{_DECODER - _BLOCK // 2 - 1}"),
        _memory(),
    ]
    title = (
        f"Encoder of {sizes.n_encoder_layers} layers and decoder of {sizes.n_decoder_layers} layers, "
        f"{sizes.n_heads} heads each; the decoder's cross-attention reads the encoder's output."
    )
    # As an image its links would be hidden from those who cannot see it; a group announces them.
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 {_TOP} {_WIDTH} {_HEIGHT}" role="group" '
        f'aria-label="{title}" font-size="17" text-anchor="middle">{_MARKERS}{"".join(parts)}</svg>'
    )


def _marker(name: str, colour: str) -> str:
    return (
        f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0 L8 4 L0 8 z" fill="{colour}"/></marker>'
    )


_MARKERS = f"<defs>{_marker('flow', _INK)}{_marker('memory', palette.HUES['cross'])}</defs>"


def _block(middle: int, top: int, kind: str, name: str, detail: str, width: int = _BLOCK) -> str:
    hue = palette.HUES[kind]
    place = f'x="{middle - width // 2}" y="{top}" width="{width}" height="44" rx="4"'
    return (
        f'<rect {place} fill="{_PAPER}"/><rect {place} fill="{hue}" fill-opacity=".16" stroke="{hue}" class="mark"/>'
        f'<text x="{middle}" y="{top + 18}" font-weight="600" fill="{_INK}">{name}</text>'
        f'<text x="{middle}" y="{top + 37}" font-size="14.5" fill="{_INK}">{detail}</text>'
    )


def _aside(middle: int, top: int, width: int, name: str) -> str:
    """A small block beside the flow."""
    return (
        f'<rect x="{middle - width // 2}" y="{top}" width="{width}" height="30" rx="4" fill="{_PAPER}" '
        f'stroke="{_INK}" stroke-opacity=".5" stroke-dasharray="4 3" class="mark"/>'
        f'<text x="{middle}" y="{top + 20}" font-size="15" fill="{_INK}">{name}</text>'
    )


def _norm(middle: int, top: int, kind: str) -> str:
    left = middle - _BLOCK // 2
    return (
        f'<rect x="{left}" y="{top}" width="{_BLOCK}" height="20" rx="4" fill="{_PAPER}" '
        f'stroke="{palette.HUES[kind]}" stroke-opacity=".6" class="mark"/>'
        f'<text x="{middle}" y="{top + 14.5}" font-size="14" fill="{_INK}">add the input back, normalise</text>'
    )


def _stack(middle: int, top: int, bottom: int, kind: str, layers: int) -> str:
    left = middle - _BLOCK // 2 - 12
    word = "layer" if layers == 1 else "layers"
    return (
        f'<rect x="{left}" y="{top}" width="{_BLOCK + 24}" height="{bottom - top}" rx="8" fill="none" '
        f'stroke="{palette.HUES[kind]}" stroke-opacity=".5" stroke-dasharray="4 4"/>'
        f'<text x="{middle + 10}" y="{top - 8}" text-anchor="start" font-weight="600" fill="{_INK}">'
        f"{kind.capitalize()}, {layers} {word}</text>"
    )


def _arrow(x: int, start: int, end: int) -> str:
    return _path(f"M{x} {start} V{end + 1}")


def _path(path: str) -> str:
    return f'<path d="{path}" stroke="{_INK}" stroke-width="1.4" fill="none" marker-end="url(#flow)"/>'


def _caption(x: int, y: int, text: str) -> str:
    return (
        f'<rect x="{x - 90}" y="{y - 17}" width="180" height="23" rx="4" fill-opacity="0" class="mark"/>'
        f'<text x="{x}" y="{y}" font-style="italic" fill="{_INK}">{text}</text>'
    )


def _memory() -> str:
    """From the top of the encoder into every layer's cross-attention."""
    hue = palette.HUES["cross"]
    edge = _DECODER - _BLOCK // 2
    return (
        f'<path d="M{_ENCODER} 392 V320 H300 V438 H{edge - 1}" stroke="{hue}" stroke-width="2" fill="none" '
        f'marker-end="url(#memory)"/>'
        f'<text x="{_ENCODER + 4}" y="312" font-size="15" text-anchor="start" fill="{_INK}">keys and values</text>'
    )
