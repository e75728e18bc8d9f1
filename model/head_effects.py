"""What each head does for one input: switch it off and see how far the answer moves.

A map shows where a head looks; whether that matters is another question (Michel et al. 2019, section 3; Voita et al.
2019). Every head is tried in one batched forward pass: row r of the batch runs with head r switched off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from model.losses import token_cross_entropy
from model.transformer import Transformer
from model.vision import VisionTransformer

ROWS = 128  # of a batch; more would only need more memory


@dataclass(frozen=True, eq=False)
class HeadEffects:
    """How the answer changes when single heads are switched off.

    Attributes:
        reference: the value with all heads on.
        changes: kind -> `(layer, head)` float64: the value without that head, minus `reference`.
    """

    reference: float
    changes: dict[str, np.ndarray]

    def ranked(self) -> list[tuple[str, int, int, float]]:
        """(kind, layer, head, change), counted from 0, largest change first whatever its sign."""
        rows = [
            (kind, *place, float(change)) for kind, table in self.changes.items() for place, change in _cells(table)
        ]
        return sorted(rows, key=lambda row: -abs(row[3]))


class OneHeadOff:
    """A tap under which every row of the batch runs without one head.

    Args:
        off: (name of an `outputs` step, head) for each row; None lets the row run as it is.
    """

    def __init__(self, off: list[tuple[str, int] | None]) -> None:
        self.rows: dict[str, list[tuple[int, int]]] = {}
        for row, place in enumerate(off):
            if place is not None:
                self.rows.setdefault(place[0], []).append((row, place[1]))

    def __call__(self, name: str, tensor: Tensor) -> Tensor:
        if name not in self.rows:
            return tensor
        rows, heads = zip(*self.rows[name], strict=True)
        tensor = tensor.clone()  # (batch, head, query, d_k)
        tensor[list(rows), list(heads)] = 0
        return tensor


@torch.inference_mode()
def translation_effects(
    network: Transformer, source_ids: list[int], target_ids: list[int], next_ids: list[int]
) -> HeadEffects:
    """Change of the mean -ln p of a translation's pieces, in nats, without each head of the translator.

    Above 0 the head helps this translation; below 0 it is better without.

    Args:
        source_ids: encoder input, ending with `</s>`.
        target_ids: decoder input, starting with `<s>`.
        next_ids: what each decoder position should produce.
    """
    config = network.config
    shapes = {
        "encoder": ("encoder.{}.self.outputs", config.n_encoder_layers),
        "decoder": ("decoder.{}.self.outputs", config.n_decoder_layers),
        "cross": ("decoder.{}.cross.outputs", config.n_decoder_layers),
    }
    device = network.embedding.weight.device
    source, target, wanted = (torch.tensor([ids], device=device) for ids in (source_ids, target_ids, next_ids))

    def loss(off: list[tuple[str, int] | None]) -> Tensor:
        tap, rows = OneHeadOff(off), len(off)
        memory = network.encode(source.expand(rows, -1), None, tap)
        logits = network.project(network.decode(target.expand(rows, -1), memory, None, tap))
        return token_cross_entropy(logits, wanted.expand(rows, -1)).double().mean(dim=1)

    return _try_all(loss, shapes, config.n_heads)


@torch.inference_mode()
def recognition_effects(network: VisionTransformer, pixels: Tensor, class_index: int) -> HeadEffects:
    """Change of a class's ln p, in nats, without each head of the ViT. Below 0 the head speaks for the class.

    Args:
        pixels: `(3, height, width)` in [-1, 1].
    """

    def log_probability(off: list[tuple[str, int] | None]) -> Tensor:
        logits = network(pixels.expand(len(off), -1, -1, -1), OneHeadOff(off))
        return F.log_softmax(logits.double(), dim=1)[:, class_index]

    config = network.config
    return _try_all(log_probability, {"vision": ("vision.{}.self.outputs", config.n_layers)}, config.n_heads)


def _try_all(value, shapes: dict[str, tuple[str, int]], heads: int) -> HeadEffects:
    places = [
        (name.format(layer), head)
        for name, layers in shapes.values()
        for layer in range(layers)
        for head in range(heads)
    ]
    rows: list[tuple[str, int] | None] = [None, *places]
    values = torch.cat([value(rows[start : start + ROWS]) for start in range(0, len(rows), ROWS)]).cpu().numpy()
    changes, first = {}, 1
    for kind, (_, layers) in shapes.items():
        changes[kind] = values[first : first + layers * heads].reshape(layers, heads) - values[0]
        first += layers * heads
    return HeadEffects(float(values[0]), changes)


def _cells(table: np.ndarray):
    return (((layer, head), table[layer, head]) for layer in range(table.shape[0]) for head in range(table.shape[1]))
