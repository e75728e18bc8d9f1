"""Direct logit attribution: a logit as a sum over embedding, heads, feed-forward layers and biases.

The residual stream is a sum, and a logit is linear in it but for the norms. With their means and standard deviations
frozen at those of the run, a norm is linear too, and every part of the sum has its own share of the logit (Elhage et
al. 2021, "A Mathematical Framework for Transformer Circuits", section on the residual stream). A pre-norm network has
one such norm, the last; in a post-norm network a part passes every norm from its layer on.

The direction of the logit is pulled back through the norms, from the last to the first; a part's share is its product
with the direction at its place. What it cannot show: effects through other heads, and how a part changes a norm.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from ..networks.decoder_only import DecoderOnlyTransformer
from ..networks.transformer import Transformer
from ..networks.vision import VisionTransformer
from ..tracing.kinds import AttentionKind
from .causal_error import CausalError
from .own_networks import OwnNetwork
from .result_tables import CausalResult, Table, TableAxis
from .resumable import Inputs, RecordedRun, ResumableNetwork, stream_name


@dataclass(frozen=True, eq=False, repr=False)
class LogitAttribution(CausalResult):
    """A logit, or the difference of two, as a sum."""

    index: int
    other: int | None
    """`index`, `other`: the token or class, and the one whose logit is subtracted; None where none is."""
    position: int
    """The output position."""
    heads: dict[str, np.ndarray]
    """Kind of attention -> `(layer, head)` float64, in logits."""
    feed_forward: np.ndarray
    """`(layer,)`, without the bias of the output."""
    embedding: float
    positional: float
    """`embedding`, `positional`: share of the token's embedding (of a ViT, of CLS) and of its position."""
    biases: dict[str, float]
    """ "attention", "feed_forward", "norms", "output" -> the share of these biases."""
    logit: float
    """The network's own."""

    @property
    def total(self) -> float:
        """The sum of all parts."""
        parts = [*(table.sum() for table in self.heads.values()), self.feed_forward.sum()]
        return float(sum(parts) + self.embedding + self.positional + sum(self.biases.values()))

    @property
    def remainder(self) -> float:
        """The network's logit minus the sum: rounding."""
        return self.logit - self.total

    @property
    def tables(self) -> dict[str, Table]:
        tables = {
            kind: Table(
                values, (TableAxis.counted("layer", len(values)), TableAxis.counted("head", values.shape[1])), "logits"
            )
            for kind, values in self.heads.items()
        }
        tables["feed_forward"] = Table(
            self.feed_forward, (TableAxis.counted("layer", len(self.feed_forward)),), "logits"
        )
        rest = {"embedding": self.embedding, "position": self.positional}
        rest |= {f"biases of {name}": value for name, value in self.biases.items()}
        rest["remainder"] = self.remainder
        tables["rest"] = Table(np.array(list(rest.values())), (TableAxis("part", tuple(rest)),), "logits")
        return tables


@torch.inference_mode()
def attribute_logit(
    resumable: ResumableNetwork, inputs: Inputs, index: int, other: int | None = None, position: int = -1
) -> LogitAttribution:
    """Split a logit, or the logit of `index` minus that of `other`, into its parts.

    Args:
        inputs: one input, with a batch of one.
        position: the output position; of a ViT there is only 0, CLS.

    Raises:
        CausalError: there is no such token, class or position.
    """
    run = resumable.record(inputs)
    place = check_answer(resumable, run.hidden.shape[1], index, other, position)
    logits = resumable.logits(run.hidden[:, place])[0].double()
    logit = logits[index] - (logits[other] if other is not None else 0)
    assert isinstance(resumable, OwnNetwork)
    parts = _Parts(resumable, run, place)
    parts.pull_back(*_direction(resumable.network, index, other))
    return LogitAttribution(
        index=index,
        other=other,
        position=place,
        heads={kind.name: parts.heads[kind.name] for kind in resumable.kinds if kind.name in parts.heads},
        feed_forward=parts.feed_forward,
        embedding=parts.embedding,
        positional=parts.positional,
        biases=parts.biases,
        logit=float(logit),
    )


def check_answer(resumable: ResumableNetwork, length: int, index: int, other: int | None, position: int) -> int:
    """Check that tokens or classes and an output position exist.

    Returns:
        The position, from 0.

    Raises:
        CausalError: there is no such token, class or position.
    """
    for number in (index, *(() if other is None else (other,))):
        if not isinstance(number, int | np.integer) or not 0 <= number < resumable.columns:
            raise CausalError(
                "There is no logit {index}; this network has {count}, from 0 to {last}.",
                index=number,
                count=resumable.columns,
                last=resumable.columns - 1,
            )
    if not -length <= position < length:
        raise CausalError(
            "There is no output position {place}; there are {count}, from 0 to {last}.",
            place=position,
            count=length,
            last=length - 1,
        )
    return position % length


def _direction(network: nn.Module, index: int, other: int | None) -> tuple[Tensor, float]:
    """The direction of a logit in the hidden state, `(d_model,)` float64, and its bias."""
    if isinstance(network, VisionTransformer):
        weight, bias = network.head.weight.double(), network.head.bias.double()
    else:
        assert isinstance(network, Transformer | DecoderOnlyTransformer)
        weight, bias = network.embedding.weight.double(), None
    direction = weight[index] - (weight[other] if other is not None else 0)
    if bias is None:
        return direction, 0.0
    return direction, float(bias[index] - (bias[other] if other is not None else 0))


class _Parts:
    """Collects the shares while the direction is pulled back from the logit to the embedding."""

    def __init__(self, resumable: OwnNetwork, run: RecordedRun, place: int) -> None:
        self.resumable, self.run, self.place = resumable, run, place
        self.stack = resumable.output_stack
        layers = resumable.stacks[self.stack]
        self.own_kinds = [kind for kind in resumable.kinds if kind.stack == self.stack]
        self.heads = {kind.name: np.zeros((layers, resumable.n_heads)) for kind in self.own_kinds}
        self.feed_forward = np.zeros(layers)
        self.biases = dict.fromkeys(("attention", "feed_forward", "norms", "output"), 0.0)
        self.embedding = self.positional = 0.0

    def vector(self, name: str) -> Tensor:
        """A recorded stream at the position, `(d_model,)` float64."""
        return self.run.tensors[name][0, self.place].double()

    def pull_back(self, direction: Tensor, bias: float) -> None:
        """Give every part its share, from the last to the first."""
        self.biases["output"] = bias
        network, layers = self.resumable.network, self.resumable.stacks[self.stack]
        if self.resumable.pre_norm:
            norm = network.norm
            assert isinstance(norm, nn.LayerNorm)
            direction = self.through(norm, self.vector(stream_name(self.stack, layers)), direction)
        for layer in reversed(range(layers)):
            direction = self.through_add_norm(layer, "ffn", direction)
            self.share_feed_forward(layer, direction)
            for kind in reversed(self.own_kinds):
                direction = self.through_add_norm(layer, kind.sublayer, direction)
                self.share_heads(kind, layer, direction)
        embedded, positional = self.embedded()
        self.embedding, self.positional = float(embedded @ direction), float(positional @ direction)

    def through(self, norm: nn.LayerNorm, stream: Tensor, direction: Tensor) -> Tensor:
        """Pull the direction back through a norm whose statistics are those of `stream`."""
        deviation = (stream.var(correction=0) + norm.eps).sqrt()
        scaled = norm.weight.double() * direction / deviation
        self.biases["norms"] += float(norm.bias.double() @ direction)
        return scaled - scaled.mean()

    def through_add_norm(self, layer: int, sublayer: str, direction: Tensor) -> Tensor:
        """Pull the direction back through the norm after a sub-layer, where the network has it there."""
        if self.resumable.pre_norm:
            return direction
        name = f"{self.stack}.{layer}"
        before = {
            "ffn": f"{name}.cross.normalised",
            "cross": f"{name}.self.normalised",
            "self": stream_name(self.stack, layer),
        }[sublayer]
        summed = self.vector(before) + self.vector(f"{name}.{sublayer}.sublayer_output")
        module = {"ffn": "feed_forward_norm", "cross": "cross_norm", "self": "self_norm"}[sublayer]
        norm = self.resumable.network.get_submodule(f"{name}.{module}.norm")
        assert isinstance(norm, nn.LayerNorm)
        return self.through(norm, summed, direction)

    def share_feed_forward(self, layer: int, direction: Tensor) -> None:
        """Share of a feed-forward layer, and of the bias of its output."""
        network, name = self.resumable.network, f"{self.stack}.{layer}"
        if isinstance(network, VisionTransformer):
            contract = network.layers[layer].contract
        elif isinstance(network, DecoderOnlyTransformer):
            contract = network.decoder[layer].contract
        else:
            assert isinstance(network, Transformer)
            contract = network.decoder[layer].feed_forward.contract
        bias = float(contract.bias.double() @ direction)
        self.biases["feed_forward"] += bias
        self.feed_forward[layer] = float(self.vector(f"{name}.ffn.sublayer_output") @ direction) - bias

    def share_heads(self, kind: AttentionKind, layer: int, direction: Tensor) -> None:
        """Share of every head of a layer: its output times its columns of W_O; and of the bias of W_O."""
        output = self.resumable.attention(kind, layer).output
        own = (direction @ output.weight.double()).unflatten(0, (self.resumable.n_heads, -1))  # (head, d_k)
        outputs = self.run.tensors[f"{kind.tap_name(layer)}.outputs"][0, :, self.place].double()  # (head, d_k)
        self.heads[kind.name][layer] = (own * outputs).sum(dim=-1).cpu().numpy()
        self.biases["attention"] += float(output.bias.double() @ direction)

    def embedded(self) -> tuple[Tensor, Tensor]:
        """What enters the first layer as two parts: the token's embedding, or CLS, and the vector of its position."""
        network, inputs, place = self.resumable.network, self.run.inputs, self.place
        whole = self.vector(stream_name(self.stack, 0))
        if isinstance(network, VisionTransformer):
            token = network.class_embedding.double()
        elif isinstance(network, DecoderOnlyTransformer):
            token = network.embedding.weight[inputs[0][0, place]].double()
        else:
            assert isinstance(network, Transformer)
            token = network.embedding.weight[inputs[1][0, place]].double() * network.config.d_model**0.5
        return token, whole - token
