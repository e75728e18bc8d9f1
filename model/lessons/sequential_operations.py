"""Sequential operations of a translation network, and path lengths between its tokens.

A network is a graph. A vertex is the output of one sub-layer for one token: a cell of a recurrence, an attention, a
feed-forward layer; it reads the vertices whose results it needs. The longest chain is the number of steps that cannot
run in parallel; the shortest path between two tokens is the number of sub-layers that a signal passes (Vaswani et al.
2017, section 4 and table 1, which have both for a single layer). Layers that run once for any length do not count:
embedding, the decoder's start, output layer.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from ..networks.config import TransformerConfig
from ..networks.recurrent import RecurrentNetwork
from ..networks.recurrent_config import READS, RecurrentConfig


class Vertex(NamedTuple):
    """Output of the sub-layer `row` at position `place`, from 0; rows "source" and "target" are the embedded tokens."""

    row: str
    place: int


@dataclass(frozen=True, eq=False)
class StateGraph:
    """The graph of a network for S source and T target tokens."""

    reads: dict[Vertex, tuple[Vertex, ...]]  # vertex -> the vertices it needs; vertices come after those that they read
    outputs: tuple[tuple[Vertex, ...], ...]  # for each target position, the vertices that the output layer reads

    @cached_property
    def ready(self) -> dict[Vertex, int]:
        """Earliest step after which each vertex is computed; tokens are at 0.

        A token that the decoder generates is ready with the vertices that the output layer read for it.
        """
        steps: dict[Vertex, int] = {}
        for vertex, read in self.reads.items():
            latest = max((steps[needed] for needed in read), default=0)
            steps[vertex] = latest + (vertex.row not in ("source", "target"))
        return steps

    @property
    def steps(self) -> int:
        """The longest chain: number of sub-layers that run one after the other."""
        return max(self.ready[vertex] for read in self.outputs for vertex in read)

    def path(self, start: Vertex, ends: Iterable[Vertex]) -> list[Vertex]:
        """A shortest path from an embedded token to any of `ends`, both included; empty where there is none.

        Its length, in sub-layers that a signal passes, is one less than its number of vertices.
        """
        after: dict[Vertex, Vertex | None] = dict.fromkeys(ends)  # towards the end
        waiting = deque(after)
        while waiting:
            vertex = waiting.popleft()
            if vertex == start:
                path = [vertex]
                while (following := after[path[-1]]) is not None:
                    path.append(following)
                return path
            for read in self.reads[vertex]:
                if read not in after:
                    after[read] = vertex
                    waiting.append(read)
        return []

    def within_source(self, start: int, end: int) -> list[Vertex]:
        """A shortest path from source token `start` to an encoder vector of token `end`."""
        rows = [vertex for vertex in self.reads if vertex.place == end and vertex.row.startswith("encoder.")]
        return self.path(Vertex("source", start), rows)

    def to_output(self, start: int, end: int) -> list[Vertex]:
        """A shortest path from source token `start` to what the output layer reads at target position `end`."""
        return self.path(Vertex("source", start), self.outputs[end])


def build_state_graph(
    config: TransformerConfig | RecurrentConfig, source: int, target: int, generated: bool = False
) -> StateGraph:
    """Build the graph of a network of these sizes.

    Args:
        source, target: numbers of tokens, at least 1.
        generated: whether each target token but the first is the network's own output at the position before, as in
            decoding; else all are inputs, as in training.

    Raises:
        ValueError: a number of tokens is below 1.
    """
    if min(source, target) < 1:
        raise ValueError(f"{source} source and {target} target tokens make no graph; give at least 1 of each.")
    if isinstance(config, RecurrentConfig):
        return _recurrent(config, source, target, generated)
    return _transformer(config, source, target, generated)


def _recurrent(config: RecurrentConfig, source: int, target: int, generated: bool) -> StateGraph:
    reads: dict[Vertex, tuple[Vertex, ...]] = {Vertex("source", place): () for place in range(source)}
    lasts: list[Vertex] = []
    for direction in READS[config.reads]:
        before: tuple[Vertex, ...] = ()
        for place in range(source) if direction == "forwards" else reversed(range(source)):
            vertex = Vertex(f"encoder.{direction}", place)
            reads[vertex] = (Vertex("source", place), *before)
            before = (vertex,)
        lasts += before
    rows = [f"encoder.{direction}" for direction in READS[config.reads]]
    states = tuple(Vertex(row, place) for row in rows for place in range(source))
    # additive: the backward state at the first token, the others: the last state of each direction
    before = (lasts[-1],) if config.alignment == "additive" else tuple(lasts)
    outputs: list[tuple[Vertex, ...]] = []
    for place in range(target):
        token, cell, context = (Vertex(row, place) for row in ("target", "decoder", "context"))
        reads[token] = outputs[-1] if generated and outputs else ()
        if config.alignment == "additive":
            reads[context] = (*before, *states)
            reads[cell] = (token, *before, context)
        else:
            reads[cell] = (token, *before)
        if config.alignment == "dot":
            reads[context] = (cell, *states)
        before = (cell,)
        outputs.append((cell,) if config.alignment == "none" else (cell, context))
    return StateGraph(reads, tuple(outputs))


def _transformer(config: TransformerConfig, source: int, target: int, generated: bool) -> StateGraph:
    def row(name: str, count: int = source) -> tuple[Vertex, ...]:
        return tuple(Vertex(name, place) for place in range(count))

    stream = row("source")
    reads: dict[Vertex, tuple[Vertex, ...]] = dict.fromkeys(stream, ())
    for layer in range(config.n_encoder_layers):
        attentions = row(f"encoder.{layer}.self")
        reads.update(dict.fromkeys(attentions, stream))  # the residual connection reads the token's own vector too
        stream = row(f"encoder.{layer}.ffn")
        reads.update(zip(stream, ((vertex,) for vertex in attentions), strict=True))
    memory = stream
    outputs: list[tuple[Vertex, ...]] = []
    streams: list[list[Vertex]] = [[] for _ in range(config.n_decoder_layers)]  # inputs of each layer so far
    for place in range(target):
        below = Vertex("target", place)
        reads[below] = outputs[-1] if generated and outputs else ()
        for layer, read in enumerate(streams):
            attended, crossed, fed = (Vertex(f"decoder.{layer}.{kind}", place) for kind in ("self", "cross", "ffn"))
            read.append(below)
            reads[attended] = tuple(read)
            reads[crossed] = (attended, *memory)
            reads[fed] = (crossed,)
            below = fed
        outputs.append((below,))
    return StateGraph(reads, tuple(outputs))


def count_recorded_steps(network: nn.Module, source_ids: Iterable[int], target_ids: Iterable[int]) -> int:
    """Count the longest chain in the graph that PyTorch records while the network computes.

    Args:
        network: a `Transformer` or a `RecurrentNetwork`.
        source_ids, target_ids: inputs of encoder and decoder.
    """
    marked: set[Any] = set()

    def mark(name: str, tensor: Tensor) -> Tensor:
        if name == "encoder.embedded":  # so that everything after it is recorded, trained or not
            return tensor.detach().requires_grad_()
        if not _is_vertex(network, name):
            return tensor
        tensor = tensor.clone()
        marked.add(tensor.grad_fn)
        return tensor

    device = next(network.parameters()).device
    source, target = (torch.tensor([list(ids)], device=device) for ids in (source_ids, target_ids))
    with torch.inference_mode(False), torch.enable_grad():
        logits = network(source, target, mark)
    marked.discard(None)  # the decoder's first self-attention, which does not wait for the encoder
    return _longest_chain(logits.grad_fn, marked)


def _is_vertex(network: nn.Module, name: str) -> bool:
    if isinstance(network, RecurrentNetwork):
        return name.endswith((".hidden", ".cross.outputs")) and name != "decoder.start.hidden"
    return name.endswith(".normalised")


def _longest_chain(last: Any, marked: set[Any]) -> int:
    """Largest number of `marked` nodes on any path that ends in `last`; without recursion."""
    lengths: dict[Any, int] = {}
    waiting = [last]
    while waiting:
        node = waiting[-1]
        before = [earlier for earlier, _ in node.next_functions if earlier is not None]
        missing = [earlier for earlier in before if earlier not in lengths]
        if missing:
            waiting += missing
            continue
        waiting.pop()
        lengths[node] = max((lengths[earlier] for earlier in before), default=0) + (node in marked)
    return lengths[last]
