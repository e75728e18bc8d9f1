"""The causal methods of opened models; see `docs/causal.md`."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ...causal.activation_patching import default_part
from ...causal.causal_error import CausalError
from ...causal.causal_methods import CausalMethods
from ...causal.experiments import Experiment
from ...causal.logit_attribution import LogitAttribution, check_answer
from ...causal.patching_estimate import PatchingEstimate, estimate_grids
from ...causal.resumable import Inputs, RecordedRun, stream_name
from ...causal.traced_inputs import TracedInput
from ...networks.tap import Chain, Intervention, Recorder, replace_by
from ...runtime.device import falls_back
from ...tracing.trace import check_trace
from ..errors import states_errors
from ..hub_trace import HubTrace
from ..opened_network import OpenedNetwork
from ..token_offsets import Tokens, labels_of
from .block_places import Block, SubLayer
from .opened_inputs import (
    answer_metric,
    class_experiment,
    picture_input,
    read_hub_trace,
    text_experiment,
    translation_experiment,
)
from .resumable_model import ResumableModel
from .stream_proof import StreamProof, added_between


class OpenedCausalMethods(OpenedNetwork, CausalMethods):
    """What causes an answer of an opened model.

    The places of its residual streams are found and proven when a method is first asked for. Where the proof fails,
    methods that need them raise `CausalError` with the reason, and methods on heads work.
    """

    _resumable: ResumableModel | None = None

    @abstractmethod
    def _source(self, text: str, second: str | None = None) -> Tokens: ...

    def _sources(self, clean: str, corrupt: str) -> tuple[Tokens, Tokens]:
        """Tokens of two texts that are compared."""
        return self._source(clean), self._source(corrupt)

    @abstractmethod
    def _read(self, trace_input: Any, second: str | None, target: Any, target_language: str | None) -> Any: ...

    @property
    @states_errors
    def resumable(self) -> ResumableModel:
        """The network as the methods run it; found and proven once.

        Raises:
            CausalError: its layers differ in their attention.
        """
        if self.text_refusal is not None:
            raise CausalError("This model reads no text without a picture; choose one by model.with_picture.")
        if self._resumable is None:
            self._resumable = ResumableModel(self)
        return self._resumable

    @property
    def stream_proof(self) -> StreamProof | CausalError:
        """The proof of its residual streams, or why they cannot be replaced."""
        model = self.resumable
        return model.proof if model.has_stream and model.proof is not None else self._refusal(model)

    @staticmethod
    def _refusal(model: ResumableModel) -> CausalError:
        assert model.stream_refusal is not None
        return model.stream_refusal

    @falls_back
    @states_errors
    def prepare_experiment(self, clean: Any, corrupt: Any, target: str | None = None) -> Experiment:
        """Prepare two texts or two pictures; see `model.hub.causal.opened_inputs`.

        Args:
            clean, corrupt: two texts; or two pictures in any form of `trace`, such as `HubTrace.received`, in which
                patches can be replaced.
            target: of a network that writes, a text that follows both; then its loss is proposed.

        Raises:
            OpenError: an input cannot be used.
            CausalError: the network predicts nothing, or has no target text.
        """
        with torch.no_grad():
            model = self.resumable
            if self.vision:
                if target is not None:
                    raise CausalError("A picture has no target text; state a metric instead.")
                if isinstance(clean, str) or isinstance(corrupt, str):
                    raise CausalError("This model reads pictures; give two.")
                own, other = (picture_input(model, one) for one in (clean, corrupt))
                return class_experiment(model, own[0], other[0], (own[1], other[1]))
            for text in (clean, corrupt):
                if not isinstance(text, str):
                    raise CausalError("This model reads text; give two texts.")
            if self.has_decoder and not self.classifies_by_decoder:
                read = [self._read(text, None, target, None) for text in (clean, corrupt)]
                sources, answers = [one[0] for one in read], [one[1] for one in read]
                return translation_experiment(model, sources, answers, None if target is None else answers[0])
            if self.classes is not None:
                read = [self._read(text, None, None, None) for text in (clean, corrupt)]
                first, second = (model.as_inputs(one[2]) for one in read)
                sides = [[tokens.labels for tokens in one[:2] if tokens is not None] for one in read]
                return class_experiment(
                    model, first, second, [dict(zip(model.stacks, one, strict=True)) for one in sides]
                )
            ids = None if target is None else self.reader(target, add_special_tokens=False)["input_ids"]
            return text_experiment(model, *self._sources(clean, corrupt), ids)

    def answer_names(self, indices: Sequence[int]) -> tuple[str, ...]:
        """Names of classes, or labels of tokens, by their indices."""
        if self.classes is not None:
            return tuple(self.classes[index] for index in indices)
        return labels_of(self.reader, indices)

    def read_trace(self, trace: HubTrace) -> TracedInput:
        """Read the input of a trace; see `CausalMethods`.

        Raises:
            CausalError: it has pictures besides its text.
        """
        check_trace(trace, HubTrace, CausalError)
        if trace.picture_text is not None:
            raise CausalError("This trace has pictures. Choose them by model.with_picture, or trace the text alone.")
        return read_hub_trace(self.resumable, trace)

    @falls_back
    def logit_attribution(
        self, trace: Any, index: int | None = None, other: int | None = None, position: int = -1
    ) -> LogitAttribution:
        """Split a logit of a trace's input into its parts."""
        own = self.read_trace(trace)
        return attribute_logit(self.resumable, own.inputs, own.following(position, index), other, position)

    @torch.inference_mode()
    def estimate_patching(
        self, clean: Any, corrupt: Any, site: str = "residual", part: str | None = None, **options: Any
    ) -> PatchingEstimate:
        """Estimate how long `patch` with these arguments will take, from one batch of runs.

        Args:
            options: those of `patch` that decide how many cells there are: `by_position`, `positions`.

        Raises:
            CausalError: as of `patch`.
        """
        pair, model = self.prepare_experiment(clean, corrupt), self.resumable
        own = part or default_part(model, site)
        wanted = {name: options[name] for name in ("by_position", "positions") if name in options}
        return estimate_grids(model, pair, {site: (own,)}, **wanted)

    @falls_back
    def measure_probability(self, experiment: Experiment) -> Experiment:
        """The same two inputs, with the probability of the clean input's answer as what is measured.

        Raises:
            CausalError: there is not one answer; see `model.hub.causal.opened_inputs.answer_metric`.
        """
        with torch.no_grad():
            return replace(experiment, metric=answer_metric(self.resumable, experiment))


# Direct logit attribution of an opened model; see `model.causal.logit_attribution`.
#
# The share of a head is measured: its layer's attention runs with the outputs of all other heads at zero. That the
# heads and the rest sum to what attention adds to the stream is checked, as are the formulas of all norms on the way.

# Norms with frozen statistics, and how the last stream becomes logits: as formulas that are compared with the network.
#
# A norm is that of Ba et al. 2016 (LayerNorm) or of Zhang and Sennrich 2019 (RMSNorm), whose weight some networks store
# without the 1 that is added to it.

FORMULA = 1e-4  # largest difference from the network, as a share of the largest number


@dataclass(frozen=True, eq=False)
class FrozenNorm:
    """A norm whose statistics are those of one vector. Weight and bias are `(width,)` float64."""

    weight: Tensor
    bias: Tensor
    eps: float
    centred: bool  # whether the mean is subtracted

    def __call__(self, stream: Tensor) -> Tensor:
        """The norm itself, of `(..., width)`."""
        return self._centre(stream) / self.deviation(stream) * self.weight + self.bias

    def deviation(self, stream: Tensor) -> Tensor:
        """What a vector is divided by, `(..., 1)`."""
        return (self._centre(stream).square().mean(dim=-1, keepdim=True) + self.eps).sqrt()

    def pull_back(self, direction: Tensor, stream: Tensor) -> Tensor:
        """The direction before the norm that has the same product as `direction` after it, but for the bias."""
        return self._centre(self.weight * direction / self.deviation(stream))

    def _centre(self, stream: Tensor) -> Tensor:
        return stream - stream.mean(dim=-1, keepdim=True) if self.centred else stream


def read_norm(module: nn.Module, read: Tensor, returned: Tensor) -> FrozenNorm | None:
    """The formula of a norm, if one of the known formulas gives what the module returned; None otherwise."""
    for norm in _forms(module, read.shape[-1], read.device):
        if _close(norm(read.double()), returned.double()):
            return norm
    return None


def _forms(module: nn.Module, width: int, device: torch.device) -> Iterator[FrozenNorm]:
    weight, bias = getattr(module, "weight", None), getattr(module, "bias", None)
    if not isinstance(weight, Tensor) or weight.shape != (width,):
        return
    names = ("eps", "variance_epsilon", "epsilon")
    eps = next((float(value) for name in names if (value := getattr(module, name, None)) is not None), 0.0)
    none = torch.zeros(width, dtype=torch.float64, device=device)
    for centred in (True, False):
        for factor in (weight.double(), 1 + weight.double()):
            yield FrozenNorm(factor, bias.double() if isinstance(bias, Tensor) else none, eps, centred)


@dataclass(frozen=True, eq=False)
class Readout:
    """How the last stream becomes logits: `norm(stream) @ weight.T + bias`."""

    norm: FrozenNorm | None  # None where the last stream is read as it is
    # `weight`, `bias`: `(column, width)` and `(column,)`
    weight: Tensor
    bias: Tensor

    def __call__(self, stream: Tensor) -> Tensor:
        """Logits of `(..., width)` float64."""
        normed = stream if self.norm is None else self.norm(stream)
        return normed @ self.weight.double().T + self.bias.double()


def find_readout(
    network: nn.Module, norms: list[tuple[nn.Module, Tensor, Tensor]], stream: Tensor, logits: Tensor
) -> Readout:
    """Find the norm and the matrix that give the logits.

    Args:
        norms: modules that read the last stream, with what they read and returned.
        stream, logits: `(position, width)` and `(position, column)`.

    Raises:
        CausalError: no such formula gives the network's own logits.
    """
    forms = [form for module, read, returned in norms if (form := read_norm(module, read, returned)) is not None]
    for linear in reversed([module for module in network.modules() if _fits(module, logits.shape[1], stream.shape[1])]):
        weight, bias = linear.weight, getattr(linear, "bias", None)
        assert isinstance(weight, Tensor)
        own = bias if isinstance(bias, Tensor) else weight.new_zeros(len(weight))
        for norm in (*forms, None):
            readout = Readout(norm, weight, own)
            if _close(readout(stream.double()), logits.double()):
                return readout
    raise CausalError(
        "The logits of this model are not a matrix times its last normalised stream, so they are not a sum over "
        "its parts."
    )


def _fits(module: nn.Module, columns: int, width: int) -> bool:
    weight = getattr(module, "weight", None)
    return isinstance(module, nn.Linear) and isinstance(weight, Tensor) and weight.shape == (columns, width)


def _close(first: Tensor, second: Tensor) -> bool:
    scale = float(second.abs().max()) or 1.0
    return first.shape == second.shape and float((first - second).abs().max()) <= FORMULA * scale


LINEAR = 1e-4  # largest difference of the heads' sum from what attention adds, as a share of its largest number


@torch.no_grad()
def attribute_logit(
    model: ResumableModel, inputs: Inputs, index: int, other: int | None = None, position: int = -1
) -> LogitAttribution:
    """Split a logit, or the logit of `index` minus that of `other`, into its parts.

    Args:
        inputs: one input, with a batch of one.
        position: the output position; of a classifier there is only 0.

    Raises:
        CausalError: there is no such token, class or position, the streams are not proven, or the logits are no linear
            function of the last stream with its norm frozen.
    """
    stack = model.output_stack
    model.check_tensor(stream_name(stack, 0))
    run = model.record(inputs)
    output = check_answer(model, run.hidden.shape[1], index, other, position)
    place = output if model.by_position else range(model.lengths(inputs)[stack])[model.answering()][0]
    logits = model.logits(run.hidden[:, output])[0].double()
    readout = _find_readout(model, run, place, logits)
    logit = logits[index] - (logits[other] if other is not None else 0)
    shares = _Shares(model, run, place)
    shares.pull_back(readout, index, other)
    return LogitAttribution(
        index=index,
        other=other,
        position=output,
        heads=shares.heads,
        feed_forward=shares.feed_forward,
        embedding=shares.embedding,
        positional=shares.positional,
        biases=shares.biases,
        logit=float(logit),
    )


def _find_readout(model: ResumableModel, run: RecordedRun, place: int, logits: Tensor) -> Readout:
    stream = run.tensors[stream_name(model.output_stack, model.stacks[model.output_stack])][:, place]
    modules = [model.network.get_submodule(name) for name in model.streams.last_norms]
    norms = [(module, stream, module(stream[:, None])[:, 0]) for module in modules]
    return find_readout(model.network, norms, stream, logits[None])


@dataclass(eq=False)
class _Shares:
    """Collects the shares while the direction is pulled back from the logit to the embedding."""

    model: ResumableModel
    run: RecordedRun
    place: int
    heads: dict[str, np.ndarray] = field(default_factory=dict)
    embedding: float = 0.0
    positional: float = 0.0

    def __post_init__(self) -> None:
        model = self.model
        self.stack = model.output_stack
        self.blocks: tuple[Block, ...] = model.streams.places.stacks[self.stack]
        self.kinds = {kind.sublayer: kind for kind in model.kinds if kind.stack == self.stack}
        self.heads = {kind.name: np.zeros((len(self.blocks), model.n_heads)) for kind in self.kinds.values()}
        self.feed_forward = np.zeros(len(self.blocks))
        self.biases = dict.fromkeys(("attention", "feed_forward", "norms", "output"), 0.0)
        self.written = self._run_heads()

    def vector(self, name: str) -> Tensor:
        """A recorded tensor at the position, `(width,)` float64."""
        return self.run.tensors[name][0, self.place].double()

    def _run_heads(self) -> dict[str, Tensor]:
        """What each head adds to the stream at the position: attention -> `(1 + head, width)`, first without heads."""
        count, changes = self.model.n_heads, {}
        names = [f"{self.stack}.{layer}.{sublayer}" for layer in range(len(self.blocks)) for sublayer in self.kinds]
        for name in names:
            outputs = self.run.tensors[f"{name}.outputs"]  # (1, head, position, d_k)
            alone = torch.cat([outputs.new_zeros(1, count), torch.eye(count).to(outputs)])[:, :, None, None] * outputs
            changes[f"{name}.outputs"] = replace_by(alone)
        recorder = Recorder([f"{name}.sublayer_output" for name in names])
        repeated = tuple(part.expand(1 + count, *part.shape[1:]) for part in self.run.inputs)
        self.model.run(repeated, Chain(Intervention(changes), recorder))
        return {name: recorder.tensors[f"{name}.sublayer_output"][:, self.place].double() for name in names}

    def pull_back(self, readout: Readout, index: int, other: int | None) -> None:
        """Give every part its share, from the last to the first."""
        weight, bias = readout.weight, readout.bias.double()
        direction = weight[index].double() - (weight[other].double() if other is not None else 0)
        self.biases["output"] = float(bias[index] - (bias[other] if other is not None else 0))
        if readout.norm is not None:
            direction = self.through(readout.norm, self.vector(stream_name(self.stack, len(self.blocks))), direction)
        for layer in reversed(range(len(self.blocks))):
            for part in reversed(self.blocks[layer].sub_layers):
                if part.norm:
                    direction = self.through_norm(layer, part, direction)
                self.share(layer, part, direction)
        for (stack, _), added in added_between(self.model.streams.places, self.run.tensors).items():
            if stack == self.stack:  # of the picture, whose tokens it is added to
                self.embedding += float(added[0, self.place].double() @ direction)
        whole = self.vector(stream_name(self.stack, 0))
        token = self.token(whole)
        self.embedding += float(token @ direction)
        self.positional = float((whole - token) @ direction)

    def through(self, norm: FrozenNorm, stream: Tensor, direction: Tensor) -> Tensor:
        """Pull the direction back through a norm whose statistics are those of `stream`."""
        self.biases["norms"] += float(norm.bias @ direction)
        return norm.pull_back(direction, stream)

    def through_norm(self, layer: int, part: SubLayer, direction: Tensor) -> Tensor:
        """Pull the direction back through the norm after a sub-layer of a post-norm network."""
        name = f"{self.stack}.{layer}.{part.name}"
        summed, normalised = self.vector(f"{name}.summed"), self.vector(f"{name}.normalised")
        norm = read_norm(self.model.network.get_submodule(part.norm), summed, normalised)
        if norm is None:
            raise CausalError(
                "A norm of this model follows no known formula, so it cannot be frozen, and the logit is not a sum."
            )
        return self.through(norm, summed, direction)

    def share(self, layer: int, part: SubLayer, direction: Tensor) -> None:
        """Give a sub-layer its share, and its bias."""
        name = f"{self.stack}.{layer}.{part.name}"
        added = self.vector(f"{name}.sublayer_output")
        if part.name == "ffn":
            bias = self.output_bias(part, added)
            own = 0.0 if bias is None else float(bias @ direction)
            self.biases["feed_forward"] += own
            self.feed_forward[layer] = float(added @ direction) - own
            return
        nothing, *alone = self.written[name]
        moved = torch.stack(alone) - nothing  # (head, width)
        if not float((moved.sum(dim=0) + nothing - added).abs().max()) <= LINEAR * (float(added.abs().max()) or 1.0):
            raise CausalError(
                "The outputs of this model's heads do not sum to what their layer adds to the stream, for example "
                "because a norm follows them, so a logit is not a sum over heads."
            )
        self.heads[self.kinds[part.name].name][layer] = (moved @ direction).cpu().numpy()
        self.biases["attention"] += float(nothing @ direction)

    def output_bias(self, part: SubLayer, added: Tensor) -> Tensor | None:
        """The bias of the last matrix of a feed-forward layer, `(width,)`; None where there is none to be seen."""
        name = self.model.streams.feed_forward_ends.get(part.output)
        module: nn.Module | None = None if name is None else self.model.network.get_submodule(name)
        bias = getattr(module, "bias", None)
        return bias.double() if isinstance(bias, Tensor) and bias.shape == added.shape else None

    def token(self, whole: Tensor) -> Tensor:
        """The embedded token, `(width,)`; of a picture, or where it has another width, all that enters."""
        embedded = self.run.tensors.get(f"{self.stack}.token_embedding")
        if embedded is None or embedded.shape[-1] != len(whole):
            return whole
        return embedded[0, self.place].double()
