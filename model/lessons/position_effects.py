"""Effects on the trained network when positional encodings are removed, permuted or shifted."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from ..networks.losses import token_cross_entropy
from ..networks.tap import Intervention, Tap
from ..networks.transformer import Transformer
from ..runtime.arrays import largest_difference
from ..runtime.progress import InSteps, Progress

PositionChange = Literal["kept", "none", "shuffled", "reversed", "shifted"]
POSITION_CHANGES: tuple[PositionChange, ...] = ("kept", "none", "shuffled", "reversed", "shifted")
Where = Literal["encoder", "decoder", "both"]
STACKS: tuple[Where, ...] = ("encoder", "decoder", "both")


def changed_table(network: Transformer, length: int, change: PositionChange, seed: int = 0, shift: int = 10) -> Tensor:
    """Build the positional table that replaces a sequence's own; rows beyond `length` are unchanged.

    Args:
        length: tokens in the sequence whose positions change.
        change: "kept" leaves them; "none" sets them to 0; "shuffled" permutes them by `seed`; "reversed" counts from
            the end; "shifted" begins at `shift` instead of 0, also beyond `length`.

    Returns:
        `(max_positions, d_model)`.

    Raises:
        ValueError: no such change, or a shift beyond the table.
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
        raise ValueError(f"There is no change {change!r}; choose one of {', '.join(POSITION_CHANGES)}.")
    return table


def replace_positions(network: Transformer, tables: Tensor) -> Callable[[Tensor], Tensor]:
    """A change for an `embedded` step: subtract the model's own positions and add others.

    `tables` is `(max_positions, d_model)`, or `(batch, max_positions, d_model)` with a table for each row.
    """

    def change(stream: Tensor) -> Tensor:
        length = stream.shape[1]
        return stream + (tables[..., :length, :] - network.positions[:length])  # (batch, position, d_model)

    return change


@dataclass(frozen=True, eq=False)
class PositionLosses:
    """Cross-entropy of one reference target under every change."""

    # (where, change) -> `(T,)` -ln p of each token of the target, in nats
    per_token: dict[tuple[Where, PositionChange], np.ndarray]
    plain: np.ndarray  # `(T,)` the same from a pass without a tap, with fused attention

    @property
    def difference(self) -> float:
        """Largest |difference| between the plain pass and the one whose positions are replaced by themselves."""
        return max(largest_difference(self.per_token[where, "kept"], self.plain) for where in STACKS)

    def mean(self, where: Where, change: PositionChange) -> float:
        """The loss: mean of -ln p."""
        return float(self.per_token[where, change].mean())


@torch.inference_mode()
def position_losses_in_steps(
    network: Transformer, source_ids: list[int], next_ids: list[int], seed: int = 0, shift: int = 10
) -> InSteps[PositionLosses]:
    """Teacher-forced losses of all changes in all stacks; the changes of one stack are one batch and one step.

    The encoder reads `source_ids`, which end with `</s>`, and the decoder should generate `next_ids`, which do too.
    """
    target_ids = [network.config.bos_id, *next_ids[:-1]]
    tables = {
        stack: torch.stack([changed_table(network, len(ids), change, seed, shift) for change in POSITION_CHANGES])
        for stack, ids in (("encoder", source_ids), ("decoder", target_ids))
    }  # (change, max_positions, d_model) each
    source, target, following = map(network.ids, (source_ids, target_ids, next_ids))
    several = target.expand(len(POSITION_CHANGES), -1)
    tap = Intervention({"encoder.embedded": replace_positions(network, tables["encoder"])})
    memory = network.encode(source.expand(len(POSITION_CHANGES), -1), None, tap)  # (change, S, d_model)
    per_token: dict[tuple[Where, PositionChange], np.ndarray] = {}
    for done, where in enumerate(STACKS):
        here = memory if where != "decoder" else memory[:1].expand(len(POSITION_CHANGES), -1, -1)
        changes = {"decoder.embedded": replace_positions(network, tables["decoder"])} if where != "encoder" else {}
        logits = network.project(network.decode(several, here, None, Intervention(changes)))  # (change, T, vocabulary)
        losses = token_cross_entropy(logits, following.expand(len(POSITION_CHANGES), -1)).cpu().numpy()  # (change, T)
        per_token |= {(where, change): row for change, row in zip(POSITION_CHANGES, losses, strict=True)}
        yield Progress(done + 1, len(STACKS))
    plain = token_cross_entropy(network(source, target)[0], following[0]).cpu().numpy()  # (T,)
    return PositionLosses(per_token, plain)


def positions_tap(
    network: Transformer,
    where: Where,
    change: PositionChange,
    source_length: int,
    target_length: int,
    seed: int = 0,
    shift: int = 10,
) -> Tap:
    """The intervention that makes one change in one stack or both."""
    lengths = {"encoder": source_length, "decoder": target_length}
    stacks = ("encoder", "decoder") if where == "both" else (where,)
    return Intervention(
        {
            f"{stack}.embedded": replace_positions(network, changed_table(network, lengths[stack], change, seed, shift))
            for stack in stacks
        }
    )
