"""The encoder-decoder Transformer of "Attention Is All You Need" (Vaswani et al. 2017).

Post-norm residuals, ReLU feed-forward layers, sinusoidal positions, embeddings scaled by sqrt(d_model) and tied with
the output projection. Dropout is where section 5.4 puts it: on every sub-layer's output and on the embedding sums.
"""

import math
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from .attention import Join, KeyValue, MultiHeadAttention
from .config import TransformerConfig
from .interfaces import TranslationNetwork
from .linear import Linear
from .masks import causal_mask, padding_mask
from .positional import sinusoidal_encoding
from .tap import Tap

if TYPE_CHECKING:
    from ..decoding.cached import CachedDecoder


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

    The sub-layer's output passes the tap as `{name}.sublayer_output`, the result as `{name}.normalised`; their inputs
    x and the sum before the norm follow from these by an addition, so they need no steps of their own.
    """

    def __init__(self, d_model: int, dropout: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, stream: Tensor, sublayer_output: Tensor, tap: Tap | None = None, name: str = "norm") -> Tensor:
        if tap is None:
            return self.norm(stream + self.dropout(sublayer_output))
        sublayer_output = tap(f"{name}.sublayer_output", sublayer_output)  # (batch, position, d_model)
        return tap(f"{name}.normalised", self.norm(stream + self.dropout(sublayer_output)))


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward, each with Add & Norm (figure 1, left)."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(config.d_model, config.n_heads)
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
        self.self_attention = MultiHeadAttention(config.d_model, config.n_heads)
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
            cross_kv: keys and values of what the encoder puts out.
            join: where `stream` goes on behind positions of which keys, values and queries are kept.
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


class Transformer(TranslationNetwork):
    """The whole network (figure 1): ids in, logits out through the tied embedding (section 3.4)."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary_size, config.d_model)
        self.dropout = nn.Dropout(config.dropout)
        self.encoder = nn.ModuleList(EncoderLayer(config) for _ in range(config.n_encoder_layers))
        self.decoder = nn.ModuleList(DecoderLayer(config) for _ in range(config.n_decoder_layers))
        positions = sinusoidal_encoding(config.max_positions, config.d_model)
        self.register_buffer("positions", positions, persistent=False)
        self.register_buffer("triangle", causal_mask(config.max_positions), persistent=False)
        self.apply(_initialise)

    def embed(self, ids: Tensor, start: int = 0) -> Tensor:
        """Embedding rows x sqrt(d_model) + positions (sections 3.4 and 3.5).

        Args:
            ids: `(batch, position)` int64.
            start: the position of the first of them.

        Returns:
            `(batch, position, d_model)`.

        Raises:
            ValueError: the sequence is longer than the table of positions.
        """
        end = start + ids.shape[1]
        if end > self.config.max_positions:
            raise ValueError(f"{end} positions are more than the {self.config.max_positions} this model has.")
        scaled = self.embedding(ids) * math.sqrt(self.config.d_model)
        embedded = self.dropout(scaled + self.positions[start:end])
        kind = embedded.device.type
        # under autocast the residual stream is low precision too: half the memory traffic, and post-norm keeps it
        # at unit scale
        return embedded.to(torch.get_autocast_dtype(kind)) if torch.is_autocast_enabled(kind) else embedded

    def encode(self, source: Tensor, source_allowed: Tensor | None = None, tap: Tap | None = None) -> Tensor:
        """Run the encoder: `(batch, source)` ids -> `(batch, source, d_model)`.

        Args:
            source_allowed: `(batch, 1, 1, source)` from `padding_mask`; None where nothing is padded.
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

        Padding in the target needs no mask of its own: it stands behind the real tokens, where the causal mask
        already hides it from them.

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
        """Encode, and get ready to decode token by token; the arguments are those of `encode`."""
        from ..decoding.cached import CachedDecoder  # which is made for this class

        return CachedDecoder(self, self.encode(source, source_allowed, tap), source_allowed, tap)


def _initialise(module: nn.Module) -> None:
    if isinstance(module, nn.Linear):
        nn.init.xavier_uniform_(module.weight)
        nn.init.zeros_(module.bias)
    elif isinstance(module, nn.Embedding):
        # sqrt(d_model) x this gives unit variance, the scale of the sinusoids it is added to
        nn.init.normal_(module.weight, std=module.embedding_dim**-0.5)


@torch.no_grad()
def parameter_count(network: nn.Module) -> int:
    """Number of trained numbers; tied tensors count once."""
    return sum(parameter.numel() for parameter in network.parameters())
