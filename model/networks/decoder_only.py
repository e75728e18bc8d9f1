"""The decoder-only Transformer in the form of GPT-2 (Radford et al. 2019).

Pre-norm layers, the tanh form of GELU (Hendrycks and Gimpel 2016), learned positions, biases, a last layer norm, and
logits through the embedding. One sequence contains everything: `English </s> French </s>`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .attention import KeyValue, KeyValueCache, MultiHeadAttention
from .config import SequenceConfig
from .interfaces import TranslationNetwork
from .layers import Layers
from .linear import Linear
from .masks import causal_mask
from .tap import Tap

NORM_EPSILON = 1e-5
STANDARD_DEVIATION = 0.02  # of the initial weights


@dataclass(frozen=True)
class DecoderOnlyConfig(SequenceConfig):
    """Sizes of a decoder-only Transformer (Radford et al. 2019, table 2, has much larger ones).

    Raises:
        ValueError: a size is not positive, `d_model` is not divisible by `n_heads`, or `dropout` is outside [0, 1);
            the message states what to change.
    """

    vocabulary_size: int = 8000
    d_model: int = 256  # width of the residual stream
    n_heads: int = 8
    n_layers: int = 8
    d_ff: int = 1024  # width of the feed-forward layer, 4 d_model in GPT-2
    dropout: float = 0.1  # on each sub-layer's output and on the embedding sums
    max_positions: int = 256  # rows of the learned position table
    pad_id: int = 0
    unk_id: int = 1
    bos_id: int = 2
    eos_id: int = 3

    def __post_init__(self) -> None:
        self.check_positive("vocabulary_size", "d_model", "n_heads", "n_layers", "d_ff", "max_positions")
        if self.d_model % self.n_heads:
            raise ValueError(
                f"d_model {self.d_model} is not divisible by n_heads {self.n_heads}; choose a d_model that is a "
                f"multiple of {self.n_heads}."
            )
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout {self.dropout} is outside [0, 1).")


class DecoderOnlyLayer(nn.Module):
    """x + attention(norm(x)), then x + feed-forward(norm(x)): the pre-norm layer of GPT-2.

    As in the other networks a sub-layer's output passes the tap as `sublayer_output`. `normalised` is here what the
    sub-layer reads.
    """

    def __init__(self, config: DecoderOnlyConfig) -> None:
        super().__init__()
        self.self_norm = nn.LayerNorm(config.d_model, NORM_EPSILON)
        self.self_attention = MultiHeadAttention(config.d_model, config.n_heads)
        self.feed_forward_norm = nn.LayerNorm(config.d_model, NORM_EPSILON)
        self.expand = Linear(config.d_model, config.d_ff)
        self.contract = Linear(config.d_ff, config.d_model)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self, stream: Tensor, allowed: Tensor | None, tap: Tap | None, name: str, cache: KeyValueCache | None = None
    ) -> Tensor:
        """`(batch, position, d_model)` -> the same shape.

        Args:
            allowed: see `model.networks.attention.scaled_dot_product`.
            cache: of the keys and values of earlier positions, if `stream` continues them; without a tap.
        """
        normed = _pass(tap, f"{name}.self.normalised", self.self_norm(stream))
        kv = self.self_attention.project_memory(normed)
        if cache is not None:
            kv = KeyValue(*(cache(f"{name}.self.{part}", new) for part, new in kv._asdict().items()))
        output = self.self_attention(normed, kv, allowed, tap, f"{name}.self")
        stream = stream + self.dropout(_pass(tap, f"{name}.self.sublayer_output", output))
        normed = _pass(tap, f"{name}.ffn.normalised", self.feed_forward_norm(stream))
        hidden = F.gelu(self.expand(normed), approximate="tanh")  # (batch, position, d_ff)
        output = self.contract(_pass(tap, f"{name}.ffn.hidden", hidden))
        stream = stream + self.dropout(_pass(tap, f"{name}.ffn.sublayer_output", output))
        return _pass(tap, f"{name}.residual", stream)


class DecoderOnlyTransformer(TranslationNetwork):
    """Ids in, logits out through the embedding.

    The tap receives `decoder.embedded`, in every layer the names of `DecoderOnlyLayer` and those of attention, and
    `decoder.normalised`, the stream after the last norm.
    """

    config: DecoderOnlyConfig
    triangle: Tensor  # the causal mask of the longest sequence, (1, 1, max_positions, max_positions) bool

    def __init__(self, config: DecoderOnlyConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary_size, config.d_model)
        self.position_embedding = nn.Parameter(torch.empty(config.max_positions, config.d_model))
        self.dropout = nn.Dropout(config.dropout)
        self.decoder = Layers(DecoderOnlyLayer(config) for _ in range(config.n_layers))
        self.norm = nn.LayerNorm(config.d_model, NORM_EPSILON)
        self.register_buffer("triangle", causal_mask(config.max_positions), persistent=False)
        self._initialise()

    def _initialise(self) -> None:
        """Normal weights, those that write to the residual stream smaller by sqrt(2 n_layers) (section 2.3)."""
        nn.init.normal_(self.position_embedding, std=STANDARD_DEVIATION)
        for module in self.modules():
            if isinstance(module, nn.Linear | nn.Embedding):
                nn.init.normal_(module.weight, std=STANDARD_DEVIATION)
            if isinstance(module, nn.Linear):
                nn.init.zeros_(module.bias)
        for layer in self.decoder:
            for writer in (layer.self_attention.output, layer.contract):
                nn.init.normal_(writer.weight, std=STANDARD_DEVIATION / (2 * self.config.n_layers) ** 0.5)

    def embed(self, ids: Tensor, positions: Tensor) -> Tensor:
        """Embedding rows + learned positions: `(batch, position)` ids -> `(batch, position, d_model)`.

        Args:
            positions: `(position,)` or `(batch, position)` int64, the place of every id in its sequence.

        Raises:
            ValueError: a position is outside the table.
        """
        most = int(positions.max()) + 1
        if most > self.config.max_positions:
            raise ValueError(f"{most} positions are more than the {self.config.max_positions} this model has.")
        return self.dropout(self.embedding(ids) + self.position_embedding[positions])

    def states(self, ids: Tensor, tap: Tap | None = None) -> Tensor:
        """Run the network over whole sequences; `project` turns the result into logits.

        Args:
            ids: `(batch, position)`, padded on the right. The causal mask hides the padding from real tokens.

        Returns:
            `(batch, position, d_model)`; row t predicts token t + 1.

        Raises:
            ValueError: the sequence is longer than the table of positions.
        """
        length = ids.shape[1]
        stream = self.embed(ids, torch.arange(length, device=ids.device))
        return self.run_layers(stream, self.triangle[:, :, :length, :length], tap)

    def run_layers(
        self, stream: Tensor, allowed: Tensor | None, tap: Tap | None = None, cache: KeyValueCache | None = None
    ) -> Tensor:
        """Run all layers and the last norm over embedded ids; the arguments are those of `DecoderOnlyLayer`."""
        stream = _pass(tap, "decoder.embedded", stream)
        for index, layer in enumerate(self.decoder):
            stream = layer(stream, allowed, tap, f"decoder.{index}", cache)
        return _pass(tap, "decoder.normalised", self.norm(stream))

    def hidden(self, source: Tensor, target: Tensor, tap: Tap | None = None) -> Tensor:
        """Teacher-forced states that predict the target, `(batch, target, d_model)`.

        Args:
            source: `(batch, source)` ids, padded on the right.
            target: `(batch, target)` ids, likewise. Its first token, `<s>`, has no place in the sequence: what follows
                it is predicted by the last token of the source.
        """
        lengths = (source != self.config.pad_id).sum(dim=1, keepdim=True)  # (batch, 1)
        count = target.shape[1]
        ids = F.pad(source, (0, count - 1), value=self.config.pad_id)  # (batch, source + target - 1)
        places = lengths + torch.arange(count - 1, device=ids.device)  # (batch, target - 1)
        ids = ids.scatter(1, places, target[:, 1:])
        rows = lengths - 1 + torch.arange(count, device=ids.device)  # (batch, target)
        states = self.states(ids, tap)
        return states.gather(1, rows[:, :, None].expand(-1, -1, states.shape[2]))

    def most_generated(self, source_length: int) -> int:
        """Positions that a source of so many tokens leaves free, and one: the last token is not read."""
        return self.config.max_positions - source_length + 1

    def begin_decoding(
        self, source: Tensor, source_allowed: Tensor | None = None, tap: Tap | None = None
    ) -> "CachedSequence":
        """Read the prompts, and return a decoder that continues them; see `CachedSequence`."""
        return CachedSequence(self, source, source_allowed, tap)


class CachedSequence:
    """Continues prompts token by token, with the keys and values of all earlier positions cached.

    It generates the same tokens as without a cache. The first `step` returns the logits after the prompt, whatever
    its ids are: the start token of other networks has no place here. Under a tap, nothing is cached: every step runs
    the whole sequence, so that the tap receives all positions.

    Args:
        network: in evaluation mode.
        prompt: `(row, prompt)` ids, padded on the right.
        allowed: `(row, 1, 1, prompt)` from `padding_mask`; None if nothing is padded.

    Raises:
        ValueError: a prompt is longer than the table of positions; or under a tap prompts are padded.
    """

    def __init__(
        self, network: DecoderOnlyTransformer, prompt: Tensor, allowed: Tensor | None = None, tap: Tap | None = None
    ) -> None:
        if tap is not None and allowed is not None and not bool(allowed.all()):
            raise ValueError("Prompts of different lengths cannot be continued together under a tap.")
        self.network, self.tap = network, tap
        self.ids, self.allowed = prompt, allowed
        self.sentences = len(prompt)
        # (row, 1): where the next token of each row is placed
        self.lengths = (prompt != network.config.pad_id).sum(dim=1, keepdim=True)
        if allowed is None:
            self.lengths = torch.full_like(self.lengths, prompt.shape[1])
        self.cache = KeyValueCache()
        self.logits: Tensor | None = self._read_prompt()

    def _read_prompt(self) -> Tensor:
        """Fill the cache and return the logits after each prompt, `(row, vocabulary)`."""
        network, length = self.network, self.ids.shape[1]
        if self.tap is not None:
            return network.project(network.states(self.ids, self.tap)[:, -1])
        stream = network.embed(self.ids, torch.arange(length, device=self.ids.device))
        states = network.run_layers(stream, network.triangle[:, :, :length, :length], None, self.cache)
        self.cache.length = length
        last = (self.lengths - 1)[:, :, None].expand(-1, -1, states.shape[2])
        return network.project(states.gather(1, last)[:, 0])

    def step(self, ids: Tensor) -> Tensor:
        """Continue by one token a row: `(row,)` ids -> `(row, vocabulary)` logits of the tokens that follow.

        Raises:
            ValueError: there are more tokens than positions in the table.
        """
        if self.logits is not None:
            logits, self.logits = self.logits, None
            return logits
        network = self.network
        self.ids = torch.cat([self.ids, ids[:, None]], dim=1)
        if self.tap is not None:
            return network.project(network.states(self.ids, self.tap)[:, -1])
        if self.allowed is not None:
            self.allowed = F.pad(self.allowed, (0, 1), value=True)
        stream = network.embed(ids[:, None], self.lengths)
        states = network.run_layers(stream, self.allowed, None, self.cache)
        self.cache.length += 1
        self.lengths = self.lengths + 1
        return network.project(states[:, -1])

    def select_rows(self, rows: Sequence[int]) -> None:
        """Continue with these hypotheses of the one prompt, in this order, as beam search does after each step.

        Raises:
            ValueError: there is more than one prompt.
        """
        if self.sentences != 1:
            raise ValueError(f"Only the hypotheses of one sentence can be chosen from; there are {self.sentences}.")
        self.ids, self.lengths = self.ids[list(rows)], self.lengths[list(rows)]
        if self.allowed is not None:
            self.allowed = self.allowed[list(rows)]
        self.cache.select_rows(rows)


def _pass(tap: Tap | None, name: str, tensor: Tensor) -> Tensor:
    """Return what the tap makes of a tensor; the tensor itself without a tap."""
    return tensor if tap is None else tap(name, tensor)
