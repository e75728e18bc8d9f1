"""The layers of the encoder-decoder Transformer (Vaswani et al. 2017, figure 1): post-norm residuals, ReLU."""

from torch import Tensor, nn

from .attention import Join, KeyValue, MultiHeadAttention
from .config import TransformerConfig
from .linear import Linear
from .relative_positions import relative_positions
from .tap import Tap


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
