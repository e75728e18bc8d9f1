"""Places in a network whose tensors can be replaced by those of another run.

A site is a kind of tensor; a part is a stack, or a kind of attention, in which it is. A grid has a cell for each layer,
and for each head and position where the site has them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import torch
from torch import Tensor

from .causal_error import CausalError, check_all_whole
from .patched_runs import Case, Patch
from .result_tables import TableAxis
from .resumable import RecordedRun, ResumableNetwork, stream_name

Alignment = Mapping[str, Sequence[tuple[int, int]]]  # stack -> (position that receives, position that gives), from 0


@dataclass(frozen=True)
class Site:
    """A kind of tensor."""

    name: str  # its id; never changes
    step: str  # of the tap; "" for the stream
    by_head: bool
    by_position: bool  # whether a grid has an axis of positions unless stated otherwise
    of_attention: bool  # its part is a kind of attention, not a stack
    of_keys: bool = False  # its positions are those of the keys, not of the queries


SITES = {
    site.name: site
    for site in (
        Site("residual", "", False, True, False),
        Site("attention_output", "sublayer_output", False, True, True),
        Site("feed_forward_output", "ffn.sublayer_output", False, True, False),
        Site("head_output", "outputs", True, False, True),
        Site("attention_weights", "weights", True, False, True),
        Site("queries", "queries", True, False, True),
        Site("keys", "keys", True, False, True, True),
        Site("values", "values", True, False, True, True),
    )
}


@dataclass(frozen=True, eq=False)
class Grid:
    """The cells of one site and part."""

    site: Site
    part: str
    stack: str  # whose positions the cells have
    rows: tuple[str, ...]  # names of the tensors, a layer or a row of the stream each
    axes: tuple[TableAxis, ...]
    by_position: bool
    pairs: tuple[tuple[int, int], ...]  # (position that receives, position that gives)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of cells along each axis."""
        return tuple(len(axis.labels) for axis in self.axes)

    @property
    def cells(self) -> int:
        """Number of cells."""
        return prod(self.shape)

    def cases(self, donor: RecordedRun) -> list[Case]:
        """One case for each cell, in the order of the axes, with the tensors of `donor`."""
        heads = range(len(self.axes[1].labels)) if self.site.by_head else (None,)
        spans = [[pair] for pair in self.pairs] if self.by_position else [list(self.pairs)]
        return [
            (self._patch(donor.tensors[name], name, head, span),)
            for name, head, span in product(self.rows, heads, spans)
        ]

    def everything(self, donor: RecordedRun) -> Case:
        """One case that replaces all cells at once."""
        heads = range(len(self.axes[1].labels)) if self.site.by_head else (None,)
        return tuple(
            self._patch(donor.tensors[name], name, head, list(self.pairs)) for name, head in product(self.rows, heads)
        )

    def _patch(self, tensor: Tensor, name: str, head: int | None, span: list[tuple[int, int]]) -> Patch:
        """Replace the positions of `span` in a tensor `(row, [head], position, ...)`."""
        receive, give = (torch.tensor(side, device=tensor.device) for side in zip(*span, strict=True))
        if head is None:
            return Patch(name, tensor[:, give], (receive,))
        return Patch(name, tensor[:, head][:, give], (head, receive))


def find_site(name: str) -> Site:
    """Return the site of that name.

    Raises:
        CausalError: there is none.
    """
    if name not in tuple(SITES):  # also what cannot be a key
        raise CausalError("There is no site {name!r}; choose one of {known}.", name=name, known=", ".join(SITES))
    return SITES[name]


def parts_of(resumable: ResumableNetwork, site: Site) -> list[str]:
    """The parts of a network that have a site."""
    return [kind.name for kind in resumable.kinds] if site.of_attention else list(resumable.stacks)


def make_grid(
    resumable: ResumableNetwork,
    site: Site,
    part: str,
    labels: Mapping[str, Sequence[str]],
    *,
    by_position: bool | None = None,
    layers: Sequence[int] | None = None,
    positions: Sequence[int] | None = None,
    alignment: Alignment | None = None,
    aligned_only: bool = False,
) -> Grid:
    """Create the grid of a site in a part of a network.

    Args:
        labels: stack -> the label of each position of the run that receives.
        by_position: whether every position is a cell; by default as the site has it.
        layers: only these rows of layers, from 0; of the residual stream 0 is the embedded input. By default all.
        positions: only these positions that receive, such as `[0]` for CLS; by default all.
        alignment: which positions correspond; by default each to itself.
        aligned_only: the two runs differ in length, so that whole attention maps cannot be exchanged.

    Raises:
        CausalError: the part, a layer or a position does not exist, the network has no such tensors, or the site needs
            runs of equal shape.
    """
    if part not in parts_of(resumable, site):
        known = ", ".join(parts_of(resumable, site))
        raise CausalError("{site} is not in {part!r}; choose one of {known}.", site=site.name, part=part, known=known)
    kind = resumable.kind(part) if site.of_attention else None
    stack = part if kind is None else resumable.key_stack(kind) if site.of_keys else kind.stack
    if site.name == "attention_weights" and aligned_only:
        raise CausalError("Attention maps can only be exchanged between inputs of equal length; choose another site.")
    if kind is None:
        count = resumable.stacks[part]
        if site.step:
            rows = tuple(f"{part}.{layer}.{site.step}" for layer in range(count))
        else:
            rows = tuple(stream_name(part, row) for row in range(count + 1))
    else:
        rows = tuple(f"{kind.tap_name(layer)}.{site.step}" for layer in range(resumable.stacks[kind.stack]))
    resumable.check_tensor(rows[0])
    pairs = align_positions(stack, len(labels[stack]), positions, alignment)
    by_position = site.by_position if by_position is None else by_position
    numbers = tuple(range(len(rows))) if layers is None else tuple(check_all_whole("layers", layers))
    if not numbers or not all(0 <= number < len(rows) for number in numbers):
        raise CausalError("Choose layers of this site from 0 to {last}.", last=len(rows) - 1)
    rows = tuple(rows[number] for number in numbers)
    axes = [TableAxis("layer", tuple(number + bool(site.step) for number in numbers))]
    if site.by_head:
        axes.append(TableAxis.counted("head", resumable.n_heads))
    if by_position:
        axes.append(TableAxis("position", tuple(labels[stack][receive] for receive, _ in pairs)))
    return Grid(site, part, stack, rows, tuple(axes), by_position, pairs)


def align_positions(
    stack: str, length: int, positions: Sequence[int] | None, alignment: Alignment | None
) -> tuple[tuple[int, int], ...]:
    """Pairs of a position of a stack that receives and the one that gives; by default all, each from itself.

    Raises:
        CausalError: one of `positions` does not exist, or none is aligned.
    """
    pairs = [(place, place) for place in range(length)] if alignment is None else list(alignment.get(stack, ()))
    if positions is not None:
        for place in check_all_whole("positions", positions):
            if not 0 <= place < length:
                raise CausalError(
                    "There is no position {place}; there are {count}, from 0 to {last}.",
                    place=place,
                    count=length,
                    last=length - 1,
                )
        pairs = [pair for pair in pairs if pair[0] in set(positions)]
    if not pairs:
        raise CausalError("No position of the two inputs is aligned here; align at least one.")
    return tuple(pairs)


def check_alignment(alignment: Alignment, receiving: Mapping[str, int], giving: Mapping[str, int]) -> None:
    """Raise `CausalError` if a stack or a position does not exist, or a position receives twice."""
    for stack, pairs in alignment.items():
        if stack not in receiving:
            raise CausalError(
                "There is no stack {stack!r} to align; choose one of {known}.", stack=stack, known=", ".join(receiving)
            )
        for receive, give in pairs:
            if not (0 <= receive < receiving[stack] and 0 <= give < giving[stack]):
                raise CausalError(
                    "Position {receive} cannot receive from position {give}: the {stack} inputs have {first} and "
                    "{second} positions, counted from 0.",
                    receive=receive,
                    give=give,
                    stack=stack,
                    first=receiving[stack],
                    second=giving[stack],
                )
        if len({receive for receive, _ in pairs}) < len(pairs):
            raise CausalError("A position of {stack} receives twice; align each at most once.", stack=stack)
