"""Path patching: measure the effect of one head through another, with all other paths frozen.

For a sender and a receiver (Wang et al. 2022, "Interpretability in the Wild", section 3.1 and appendix B;
Goldowsky-Dill et al. 2023, "Localizing Model Behavior with Path Patching"):

1. The sender's output is replaced by that of the other run; the outputs of all other heads are frozen at those of the
   run that receives. The change reaches later layers through the residual stream and the feed-forward layers alone.
2. One input of the receiver, its queries, keys or values, is replaced by what it becomes there.
3. The run that receives is computed with this one input replaced, and the metric is measured.

Step 1 is one run for each sender. Step 3 starts at the receiver's layer, and edges into a layer run in batches.
With `feed_forward="frozen"` the feed-forward layers are frozen as well, so that only the residual stream connects.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import torch
from torch import Tensor

from ..networks.tap import Chain, Intervention, Recorder
from ..runtime.progress import InSteps, Progress, as_one_call
from ..tracing.kinds import AttentionKind
from .activation_patching import Direction, check_direction
from .causal_error import CausalError
from .metrics import Metric, evaluate
from .patched_runs import Case, Patch, Replace, run_cases_in_steps
from .result_tables import CausalResult, Table, TableAxis
from .resumable import Inputs, RecordedRun, ResumableNetwork

# Which heads can pass something on to which: by the order of the layers, and from the encoder to the decoder.

INPUTS = ("queries", "keys", "values")


@dataclass(frozen=True)
class Connection:
    """A kind of edge: from the outputs of heads of one kind to one input of heads of another."""

    sender: AttentionKind
    receiver: AttentionKind
    input: str  # one of `INPUTS`

    @property
    def name(self) -> str:
        """Its id in files: `encoder_cross_keys`."""
        return f"{self.sender.name}_{self.receiver.name}_{self.input}"

    def allows(self, sender_layer: int, receiver_layer: int) -> bool:
        """Whether a head of `receiver_layer` can depend on one of `sender_layer`, both from 0."""
        if self.sender.stack != self.receiver.stack:
            return True  # the decoder reads what the whole encoder made
        # a decoder layer has masked self-attention before cross-attention
        earlier = self.sender.square and not self.receiver.square
        return sender_layer < receiver_layer or (earlier and sender_layer == receiver_layer)


def connections(resumable: ResumableNetwork) -> list[Connection]:
    """All kinds of edges of a network."""
    return [
        Connection(sender, receiver, name)
        for sender in resumable.kinds
        for receiver in resumable.kinds
        for name in INPUTS
        if sender.stack == (receiver.stack if name == "queries" else resumable.key_stack(receiver))
    ]


FeedForward = Literal["recomputed", "frozen"]
CHECKED = 3  # edges that are computed again


@dataclass(frozen=True)
class PathCheck:
    """Differences of edges from what is known, in the metric's unit."""

    recomputed: float
    """Largest |difference| of the strongest edges from whole runs of the network, one edge at a time, without resuming
    and without batches.
    """
    nothing: float
    """Largest |effect| on the metric where the strongest senders keep their own output."""
    drift: float
    """As in `model.causal.activation_patching.PatchingCheck`."""


@dataclass(frozen=True, eq=False, repr=False)
class PathPatching(CausalResult):
    """Effects of all edges."""

    edges: dict[Connection, np.ndarray]
    """Connection -> `(sender layer, sender head, receiver layer, receiver head)` float64, the metric with the edge
    patched minus that without; NaN where the receiver cannot depend on the sender.
    """
    direct: dict[str, np.ndarray]
    """Kind of the sender -> `(layer, head)`, the same of the path to the logits through no other head. The encoder's
    heads have no such path.
    """
    direction: Direction
    metric: Metric
    feed_forward: FeedForward
    """Whether feed-forward layers pass a change on ("recomputed") or not ("frozen")."""
    receiver: float
    donor: float
    """`receiver`, `donor`: the metric of the run that receives and of the run that gives."""
    check: PathCheck
    """See `PathCheck`."""

    @property
    def count(self) -> int:
        """Number of edges."""
        return sum(int((~np.isnan(table)).sum()) for table in self.edges.values())

    @property
    def tables(self) -> dict[str, Table]:
        tables = {}
        for connection, values in self.edges.items():
            names = ("sender_layer", "sender_head", "receiver_layer", "receiver_head")
            axes = tuple(TableAxis.counted(name, size) for name, size in zip(names, values.shape, strict=True))
            tables[connection.name] = Table(values, axes, self.metric.unit)
        for kind, values in self.direct.items():
            axes = (TableAxis.counted("layer", len(values)), TableAxis.counted("head", values.shape[1]))
            tables[f"{kind}_to_logits"] = Table(values, axes, self.metric.unit)
        return tables

    def strongest(self, count: int = 10) -> list[tuple[Connection, tuple[int, int, int, int], float]]:
        """The `count` edges with the largest |effect|: connection, places from 0, and effect, largest first."""
        edges = [
            (connection, (place[0], place[1], place[2], place[3]), value)
            for connection, table in self.edges.items()
            for place, value in self.tables[connection.name].strongest(count)
        ]
        return sorted(edges, key=lambda edge: -abs(edge[2]))[:count]


@torch.inference_mode()
def path_patch_in_steps(
    resumable: ResumableNetwork,
    clean: Inputs,
    corrupt: Inputs,
    metric: Metric,
    *,
    direction: Direction = "noising",
    inputs: Collection[str] = INPUTS,
    feed_forward: FeedForward = "recomputed",
) -> InSteps[PathPatching]:
    """Measure every edge between two heads, and every path from a head to the logits.

    Args:
        clean, corrupt: one input each, with a batch of one, of equal shape.
        inputs: which of "queries", "keys" and "values" of receivers; edges of others are not computed.
        feed_forward: see the module.

    Raises:
        CausalError: the inputs differ in length, or a name, position or logit does not exist.
    """
    check_direction(direction)
    if feed_forward not in get_args(FeedForward):
        raise CausalError("Feed-forward layers are recomputed or frozen, not {way!r}.", way=feed_forward)
    unknown = [name for name in inputs if name not in INPUTS]
    if unknown or not inputs:
        raise CausalError("A head reads {known}; choose from them.", known=", ".join(INPUTS))
    for step in ("outputs", *inputs):
        resumable.check_tensor(f"{resumable.kinds[0].tap_name(0)}.{step}")
    if feed_forward == "frozen":
        resumable.check_tensor(f"{resumable.output_stack}.0.ffn.sublayer_output")
    give, receive = (clean, corrupt) if direction == "denoising" else (corrupt, clean)
    if resumable.lengths(give) != resumable.lengths(receive):
        raise CausalError("Path patching needs two inputs of equal length; choose others.")
    both = resumable.record(tuple(torch.cat(pair) for pair in zip(receive, give, strict=True)))
    receiver, donor = both.row(0), both.row(1)
    metric.check(resumable, receiver.hidden.shape[1])
    chosen = [connection for connection in connections(resumable) if connection.input in inputs]
    senders = [(kind, layer) for kind in resumable.kinds for layer in range(resumable.stacks[kind.stack])]
    pieces = _Pieces(resumable, receiver, donor, feed_forward)
    edges = _empty_tables(resumable, chosen)
    direct: dict[str, np.ndarray] = {}
    total = len(senders) + sum(int((~np.isnan(table)).sum()) for table in edges.values())
    done, drift = 0, 0.0
    for kind, layer in senders:  # one at a time: what it changes in all later heads is large for a long sentence
        tensors, hidden = pieces.send(kind.tap_name(layer))
        if kind.stack == resumable.output_stack:
            values = evaluate(resumable, hidden, metric).cpu().numpy()
            table = direct.setdefault(kind.name, np.zeros((resumable.stacks[kind.stack], resumable.n_heads)))
            table[layer] = values[1:] - values[0]
        done += 1
        yield Progress(done, total)
        places, cases = _edge_cases(edges, kind, layer, tensors)
        parts, measured = run_cases_in_steps(resumable, receiver, cases, metric), None
        while measured is None:
            try:
                yield Progress(done + next(parts).done, total)
            except StopIteration as end:
                measured = end.value
        for (connection, place), value in zip(places, measured.effects[:, 0], strict=True):
            edges[connection][place] = value
        done, drift = done + len(cases), max(drift, measured.drift)
    result = PathPatching(
        edges=edges,
        direct=direct,
        direction=direction,
        metric=metric,
        feed_forward=feed_forward,
        receiver=float(evaluate(resumable, receiver.hidden, metric)[0]),
        donor=float(evaluate(resumable, donor.hidden, metric)[0]),
        check=PathCheck(0.0, 0.0, drift),
    )
    recomputed, nothing = pieces.recompute(result.strongest(CHECKED), metric)
    return PathPatching(**result.__dict__ | {"check": PathCheck(recomputed, nothing, drift)})


path_patch = as_one_call(path_patch_in_steps)


def count_edges(resumable: ResumableNetwork) -> int:
    """Number of edges between two heads that causality allows, by queries, keys and values."""
    tables = _empty_tables(resumable, connections(resumable)).values()
    return sum(int((~np.isnan(table)).sum()) for table in tables)


def _empty_tables(resumable: ResumableNetwork, chosen: Sequence[Connection]) -> dict[Connection, np.ndarray]:
    """Tables of the edges, 0 where there is one and NaN elsewhere."""
    heads = resumable.n_heads
    tables = {}
    for connection in chosen:
        sizes = resumable.stacks[connection.sender.stack], resumable.stacks[connection.receiver.stack]
        table = np.full((sizes[0], heads, sizes[1], heads), np.nan)
        for sender, receiver in np.ndindex(*sizes):
            if connection.allows(sender, receiver):
                table[sender, :, receiver] = 0
        tables[connection] = table
    return tables


Place = tuple[int, int, int, int]


def _edge_cases(
    edges: Mapping[Connection, np.ndarray], sender: AttentionKind, layer: int, sent: Mapping[str, Tensor]
) -> tuple[list[tuple[Connection, Place]], list[Case]]:
    """The edges from one layer, each with its case: one input of the receiver is what the sender's run made of it."""
    places: list[tuple[Connection, Place]] = []
    cases: list[Case] = []
    for connection, table in edges.items():
        if connection.sender != sender:
            continue
        for head, receiving_layer, receiving_head in np.argwhere(~np.isnan(table[layer])).tolist():
            name = f"{connection.receiver.tap_name(receiving_layer)}.{connection.input}"
            values = sent[name][1 + head : 2 + head, receiving_head]  # row 0 is the run without a change
            places.append((connection, (layer, head, receiving_layer, receiving_head)))
            cases.append((Patch(name, values, (receiving_head,)),))
    return places, cases


class _Pieces:
    """The two runs, and the runs in which a sender changes and all other heads are frozen."""

    def __init__(
        self, resumable: ResumableNetwork, receiver: RecordedRun, donor: RecordedRun, feed_forward: FeedForward
    ) -> None:
        self.resumable, self.receiver, self.donor = resumable, receiver, donor
        self.order = list(receiver.tensors)  # tensors passed the tap in this order
        self.frozen = [".outputs"] + [".ffn.sublayer_output"] * (feed_forward == "frozen")

    def later(self, name: str, endings: Sequence[str]) -> list[str]:
        """Tensors with one of these endings that are computed after `name`."""
        return [other for other in self.order[self.order.index(name) + 1 :] if other.endswith(tuple(endings))]

    def send(self, attention: str) -> tuple[dict[str, Tensor], Tensor]:
        """Replace each head of one layer in turn, all others frozen.

        Returns:
            Queries, keys and values of all later heads, `(1 + head, head, position, d_k)` each, and the hidden states
            `(1 + head, output, d_model)`; row 0 is without a change.
        """
        name, heads = f"{attention}.outputs", range(self.resumable.n_heads)
        parts = [(1 + head, 0, Patch(name, self.donor.tensors[name][:, head], (head,))) for head in heads]
        changes = {frozen: Freeze(self.receiver.tensors[frozen]) for frozen in self.later(name, self.frozen)}
        recorder = Recorder(set(self.later(name, [f".{one}" for one in INPUTS])))
        tap = Chain(Intervention({**changes, name: Replace(1 + len(heads), parts)}), recorder)
        rows = torch.zeros(1 + len(heads), dtype=torch.int64, device=self.receiver.hidden.device)
        number, layer = self.resumable.stage_of(name)
        hidden = self.resumable.resume(self.receiver, list(self.resumable.stacks)[number], layer, rows, tap)
        return recorder.tensors, hidden

    def recompute(self, edges: Sequence[tuple[Connection, Place, float]], metric: Metric) -> tuple[float, float]:
        """Compute some edges by whole runs; largest |difference|, and largest |effect| where senders stay the same."""
        difference = nothing = 0.0
        before = evaluate(self.resumable, self.resumable.run(self.receiver.inputs, Recorder()), metric)
        for connection, place, effect in edges:
            again = float(evaluate(self.resumable, self._whole_run(connection, place, self.donor), metric) - before)
            same = float(evaluate(self.resumable, self._whole_run(connection, place, self.receiver), metric) - before)
            difference, nothing = max(difference, abs(again - effect)), max(nothing, abs(same))
        return difference, nothing

    def _whole_run(self, connection: Connection, place: Place, giving: RecordedRun) -> Tensor:
        """Hidden states of one edge, by two runs of the whole network."""
        layer, head, receiving_layer, receiving_head = place
        name = f"{connection.sender.tap_name(layer)}.outputs"
        wanted = f"{connection.receiver.tap_name(receiving_layer)}.{connection.input}"
        changes = {frozen: Freeze(self.receiver.tensors[frozen]) for frozen in self.later(name, self.frozen)}
        recorder = Recorder({wanted})
        sender = OneHead(head, giving.tensors[name])
        self.resumable.run(self.receiver.inputs, Chain(Intervention({**changes, name: sender}), recorder))
        receiver = OneHead(receiving_head, recorder.tensors[wanted])
        return self.resumable.run(self.receiver.inputs, Intervention({wanted: receiver}))


class Freeze:
    """A change that replaces a tensor by a recorded one, in every row."""

    def __init__(self, recorded: Tensor) -> None:
        self.recorded = recorded

    def __call__(self, tensor: Tensor) -> Tensor:
        return self.recorded.expand(len(tensor), *self.recorded.shape[1:])


class OneHead:
    """A change that replaces one head, `(row, head, ...)`, by that of another tensor."""

    def __init__(self, head: int, recorded: Tensor) -> None:
        self.head, self.recorded = head, recorded

    def __call__(self, tensor: Tensor) -> Tensor:
        changed = tensor.clone()
        changed[:, self.head] = self.recorded[:, self.head]
        return changed
