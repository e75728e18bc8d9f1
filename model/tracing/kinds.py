"""Kinds of attention as data: where in a network it is, and which tokens it relates.

Pages, labels and interventions read the properties of a kind from here; its translated label is found by its name.
"""

import re
from dataclasses import dataclass, replace

from torch import nn

from ..networks.attention import MultiHeadAttention

SCALED = "scaled dot product"


@dataclass(frozen=True)
class AttentionKind:
    """One kind of attention of a network."""

    name: str  # its id in code, in addresses and in files; never changes
    title: str  # its English label
    # which tokens the rows and the columns are: "source", "target" or "patches" in the shipped networks
    queries: str
    keys: str
    # where it is in the network, as the tap names it
    stack: str
    sublayer: str
    causal: bool = False  # a query attends to itself and earlier tokens only
    # how a query and a key become a score; `SCALED` is q k / sqrt(d_k), which a page can show step by step
    score: str = SCALED

    @property
    def square(self) -> bool:
        """True for self-attention: queries and keys are tokens of one sequence."""
        return self.queries == self.keys

    def tap_name(self, layer: int) -> str:
        """Return the prefix of the names of its steps in the tap: `decoder.3.cross`."""
        return f"{self.stack}.{layer}.{self.sublayer}"

    def tap_names(self, network: nn.Module, step: str) -> list[str]:
        """List the names of one step in all layers of an encoder or a decoder: `decoder.0.cross.weights` and so on."""
        return [f"{self.tap_name(layer)}.{step}" for layer in range(len(getattr(network, self.stack)))]


ENCODER = AttentionKind("encoder", "encoder self-attention", "source", "source", "encoder", "self")
DECODER = AttentionKind("decoder", "masked decoder self-attention", "target", "target", "decoder", "self", causal=True)
CROSS = AttentionKind("cross", "cross-attention", "target", "source", "decoder", "cross")
VISION = AttentionKind("vision", "ViT self-attention", "patches", "patches", "vision", "self")

PREFIX = AttentionKind("prefix", "decoder self-attention with a visible prefix", "target", "target", "decoder", "self")

TRANSLATION = (ENCODER, DECODER, CROSS)  # of an encoder with a decoder
KINDS = {kind.name: kind for kind in (*TRANSLATION, VISION, PREFIX)}
_WITH_HEADS = re.compile(r"(\w+)-([1-9]\d{0,3})-heads")


def with_heads(kind: AttentionKind, heads: int) -> AttentionKind:
    """Return the part of a kind that is in layers of `heads` heads, of a network whose layers differ in that."""
    return replace(kind, name=f"{kind.name}-{heads}-heads", title=f"{kind.title} of layers with {heads} heads")


def kind_of(name: str) -> AttentionKind:
    """Return the kind of this name, or the part of one that `with_heads` named.

    Raises:
        KeyError: there is none.
    """
    match = _WITH_HEADS.fullmatch(name)
    return KINDS[name] if match is None else with_heads(KINDS[match[1]], int(match[2]))


def attention_module(network: nn.Module, kind: AttentionKind, layer: int) -> MultiHeadAttention:
    """Return the sub-layer of a Transformer or a ViT that computes the attention of `kind` in `layer`, from 0."""
    path = (
        f"layers.{layer}.attention" if kind.stack == VISION.stack else f"{kind.stack}.{layer}.{kind.sublayer}_attention"
    )
    module = network.get_submodule(path)
    assert isinstance(module, MultiHeadAttention)
    return module
