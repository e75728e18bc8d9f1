"""The encoder-decoder Transformer of "Attention Is All You Need" (Vaswani et al. 2017).

Post-norm residuals, ReLU feed-forward layers, sinusoidal positions, embeddings scaled by sqrt(d_model) and tied with
the output projection. Dropout is where section 5.4 puts it: on every sub-layer's output and on the embedding sums.
Its config can name other positions: learned, rotary, ALiBi or none (`model.networks.config.PositionKind`).
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from .attention import Join, KeyValue, KeyValueCache, MultiHeadAttention
from .config import TransformerConfig
from .interfaces import TranslationNetwork
from .layers import Layers
from .linear import Linear
from .masks import causal_mask, padding_mask
from .positional import sinusoidal_encoding
from .relative_positions import relative_positions
from .tap import Tap

SINUSOID_DEVIATION = 0.5**0.5  # of the numbers of sinusoids; learned positions begin with it


class Transformer(TranslationNetwork):
    """The whole network (figure 1): ids in, logits out through the tied embedding (section 3.4)."""

    config: TransformerConfig
    positions: Tensor  # (max_positions, d_model), added to the embeddings; 0 if nothing is added
    triangle: Tensor  # the causal mask of the longest sequence, (1, 1, max_positions, max_positions) bool

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary_size, config.d_model)
        self.dropout = nn.Dropout(config.dropout)
        self.encoder = Layers(EncoderLayer(config) for _ in range(config.n_encoder_layers))
        self.decoder = Layers(DecoderLayer(config) for _ in range(config.n_decoder_layers))
        positions = sinusoidal_encoding(config.max_positions, config.d_model)
        if config.positions == "learned":
            self.positions = nn.Parameter(torch.empty_like(positions))
        else:
            added = positions if config.positions == "sinusoidal" else torch.zeros_like(positions)
            self.register_buffer("positions", added, persistent=False)
        self.register_buffer("triangle", causal_mask(config.max_positions), persistent=False)
        self.apply(_initialise)
        if config.positions == "learned":  # after all others, which are then those of the other kinds with this seed
            nn.init.normal_(self.positions, std=SINUSOID_DEVIATION)

    def embed(self, ids: Tensor, start: int = 0) -> Tensor:
        """Embedding rows x sqrt(d_model) + positions (sections 3.4 and 3.5), if the config's kind is added here.

        Args:
            ids: `(batch, position)` int64.
            start: the position of the first id.

        Returns:
            `(batch, position, d_model)`.

        Raises:
            ValueError: the sequence is longer than the table of positions.
        """
        end = start + ids.shape[1]
        if end > self.config.max_positions:
            raise ValueError(f"{end} positions are more than the {self.config.max_positions} this model has.")
        scaled = self.embedding(ids) * math.sqrt(self.config.d_model)
        embedded = scaled + self.positions[start:end]
        if self.training:
            embedded = self.dropout(embedded)
        kind = embedded.device.type
        # under autocast the residual stream is low precision too: half the memory traffic, and post-norm keeps it
        # at unit scale
        return embedded.to(torch.get_autocast_dtype(kind)) if torch.is_autocast_enabled(kind) else embedded

    def encode(self, source: Tensor, source_allowed: Tensor | None = None, tap: Tap | None = None) -> Tensor:
        """Run the encoder: `(batch, source)` ids -> `(batch, source, d_model)`.

        Args:
            source_allowed: `(batch, 1, 1, source)` from `padding_mask`; None if nothing is padded.
        """
        stream = self.embed(source)
        if tap is not None:
            stream = tap("encoder.embedded", stream)
        for index, layer in enumerate(self.encoder):
            stream = layer(stream, source_allowed, tap, f"encoder.{index}")
        return stream

    def decode(
        self, target: Tensor, memory: Tensor, source_allowed: Tensor | None = None, tap: Tap | None = None
    ) -> Tensor:
        """Run the decoder over a whole target (teacher forcing).

        Padding in the target needs no mask of its own: it follows the real tokens, so the causal mask already hides it
        from them.

        Args:
            target: `(batch, target)` ids that start with the begin-of-sentence token.
            memory: `(batch, source, d_model)` from `encode`.

        Returns:
            `(batch, target, d_model)`; `project` turns it into logits.
        """
        length = target.shape[1]
        allowed = self.triangle[:, :, :length, :length]
        stream = self.embed(target)
        if tap is not None:
            stream = tap("decoder.embedded", stream)
        for index, layer in enumerate(self.decoder):
            cross_kv = layer.cross_attention.project_memory(memory)
            stream = layer(stream, cross_kv, allowed, source_allowed, tap, f"decoder.{index}")
        return stream

    def hidden(self, source: Tensor, target: Tensor, tap: Tap | None = None) -> Tensor:
        """Teacher-forced outputs of the decoder, `(batch, target, d_model)`; the arguments are those of `forward`."""
        source_allowed = padding_mask(source, self.config.pad_id)
        return self.decode(target, self.encode(source, source_allowed, tap), source_allowed, tap)

    def begin_decoding(
        self, source: Tensor, source_allowed: Tensor | None = None, tap: Tap | None = None
    ) -> "CachedDecoder":
        """Encode, and return a decoder that decodes token by token; the arguments are those of `encode`."""
        return CachedDecoder(self, self.encode(source, source_allowed, tap), source_allowed, tap)


class CachedDecoder:
    """Decodes one hypothesis of each of several sentences, or several hypotheses of one sentence, with cached keys.

    It generates the same tokens as decoding without a cache; tests compare the two. Under a tap, the embedding sums
    and every step of attention pass the tap for all positions so far, as in `Transformer.decode`. Each sub-layer's
    output, its norm and the residual stream pass it for the new positions only.

    Args:
        network: in evaluation mode.
        memory: `(sentence, source, d_model)` from `network.encode` under the same tap; decoding starts with one row
            for each sentence.
        source_allowed: `(sentence, 1, 1, source)` from `padding_mask`; None if nothing is padded.
    """

    def __init__(
        self, network: Transformer, memory: Tensor, source_allowed: Tensor | None = None, tap: Tap | None = None
    ) -> None:
        self.network, self.source_allowed, self.tap = network, source_allowed, tap
        self.source = [layer.cross_attention.project_memory(memory) for layer in network.decoder]
        self.sentences = len(memory)
        self.ids = torch.empty(len(memory), 0, dtype=torch.int64, device=memory.device)  # (row, position)
        self.cache = KeyValueCache()

    def truncate(self, length: int) -> None:
        """Discard all positions from `length` on."""
        self.ids, self.cache.length = self.ids[:, :length], min(self.cache.length, length)

    def extend(self, ids: Tensor) -> Tensor:
        """Decode more tokens, `(row, new)`.

        Returns:
            `(row, new, d_model)`, as `Transformer.decode` returns it.

        Raises:
            ValueError: the sequence is longer than the table of positions.
        """
        network, tap, start = self.network, self.tap, self.cache.length
        self.ids = torch.cat([self.ids, ids], dim=1)
        end = self.ids.shape[1]
        if tap is None:
            stream = network.embed(ids, start)
            allowed = None if end - start == 1 else network.triangle[:, :, start:end, :end]
        else:
            stream = tap("decoder.embedded", network.embed(self.ids))[:, start:]
            allowed = network.triangle[:, :, :end, :end]
        for index, layer in enumerate(network.decoder):
            name = f"decoder.{index}"
            stream = layer(stream, self.source[index], allowed, self.source_allowed, tap, name, self.cache)
        self.cache.length += ids.shape[1]
        return stream

    def step(self, ids: Tensor) -> Tensor:
        """Decode one more token a row: `(row,)` ids -> `(row, vocabulary)` logits of the tokens that follow.

        Raises:
            ValueError: there are more tokens than positions in the table.
        """
        return self.network.project(self.extend(ids[:, None])[:, -1])

    def select_rows(self, rows: Sequence[int]) -> None:
        """Continue with these hypotheses of the one sentence, in this order, as beam search does after each step.

        Raises:
            ValueError: there is more than one sentence.
        """
        if self.sentences != 1:
            raise ValueError(f"Only the hypotheses of one sentence can be chosen from; there are {self.sentences}.")
        self.ids = self.ids[list(rows)]
        self.cache.select_rows(rows)

    def keep_rows(self, rows: Sequence[int]) -> None:
        """Continue with these rows alone, of one sentence or several."""
        if self.sentences > 1:
            self.source = [KeyValue(*(part[list(rows)] for part in source)) for source in self.source]
            self.source_allowed = None if self.source_allowed is None else self.source_allowed[list(rows)]
        self.ids = self.ids[list(rows)]
        self.cache.select_rows(rows)


def _initialise(module: nn.Module) -> None:
    if isinstance(module, nn.Linear):
        nn.init.xavier_uniform_(module.weight)
        nn.init.zeros_(module.bias)
    elif isinstance(module, nn.Embedding):
        # sqrt(d_model) x this gives unit variance, the scale of the sinusoids it is added to
        nn.init.normal_(module.weight, std=module.embedding_dim**-0.5)


@torch.no_grad()
def parameter_count(network: nn.Module) -> int:
    """Count the trained numbers; tied tensors count once."""
    return sum(parameter.numel() for parameter in network.parameters())


# The layers of the encoder-decoder Transformer (Vaswani et al. 2017, figure 1): post-norm residuals, ReLU.


class FeedForward(nn.Module):
    """max(0, x W1 + b1) W2 + b2, the same at every position (section 3.3). `(..., d_model)` -> `(..., d_model)`."""

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.expand = Linear(d_model, d_ff)
        self.contract = Linear(d_ff, d_model)

    def forward(self, stream: Tensor, tap: Tap | None = None, name: str = "ffn") -> Tensor:
        hidden = self.expand(stream).relu()  # (batch, position, d_ff)
        if tap is not None:
            hidden = tap(f"{name}.hidden", hidden)
        return self.contract(hidden)


class AddNorm(nn.Module):
    """LayerNorm(x + dropout(sublayer(x))): the post-norm residual of section 3.1.

    The sub-layer's output passes the tap as `{name}.sublayer_output`, the result as `{name}.normalised`; the input x
    and the sum before the norm follow from these by an addition, so they need no steps of their own.
    """

    def __init__(self, d_model: int, dropout: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, stream: Tensor, sublayer_output: Tensor, tap: Tap | None = None, name: str = "norm") -> Tensor:
        if tap is not None:
            sublayer_output = tap(f"{name}.sublayer_output", sublayer_output)  # (batch, position, d_model)
        if self.training:  # a call that changes nothing takes time too
            sublayer_output = self.dropout(sublayer_output)
        normalised = self.norm(stream + sublayer_output)
        return normalised if tap is None else tap(f"{name}.normalised", normalised)


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward, each with Add & Norm (figure 1, left)."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(config.d_model, config.n_heads, relative_positions(config))
        self.self_norm = AddNorm(config.d_model, config.dropout)
        self.feed_forward = FeedForward(config.d_model, config.d_ff)
        self.feed_forward_norm = AddNorm(config.d_model, config.dropout)

    def forward(self, stream: Tensor, allowed: Tensor | None, tap: Tap | None, name: str) -> Tensor:
        """`(batch, source, d_model)` -> the same shape."""
        kv = self.self_attention.project_memory(stream)
        sublayer_output = self.self_attention(stream, kv, allowed, tap, f"{name}.self")
        stream = self.self_norm(stream, sublayer_output, tap, f"{name}.self")
        sublayer_output = self.feed_forward(stream, tap, f"{name}.ffn")
        stream = self.feed_forward_norm(stream, sublayer_output, tap, f"{name}.ffn")
        return stream if tap is None else tap(f"{name}.residual", stream)


class DecoderLayer(nn.Module):
    """Masked self-attention, cross-attention, feed-forward, each with Add & Norm (figure 1, right)."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(config.d_model, config.n_heads, relative_positions(config))
        self.self_norm = AddNorm(config.d_model, config.dropout)
        self.cross_attention = MultiHeadAttention(config.d_model, config.n_heads)
        self.cross_norm = AddNorm(config.d_model, config.dropout)
        self.feed_forward = FeedForward(config.d_model, config.d_ff)
        self.feed_forward_norm = AddNorm(config.d_model, config.dropout)

    def forward(
        self,
        stream: Tensor,
        cross_kv: KeyValue,
        self_allowed: Tensor | None,
        cross_allowed: Tensor | None,
        tap: Tap | None,
        name: str,
        join: Join | None = None,
    ) -> Tensor:
        """`(batch, target, d_model)` -> the same shape.

        Args:
            cross_kv: keys and values of the encoder's output.
            join: the cache of keys, values and queries, if `stream` continues earlier positions.
        """
        self_kv = self.self_attention.project_memory(stream)
        if join is not None:
            self_kv = KeyValue(*(join(f"{name}.self.{part}", new) for part, new in self_kv._asdict().items()))
        sublayer_output = self.self_attention(stream, self_kv, self_allowed, tap, f"{name}.self", join)
        stream = self.self_norm(stream, sublayer_output, tap, f"{name}.self")
        sublayer_output = self.cross_attention(stream, cross_kv, cross_allowed, tap, f"{name}.cross", join)
        stream = self.cross_norm(stream, sublayer_output, tap, f"{name}.cross")
        sublayer_output = self.feed_forward(stream, tap, f"{name}.ffn")
        stream = self.feed_forward_norm(stream, sublayer_output, tap, f"{name}.ffn")
        return stream if tap is None else tap(f"{name}.residual", stream)
