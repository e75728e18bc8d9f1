"""The encoder-decoder Transformer as a diagram, with the sizes of the model that is loaded."""

from __future__ import annotations

from dataclasses import dataclass

from views import palette
from views.numbers import grouped

_WIDTH, _TOP, _HEIGHT = 600, 40, 680
_BLOCK = 236  # width of a block
_ENCODER, _DECODER = 146, 454  # middle of each stack
_INK = "var(--st-text-color, #1B1F24)"
_PAPER = "var(--st-background-color, #FFFFFF)"


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


def architecture(sizes: Sizes) -> str:
    """An SVG that reads from the bottom up, as data flows. Encoder blue, decoder orange, cross-attention green."""
    heads = f"{sizes.n_heads} heads, d_k = {sizes.d_k}"
    feed_forward = f"{sizes.d_model} \u2192 {grouped(sizes.d_ff)} \u2192 {sizes.d_model}, ReLU"
    table = f"{grouped(sizes.vocabulary_size)} pieces \u00d7 d_model = {sizes.d_model}"
    answer = f"{sizes.d_model} \u2192 {grouped(sizes.vocabulary_size)}, the same table"
    parts = [
        _stack(_ENCODER, 374, 568, "encoder", sizes.n_encoder_layers),
        _stack(_DECODER, 266, 568, "decoder", sizes.n_decoder_layers),
        # Encoder, bottom up.
        _caption(_ENCODER, 704, "English pieces"),
        _arrow(_ENCODER, 688, 668),
        _block(_ENCODER, 622, "encoder", "Embedding + position", table),
        _arrow(_ENCODER, 622, 552),
        _block(_ENCODER, 506, "encoder", "Self-attention", heads),
        _norm(_ENCODER, 482, "encoder"),
        _arrow(_ENCODER, 482, 462),
        _block(_ENCODER, 416, "encoder", "Feed-forward", feed_forward),
        _norm(_ENCODER, 392, "encoder"),
        # Decoder, bottom up.
        _caption(_DECODER, 704, "French pieces so far"),
        _arrow(_DECODER, 688, 668),
        _block(_DECODER, 622, "decoder", "Embedding + position", "the same table"),
        _arrow(_DECODER, 622, 552),
        _block(_DECODER, 506, "decoder", "Masked self-attention", heads),
        _norm(_DECODER, 482, "decoder"),
        _arrow(_DECODER, 482, 462),
        _block(_DECODER, 416, "cross", "Cross-attention", heads),
        _norm(_DECODER, 392, "cross"),
        _arrow(_DECODER, 392, 372),
        _block(_DECODER, 326, "decoder", "Feed-forward", feed_forward),
        _norm(_DECODER, 302, "decoder"),
        _arrow(_DECODER, 302, 206),
        _block(_DECODER, 160, "decoder", "Linear", answer),
        _arrow(_DECODER, 160, 140),
        _block(_DECODER, 94, "decoder", "Softmax", f"{grouped(sizes.vocabulary_size)} probabilities"),
        _arrow(_DECODER, 94, 74),
        _caption(_DECODER, 62, "Next French piece"),
        _memory(),
    ]
    title = (
        f"Encoder of {sizes.n_encoder_layers} layers and decoder of {sizes.n_decoder_layers} layers, "
        f"{sizes.n_heads} heads each; the decoder's cross-attention reads the encoder's output."
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 {_TOP} {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{title}" font-size="17" text-anchor="middle">{_MARKERS}{"".join(parts)}</svg>'
    )


def _marker(name: str, colour: str) -> str:
    return (
        f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0 L8 4 L0 8 z" fill="{colour}"/></marker>'
    )


_MARKERS = f"<defs>{_marker('flow', _INK)}{_marker('memory', palette.HUES['cross'])}</defs>"


def _block(middle: int, top: int, kind: str, name: str, detail: str) -> str:
    hue = palette.HUES[kind]
    place = f'x="{middle - _BLOCK // 2}" y="{top}" width="{_BLOCK}" height="44" rx="4"'
    return (
        f'<rect {place} fill="{_PAPER}"/><rect {place} fill="{hue}" fill-opacity=".16" stroke="{hue}"/>'
        f'<text x="{middle}" y="{top + 18}" font-weight="600" fill="{_INK}">{name}</text>'
        f'<text x="{middle}" y="{top + 37}" font-size="14.5" fill="{_INK}">{detail}</text>'
    )


def _norm(middle: int, top: int, kind: str) -> str:
    left = middle - _BLOCK // 2
    return (
        f'<rect x="{left}" y="{top}" width="{_BLOCK}" height="20" rx="4" fill="{_PAPER}" '
        f'stroke="{palette.HUES[kind]}" stroke-opacity=".6"/>'
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
    return f'<path d="M{x} {start} V{end + 1}" stroke="{_INK}" stroke-width="1.4" fill="none" marker-end="url(#flow)"/>'


def _caption(x: int, y: int, text: str) -> str:
    return f'<text x="{x}" y="{y}" font-style="italic" fill="{_INK}">{text}</text>'


def _memory() -> str:
    """From the top of the encoder into every layer's cross-attention."""
    hue = palette.HUES["cross"]
    edge = _DECODER - _BLOCK // 2
    return (
        f'<path d="M{_ENCODER} 392 V320 H300 V438 H{edge - 1}" stroke="{hue}" stroke-width="2" fill="none" '
        f'marker-end="url(#memory)"/>'
        f'<text x="{_ENCODER + 4}" y="312" font-size="15" text-anchor="start" fill="{_INK}">keys and values</text>'
    )
