"""Edges of path patching with their names, from tokens through heads to the logits."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..networks.tap import Chain, Intervention, Recorder
from ..runtime.progress import InSteps, Progress
from .causal_error import CausalError, check_whole
from .experiments import Experiment
from .metrics import evaluate
from .own_networks import ResumableTranslator
from .patched_runs import Case, Patch, Replace, run_cases_in_steps
from .patched_translation import generate_in_steps
from .path_patching import INPUTS, Freeze, PathPatching, path_patch_in_steps
from .resumable import RecordedRun, ResumableNetwork, stream_name

TOKEN, LOGITS = "token", "logits"
WHOLE_INPUT = "input"  # all positions of the input together


@dataclass(frozen=True, order=True)
class PathNode:
    """A token of the input, the whole input, a head, or the logits. Numbers count from 0."""

    kind: str  # `TOKEN`, `WHOLE_INPUT`, a kind of attention, or `LOGITS`
    layer: int = 0  # of the head; the position of a token
    head: int = 0  # of a head

    @property
    def id(self) -> str:
        """Its name in addresses, numbers from 1: `token.3`, `cross.4.7`, `logits`."""
        if self.kind in (LOGITS, WHOLE_INPUT):
            return self.kind
        place = (self.layer,) if self.kind == TOKEN else (self.layer, self.head)
        return ".".join((self.kind, *(str(number + 1) for number in place)))


@dataclass(frozen=True)
class PathEdge:
    """One edge: what `sender` passes to one input of `receiver`."""

    sender: PathNode
    receiver: PathNode
    input: str  # "queries", "keys" or "values"; empty for the logits
    effect: float  # the metric with this edge cut minus that without, in the metric's unit

    @property
    def id(self) -> str:
        """Its name in addresses: `encoder.2.5-cross.4.7-keys`."""
        return "-".join(part for part in (self.sender.id, self.receiver.id, self.input) if part)


@dataclass(frozen=True, eq=False)
class PathEdges:
    """All edges of a pair of inputs, strongest first, and the result that those between heads come from."""

    edges: tuple[PathEdge, ...]
    heads: PathPatching

    def find(self, ids: Sequence[str]) -> list[PathEdge]:
        """The edges of these names, in their order, without names that there are not.

        Raises:
            CausalError: they are no list of texts.
        """
        if not isinstance(ids, Iterable) or isinstance(ids, str | bytes) or not all(isinstance(id, str) for id in ids):
            raise CausalError("Edges are a list of their names, such as ['{id}'].", id=self.edges[0].id)
        by_id = {edge.id: edge for edge in self.edges}
        return [by_id[id] for id in dict.fromkeys(ids) if id in by_id]


@torch.inference_mode()
def path_edges_in_steps(
    resumable: ResumableNetwork, experiment: Experiment, *, by_token: bool = True
) -> InSteps[PathEdges]:
    """Measure every edge by noising: the corrupt run's value goes along one edge of the clean run.

    Edges from the input are left out where the network has no residual stream that can be replaced.

    Args:
        by_token: whether each token that differs sends by itself; else all of the input are one sender.

    Raises:
        CausalError: as `path_patch_in_steps`.
    """
    metric = experiment.measured(None)
    heads = yield from path_patch_in_steps(resumable, experiment.clean, experiment.corrupt, metric)
    edges = [
        PathEdge(PathNode(connection.sender.name, layer, head), PathNode(connection.receiver.name, *place), name, value)
        for connection, table in heads.edges.items()
        for name in (connection.input,)
        for (layer, head, *place), value in _defined(table)
    ]
    edges += [
        PathEdge(PathNode(kind, layer, head), PathNode(LOGITS), "", value)
        for kind, table in heads.direct.items()
        for (layer, head), value in _defined(table)
    ]
    edges += yield from _input_edges_in_steps(resumable, experiment, by_token)
    return PathEdges(tuple(sorted(edges, key=lambda edge: -abs(edge.effect))), heads)


def _defined(table) -> list[tuple[tuple[int, ...], float]]:
    return [
        (tuple(place), float(table[tuple(place)])) for place in torch.argwhere(~torch.tensor(table).isnan()).tolist()
    ]


def _input_edges_in_steps(
    resumable: ResumableNetwork, experiment: Experiment, by_token: bool
) -> InSteps[list[PathEdge]]:
    """Edges from the input of the first stack, where it differs, to every head and the logits, past all other heads."""
    runs = FrozenRuns(resumable, experiment)
    stack, clean, corrupt = next(iter(resumable.stacks)), runs.clean, runs.corrupt
    name = stream_name(stack, 0)
    if name not in clean.tensors:
        return []
    differs = torch.argwhere((clean.tensors[name] != corrupt.tensors[name]).any(dim=-1)[0])[:, 0]
    senders = [(PathNode(TOKEN, int(token)), token[None]) for token in differs]
    if not by_token:
        senders = [(PathNode(WHOLE_INPUT), differs)]
    parts = [
        (row, 0, Patch(name, corrupt.tensors[name][:, positions], (positions,)))
        for row, (_, positions) in enumerate(senders)
    ]
    inputs = [tensor for tensor in clean.tensors if tensor.endswith(tuple(f".{input}" for input in INPUTS))]
    recorder = Recorder(set(inputs))
    count, metric = len(senders) + 1, experiment.measured(None)  # the last row is without a change
    rows = torch.zeros(count, dtype=torch.int64, device=clean.hidden.device)
    changes = {output: Freeze(clean.tensors[output]) for output in runs.outputs}
    tap = Chain(Intervention({**changes, name: Replace(count, parts)}), recorder)
    hidden = resumable.resume(clean, stack, 0, rows, tap)
    edges: list[PathEdge] = []
    if stack == resumable.output_stack:
        values = evaluate(resumable, hidden, metric)
        effects = [float(value - values[-1]) for value in values[:-1]]
        edges += [
            PathEdge(sender, PathNode(LOGITS), "", effect)
            for (sender, _), effect in zip(senders, effects, strict=True)
            if effect
        ]
    places: list[tuple[PathNode, PathNode, str]] = []
    cases: list[Case] = []
    for receiving, kind, layer in runs.receivers():
        sent = recorder.tensors.get(receiving)
        if sent is None or len(sent) != count:  # it does not depend on these tokens
            continue
        for row, (sender, _) in enumerate(senders):
            for head in range(resumable.n_heads):
                if torch.equal(sent[row, head], clean.tensors[receiving][0, head]):
                    continue
                places.append((sender, PathNode(kind, layer, head), receiving.rpartition(".")[2]))
                cases.append((Patch(receiving, sent[row : row + 1, head], (head,)),))
    measured = yield from run_cases_in_steps(resumable, clean, cases, metric)
    effects = measured.effects[:, 0].tolist()
    return edges + [PathEdge(*place, value) for place, value in zip(places, effects, strict=True)]


class FrozenRuns:
    """The clean and the corrupt run, and runs in which all heads are frozen but some."""

    def __init__(self, resumable: ResumableNetwork, experiment: Experiment) -> None:
        self.resumable, self.inputs = resumable, experiment.clean
        self.clean, self.corrupt = resumable.record(experiment.clean), resumable.record(experiment.corrupt)
        self.order = list(self.clean.tensors)  # tensors passed the tap in this order
        self.outputs = [name for name in self.order if name.endswith(".outputs")]
        self.first = next(iter(resumable.stacks))

    def receivers(self) -> list[tuple[str, str, int]]:
        """Every input of a layer's heads: name of the tensor, kind, layer."""
        return [
            (f"{kind.tap_name(layer)}.{name}", kind.name, layer)
            for kind in self.resumable.kinds
            for layer in range(self.resumable.stacks[kind.stack])
            for name in INPUTS
        ]

    def input_of(self, edge: PathEdge) -> tuple[str, int]:
        """The tensor and the head that an edge leads to; `(LOGITS, 0)` for the logits."""
        if edge.receiver.kind == LOGITS:
            return LOGITS, 0
        kind = self.resumable.kind(edge.receiver.kind)
        name = "" if kind is None else f"{kind.tap_name(edge.receiver.layer)}.{edge.input}"
        if name not in self.clean.tensors or not 0 <= edge.receiver.head < self.resumable.n_heads:
            raise CausalError("There is no edge {edge!r} in this network.", edge=edge.id)
        return name, edge.receiver.head

    def changed(self, case: Case) -> RecordedRun:
        """The clean run with inputs of heads replaced."""
        changes: dict[str, list[tuple[int, int, Patch]]] = {}
        for patch in case:
            changes.setdefault(patch.name, []).append((0, 0, patch))
        return self.resumable.record(
            self.inputs, Intervention({name: Replace(1, parts) for name, parts in changes.items()})
        )

    def sent(self, current: RecordedRun, senders: Sequence[PathNode], names: set[str]) -> RecordedRun:
        """A run with all heads frozen at `current` but the senders, which send what the corrupt run sends."""
        outputs: dict[str, Tensor] = {name: current.tensors[name] for name in self.outputs}
        embedded = stream_name(self.first, 0)
        if embedded in self.clean.tensors:
            outputs[embedded] = self.clean.tensors[embedded].clone()
        for sender in senders:
            if sender.kind in (TOKEN, WHOLE_INPUT):
                positions = slice(None) if sender.kind == WHOLE_INPUT else sender.layer
                outputs[embedded][:, positions] = self.corrupt.tensors[embedded][:, positions]
                continue
            kind = self.resumable.kind(sender.kind)
            assert kind is not None
            name = f"{kind.tap_name(sender.layer)}.outputs"
            outputs[name] = outputs[name].clone()
            outputs[name][:, sender.head] = self.corrupt.tensors[name][:, sender.head]
        frozen = {name: Freeze(tensor) for name, tensor in outputs.items()}
        recorder = Recorder(names)
        hidden = self.resumable.run(self.inputs, Chain(Intervention(frozen), recorder))
        return RecordedRun(self.inputs, recorder.tensors, hidden)


# Runs with edges of path patching cut, the answers that they give and the translations that they generate.
#
# A cut edge is one along which the other run's value arrives: the receiver's input is computed with the sender's output
# of the other run, and with everything else as it is in the cut run (edge ablation, as in Wang et al. 2022 for one edge
# and Conmy et al. 2023, "Towards Automated Circuit Discovery for Mechanistic Interpretability", section 3, for
# several). Receivers are computed in the network's order, so that a cut edge changes what later senders send.


@dataclass(frozen=True, eq=False)
class CutPass:
    """One pass of the network over the clean input with edges cut."""

    value: float  # the metric
    hidden: Tensor  # hidden states, `(1, output, d_model)`
    case: Case  # the inputs of heads that are replaced
    cuts_logits: bool  # whether an edge to the logits is cut


@torch.inference_mode()
def cut_pass_in_steps(
    resumable: ResumableNetwork, experiment: Experiment, edges: Sequence[PathEdge]
) -> InSteps[CutPass]:
    """Cut edges of the clean run, and measure.

    Raises:
        CausalError: an edge does not exist in this network.
    """
    runs = FrozenRuns(resumable, experiment)
    cuts: dict[tuple[str, int], list[PathNode]] = {}
    for edge in edges:
        cuts.setdefault(runs.input_of(edge), []).append(edge.sender)
    case: Case = ()
    current, total = runs.clean, 2 * len(cuts) + 1
    ordered = sorted((key for key in cuts if key[0] != LOGITS), key=lambda key: runs.order.index(key[0]))
    for number, (name, head) in enumerate(ordered):
        arriving = runs.sent(current, cuts[name, head], {name}).tensors[name][:, head]
        positions = torch.arange(arriving.shape[1], device=arriving.device)
        case = (*case, Patch(name, arriving, (head, positions)))
        current = runs.changed(case)
        yield Progress(number + 1, total)
    hidden = current.hidden
    if (LOGITS, 0) in cuts:
        hidden = runs.sent(current, cuts[LOGITS, 0], set()).hidden
    value = float(evaluate(resumable, hidden, experiment.measured(None))[0])
    return CutPass(value, hidden, case, (LOGITS, 0) in cuts)


@dataclass(frozen=True, eq=False)
class CutAnswer:
    """What a network answers with edges cut: the metric, and `(column,)` float64 probabilities of the answers."""

    value: float
    probabilities: np.ndarray


@torch.inference_mode()
def cut_answer_in_steps(
    resumable: ResumableNetwork, experiment: Experiment, edges: Sequence[PathEdge], position: int = -1
) -> InSteps[CutAnswer]:
    """Cut edges of the clean run of a network that gives one answer, and read the answer at an output position.

    Raises:
        CausalError: an edge does not exist in this network.
    """
    done = yield from cut_pass_in_steps(resumable, experiment, edges)
    logits = resumable.logits(done.hidden[:1, position])[0]
    return CutAnswer(done.value, logits.double().softmax(dim=-1).cpu().numpy())


@dataclass(frozen=True, eq=False)
class CutRun:
    """A run with edges cut."""

    value: float  # the metric
    ids: tuple[int, ...]  # of the translation that it generates, without `<s>`; `</s>` included if it was reached
    fed: int  # how many of them were fed, and not generated
    # of the tokens, given those before them; none where the translation ends with the target
    probabilities: tuple[float, ...] = ()


@torch.inference_mode()
def cut_edges_in_steps(
    resumable: ResumableTranslator, experiment: Experiment, edges: Sequence[PathEdge], place: int
) -> InSteps[CutRun]:
    """Cut edges of the clean run, measure, and translate greedily.

    Edges within the encoder and to keys and values of cross-attention act from the first word on. Others act at the
    positions that were fed: then the beginning up to the target is fed again.

    Args:
        place: of the target in the translation that was fed, from 0.

    Raises:
        CausalError: an edge does not exist in this network.
    """
    source, fed = experiment.clean
    check_whole("place", place, 0, fed.shape[1] - 1)
    done = yield from cut_pass_in_steps(resumable, experiment, edges)
    from_start = not done.cuts_logits and all(_is_of_source(patch.name) for patch in done.case)
    start = fed[:, : 1 if from_start else place + 1]
    if done.cuts_logits:
        logits = resumable.logits(done.hidden[:, place]).clone()
        chances = logits.float().softmax(dim=-1)[0]
        logits[:, list(resumable.network.config.never_generated)] = -torch.inf
        newest = logits.argmax(dim=-1, keepdim=True)
        if int(newest) == resumable.network.config.eos_id:
            return CutRun(done.value, (*start[0, 1:].tolist(), int(newest)), start.shape[1] - 1)
        start = torch.cat([start, newest], dim=1)
    generated = yield from generate_in_steps(resumable, source, start, done.case)
    probabilities = list(generated.probabilities)
    if done.cuts_logits:  # the target was chosen by the logits with the cut edges
        probabilities[place] = float(chances[generated.ids[place]])
    return CutRun(done.value, generated.ids, 0 if from_start else place, tuple(probabilities))


def _is_of_source(name: str) -> bool:
    """Whether the positions of a translator's tensor are those of the source."""
    return name.startswith("encoder.") or name.endswith((".cross.keys", ".cross.values"))
