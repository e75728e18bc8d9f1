"""Direct logit attribution of an opened model; see `model.causal.logit_attribution`.

The share of a head is measured: its layer's attention runs with the outputs of all other heads at zero. That the heads
and the rest sum to what attention adds to the stream is checked, as are the formulas of all norms on the way.
"""

from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn

from ...causal.causal_error import CausalError
from ...causal.logit_attribution import LogitAttribution, check_answer
from ...causal.resumable import Inputs, RecordedRun, stream_name
from ...networks.tap import Chain, Intervention, Recorder, replace_by
from .block_places import Block, SubLayer
from .readout import FrozenNorm, Readout, find_readout, read_norm
from .resumable_model import ResumableModel
from .stream_proof import added_between

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
