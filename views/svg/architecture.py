"""The encoder-decoder Transformer as a diagram, with the sizes of the loaded model."""

from collections.abc import Mapping
from dataclasses import dataclass

from .. import palette
from ..kind_labels import KINDS
from ..text import literal
from ..text.catalogue import Message, say, say_count
from ..text.numbers import grouped
from .blocks import (
    BLOCK,
    DECODER,
    ENCODER,
    INK,
    PAPER,
    arrow,
    block,
    caption,
    diagram,
    linked_block,
    memory_arrow,
    output_blocks,
    path,
    small_block,
    stack,
)

# Block -> page that explains it, and settings there.
DESTINATIONS: dict[str, tuple[str, dict[str, str]]] = {
    "tokens": ("tokens", {}),
    "embedding": ("tokens", {}),
    "positions": ("positions", {}),
    "encoder": ("attention", {"kind": "encoder"}),
    "decoder": ("attention", {"kind": "decoder"}),
    "cross": ("attention", {"kind": "cross"}),
    "mask": ("masks", {}),
    "feed-forward": ("inside", {"inside": "feed-forward"}),
    "norm": ("inside", {"inside": "add-norm"}),
    "linear": ("decoding", {"part": "linear-softmax"}),
    "softmax": ("decoding", {}),
    "next": ("decoding", {}),
    "loss": ("loss", {}),
}


# Names of the blocks that both stacks have, from the bottom up.
NAMES = {
    "embedding": Message("diagram.of.embedding", "{stack}, embedding"),
    "positions": Message("diagram.of.positions", "{stack}, positions"),
    "self": Message("diagram.of.norm.self", "{stack}, self-attention, add and normalise"),
    "feed-forward": Message("diagram.of.feed-forward", "{stack}, feed-forward"),
    "norm": Message("diagram.of.norm", "{stack}, feed-forward, add and normalise"),
}


@dataclass(frozen=True)
class TransformerSizes:
    """Sizes of a Transformer; names as in the paper."""

    vocabulary_size: int
    d_model: int
    n_heads: int
    d_k: int
    d_ff: int
    n_encoder_layers: int
    n_decoder_layers: int


def architecture(
    sizes: TransformerSizes, pages: Mapping[str, str] | None = None, keep: Mapping[str, str | list[str]] | None = None
) -> str:
    """An SVG that reads from the bottom up, as data flows. Encoder blue, decoder orange, cross-attention green.

    Args:
        pages: id -> title of the available pages; a block with one of them is a link.
        keep: settings that every link contains, such as the sentence.
    """
    heads = say("diagram.heads", "{count} heads, d_k = {width}", count=sizes.n_heads, width=sizes.d_k)
    widths = {"model": sizes.d_model, "inner": grouped(sizes.d_ff)}
    feed_forward = say("diagram.widths", "{model} \u2192 {inner} \u2192 {model}, ReLU", **widths)
    table = f"{grouped(sizes.vocabulary_size)} \u00d7 {sizes.d_model}"

    def link(to: str, svg: str, label: str, stack: str = "encoder") -> str:
        """Link a block to the part that explains it, which shows the encoder by default."""
        page, settings = DESTINATIONS[to]
        stack_setting = {"stack": stack} if stack != "encoder" else {}
        return linked_block(svg, label, page, settings | stack_setting, pages, keep)

    def name(block: str, side: str) -> str:
        return NAMES[block](stack=KINDS[side].short())

    def bottom(side: str, middle: int, tokens: str, detail: str, attention: str) -> list[str]:
        """The blocks up to self-attention."""
        half, offset = BLOCK // 2 - 4, BLOCK // 4 + 2
        embedding, position = say("diagram.embedding", "Embedding"), say("diagram.position", "+ position")
        sines = say("diagram.sines", "sines, cosines")
        return [
            link("tokens", caption(middle, 704, tokens), tokens),
            arrow(middle, 688, 668),
            link("embedding", block(middle - offset, 622, side, embedding, detail, half), name("embedding", side)),
            link("positions", block(middle + offset, 622, side, position, sines, half), name("positions", side)),
            arrow(middle, 622, 552),
            link(side, block(middle, 506, side, attention, heads), KINDS[side].headline),
        ]

    def after_attention(side: str, middle: int) -> list[str]:
        return [link("norm", _norm(middle, 482, side), name("self", side), side), arrow(middle, 482, 462)]

    def forward(side: str, middle: int, top: int) -> list[str]:
        layers = block(middle, top, side, say("diagram.feed-forward", "Feed-forward"), feed_forward)
        norm = link("norm", _norm(middle, top - 24, side), name("norm", side), side)
        return [link("feed-forward", layers, name("feed-forward", side), side), norm]

    english, french = say("diagram.english", "English tokens"), say("diagram.french", "French tokens so far")
    cross = say("diagram.cross", "Cross-attention")
    after_cross = say("diagram.decoder.norm.cross", "Decoder, cross-attention, add and normalise")
    same_table = say("diagram.table.same", "the same table")
    parts = [
        stack(ENCODER, 374, 568, "encoder", _layers("encoder", sizes.n_encoder_layers)),
        stack(DECODER, 266, 568, "decoder", _layers("decoder", sizes.n_decoder_layers)),
        *bottom("encoder", ENCODER, english, table, say("diagram.self", "Self-attention")),
        *after_attention("encoder", ENCODER),
        *forward("encoder", ENCODER, 416),
        *bottom("decoder", DECODER, french, same_table, say("diagram.masked", "Masked self-attention")),
        link("mask", small_block(300, 512, 44, say("diagram.mask", "mask")), say("diagram.mask.causal", "Causal mask")),
        *after_attention("decoder", DECODER),
        link("cross", block(DECODER, 416, "cross", cross, heads), cross),
        link("norm", _norm(DECODER, 392, "cross"), after_cross, "decoder"),
        arrow(DECODER, 392, 372),
        *forward("decoder", DECODER, 326),
        arrow(DECODER, 302, 206),
        *output_blocks(sizes.vocabulary_size, sizes.d_model, link),
        path(f"M322 527 H{DECODER - BLOCK // 2 - 1}"),
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
    return diagram(parts, title)


def _layers(side: str, count: int) -> str:
    if side == "encoder":
        return say_count("diagram.encoder", "Encoder, {count} layer", "Encoder, {count} layers", count)
    return say_count("diagram.decoder", "Decoder, {count} layer", "Decoder, {count} layers", count)


def _norm(middle: int, top: int, kind: str) -> str:
    left = middle - BLOCK // 2
    return (
        f'<rect x="{left}" y="{top}" width="{BLOCK}" height="20" rx="4" fill="{PAPER}" '
        f'stroke="{palette.HUES[kind]}" stroke-opacity=".6" class="mark"/>'
        f'<text x="{middle}" y="{top + 14.5}" font-size="14" fill="{INK}">'
        f"{literal.html(say('diagram.norm', 'add the input back, normalise'))}</text>"
    )


def _memory() -> str:
    """The arrow from the top of the encoder into every layer's cross-attention."""
    return (
        memory_arrow(f"M{ENCODER} 392 V320 H300 V438 H{DECODER - BLOCK // 2 - 1}")
        + f'<text x="{ENCODER + 4}" y="312" font-size="15" text-anchor="start" fill="{INK}">'
        f"{literal.html(say('diagram.memory', 'keys and values'))}</text>"
    )
