"""Find the modules whose outputs a layer adds to its residual stream, by what they return, not by their names.

A layer has a sub-layer for each kind of attention, and a feed-forward layer. Their outputs are found among those of all
modules of the layer, such that

    pre-norm    stream in + attention + feed-forward = stream out (also where both read the same stream)
    post-norm   norm(stream in + attention) = middle, norm(middle + feed-forward) = stream out

The norms of a post-norm layer are the modules that read those sums. Between two layers a network may add something that
does not depend on the stream, as Qwen3-VL does with its pictures (DeepStack, Meng et al. 2024); a row of the stream is
what the next layer reads. `model.hub.causal.stream_proof` proves what was found.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from torch import Tensor

from ...causal.causal_error import CausalError
from ...runtime.messages import Place, Template
from ...tracing.kinds import AttentionKind
from ..call_plan import CallPlan
from .module_calls import AttentionPlace, ModuleCall, ObservedRun

NOT_FOUND = Template(
    "In layer {layer} of this model no outputs of attention and feed-forward layers were found that sum to its "
    "residual stream; methods on heads alone are possible."
)


@dataclass(frozen=True)
class SubLayer:
    """What a layer adds to its stream."""

    name: str  # as the tap names it: "self", "cross" or "ffn"
    output: str  # the module that returns it
    reads: str = ""  # the module that calls attention, whose input the sub-layer reads; "" for a feed-forward layer
    norm: str = ""  # the module that normalises the sum, in a post-norm network; "" else


@dataclass(frozen=True)
class Block:
    """One layer of a stack. Names of modules are those in the network."""

    module: str
    sub_layers: tuple[SubLayer, ...]


@dataclass(frozen=True)
class BlockPlaces:
    """Where the streams of a network are."""

    stacks: dict[str, tuple[Block, ...]]  # name of a stack -> its layers
    # the modules that embed the tokens of the stacks, in the order in which they run; may be one module
    embeddings: tuple[str, ...]
    error: float  # largest |difference| of a layer's output from the sum of its parts, as a share of its largest number
    # name of a stack -> the layers that read something else than what the layer before returns
    joined: Mapping[str, frozenset[int]] = field(default_factory=dict)

    @property
    def pre_norm(self) -> bool:
        """Whether sums are not normalised."""
        return not any(part.norm for blocks in self.stacks.values() for block in blocks for part in block.sub_layers)


def find_blocks(run: ObservedRun, plan: CallPlan, count: dict[str, int]) -> dict[str, list[str]]:
    """Stack -> the modules that are its layers, from the calls of attention that they make.

    Args:
        count: name of a list of modules -> number of its modules.

    Raises:
        CausalError: attention is not called once by each layer of one list, or layers run more than once.
    """
    stacks: dict[str, list[str]] = {}
    for stack in dict.fromkeys(kind.stack for kind in plan.kinds):
        kinds = [kind for kind in plan.kinds if kind.stack == stack]
        for kind in kinds:
            places = [run.attention[place].layer for place in plan.places(kind)]
            lists = {place[0] if place is not None else "" for place in places}
            name = next(iter(lists))
            numbers = [place[1] for place in places if place is not None]
            if len(lists) > 1 or not name or numbers != list(range(count[name])):
                raise CausalError(
                    "The layers of this model are not a list of modules that each run once, so its residual stream "
                    "cannot be followed; methods on heads alone are possible."
                )
            names = [f"{name}.{number}" for number in numbers]
            if any(len(run.of(block)) != 1 for block in names) or stacks.setdefault(stack, names) != names:
                raise CausalError("Layers of this model run more than once, so its residual stream cannot be followed.")
    return stacks


def find_places(
    run: ObservedRun, plan: CallPlan, stacks: dict[str, list[str]], embeddings: tuple[str, ...], tolerance: float
) -> BlockPlaces:
    """Find the sub-layers of every layer.

    Args:
        tolerance: largest difference of a sum, as a share of the largest number.

    Raises:
        CausalError: in some layer no outputs sum to the stream.
    """
    found: dict[str, tuple[Block, ...]] = {}
    joined: dict[str, frozenset[int]] = {}
    error = 0.0
    for stack, names in stacks.items():
        kinds = [kind for kind in plan.kinds if kind.stack == stack]
        blocks: list[Block] = []
        for number, name in enumerate(names):
            calls = [(kind, run.attention[plan.places(kind)[number]]) for kind in kinds]
            search = _Search(run, name, sorted(calls, key=lambda call: call[1].time), tolerance)
            block = None if not blocks else search.same_as(blocks[0])
            block = block or search.first()
            if block is None:
                raise CausalError(NOT_FOUND, layer=Place(number))
            error = max(error, search.error)
            blocks.append(block)
        joined[stack] = _find_joined(run, names, tolerance)
        found[stack] = tuple(blocks)
    places = BlockPlaces(found, embeddings, error, joined)
    if any(joined.values()) and not places.pre_norm:
        raise CausalError("Layers of this model do not read what the layer before returns; its stream is unknown.")
    return places


def _find_joined(run: ObservedRun, names: Sequence[str], tolerance: float) -> frozenset[int]:
    """The layers that do not read what the one before returns, but a tensor of the same form."""
    layers = set()
    for number, (earlier, later) in enumerate(zip(names, names[1:], strict=False), 1):
        returned, read = run.of(earlier)[0].returned, run.of(later)[0].read
        if returned is None or read is None or returned.shape != read.shape:
            raise CausalError("Layers of this model do not read what the layer before returns; its stream is unknown.")
        if not _equal(returned, read, tolerance):
            layers.add(number)
    return frozenset(layers)


class _Search:
    """The search in one layer."""

    def __init__(
        self, run: ObservedRun, name: str, calls: Sequence[tuple[AttentionKind, AttentionPlace]], tolerance: float
    ) -> None:
        (self.block,) = run.of(name)
        self.attention, self.tolerance, self.error = calls, tolerance, 0.0
        inside = [call for call in run.calls if call.name.startswith(f"{name}.")]
        shape = None if self.block.read is None else self.block.read.shape
        names = Counter(call.name for call in inside)
        inside = [call for call in inside if names[call.name] == 1]  # else its name would not say which call is meant
        # the last module that returns something is the outermost one
        self.returning = [call for call in reversed(inside) if shape is not None and _fits(call, shape)]
        self.norms = [call for call in inside if _shape(call.read) == shape == _shape(call.returned)]

    def first(self) -> Block | None:
        """The first choice of outputs that sum to what the layer returns; pre-norm first."""
        if self.block.read is None or self.block.returned is None:
            return None
        for post_norm in (False, True):
            for parts in self._choices(self.block.read, 0, 0, post_norm):
                return Block(self.block.name, parts)
        return None

    def same_as(self, other: Block) -> Block | None:
        """The choice that was made in another layer, with the names of this one, if it holds here."""

        def renamed(name: str) -> str:
            return name and self.block.name + name[len(other.module) :]

        parts = tuple(
            replace(part, output=renamed(part.output), reads=renamed(part.reads), norm=renamed(part.norm))
            for part in other.sub_layers
        )
        known = {call.name for call in self.returning}
        own = {place.module for _, place in self.attention}
        if not all(part.output in known and (not part.reads or part.reads in own) for part in parts):
            return None
        chosen, wanted = self.returning, {part.output for part in parts}
        self.returning = [call for call in chosen if call.name in wanted]
        block = self.first()
        self.returning = chosen
        return block

    def _choices(self, stream: Tensor, number: int, ended: int, post_norm: bool) -> Iterator[tuple[SubLayer, ...]]:
        """All ways to get from a stream to what the layer returns by the sub-layers from `number` on.

        Args:
            ended: when the last of those before ended.
        """
        returned = self.block.returned
        assert returned is not None
        if number > len(self.attention):
            if _equal(stream, returned, self.tolerance):
                self.error = max(self.error, _difference(stream, returned))
                yield ()
            return
        for call, part in self._candidates(number, ended):
            assert call.returned is not None
            added = stream + call.returned
            for norm, following in self._normalised(added, call, post_norm):
                for rest in self._choices(following, number + 1, max(ended, call.end), post_norm):
                    yield (replace(part, norm=norm), *rest)

    def _candidates(self, number: int, ended: int) -> Iterator[tuple[ModuleCall, SubLayer]]:
        """Modules that may return the output of a sub-layer.

        Those of attention end after it was called. Those of a feed-forward layer start when all attention has ended,
        or end before any is called, where both read the same stream.
        """
        if number == len(self.attention):
            for call in self.returning:
                if call.start > ended or call.end < self.attention[0][1].time:
                    yield call, SubLayer("ffn", call.name)
            return
        kind, place = self.attention[number]
        for call in self.returning:
            if call.end > place.time:
                yield call, SubLayer(kind.sublayer, call.name, place.module)

    def _normalised(self, added: Tensor, call: ModuleCall, post_norm: bool) -> Iterator[tuple[str, Tensor]]:
        if not post_norm:
            yield "", added
            return
        for norm in self.norms:
            assert norm.read is not None and norm.returned is not None
            if norm.start > call.end and _equal(norm.read, added, self.tolerance):
                self.error = max(self.error, _difference(norm.read, added))
                yield norm.name, norm.returned


def _fits(call: ModuleCall, shape: tuple[int, ...]) -> bool:
    """Whether a module returns a tensor of the stream's form; rows and positions may be one axis, which is divided."""
    returned = call.returned
    if returned is not None and returned.ndim == 2 and tuple(returned.shape) == (shape[0] * shape[1], shape[2]):
        call.returned = returned.view(shape)
    return _shape(call.returned) == shape


def _shape(tensor: Tensor | None) -> tuple[int, ...] | None:
    return None if tensor is None else tuple(tensor.shape)


def _difference(first: Tensor, second: Tensor) -> float:
    """Largest |difference| as a share of the largest number of the second."""
    return float((first - second).abs().max()) / (float(second.abs().max()) or 1.0)


def _equal(first: Tensor, second: Tensor, tolerance: float) -> bool:
    return first.shape == second.shape and _difference(first, second) <= tolerance
