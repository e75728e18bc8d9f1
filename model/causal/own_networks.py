"""The networks of this project as networks that can be resumed at any layer."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from ..networks.attention import MultiHeadAttention
from ..networks.decoder_only import DecoderOnlyTransformer
from ..networks.linear import linear
from ..networks.tap import Intervention, Tap
from ..networks.transformer import Transformer
from ..networks.vision import VisionTransformer
from ..tracing.kinds import DECODER, TRANSLATION, VISION, AttentionKind, attention_module
from .causal_error import CausalError
from .resumable import HeadMatrices, Inputs, RecordedRun, ResumableNetwork, stream_name


class OwnNetwork(ResumableNetwork):
    """A network of this project."""

    network: Transformer | DecoderOnlyTransformer | VisionTransformer

    def attention(self, kind: AttentionKind, layer: int) -> MultiHeadAttention:
        """The module that computes the attention of a kind in a layer."""
        return attention_module(self.network, kind, layer)

    def check_tensor(self, name: str) -> None:
        pass  # all tensors pass the tap

    def head_matrices(self, kind: AttentionKind, layer: int) -> HeadMatrices:
        attention, heads = self.attention(kind, layer), self.n_heads
        query, key, value = (
            getattr(attention, name).weight.double().unflatten(0, (heads, -1)).mT for name in ("query", "key", "value")
        )
        output = attention.output.weight.double().unflatten(1, (heads, -1)).transpose(0, 1)
        return HeadMatrices(query, key, value, output)

    @property
    def n_heads(self) -> int:
        return self.network.config.n_heads


class TextNetwork(OwnNetwork):
    """A network on tokens whose output matrix is its embedding matrix."""

    network: Transformer | DecoderOnlyTransformer

    def logits(self, hidden: Tensor, columns: Sequence[int] | None = None) -> Tensor:
        if columns is None:
            return self.network.project(hidden)
        return linear(hidden, self.network.embedding.weight[list(columns)])

    @property
    def columns(self) -> int:
        return self.network.config.vocabulary_size

    @property
    def scale(self) -> float:
        """Factor of an embedding as it enters the network."""
        return 1.0

    def token_matrices(self) -> tuple[Tensor, Tensor]:
        return self.network.embedding.weight, self.network.embedding.weight

    def ordinary_ids(self) -> tuple[Tensor, int]:
        config = self.network.config
        special = {config.pad_id, config.unk_id, config.bos_id, config.eos_id}
        ids = torch.tensor([number for number in range(config.vocabulary_size) if number not in special])
        return ids, min(len(ids), (config.max_positions - 1) // 2)

    def embedded_tokens(self, run: RecordedRun, stack: str) -> tuple[str, Tensor]:
        ids = dict(zip(self.stacks, run.inputs, strict=True))[stack]
        return stream_name(stack, 0), self.network.embedding.weight[ids] * self.scale

    def embedding_deviation(self, run: RecordedRun) -> float:
        return float(self.network.embedding.weight.std()) * self.scale


class ResumableTranslator(TextNetwork):
    """The encoder-decoder Transformer; inputs are the ids of source `(row, S)` and of target `(row, T)`."""

    kinds, output_stack, pre_norm = TRANSLATION, "decoder", False

    def __init__(self, network: Transformer) -> None:
        self.network: Transformer = network
        self.stacks = {"encoder": len(network.encoder), "decoder": len(network.decoder)}

    @property
    def scale(self) -> float:
        return self.network.config.d_model**0.5

    def with_ids(self, ids: Tensor) -> tuple[Inputs, dict[str, int]]:
        config = self.network.config
        start, end = (torch.full_like(ids[:, :1], special) for special in (config.bos_id, config.eos_id))
        return (torch.cat([ids, end], dim=1), torch.cat([start, ids], dim=1)), {"encoder": 0, "decoder": 1}

    def run(self, inputs: Inputs, tap: Tap | None = None) -> Tensor:
        source, target = inputs
        return self.network.decode(target, self.network.encode(source, None, tap), None, tap)

    def resume(self, run: RecordedRun, stack: str, layer: int, rows: Tensor, tap: Tap) -> Tensor:
        network = self.network
        if stack == "encoder":
            memory = self.entering(run, "encoder", layer, rows, tap)
            for number in range(layer, len(network.encoder)):
                name = f"encoder.{number}"
                memory = network.encoder[number](memory, None, within(tap, name), name)
            layer = 0
        else:
            memory = run.tensors[stream_name("encoder", len(network.encoder))]
            memory = memory if len(memory) == 1 else memory[rows]  # keys and values of one memory serve all rows
        stream = self.entering(run, "decoder", layer, rows, tap)
        length = stream.shape[1]
        allowed = network.triangle[:, :, :length, :length]
        for number in range(layer, len(network.decoder)):
            name, decoder_layer = f"decoder.{number}", network.decoder[number]
            cross_kv = decoder_layer.cross_attention.project_memory(memory)
            stream = decoder_layer(stream, cross_kv, allowed, None, within(tap, name), name)
        return stream

    def read_out(self, stream: Tensor) -> Tensor:
        return stream

    def lengths(self, inputs: Inputs) -> dict[str, int]:
        return {"encoder": inputs[0].shape[1], "decoder": inputs[1].shape[1]}


class ResumableLanguageModel(TextNetwork):
    """The decoder-only Transformer; the input is the ids `(row, T)`."""

    kinds, output_stack, pre_norm = (DECODER,), "decoder", True

    def __init__(self, network: DecoderOnlyTransformer) -> None:
        self.network: DecoderOnlyTransformer = network
        self.stacks = {"decoder": len(network.decoder)}

    def with_ids(self, ids: Tensor) -> tuple[Inputs, dict[str, int]]:
        return (ids,), {"decoder": 0}

    def run(self, inputs: Inputs, tap: Tap | None = None) -> Tensor:
        return self.network.states(inputs[0], tap)

    def resume(self, run: RecordedRun, stack: str, layer: int, rows: Tensor, tap: Tap) -> Tensor:
        network = self.network
        stream = self.entering(run, stack, layer, rows, tap)
        length = stream.shape[1]
        allowed = network.triangle[:, :, :length, :length]
        for number in range(layer, len(network.decoder)):
            name = f"decoder.{number}"
            stream = network.decoder[number](stream, allowed, within(tap, name), name)
        return network.norm(stream)

    def read_out(self, stream: Tensor) -> Tensor:
        return self.network.norm(stream)

    def lengths(self, inputs: Inputs) -> dict[str, int]:
        return {"decoder": inputs[0].shape[1]}


class ResumableVision(OwnNetwork):
    """The Vision Transformer; the input is pixels `(row, 3, height, width)` in [-1, 1], the output CLS alone."""

    kinds, output_stack, pre_norm = (VISION,), "vision", True

    def __init__(self, network: VisionTransformer) -> None:
        self.network: VisionTransformer = network
        self.stacks = {"vision": len(network.layers)}

    def run(self, inputs: Inputs, tap: Tap | None = None) -> Tensor:
        stream = self.network.embed(inputs[0], tap)
        for number, layer in enumerate(self.network.layers):
            stream = layer(stream, tap, f"vision.{number}")
        return self.network.norm(stream[:, :1])

    def resume(self, run: RecordedRun, stack: str, layer: int, rows: Tensor, tap: Tap) -> Tensor:
        stream = self.entering(run, stack, layer, rows, tap)
        for number in range(layer, len(self.network.layers)):
            name = f"vision.{number}"
            stream = self.network.layers[number](stream, within(tap, name), name)
        return self.network.norm(stream[:, :1])

    def read_out(self, stream: Tensor) -> Tensor:
        return self.network.norm(stream)

    def logits(self, hidden: Tensor, columns: Sequence[int] | None = None) -> Tensor:
        logits = self.network.head(hidden)
        return logits if columns is None else logits[..., list(columns)]

    def answering(self) -> slice:
        return slice(0, 1)  # CLS

    def lengths(self, inputs: Inputs) -> dict[str, int]:
        size = self.network.config.patch_size
        return {"vision": 1 + (inputs[0].shape[-2] // size) * (inputs[0].shape[-1] // size)}

    @property
    def columns(self) -> int:
        return len(self.network.config.classes)

    @property
    def reads_pixels(self) -> bool:
        return True

    def patch_grid(self, inputs: Inputs) -> tuple[int, int, int]:
        size = self.network.config.patch_size
        return inputs[0].shape[-2] // size, inputs[0].shape[-1] // size, 1

    def token_matrices(self) -> tuple[Tensor, Tensor]:
        raise CausalError("Only networks that read and write tokens copy them; choose one that reads text.")

    def ordinary_ids(self) -> tuple[Tensor, int]:
        raise CausalError("Only networks that read tokens have these scores; choose one that reads text.")

    def with_ids(self, ids: Tensor) -> tuple[Inputs, dict[str, int]]:
        raise CausalError("Only networks that read tokens have these scores; choose one that reads text.")

    def embedded_tokens(self, run: RecordedRun, stack: str) -> tuple[str, Tensor]:
        return stream_name(stack, 0), run.tensors["vision.patches"]

    def embedding_deviation(self, run: RecordedRun) -> float:
        return float(run.tensors["vision.patches"].std())


def resumable(network: nn.Module) -> ResumableNetwork:
    """Return a network of this project as a `ResumableNetwork`.

    Raises:
        TypeError: it is of another type; recurrent networks have steps in time, not layers that can be resumed.
    """
    if isinstance(network, Transformer):
        return ResumableTranslator(network)
    if isinstance(network, DecoderOnlyTransformer):
        return ResumableLanguageModel(network)
    if isinstance(network, VisionTransformer):
        return ResumableVision(network)
    raise TypeError(f"A {type(network).__name__} has no layers that this method can resume.")


def within(tap: Tap, layer: str) -> Tap | None:
    """The tap for a layer, named as `decoder.3`; None where it changes nothing, so that attention runs fused."""
    if isinstance(tap, Intervention) and not any(name.startswith(f"{layer}.") for name in tap.changes):
        return None
    return tap
