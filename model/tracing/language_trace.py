"""All intermediate results of the decoder-only Transformer for one sequence, as arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch

from ..networks.decoder_only import DecoderOnlyTransformer
from ..networks.tap import Chain, Tap
from ..runtime.arrays import to_array
from ..text.tokenizer import Tokenizer
from .kinds import DECODER
from .trace import (
    LayerStacks,
    SentenceTrace,
    StackPlan,
    TraceOfModel,
    attention_stacks,
    describe_tokens,
    gather_attention,
    layer_names,
    stream_stack,
)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class LanguageTrace(SentenceTrace, TraceOfModel):
    """A pass over one sequence: a prompt, and what follows it. See `SentenceTrace` for the other fields.

    `source_ids` are the prompt: an English sentence with `</s>`, or the beginning of one. `target_ids` are all T
    inputs, prompt included, and `next_ids` what each of them should produce. `target_text` follows the prompt.
    """

    decoder_stream: (
        np.ndarray
    )  # `(layers + 1, T, d_model)`: the embedded input, then the residual stream after each layer
    decoder_hidden: np.ndarray  # `(layers, T, d_ff)` feed-forward activations after GELU

    @property
    def prompt_length(self) -> int:
        """Number of tokens of the prompt; token `prompt_length - 1` predicts the first one after it."""
        return len(self.source_ids)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The label of the token that was chosen at each position; "" where the next token is the prompt's."""
        first = self.prompt_length - 1
        return ("",) * first + super().chosen[first:]

    @property
    def decoder_attention(self) -> np.ndarray:
        """`(layers, heads, T, T)` float32, 0 above the diagonal."""
        return self.records[DECODER.name].weights


@torch.inference_mode()
def record_language_trace(
    network: DecoderOnlyTransformer,
    tokenizer: Tokenizer,
    prompt_ids: Sequence[int],
    following_ids: Sequence[int],
    intervention: Tap | None = None,
) -> LanguageTrace:
    """Run the network once over prompt and continuation with a recorder attached.

    Args:
        following_ids: at least one id; the last is only predicted, never read.
        intervention: a tap that changes tensors before they are recorded.
    """
    ids = [*prompt_ids, *following_ids]
    labels = describe_tokens(tokenizer, prompt_ids, ids[:-1], ids[1:])
    layers = network.config.n_layers
    stacks = LayerStacks(_plan(layers))
    states = network.states(network.ids(ids[:-1]), stacks if intervention is None else Chain(intervention, stacks))
    return LanguageTrace(
        **labels | {"target_text": tokenizer.decode(following_ids)},
        records={DECODER.name: gather_attention(stacks, DECODER, layers)},
        decoder_stream=stacks.array("decoder.stream"),
        decoder_hidden=stacks.array("decoder.hidden"),
        logits=to_array(network.project(states)[0]),
    )


@lru_cache(maxsize=8)
def _plan(layers: int) -> StackPlan:
    """Plan the recording of a network with so many layers."""
    stack, sublayer = DECODER.stack, DECODER.sublayer
    stacks = attention_stacks(stack, sublayer, layers) | stream_stack(stack, layers)
    stacks[f"{stack}.hidden"] = layer_names(stack, "ffn.hidden", layers)
    return StackPlan.of(stacks, layer_names(stack, f"{sublayer}.mask", layers))
