"""Tiny networks with random weights, for tests that do not depend on the weights."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor

from model.networks.config import TransformerConfig
from model.networks.recurrent import RecurrentNetwork
from model.networks.recurrent_config import RecurrentConfig
from model.networks.transformer import Transformer


def tiny_network(seed: int = 0, **changes) -> Transformer:
    """The "tiny" preset in evaluation mode; biases and norms are random too, so that errors in them are visible."""
    torch.manual_seed(seed)
    network = Transformer(TransformerConfig.preset("tiny", **changes)).eval()
    with torch.no_grad():
        for parameter in network.parameters():
            if parameter.ndim == 1:
                parameter.add_(torch.randn_like(parameter) * 0.1)
    return network


def random_ids(*shape: int, seed: int = 1, low: int = 4, high: int = 64) -> torch.Tensor:
    """Ids of ordinary tokens, `shape` int64."""
    return torch.randint(low, high, shape, generator=torch.Generator().manual_seed(seed))


def tiny_recurrent(kind: str, seed: int = 0, **changes) -> RecurrentNetwork:
    """A few units of the network called `kind`, in evaluation mode, with random biases."""
    widths = {"lstm-additive": (6, 10), "lstm-dot": (6, 12)}
    encoder, decoder = widths.get(kind, (12, 12))
    sizes = dict(vocabulary_size=64, d_model=8, encoder_width=encoder, decoder_width=decoder, max_positions=64)
    if kind == "lstm-additive":
        sizes["alignment_width"] = 7
    torch.manual_seed(seed)
    network = RecurrentNetwork(RecurrentConfig.preset(kind, **{**sizes, **changes})).eval()
    with torch.no_grad():
        for parameter in network.parameters():
            if parameter.ndim == 1:
                parameter.add_(torch.randn_like(parameter) * 0.3)
    return network


def ablate_heads(heads: Iterable[int]) -> Callable[[Tensor], Tensor]:
    """A change for an `outputs` step: these heads contribute nothing. Tensor is `(batch, head, query, d_k)`."""
    indices = list(heads)

    def change(outputs: Tensor) -> Tensor:
        outputs = outputs.clone()
        outputs[:, indices] = 0
        return outputs

    return change
