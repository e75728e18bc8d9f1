"""The recurrent networks as diagrams, with the layout and colours of the Transformer's."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..text import literal
from ..text.catalogue import Message, say
from ..text.numbers import grouped
from .blocks import (
    BLOCK,
    DECODER,
    ENCODER,
    INK,
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
    "rnn": ("history", {"part": "one-word"}),
    "lstm": ("history", {"part": "gates"}),
    "vector": ("history", {"part": "one-vector"}),
    "attention": ("history", {"part": "attention-over-states"}),
    "steps": ("history", {"part": "recurrence"}),
    "linear": ("decoding", {"part": "linear-softmax"}),
    "softmax": ("decoding", {}),
    "next": ("decoding", {}),
    "loss": ("loss", {}),
}
READS = {
    "forwards": Message("diagram.reads.forwards", "reads forwards, {units} units"),
    "backwards": Message("diagram.reads.backwards", "reads backwards, {units} units"),
    "both": Message("diagram.reads.both", "reads both ways, 2 \u00d7 {units} units"),
}


Link = Callable[[str, str, str], str]  # destination, SVG and name of a block -> the block as a link


@dataclass(frozen=True)
class RecurrentSizes:
    """Sizes of a recurrent network; names and ids as in `model.networks.recurrent_config.RecurrentConfig`."""

    vocabulary_size: int
    cell: str
    alignment: str
    d_model: int
    encoder_width: int
    decoder_width: int
    reads: str


def recurrent_architecture(
    sizes: RecurrentSizes, pages: Mapping[str, str] | None = None, keep: Mapping[str, str | list[str]] | None = None
) -> str:
    """An SVG that reads from the bottom up; the arguments are those of `views.svg.architecture.architecture`."""

    def link(to: str, svg: str, name: str) -> str:
        return linked_block(svg, name, *DESTINATIONS[to], pages, keep)

    cell = sizes.cell.upper()
    cells = say("diagram.cells", "{cell} cells", cell=cell)
    english, french = say("diagram.english", "English tokens"), say("diagram.french", "French tokens so far")
    embedding = say("diagram.embedding", "Embedding")
    table = f"{grouped(sizes.vocabulary_size)} \u00d7 {sizes.d_model}"
    encoder = say("diagram.cell.encoder", "{cell}, encoder", cell=cell)
    decoder = say("diagram.cell.decoder", "{cell}, decoder", cell=cell)
    read, units = READS[sizes.reads](units=sizes.encoder_width), grouped(sizes.decoder_width)
    generated = say("diagram.cell.units", "one step a token, {units} units", units=units)
    readout = say("diagram.readout", "Output state")
    waits = say("diagram.waits", "Each step waits")
    parts = [
        stack(ENCODER, 490, 568, "encoder", say("diagram.stack.encoder", "Encoder")),
        stack(DECODER, 490, 568, "decoder", say("diagram.stack.decoder", "Decoder")),
        link("tokens", caption(ENCODER, 704, english), english),
        arrow(ENCODER, 688, 668),
        link("tokens", block(ENCODER, 622, "encoder", embedding, table), embedding),
        arrow(ENCODER, 622, 552),
        link(sizes.cell, block(ENCODER, 506, "encoder", cells, read), encoder),
        link("tokens", caption(DECODER, 704, french), french),
        arrow(DECODER, 688, 668),
        link("tokens", block(DECODER, 622, "decoder", embedding, say("diagram.table.same", "the same table")), french),
        arrow(DECODER, 622, 552),
        link(sizes.cell, block(DECODER, 506, "decoder", cells, generated), decoder),
        _again(ENCODER - BLOCK // 2, -1),
        _again(DECODER + BLOCK // 2, 1),
        link("steps", small_block(300, 580, 130, waits), waits),
        *(_vector(sizes, link) if sizes.alignment == "none" else _attention(sizes, link)),
        block(DECODER, 254, "decoder", readout, _read_out(sizes)),
        arrow(DECODER, 254, 206),
        *output_blocks(sizes.vocabulary_size, sizes.d_model, link),
    ]
    return diagram(parts, _title(sizes, cell))


def _vector(sizes: RecurrentSizes, link: Link) -> list[str]:
    """The last state of the encoder, the only input of the decoder from it."""
    name = say("diagram.vector", "One vector")
    if sizes.cell == "lstm":
        detail = say("diagram.vector.lstm", "last h and c: 2 \u00d7 {units} numbers", units=sizes.encoder_width)
    else:
        detail = say("diagram.vector.rnn", "last state: {units} numbers", units=sizes.encoder_width)
    return [
        arrow(ENCODER, 506, 406),
        link("vector", block(ENCODER, 360, "cross", name, detail), name),
        memory_arrow(f"M{ENCODER + BLOCK // 2} 382 H300 V522 H{DECODER - BLOCK // 2 - 1}"),
        arrow(DECODER, 506, 300),
    ]


def _attention(sizes: RecurrentSizes, link: Link) -> list[str]:
    """Attention over all states of the encoder at every step."""
    if sizes.alignment == "additive":
        name = say("diagram.attention.additive", "Additive attention")
        detail = say("diagram.attention.before", "query: the state before")
        inner = [path(f"M{DECODER + BLOCK // 2} 400 H590 V520 H{DECODER + BLOCK // 2 + 1}")]
        context = _label(DECODER + 68, 450, say("diagram.context", "context vector"))
    else:
        name = say("diagram.attention.dot", "Dot-product attention")
        detail = say("diagram.attention.now", "query: the state of this step")
        inner, context = [], _label(DECODER + 60, 344, say("diagram.context", "context vector"))
    return [
        memory_arrow(f"M{ENCODER} 506 V400 H{DECODER - BLOCK // 2 - 1}"),
        _label(ENCODER + 76, 390, say("diagram.states", "all its states")),
        arrow(DECODER, 506, 424),
        link("attention", block(DECODER, 378, "cross", name, detail), name),
        *inner,
        context,
        arrow(DECODER, 378, 300),
    ]


def _read_out(sizes: RecurrentSizes) -> str:
    """Formula of the output layer's input."""
    formula = {
        "none": "W s\u209c",
        "additive": "tanh(W [s\u209c; c\u209c; y\u209c\u208b\u2081])",
        "dot": "tanh(W [c\u209c; s\u209c])",
    }[sizes.alignment]
    return say("diagram.readout.is", "{formula}", formula=formula)


def _title(sizes: RecurrentSizes, cell: str) -> str:
    if sizes.alignment == "none":
        return say(
            "diagram.title.vector",
            "Encoder and decoder of {cell} cells: the encoder reads token by token and passes only its last state "
            "to the decoder.",
            cell=cell,
        )
    return say(
        "diagram.title.attention",
        "Encoder and decoder of {cell} cells: at every step the decoder attends to all states of the encoder.",
        cell=cell,
    )


def _again(edge: int, side: int) -> str:
    """The arrow for the state, which is fed back into the cell for the next token."""
    return path(f"M{edge} 540 H{edge + 16 * side} V530 H{edge + side}")


def _label(x: int, y: int, text: str) -> str:
    return f'<text x="{x}" y="{y}" font-size="15" fill="{INK}">{literal.html(text)}</text>'
