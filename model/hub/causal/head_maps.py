"""The linear maps of heads, read by running a layer on basis vectors, whatever its modules are called.

A layer runs on sequences of one token, or on pictures whose positions have several. What its attention reads is
replaced by every basis vector in turn, which gives the matrices of queries, keys and values; at the first position a
rotation of queries and keys changes nothing. Outputs of heads are replaced likewise, which gives the output matrix. A
random vector shows that the maps are linear but for a bias.
"""

import math
from typing import Protocol

import torch
from torch import Tensor

from ...causal.causal_error import CausalError
from ...causal.resumable import HeadMatrices
from ...networks.tap import Chain, Intervention, Recorder, Tap, replace_by
from ...tracing.kinds import AttentionKind

LINEAR = 1e-4  # largest difference from a linear map, as a share of the largest number
MOST_BYTES = 2 << 30  # of the matrices of all heads


class LayerRunner(Protocol):
    """A network whose layers run one by one, such as `model.hub.causal.resumable_model.ResumableModel`."""

    probe_tensors: dict[str, Tensor]  # what passed the tap on a short input, by name
    stacks: dict[str, int]  # the number of layers of each

    @property
    def reads_pixels(self) -> bool: ...

    def check_tensor(self, name: str) -> None:
        """Raise `CausalError` if the network has no such tensor."""

    def run_layer(self, stack: str, layer: int, rows: int, length: int, tap: Tap) -> None:
        """Run one layer on a stream of zeros."""


@torch.no_grad()
def read_matrices(model: LayerRunner, kind: AttentionKind, layer: int) -> HeadMatrices:
    """The matrices of all heads of a layer.

    Raises:
        CausalError: the heads read two sequences, are not linear in what they read, or are too many.
    """
    name = kind.tap_name(layer)
    if not kind.square:
        raise CausalError("Matrices of heads are read from self-attention; this model has cross-attention, too.")
    for step in ("queries", "keys", "outputs", "sublayer_input", "sublayer_output"):
        model.check_tensor(f"{name}.{step}")
    probe = model.probe_tensors
    width, sizes = probe[f"{name}.sublayer_input"].shape[-1], probe[f"{name}.outputs"].shape
    heads, inner = sizes[1], sizes[-1]
    numbers = 4 * width * heads * inner * 8 * sum(model.stacks.values())
    if numbers > MOST_BYTES:
        raise CausalError(
            "The matrices of all heads of this model take {size:.0f} GB; choose a smaller model.", size=numbers / 1e9
        )
    length = probe[f"{name}.sublayer_input"].shape[1] if model.reads_pixels else 1
    read = _rows(width, probe[f"{name}.sublayer_input"])
    recorder = Recorder([f"{name}.{step}" for step in ("queries", "keys", "values")])
    change = Intervention({f"{name}.sublayer_input": replace_by(_spread(read, length))})
    model.run_layer(kind.stack, layer, -(-len(read) // length), length, Chain(change, recorder))
    query, key, value = (
        _linear(recorder.tensors[f"{name}.{step}"].transpose(1, 2).flatten(0, 1)[: len(read)].double(), read.double())
        for step in ("queries", "keys", "values")
    )
    flat = _rows(heads * inner, probe[f"{name}.outputs"])
    given = _spread(flat, length).unflatten(2, (heads, inner)).transpose(1, 2)  # (row, head, position, d_k)
    recorder = Recorder([f"{name}.sublayer_output"])
    change = Intervention({f"{name}.outputs": replace_by(given)})
    model.run_layer(kind.stack, layer, len(given), length, Chain(change, recorder))
    returned = recorder.tensors[f"{name}.sublayer_output"].flatten(0, 1)[: len(flat), None]  # (row, 1, d_model)
    output = _linear(returned.double(), flat.double())[0]  # (head x d_k, d_model)
    return HeadMatrices(query, key, value, output.unflatten(0, (heads, inner)).mT)


def _spread(rows: Tensor, length: int) -> Tensor:
    """Vectors `(row, width)` over sequences of a length, `(sequence, position, width)`; zeros fill the last one."""
    padding = rows.new_zeros(-len(rows) % length, rows.shape[1])
    return torch.cat([rows, padding]).unflatten(0, (-1, length))


def _rows(width: int, like: Tensor) -> Tensor:
    """Zero, every basis vector, and a random vector, `(width + 2, width)`."""
    generator = torch.Generator().manual_seed(0)
    random = torch.randn(1, width, generator=generator, dtype=torch.float64).to(like) / math.sqrt(width)
    basis = torch.eye(width, dtype=like.dtype, device=like.device)
    return torch.cat([basis.new_zeros(1, width), basis, random])


def _linear(returned: Tensor, read: Tensor) -> Tensor:
    """`(row, head, d)` of the rows above -> matrices `(head, width, d)`.

    Raises:
        CausalError: the map is not linear.
    """
    moved = returned - returned[:1]
    matrices = moved[1:-1].transpose(0, 1)  # (head, width, d)
    expected = torch.einsum("w,hwd->hd", read[-1], matrices)
    scale = float(expected.abs().max()) or 1.0
    if not float((moved[-1] - expected).abs().max()) <= LINEAR * scale:
        raise CausalError(
            "The heads of this model are not linear in what they read or write, as where queries and keys are "
            "normalised, so they have no matrices to multiply."
        )
    return matrices
