"""Learned tables of position vectors in an opened network, such as those of BERT, GPT-2, BART and ViT.

Networks that encode positions otherwise (T5's biases, rotary positions, ALiBi) have none, and neither have fixed
sinusoids: they are not learned.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from torch import Tensor, nn

_POSITIONS = re.compile(r"position|(^|[._])(wpe|pos_embed(ding)?s?)([._]|$)", re.IGNORECASE)
_OTHERS = re.compile(r"relative|rel_|sinusoid|rotary|rope|bias|_ids$", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class PositionTable:
    """One learned table."""

    name: str  # of its parameter in the network
    vectors: np.ndarray  # `(position, width)` float32, the vector that is added at position 0 first
    offset: int = 0  # rows before that of position 0, which hold padding (RoBERTa, OPT, BART)


def find_position_tables(network: nn.Module) -> tuple[PositionTable, ...]:
    """Find the learned position tables of a network by the names of its modules and parameters; empty if it has none.

    A table that several modules share is listed once.
    """
    tables, seen = [], set[int]()
    for name, weight, offset in _candidates(network):
        vectors = weight.squeeze(0) if weight.dim() == 3 and len(weight) == 1 else weight
        if vectors.dim() == 2 and min(vectors.shape) > 1 and len(vectors) > offset and weight.data_ptr() not in seen:
            seen.add(weight.data_ptr())
            tables.append(PositionTable(name, vectors[offset:].detach().float().cpu().numpy().copy(), offset))
    return tuple(tables)


def _candidates(network: nn.Module) -> Iterator[tuple[str, Tensor, int]]:
    """Names, weights and offsets of what may be a table: embeddings, and parameters such as ViT's."""
    modules = dict(network.named_modules())
    for name, weight in network.named_parameters(remove_duplicate=False):
        owner = modules[name.rpartition(".")[0]]
        described = f"{name} {type(owner).__name__}" if isinstance(owner, nn.Embedding) else name
        if not _POSITIONS.search(described) or _OTHERS.search(described):
            continue
        if isinstance(owner, nn.Embedding):
            yield name, weight, _offset(network, owner)
        elif not isinstance(owner, nn.Linear | nn.LayerNorm | nn.Conv2d):
            yield name, weight, 0


def _offset(network: nn.Module, table: nn.Embedding) -> int:
    """Rows before the one of position 0: `offset` of OPT and BART; RoBERTa begins after the row of padding."""
    if isinstance(own := getattr(table, "offset", None), int):
        return own
    return table.padding_idx + 1 if table.padding_idx is not None else 0
