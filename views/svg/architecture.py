"""The encoder-decoder Transformer as a diagram, with the sizes of the model that is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from views import palette
from views.svg.blocks import BLOCK as _BLOCK
from views.svg.blocks import INK as _INK
from views.svg.blocks import MARKERS as _MARKERS
from views.svg.blocks import PAPER as _PAPER
from views.svg.blocks import arrow as _arrow
from views.svg.blocks import aside as _aside
from views.svg.blocks import block as _block
from views.svg.blocks import caption as _caption
from views.svg.blocks import linked
from views.svg.blocks import path as _path
from views.svg.blocks import stack as _stack
from views.text import literal
from views.text.catalogue import Message, say, say_count
from views.text.numbers import grouped

_WIDTH, _TOP, _HEIGHT = 600, 40, 680
_ENCODER, _DECODER = 146, 454  # middle of each stack


# Where each block leads: a page, and what is set there.
DESTINATIONS: dict[str, tuple[str, dict[str, str]]] = {
    "tokens": ("tokens", {}),
    "embedding": ("tokens", {}),
    "positions": ("positions", {}),
    "encoder": ("attention", {"kind": "encoder"}),
    "decoder": ("attention", {"kind": "decoder"}),
    "cross": ("attention", {"kind": "cross"}),
    "mask": ("masks", {}),
    "feed-forward": ("inside", {}),
    "norm": ("inside", {}),
    "linear": ("decoding", {"part": "linear-softmax"}),
    "softmax": ("decoding", {}),
    "next": ("decoding", {}),
    "loss": ("loss", {}),
}


# What the blocks that both stacks have are called, from the bottom up: embedding, positions, self-attention and what
# follows it, feed-forward and what follows it.
NAMES = {
    "encoder": (
        Message("diagram.encoder.embedding", "Encoder, embedding"),
        Message("diagram.encoder.positions", "Encoder, positions"),
        Message("diagram.encoder.self", "Encoder self-attention"),
        Message("diagram.encoder.norm.self", "Encoder, self-attention, add and normalise"),
        Message("diagram.encoder.feed-forward", "Encoder, feed-forward"),
        Message("diagram.encoder.norm", "Encoder, feed-forward, add and normalise"),
    ),
    "decoder": (
        Message("diagram.decoder.embedding", "Decoder, embedding"),
        Message("diagram.decoder.positions", "Decoder, positions"),
        Message("diagram.decoder.self", "Masked decoder self-attention"),
        Message("diagram.decoder.norm.self", "Decoder, self-attention, add and normalise"),
        Message("diagram.decoder.feed-forward", "Decoder, feed-forward"),
        Message("diagram.decoder.norm", "Decoder, feed-forward, add and normalise"),
    ),
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


def architecture(sizes: Sizes, pages: Mapping[str, str] | None = None, keep: Mapping[str, str] | None = None) -> str:
    """An SVG that reads from the bottom up, as data flows. Encoder blue, decoder orange, cross-attention green.

    Args:
        pages: names and titles of the pages there are; a block whose page is among them is a link to it.
        keep: settings that every link carries on, such as the sentence.
    """
    heads = say("diagram.heads", "{count} heads, d_k = {width}", count=sizes.n_heads, width=sizes.d_k)
    widths = {"model": sizes.d_model, "inner": grouped(sizes.d_ff)}
    feed_forward = say("diagram.widths", "{model} \u2192 {inner} \u2192 {model}, ReLU", **widths)
    table = f"{grouped(sizes.vocabulary_size)} \u00d7 {sizes.d_model}"
    vocabulary = {"model": sizes.d_model, "vocabulary": grouped(sizes.vocabulary_size)}
    answer = say("diagram.answer", "{model} \u2192 {vocabulary}, the same table", **vocabulary)

    def link(block: str, drawn: str, name: str) -> str:
        page, settings = DESTINATIONS[block]
        return linked(drawn, name, page, settings, pages, keep)

    def bottom(stack: str, middle: int, tokens: str, detail: str, attention: str) -> list[str]:
        """Up to self-attention."""
        half, beside = _BLOCK // 2 - 4, _BLOCK // 4 + 2
        embedding, position = say("diagram.embedding", "Embedding"), say("diagram.position", "+ position")
        sines = say("diagram.sines", "sines, cosines")
        return [
            link("tokens", _caption(middle, 704, tokens), tokens),
            _arrow(middle, 688, 668),
            link("embedding", _block(middle - beside, 622, stack, embedding, detail, half), NAMES[stack][0]()),
            link("positions", _block(middle + beside, 622, stack, position, sines, half), NAMES[stack][1]()),
            _arrow(middle, 622, 552),
            link(stack, _block(middle, 506, stack, attention, heads), NAMES[stack][2]()),
        ]

    def after_attention(stack: str, middle: int) -> list[str]:
        return [link("norm", _norm(middle, 482, stack), NAMES[stack][3]()), _arrow(middle, 482, 462)]

    def forward(stack: str, middle: int, top: int) -> list[str]:
        block = _block(middle, top, stack, say("diagram.feed-forward", "Feed-forward"), feed_forward)
        norm = link("norm", _norm(middle, top - 24, stack), NAMES[stack][5]())
        return [link("feed-forward", block, NAMES[stack][4]()), norm]

    english, french = say("diagram.english", "English tokens"), say("diagram.french", "French tokens so far")
    following = say("diagram.next", "Next French token")
    cross, linear = say("diagram.cross", "Cross-attention"), say("diagram.linear", "Linear")
    softmax = say("diagram.softmax", "Softmax")
    after_cross = say("diagram.decoder.norm.cross", "Decoder, cross-attention, add and normalise")
    probabilities = say("diagram.probabilities", "{count} probabilities", count=grouped(sizes.vocabulary_size))
    training = _aside(_ENCODER, 101, 190, say("diagram.loss.training", "Loss, in training only"))
    same_table = say("diagram.table.same", "the same table")
    parts = [
        _stack(_ENCODER, 374, 568, "encoder", _layers("encoder", sizes.n_encoder_layers)),
        _stack(_DECODER, 266, 568, "decoder", _layers("decoder", sizes.n_decoder_layers)),
        *bottom("encoder", _ENCODER, english, table, say("diagram.self", "Self-attention")),
        *after_attention("encoder", _ENCODER),
        *forward("encoder", _ENCODER, 416),
        *bottom("decoder", _DECODER, french, same_table, say("diagram.masked", "Masked self-attention")),
        link("mask", _aside(300, 512, 44, say("diagram.mask", "mask")), say("diagram.mask.causal", "Causal mask")),
        *after_attention("decoder", _DECODER),
        link("cross", _block(_DECODER, 416, "cross", cross, heads), cross),
        link("norm", _norm(_DECODER, 392, "cross"), after_cross),
        _arrow(_DECODER, 392, 372),
        *forward("decoder", _DECODER, 326),
        _arrow(_DECODER, 302, 206),
        link("linear", _block(_DECODER, 160, "decoder", linear, answer), linear),
        _arrow(_DECODER, 160, 140),
        link("softmax", _block(_DECODER, 94, "decoder", softmax, probabilities), softmax),
        _arrow(_DECODER, 94, 74),
        link("next", _caption(_DECODER, 62, following), following),
        link("loss", training, say("diagram.loss", "Loss")),
        _path(f"M{_DECODER - _BLOCK // 2} 116 H{_ENCODER + 96}"),
        _path(f"M322 527 H{_DECODER - _BLOCK // 2 - 1}"),
        _memory(),
    ]
    title = say(
        "diagram.title",
        "Layers of the encoder: {encoder}; layers of the decoder: {decoder}; heads of each: {heads}. The decoder's "
        "cross-attention reads the encoder's output.",
        encoder=sizes.n_encoder_layers,
        decoder=sizes.n_decoder_layers,
        heads=sizes.n_heads,
    )
    # As an image its links would be hidden from those who cannot see it; a group announces them.
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 {_TOP} {_WIDTH} {_HEIGHT}" role="group" '
        f'aria-label="{literal.html(title)}" font-size="17" text-anchor="middle">{_MARKERS}{"".join(parts)}</svg>'
    )


def _layers(stack: str, count: int) -> str:
    if stack == "encoder":
        return say_count("diagram.encoder", "Encoder, {count} layer", "Encoder, {count} layers", count)
    return say_count("diagram.decoder", "Decoder, {count} layer", "Decoder, {count} layers", count)


def _norm(middle: int, top: int, kind: str) -> str:
    left = middle - _BLOCK // 2
    return (
        f'<rect x="{left}" y="{top}" width="{_BLOCK}" height="20" rx="4" fill="{_PAPER}" '
        f'stroke="{palette.HUES[kind]}" stroke-opacity=".6" class="mark"/>'
        f'<text x="{middle}" y="{top + 14.5}" font-size="14" fill="{_INK}">'
        f"{literal.html(say('diagram.norm', 'add the input back, normalise'))}</text>"
    )


def _memory() -> str:
    """From the top of the encoder into every layer's cross-attention."""
    hue = palette.HUES["cross"]
    edge = _DECODER - _BLOCK // 2
    return (
        f'<path d="M{_ENCODER} 392 V320 H300 V438 H{edge - 1}" stroke="{hue}" stroke-width="2" fill="none" '
        f'marker-end="url(#memory)"/>'
        f'<text x="{_ENCODER + 4}" y="312" font-size="15" text-anchor="start" fill="{_INK}">'
        f"{literal.html(say('diagram.memory', 'keys and values'))}</text>"
    )
