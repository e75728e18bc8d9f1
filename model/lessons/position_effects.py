"""Effects on the trained network when positional encodings are removed, permuted or shifted."""

from collections.abc import Callable, Sequence
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


def changed_positions(
    network: Transformer, length: int, change: PositionChange, seed: int = 0, shift: int = 10
) -> Tensor:
    """Build the list of positions that replaces 0, 1, 2, ...; those beyond `length` are unchanged.

    Args:
        length: tokens in the sequence whose positions change.
        change: "kept" leaves them; "none" sets them to 0; "shuffled" permutes them by `seed`; "reversed" counts from
            the end; "shifted" begins at `shift` instead of 0, also beyond `length`.

    Returns:
        `(max_positions,)` int64.

    Raises:
        ValueError: no such change, or a shift beyond the table.
    """
    places = torch.arange(network.config.max_positions, device=network.device)
    if change == "none":
        return torch.zeros_like(places)
    if change == "shuffled":
        order = torch.randperm(length, generator=torch.Generator().manual_seed(seed)).to(places.device)
        return torch.cat([order, places[length:]])
    if change == "reversed":
        return torch.cat([places[:length].flip(0), places[length:]])
    if change == "shifted":
        if not 0 <= shift <= len(places) - length:
            raise ValueError(f"A shift of {shift} leads out of the {len(places)} positions that this model has.")
        return torch.cat([places[shift:], places[len(places) - shift :]])
    if change != "kept":
        raise ValueError(f"There is no change {change!r}; choose one of {', '.join(POSITION_CHANGES)}.")
    return places


def changed_table(network: Transformer, length: int, change: PositionChange, seed: int = 0, shift: int = 10) -> Tensor:
    """Build the positional table that replaces a sequence's own, `(max_positions, d_model)`.

    Arguments and errors are those of `changed_positions`; "none" sets all vectors to 0.
    """
    if change == "none":
        return torch.zeros_like(network.positions)
    return network.positions[changed_positions(network, length, change, seed, shift)]


def change_positions(
    network: Transformer,
    stack: Literal["encoder", "decoder"],
    length: int,
    changes: Sequence[PositionChange],
    seed: int = 0,
    shift: int = 10,
) -> dict[str, Callable[[Tensor], Tensor]]:
    """The changes of an `Intervention` on one stack, where the network's kind of positions enters.

    Sinusoids and learned vectors are replaced in the embedding sums, rotary and ALiBi positions in all self-attention.

    Args:
        changes: one for each row of the batch, or one for all rows.
        length, seed, shift: as of `changed_positions`.
    """
    if network.config.positions in ("rotary", "alibi"):
        lists = torch.stack([changed_positions(network, length, change, seed, shift) for change in changes])
        names = [f"{stack}.{layer}.self.positions" for layer in range(len(getattr(network, stack)))]
        return dict.fromkeys(names, lambda positions: lists[:, : positions.shape[1]])  # (change, key)
    tables = torch.stack([changed_table(network, length, change, seed, shift) for change in changes])
    return {f"{stack}.embedded": replace_positions(network, tables)}


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
    of_encoder = change_positions(network, "encoder", len(source_ids), POSITION_CHANGES, seed, shift)
    of_decoder = change_positions(network, "decoder", len(target_ids), POSITION_CHANGES, seed, shift)
    source, target, following = map(network.ids, (source_ids, target_ids, next_ids))
    several = target.expand(len(POSITION_CHANGES), -1)
    tap = Intervention(of_encoder)
    memory = network.encode(source.expand(len(POSITION_CHANGES), -1), None, tap)  # (change, S, d_model)
    per_token: dict[tuple[Where, PositionChange], np.ndarray] = {}
    for done, where in enumerate(STACKS):
        here = memory if where != "decoder" else memory[:1].expand(len(POSITION_CHANGES), -1, -1)
        changed = Intervention(of_decoder if where != "encoder" else {})
        logits = network.project(network.decode(several, here, None, changed))  # (change, T, vocabulary)
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
    changes: dict[str, Callable[[Tensor], Tensor]] = {}
    if where != "decoder":
        changes |= change_positions(network, "encoder", source_length, [change], seed, shift)
    if where != "encoder":
        changes |= change_positions(network, "decoder", target_length, [change], seed, shift)
    return Intervention(changes)
