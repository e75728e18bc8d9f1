"""What the trained network does when the positions under its words are taken away, mixed up or moved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from model.losses import token_cross_entropy
from model.tap import Intervention, Tap
from model.transformer import Transformer

Change = Literal["kept", "none", "shuffled", "reversed", "shifted"]
CHANGES: tuple[Change, ...] = ("kept", "none", "shuffled", "reversed", "shifted")
Where = Literal["encoder", "decoder", "both"]
PLACES: tuple[Where, ...] = ("encoder", "decoder", "both")


def changed_table(network: Transformer, length: int, change: Change, seed: int = 0, shift: int = 10) -> Tensor:
    """The positions a sequence gets instead of its own; rows beyond `length` stay as they are.

    Args:
        length: pieces in the sequence whose positions change.
        change: "kept" leaves them; "none" sets them to 0; "shuffled" permutes them by `seed`; "reversed" counts from
            the end; "shifted" begins at `shift` instead of 0, and goes on so beyond `length`.

    Returns:
        `(max_positions, d_model)`.

    Raises:
        ValueError: no such change, or a shift that leads out of the table.
    """
    table = network.positions.clone()
    if change == "none":
        table.zero_()
    elif change == "shuffled":
        order = torch.randperm(length, generator=torch.Generator().manual_seed(seed)).to(table.device)
        table[:length] = network.positions[:length][order]
    elif change == "reversed":
        table[:length] = network.positions[:length].flip(0)
    elif change == "shifted":
        if not 0 <= shift <= len(table) - length:
            raise ValueError(f"A shift of {shift} leads out of the {len(table)} positions that this model has.")
        table[: len(table) - shift] = network.positions[shift:]
    elif change != "kept":
        raise ValueError(f"There is no change {change!r}; choose one of {', '.join(CHANGES)}.")
    return table


def replace_positions(network: Transformer, tables: Tensor) -> Callable[[Tensor], Tensor]:
    """A change for an `embedded` step: take the model's own positions off and put others on.

    Args:
        tables: `(max_positions, d_model)`, or `(batch, max_positions, d_model)` with a table for each row.
    """

    def change(stream: Tensor) -> Tensor:
        length = stream.shape[1]
        return stream + (tables[..., :length, :] - network.positions[:length])  # (batch, position, d_model)

    return change


@dataclass(frozen=True, eq=False)
class PositionLosses:
    """Cross-entropy of one reference target under every change.

    Attributes:
        per_piece: (where, change) -> `(T,)` -ln p of each piece of the target, in nats.
        plain: `(T,)` the same from a pass that no tap has touched, with fused attention.
    """

    per_piece: dict[tuple[Where, Change], np.ndarray]
    plain: np.ndarray

    @property
    def difference(self) -> float:
        """Largest |difference| between the untouched pass and the one whose positions were taken off and put back."""
        return max(float(np.abs(self.per_piece[where, "kept"] - self.plain).max()) for where in PLACES)

    def mean(self, where: Where, change: Change) -> float:
        """The loss: mean of -ln p."""
        return float(self.per_piece[where, change].mean())


@torch.inference_mode()
def position_losses(
    network: Transformer,
    source_ids: list[int],
    target_ids: list[int],
    next_ids: list[int],
    seed: int = 0,
    shift: int = 10,
) -> PositionLosses:
    """Teacher-forced losses of all changes in all places, in one pass of the network.

    Args:
        source_ids: encoder input, ending with `</s>`.
        target_ids: decoder input, starting with `<s>`.
        next_ids: what each decoder position should produce.
    """
    device = network.embedding.weight.device
    tables = {
        stack: torch.stack([changed_table(network, len(ids), change, seed, shift) for change in CHANGES])
        for stack, ids in (("encoder", source_ids), ("decoder", target_ids))
    }  # (change, max_positions, d_model) each
    rows = [(where, change) for where in PLACES for change in CHANGES]
    encoder_rows = [CHANGES.index(change) if where != "decoder" else 0 for where, change in rows]
    decoder_rows = [CHANGES.index(change) if where != "encoder" else 0 for where, change in rows]
    source = torch.tensor([source_ids], device=device).expand(len(CHANGES), -1)
    target = torch.tensor([target_ids], device=device).expand(len(rows), -1)
    tap = Intervention(
        {
            "encoder.embedded": replace_positions(network, tables["encoder"]),
            "decoder.embedded": replace_positions(network, tables["decoder"][decoder_rows]),
        }
    )
    memory = network.encode(source, None, tap)[encoder_rows]  # (row, S, d_model)
    logits = network.project(network.decode(target, memory, None, tap))  # (row, T, vocabulary)
    wanted = torch.tensor([next_ids], device=device).expand(len(rows), -1)
    losses = token_cross_entropy(logits, wanted).cpu().numpy()  # (row, T)
    plain = token_cross_entropy(network(source[:1], target[:1])[0], wanted[0]).cpu().numpy()  # (T,)
    return PositionLosses(dict(zip(rows, losses, strict=True)), plain)


def positions_tap(
    network: Transformer,
    where: Where,
    change: Change,
    source_length: int,
    target_length: int,
    seed: int = 0,
    shift: int = 10,
) -> Tap:
    """The intervention that makes one change in one place."""
    lengths = {"encoder": source_length, "decoder": target_length}
    stacks = ("encoder", "decoder") if where == "both" else (where,)
    return Intervention(
        {
            f"{stack}.embedded": replace_positions(network, changed_table(network, lengths[stack], change, seed, shift))
            for stack in stacks
        }
    )
