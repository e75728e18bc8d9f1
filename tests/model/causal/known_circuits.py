"""Networks built by hand whose circuit is known: which heads do the work, and by which input they pass it on.

The stream has a unit for each token (its embedding, and what the logits read), one for each position, and free units
for what heads tell each other. A norm turns such a sparse vector into one large number and many small ones, so that
scores of a match are far above all others. All other heads and all feed-forward layers have small random weights.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from model.causal.metrics import LogitDifference
from model.causal.resumable import Inputs
from model.networks.attention import MultiHeadAttention
from model.networks.config import TransformerConfig
from model.networks.decoder_only import DecoderOnlyConfig, DecoderOnlyTransformer
from model.networks.recurrent import RecurrentNetwork
from model.networks.recurrent_config import RecurrentConfig
from model.networks.transformer import Transformer
from model.networks.vision import VisionConfig, VisionTransformer

Head = tuple[str, int, int]  # kind, layer, head

TOKENS, PLACES = 14, 16
SHARP = 1.5  # scale of queries and keys
NOISE = 0.02  # standard deviation of the weights of all other heads
FREE = TOKENS + PLACES  # the first free unit
START, YES, NO = 2, 4, 5  # tokens: the first one of a sequence, and two answers


@dataclass(frozen=True)
class Circuit:
    """A network and two inputs; the metric tells them apart, and only `heads` can cause that."""

    name: str
    network: nn.Module
    clean: Inputs
    corrupt: Inputs
    metric: LogitDifference
    heads: frozenset[Head]
    edges: frozenset[tuple[Head, Head, str]] = frozenset()


def one_hot(pairs: Sequence[tuple[int, int]], rows: int, columns: int, scale: float = 1.0) -> Tensor:
    """A matrix that moves unit `a` to unit `b` for each pair: `x @ matrix`."""
    matrix = torch.zeros(rows, columns, dtype=torch.float64)
    for source, target in pairs:
        matrix[source, target] = scale
    return matrix


def set_head(
    attention: MultiHeadAttention, head: int, query: Tensor, key: Tensor, value: Tensor, output: Tensor
) -> None:
    """Set the matrices of one head, `(d_model, d_k)` three times and `(d_k, d_model)`; they act on rows."""
    d_k = query.shape[1]
    own = slice(head * d_k, (head + 1) * d_k)
    for name, matrix in (("query", query), ("key", key), ("value", value)):
        getattr(attention, name).weight[own] = matrix.T
    attention.output.weight[:, own] = output.T


def quiet(network: nn.Module, seed: int = 0) -> None:
    """Give all weights small random values, and norms none of their own."""
    generator = torch.Generator().manual_seed(seed)
    for module in network.modules():
        if isinstance(module, nn.LayerNorm):
            module.weight.fill_(1)
            module.bias.zero_()
        elif isinstance(module, nn.Linear):
            module.weight.copy_(NOISE * torch.randn(module.weight.shape, generator=generator, dtype=torch.float64))
            module.bias.zero_()


def language_network(layers: int, heads: int, d_model: int = 64) -> DecoderOnlyTransformer:
    """A decoder-only network with one unit a token and one a position."""
    sizes = dict(vocabulary_size=TOKENS, d_model=d_model, n_heads=heads, n_layers=layers, d_ff=16, max_positions=PLACES)
    network = DecoderOnlyTransformer(DecoderOnlyConfig(**sizes)).double().eval().requires_grad_(False)
    quiet(network)
    network.embedding.weight.copy_(torch.eye(TOKENS, d_model))
    network.position_embedding.zero_()
    network.position_embedding[:, TOKENS:FREE] = torch.eye(PLACES, dtype=torch.float64)
    return network


def tokens(*units: int) -> list[tuple[int, int]]:
    """Pairs of the same token unit."""
    return [(unit, unit) for unit in units or range(TOKENS)]


def induction() -> Circuit:
    """A head of layer 1 copies the previous token's identity; one of layer 2 finds what followed the same token."""
    network = language_network(2, 4)
    width, d_k, copied = 64, 16, [(unit, FREE + unit) for unit in range(TOKENS)]
    back = one_hot([(TOKENS + place, place - 1) for place in range(1, PLACES)], width, d_k, SHARP)
    here = one_hot([(TOKENS + place, place) for place in range(PLACES)], width, d_k, SHARP)
    read = one_hot(tokens(), width, d_k)
    set_head(network.decoder[0].self_attention, 1, back, here, read, one_hot(copied, d_k, width))
    found = one_hot([(FREE + unit, unit) for unit in range(TOKENS)], width, d_k, SHARP)
    match = one_hot(tokens(), width, d_k, SHARP)
    set_head(network.decoder[1].self_attention, 2, match, found, read, one_hot(tokens(), d_k, width, 2.0))
    first, second = ("decoder", 0, 1), ("decoder", 1, 2)
    return Circuit(
        "induction",
        network,
        (torch.tensor([[START, 6, 7, 8, 9, 10, 6]]),),
        (torch.tensor([[START, 11, 7, 8, 9, 10, 6]]),),
        LogitDifference(7, 9),
        frozenset({first, second}),
        frozenset({(first, second, "keys")}),
    )


def duplicate() -> Circuit:
    """A head of layer 2 attends to an earlier occurrence of the token, else to the start, and says "yes" or nothing."""
    network = language_network(2, 2)
    width, d_k = 64, 32
    places = [(TOKENS + place, TOKENS + place) for place in range(PLACES)]
    query = one_hot(tokens(), width, d_k, SHARP) + one_hot(places, width, d_k, -2 * SHARP)
    key = one_hot(tokens(*range(6, TOKENS)), width, d_k, SHARP) + one_hot(places, width, d_k, SHARP)
    key[START, 31] = SHARP
    attention = network.decoder[1].self_attention
    value = one_hot([(unit, 0) for unit in range(6, TOKENS)], width, d_k)
    set_head(attention, 1, query, key, value, one_hot([(0, YES)], d_k, width))
    attention.query.bias[32 + 31] = 5.0  # every query looks at the start a little
    return Circuit(
        "duplicate",
        network,
        (torch.tensor([[START, 8, 9, 7, 9]]),),
        (torch.tensor([[START, 8, 6, 7, 9]]),),
        LogitDifference(YES, NO),
        frozenset({("decoder", 1, 1)}),
    )


def copy() -> Circuit:
    """A cross-attention head of the translator's second layer copies the source token at its own position."""
    sizes = dict(vocabulary_size=TOKENS, d_model=64, n_heads=4, n_encoder_layers=2, n_decoder_layers=2, d_ff=16)
    network = Transformer(TransformerConfig(**sizes, max_positions=PLACES)).double().eval().requires_grad_(False)
    quiet(network)
    width, d_k = 64, 16
    network.embedding.weight.copy_(torch.eye(TOKENS, width) / width**0.5)  # the network multiplies by the root
    network.positions.zero_()
    network.positions[:, TOKENS:FREE] = torch.eye(PLACES, dtype=torch.float64)
    here = one_hot([(TOKENS + place, place) for place in range(PLACES)], width, d_k, SHARP)
    read = one_hot(tokens(), width, d_k)
    set_head(network.decoder[1].cross_attention, 3, here, here, read, one_hot(tokens(), d_k, width, 2.0))
    target = torch.tensor([[2, 6, 7]])
    return Circuit(
        "copy",
        network,
        (torch.tensor([[6, 7, 8, 3]]), target),
        (torch.tensor([[6, 7, 9, 3]]), target),
        LogitDifference(8, 9),
        frozenset({("cross", 1, 3)}),
    )


def majority() -> Circuit:
    """A head of layer 1 averages all tokens: the most frequent one gets the largest logit."""
    network = language_network(2, 4)
    width, d_k = 64, 16
    even = torch.zeros(width, d_k, dtype=torch.float64)
    set_head(
        network.decoder[0].self_attention,
        0,
        even,
        even,
        one_hot(tokens(), width, d_k),
        one_hot(tokens(), d_k, width, 2.0),
    )
    return Circuit(
        "majority",
        network,
        (torch.tensor([[6, 6, 7, 6, 10]]),),
        (torch.tensor([[7, 7, 6, 7, 10]]),),
        LogitDifference(6, 7),
        frozenset({("decoder", 0, 0)}),
    )


LOOKED_AT = 5  # the patch, from 0


def one_patch() -> Circuit:
    """A head of a ViT's first layer lets CLS read the colour of one patch."""
    config = VisionConfig(("red", "green", "blue"), 12, 4, d_model=64, n_heads=2, n_layers=2, d_ff=16, drop_path=0.0)
    network = VisionTransformer(config).double().eval().requires_grad_(False)
    quiet(network)
    width, d_k, seen, answer = 64, 32, 10, 13
    network.patch_embedding.weight.zero_()
    for colour in range(3):  # a unit for each colour: its mean over the 16 pixels
        network.patch_embedding.weight[seen + colour, colour * 16 : (colour + 1) * 16] = 1 / 16
    network.class_embedding.zero_()
    network.position_embedding.zero_()
    network.position_embedding[:, :10] = torch.eye(10, dtype=torch.float64)
    network.head.weight.copy_(one_hot([(0, answer), (1, answer + 1), (2, answer + 2)], 3, width))
    query = one_hot([(0, 0)], width, d_k, SHARP)  # CLS alone asks
    key = one_hot([(1 + LOOKED_AT, 0)], width, d_k, SHARP)
    value = one_hot([(seen + colour, colour) for colour in range(3)], width, d_k)
    output = one_hot([(colour, answer + colour) for colour in range(3)], d_k, width)
    set_head(network.layers[0].attention, 1, query, key, value, output)
    pixels = torch.rand(1, 3, 12, 12, generator=torch.Generator().manual_seed(0), dtype=torch.float64) * 0.2
    clean, corrupt = pixels.clone(), pixels.clone()
    for picture, colour in ((clean, 0), (corrupt, 2)):
        picture[:, :, 4:8, 8:12] = -1
        picture[:, colour, 4:8, 8:12] = 1
    return Circuit("one patch", network, (clean,), (corrupt,), LogitDifference(0, 2), frozenset({("vision", 0, 1)}))


ANSWER, ASK = 1, 12  # the position that is copied, and the token that asks for it


def backup() -> Circuit:
    """A head of layer 1 copies a token and says so; one of layer 2 copies the same token if nothing was said."""
    network = language_network(2, 4)
    width, d_k, said = 64, 16, FREE
    query = one_hot([(ASK, 0)], width, d_k, SHARP)
    key = one_hot([(TOKENS + ANSWER, 0)], width, d_k, SHARP)
    value = one_hot(tokens(*range(6, 11)), width, d_k) + one_hot([(TOKENS + ANSWER, 15)], width, d_k)
    output = one_hot(tokens(*range(6, 11)), d_k, width)
    first, second = (layer.self_attention for layer in network.decoder)
    set_head(first, 0, query, key, value, output + one_hot([(15, said)], d_k, width))
    idle = one_hot([(said, 1)], width, d_k, SHARP)  # then it attends to the start, where nothing is copied
    query = query + one_hot([(said, 0)], width, d_k, -2 * SHARP) + idle
    key = key + one_hot([(TOKENS, 1)], width, d_k, SHARP)
    set_head(second, 1, query, key, value, output + one_hot([(15, said + 1)], d_k, width))
    return Circuit(
        "backup",
        network,
        (torch.tensor([[START, 6, 9, 10, ASK]]),),
        (torch.tensor([[START, 8, 9, 10, ASK]]),),
        LogitDifference(6, 8),
        frozenset({("decoder", 0, 0)}),
    )


COUNTED, CHANGED = 6, 3  # the token that is counted, and the place where the two inputs differ


def counter() -> Circuit:
    """An LSTM whose first unit counts a token in its cell state; the decoder retains the number and reads it out.

    Input, forget and output gates of this unit are open, and its candidate is 0.2 for the token and 0 for all others.
    It has no heads: its circuit is the cell state from the changed token on.
    """
    width, d_model, wide = 6, 16, 12.0
    config = RecurrentConfig(TOKENS, "lstm", "none", d_model, width, width, max_positions=PLACES)
    network = RecurrentNetwork(config).double().eval().requires_grad_(False)
    generator = torch.Generator().manual_seed(0)
    for parameter in network.parameters():
        parameter.copy_(NOISE * torch.randn(parameter.shape, generator=generator, dtype=torch.float64))
    network.embedding.weight.copy_(torch.eye(TOKENS, d_model))
    for layer, reads in ((network.encoder.layer, True), (network.decoder.layer, False)):
        for gate, bias in enumerate((wide if reads else -wide, wide, 0.0, wide)):  # input, forget, candidate, output
            row = gate * width
            layer.weight_ih_l0[row], layer.weight_hh_l0[row] = 0, 0
            layer.bias_ih_l0[row], layer.bias_hh_l0[row] = bias, 0
        if reads:
            layer.weight_ih_l0[2 * width, COUNTED] = torch.atanh(torch.tensor(0.2)) / d_model**0.5
    network.readout.weight[YES, 0], network.readout.weight[NO, 0] = 10, -10
    tokens_of = [COUNTED, 8, 9, COUNTED, 10, COUNTED]
    other = [*tokens_of[:CHANGED], 11, *tokens_of[CHANGED + 1 :]]
    target = torch.tensor([[START, 12]])
    inputs = [(torch.tensor([ids]), target) for ids in (tokens_of, other)]
    return Circuit("counter", network, inputs[0], inputs[1], LogitDifference(YES, NO), frozenset())


CIRCUITS: dict[str, Callable[[], Circuit]] = {
    "induction": induction,
    "duplicate": duplicate,
    "copy": copy,
    "majority": majority,
    "one patch": one_patch,
    "backup": backup,
}
