"""Kinds of attention as data: where in a network it happens, and whose tokens it relates. Written here once.

A page, a label or an intervention that needs to know something of a kind reads it here; what a kind is called in the
reader's language is found under its name.
"""

from dataclasses import dataclass

from torch import nn

SCALED = "scaled dot product"


@dataclass(frozen=True)
class AttentionKind:
    """One kind of attention of a network."""

    name: str  # its id, in code, in addresses and in files; never changed
    title: str  # what it is called, in English
    # whose tokens the rows and the columns are: "source", "target" or "patches" in what ships here
    queries: str
    keys: str
    # where it stands in the network, as the tap names it
    stack: str
    sublayer: str
    causal: bool = False  # a query attends to itself and earlier tokens only
    # how a query and a key become a score; `SCALED` is q k / sqrt(d_k), which a page can take apart
    score: str = SCALED

    @property
    def square(self) -> bool:
        """True for self-attention: queries and keys are tokens of one sequence."""
        return self.queries == self.keys

    def tap_name(self, layer: int) -> str:
        """What stands before every step's name when its tensors pass the tap: `decoder.3.cross`."""
        return f"{self.stack}.{layer}.{self.sublayer}"

    def tap_names(self, network: nn.Module, step: str) -> list[str]:
        """Names of one step of all layers of an encoder or a decoder: `decoder.0.cross.weights` and so on."""
        return [f"{self.tap_name(layer)}.{step}" for layer in range(len(getattr(network, self.stack)))]


ENCODER = AttentionKind("encoder", "encoder self-attention", "source", "source", "encoder", "self")
DECODER = AttentionKind("decoder", "masked decoder self-attention", "target", "target", "decoder", "self", causal=True)
CROSS = AttentionKind("cross", "cross-attention", "target", "source", "decoder", "cross")
VISION = AttentionKind("vision", "ViT self-attention", "patches", "patches", "vision", "self")

TRANSLATION = (ENCODER, DECODER, CROSS)  # of an encoder with a decoder
KINDS = {kind.name: kind for kind in (*TRANSLATION, VISION)}


def attention_module(network: nn.Module, kind: AttentionKind, layer: int) -> nn.Module:
    """The sub-layer of a Transformer or a ViT that computes the attention of `kind` in `layer`, from 0."""
    if kind.stack == VISION.stack:
        return network.layers[layer].attention
    return getattr(getattr(network, kind.stack)[layer], f"{kind.sublayer}_attention")
