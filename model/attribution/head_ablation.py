"""The effect of each head on one input: ablate it and measure the change of the result.

A map shows where a head attends, not whether that matters (Michel et al. 2019, section 3; Voita et al. 2019). Every
head is ablated in one batched forward pass: each row of the batch runs without one head. Earlier layers are the same
with or without it, so a row joins the batch only at the layer of its head.
"""

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch import Tensor

from ..networks.attention import KeyValue
from ..networks.losses import token_cross_entropy
from ..networks.tap import Intervention
from ..networks.transformer import Transformer
from ..networks.vision import VisionTransformer
from ..runtime.arrays import softmax
from ..runtime.progress import InSteps, Progress, as_one_call
from ..tracing.head_interventions import Scale
from ..tracing.interventions import HeadInterventions
from ..tracing.trace import SentenceTrace
from .intervention_result import edited_copy

POSITIONS = 128  # projected to the vocabulary at a time, so that the logits stay small: 4 MB


@dataclass(frozen=True, eq=False)
class TranslationAblation:
    """Losses of a translation when single heads are ablated."""

    losses: np.ndarray  # `(token,)` float64, -ln p of each token with all heads on, in nats
    without: dict[str, np.ndarray]  # kind -> `(layer, head, token)` float64, the same without that head

    @property
    def reference(self) -> float:
        """The loss with all heads on: mean -ln p per token, in nats."""
        return float(self.losses.mean())

    @property
    def changes(self) -> dict[str, np.ndarray]:
        """kind -> `(layer, head)`: the loss without that head minus `reference`. Above 0 the head helps."""
        return {kind: (table - self.losses).mean(axis=-1) for kind, table in self.without.items()}


@dataclass(frozen=True, eq=False)
class ClassificationAblation:
    """Logits of a ViT when single heads are ablated."""

    logits: np.ndarray  # `(class,)` float64 with all heads on
    without: np.ndarray  # `(layer, head, class)` float64, logits without that head

    @property
    def probabilities(self) -> np.ndarray:
        """`(layer, head, class)` without that head."""
        return softmax(self.without)

    def logit_changes(self, class_index: int) -> np.ndarray:
        """`(layer, head)`: a class's logit without the head minus that with it. Below 0 the head supports the class."""
        return (self.without - self.logits)[..., class_index]

    def probability_changes(self, class_index: int) -> np.ndarray:
        """`(layer, head)`: the same of its probability."""
        return (self.probabilities - softmax(self.logits))[..., class_index]

    def loss_changes(self, class_index: int) -> np.ndarray:
        """`(layer, head)`: the same of its -ln p, in nats. Above 0 the head supports the class."""
        return -(np.log(self.probabilities) - np.log(softmax(self.logits)))[..., class_index]


@torch.inference_mode()
def ablate_translation_heads_in_steps(network: Transformer, trace: SentenceTrace) -> InSteps[TranslationAblation]:
    """Compute -ln p of every token of a traced translation without each head of the translator."""
    heads, length = network.config.n_heads, len(trace.target_ids)
    n_encoder, n_decoder = len(network.encoder), len(network.decoder)
    slices = math.ceil((1 + heads * (n_encoder + 2 * n_decoder)) * length / POSITIONS)
    total = n_encoder + n_decoder + slices
    memory = network.embed(network.ids(trace.source_ids))  # (1, source, d_model); row 0 always has all heads
    for number, layer in enumerate(network.encoder):
        name = f"encoder.{number}"
        memory, tap = _join(memory, [f"{name}.self.outputs"], heads)
        memory = layer(memory, None, tap, name)
        yield Progress(number + 1, total)
    stream = network.embed(network.ids(trace.target_ids))
    stream = stream.expand(len(memory), -1, -1)  # (1 + encoder heads, target, d_model)
    allowed = network.triangle[:, :, :length, :length]
    for number, decoder_layer in enumerate(network.decoder):
        name = f"decoder.{number}"
        stream, tap = _join(stream, [f"{name}.self.outputs", f"{name}.cross.outputs"], heads)
        cross_kv = decoder_layer.cross_attention.project_memory(memory)
        # rows without a head of the decoder use the output of the complete encoder: row 0
        more = len(stream) - len(memory)
        cross_kv = KeyValue(*(torch.cat([tensor, tensor[:1].expand(more, -1, -1, -1)]) for tensor in cross_kv))
        stream = decoder_layer(stream, cross_kv, allowed, None, tap, name)
        yield Progress(n_encoder + number + 1, total)
    targets = network.ids(trace.next_ids).expand(len(stream), -1)
    losses: list[Tensor] = []
    for hidden, right in zip(stream.flatten(0, 1).split(POSITIONS), targets.flatten().split(POSITIONS), strict=True):
        losses.append(token_cross_entropy(network.project(hidden), right))
        yield Progress(total - slices + len(losses), total)
    rows = torch.cat(losses).view(len(stream), length).double().cpu().numpy()
    encoder, decoder = np.split(rows[1:], [heads * network.config.n_encoder_layers])
    by_kind = decoder.reshape(-1, 2, heads, length)  # (layer, self or cross, head, token)
    kinds = {"encoder": encoder.reshape(-1, heads, length), "decoder": by_kind[:, 0], "cross": by_kind[:, 1]}
    return TranslationAblation(rows[0], kinds)


ablate_translation_heads = as_one_call(ablate_translation_heads_in_steps)


@torch.inference_mode()
def ablate_classification_heads(network: VisionTransformer, pixels: Tensor) -> ClassificationAblation:
    """Compute the logits of a picture, `(3, height, width)` in [-1, 1], without each head of the ViT."""
    stream = network.embed(pixels[None])  # (1, 1 + patch, d_model); row 0 always has all heads
    for number, layer in enumerate(network.layers):
        name = f"vision.{number}"
        stream, tap = _join(stream, [f"{name}.self.outputs"], network.config.n_heads)
        stream = layer(stream, tap, name)
    logits = network.head(network.norm(stream[:, 0])).double().cpu().numpy()  # (row, class)
    return ClassificationAblation(logits[0], logits[1:].reshape(network.config.n_layers, network.config.n_heads, -1))


def _join(stream: Tensor, steps: list[str], heads: int) -> tuple[Tensor, Intervention]:
    """Append copies of row 0, one for each head of each step, and return the tap that ablates the head there."""
    firsts = range(len(stream), len(stream) + len(steps) * heads, heads)
    longer = torch.cat([stream, stream[:1].expand(len(steps) * heads, -1, -1)])
    return longer, Intervention({step: partial(_ablate, first) for step, first in zip(steps, firsts, strict=True)})


def _ablate(first: int, outputs: Tensor) -> Tensor:
    """Set head h to 0 in row `first` + h of `(batch, head, query, d_k)`, for every head."""
    outputs, heads = outputs.clone(), torch.arange(outputs.shape[1])
    outputs[first + heads, heads] = 0
    return outputs


@torch.inference_mode()
def loss_without(network: Transformer, trace: SentenceTrace, place: tuple[str, int, int]) -> float:
    """Compute the loss without the head at `place`, kind, layer and head from 0, to check `ablate_translation_heads`.

    A head contributes its slice of W_O times its output to the sub-layer's output (Vaswani et al. 2017, section 3.2.2),
    so a network whose slice is zero has no such head. This is one fused forward pass of such a copy.
    """
    edited = _without(network, *place)
    source, target, right = map(network.ids, (trace.source_ids, trace.target_ids, trace.next_ids))
    return token_cross_entropy(edited(source, target), right).double().mean().item()


@torch.inference_mode()
def logits_without(network: VisionTransformer, pixels: Tensor, layer: int, head: int) -> np.ndarray:
    """Compute the logits `(class,)` of a picture without one head, by zeroing its slice of W_O; see `loss_without`."""
    return _without(network, "vision", layer, head)(pixels[None])[0].double().cpu().numpy()


def _without(network: torch.nn.Module, kind: str, layer: int, head: int) -> torch.nn.Module:
    return edited_copy(network, HeadInterventions((Scale(kind, ((layer, head),), factor=0.0),)))
