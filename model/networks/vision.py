"""The Vision Transformer of "An Image is Worth 16x16 Words" (Dosovitskiy et al. 2021).

An image is cut into a grid of patches; each patch, as a vector of pixels, is embedded by one linear map. A learned CLS
vector goes in front, learned position vectors are added, and pre-norm layers with GELU follow (equations 1 to 4).
Pictures of another size get position vectors interpolated from the learned grid (section 3.2).
"""

from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .attention import MultiHeadAttention
from .config import NetworkConfig
from .layers import Layers
from .tap import Tap

NORM_EPSILON = 1e-6


@dataclass(frozen=True)
class VisionConfig(NetworkConfig):
    """Sizes of a ViT (Dosovitskiy et al. 2021, table 1, has much larger ones).

    Raises:
        ValueError: a size is not positive, the image is not a whole number of patches, `d_model` is not divisible by
            `n_heads`, or there are fewer than two classes; the message states what to change.
    """

    classes: tuple[str, ...]
    image_size: int = 96  # pixels a side
    patch_size: int = 8  # pixels a side
    d_model: int = 192
    n_heads: int = 6
    n_layers: int = 6
    d_ff: int = 768
    drop_path: float = 0.1  # stochastic depth: chance that the last layer is skipped in training, falling to 0 below

    def __post_init__(self) -> None:
        self.check_positive("image_size", "patch_size", "d_model", "n_heads", "n_layers", "d_ff")
        if self.image_size % self.patch_size:
            raise ValueError(
                f"image_size {self.image_size} is no whole number of patches of {self.patch_size} pixels; "
                f"choose a multiple of {self.patch_size}."
            )
        if self.d_model % self.n_heads:
            raise ValueError(
                f"d_model {self.d_model} is not divisible by n_heads {self.n_heads}; choose a multiple of "
                f"{self.n_heads}."
            )
        if not 0 <= self.drop_path < 1:
            raise ValueError(f"drop_path {self.drop_path} is outside [0, 1).")
        if len(self.classes) < 2:
            raise ValueError("A classifier needs at least two classes.")

    @property
    def grid(self) -> int:
        """Patches a side at the image size trained for."""
        return self.image_size // self.patch_size

    def positions(self, side: int) -> int:
        """Positions in the sequence for a picture of `side` pixels a side: its patches, and CLS."""
        return 1 + (side // self.patch_size) ** 2

    @property
    def patch_values(self) -> int:
        """Numbers in one patch: red, green and blue of every pixel."""
        return 3 * self.patch_size**2


def to_patches(pixels: Tensor, patch_size: int) -> Tensor:
    """Cut images into flattened patches, row by row from the top left.

    `(batch, 3, height, width)`, both sides multiples of `patch_size`, -> `(batch, patch, 3 * patch_size ** 2)`; within
    a patch all red values come first, then green, then blue.
    """
    blocks = pixels.unfold(2, patch_size, patch_size).unfold(3, patch_size, patch_size)
    # (batch, 3, row, column, y, x) -> (batch, row, column, 3, y, x) -> (batch, patch, values)
    return blocks.permute(0, 2, 3, 1, 4, 5).flatten(3).flatten(1, 2)


class VisionLayer(nn.Module):
    """Pre-norm encoder layer: attention, then GELU feed-forward, each added to the stream (equations 2 and 3)."""

    def __init__(self, config: VisionConfig, drop_path: float) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(config.d_model, NORM_EPSILON)
        self.attention = MultiHeadAttention(config.d_model, config.n_heads)
        self.feed_forward_norm = nn.LayerNorm(config.d_model, NORM_EPSILON)
        self.expand = nn.Linear(config.d_model, config.d_ff)
        self.contract = nn.Linear(config.d_ff, config.d_model)
        self.drop_path = drop_path

    def forward(self, stream: Tensor, tap: Tap | None, name: str) -> Tensor:
        """`(batch, position, d_model)` -> the same shape."""
        normed = self.attention_norm(stream)
        output = self.attention(normed, self.attention.project_memory(normed), None, tap, f"{name}.self")
        if tap is not None:
            output = tap(f"{name}.self.sublayer_output", output)
        stream = stream + self._skip(output)
        hidden = F.gelu(self.expand(self.feed_forward_norm(stream)))  # (batch, position, d_ff)
        if tap is not None:
            hidden = tap(f"{name}.ffn.hidden", hidden)
        output = self.contract(hidden)
        if tap is not None:
            output = tap(f"{name}.ffn.sublayer_output", output)
        stream = stream + self._skip(output)
        return stream if tap is None else tap(f"{name}.residual", stream)

    def _skip(self, output: Tensor) -> Tensor:
        """Stochastic depth (Huang et al. 2016): in training some images of the batch skip the sub-layer."""
        if not self.training or self.drop_path == 0:
            return output
        runs = torch.rand(len(output), 1, 1, device=output.device) >= self.drop_path
        return output * (runs / (1 - self.drop_path)).to(output.dtype)


class VisionTransformer(nn.Module):
    """Pixels in, one logit a class out."""

    def __init__(self, config: VisionConfig) -> None:
        super().__init__()
        self.config = config
        self.patch_embedding = nn.Linear(config.patch_values, config.d_model)
        self.class_embedding = nn.Parameter(torch.empty(config.d_model))
        self.position_embedding = nn.Parameter(torch.empty(1 + config.grid**2, config.d_model))
        depth = max(1, config.n_layers - 1)
        self.layers = Layers(VisionLayer(config, config.drop_path * layer / depth) for layer in range(config.n_layers))
        self.norm = nn.LayerNorm(config.d_model, NORM_EPSILON)
        self.head = nn.Linear(config.d_model, len(config.classes))
        self.apply(_initialise)
        nn.init.trunc_normal_(self.class_embedding, std=0.02)
        nn.init.trunc_normal_(self.position_embedding, std=0.02)

    def positions(self, rows: int, columns: int) -> Tensor:
        """Position vectors for CLS and a grid of `rows` x `columns` patches, `(1 + patches, d_model)`.

        The learned ones at the grid trained for, else interpolated (bicubic) between them.
        """
        grid = self.config.grid
        if (rows, columns) == (grid, grid):
            return self.position_embedding
        learned = self.position_embedding[1:].unflatten(0, (1, grid, grid)).permute(0, 3, 1, 2)  # (1, d, row, column)
        resized = F.interpolate(learned.float(), (rows, columns), mode="bicubic", align_corners=False)
        patches = resized.permute(0, 2, 3, 1).flatten(0, 2).to(learned.dtype)  # (patch, d_model)
        return torch.cat([self.position_embedding[:1], patches])

    @torch.no_grad()
    def resize(self, image_size: int) -> None:
        """Change the image size to `image_size` pixels a side, with the `positions` of that grid.

        Raises:
            ValueError: it is no whole number of patches.
        """
        config = replace(self.config, image_size=image_size)
        self.position_embedding = nn.Parameter(self.positions(config.grid, config.grid).clone())
        self.config = config

    def embed(self, pixels: Tensor, tap: Tap | None = None) -> Tensor:
        """The sequence that the first layer reads, CLS in front: `(batch, 1 + patches, d_model)`.

        Args:
            pixels: `(batch, 3, height, width)`, scaled to [-1, 1].
            tap: called with `vision.patches` (embedded patches), `vision.positions` and `vision.embedded` (the sum).

        Raises:
            ValueError: a side is no whole number of patches.
        """
        size = self.config.patch_size
        if pixels.shape[-1] % size or pixels.shape[-2] % size:
            raise ValueError(f"Both sides of the image must be multiples of {size} pixels, not {tuple(pixels.shape)}.")
        patches = self.patch_embedding(to_patches(pixels, size))  # (batch, patch, d_model)
        positions = self.positions(pixels.shape[-2] // size, pixels.shape[-1] // size)
        if tap is not None:
            patches = tap("vision.patches", patches)
            positions = tap("vision.positions", positions)  # (1 + patch, d_model)
        cls = self.class_embedding.to(patches.dtype).expand(len(patches), 1, -1)
        stream = torch.cat([cls, patches], dim=1) + positions  # (batch, 1 + patch, d_model)
        return stream if tap is None else tap("vision.embedded", stream)

    def forward(self, pixels: Tensor, tap: Tap | None = None) -> Tensor:
        """Logits `(batch, class)` of images `(batch, 3, height, width)` scaled to [-1, 1].

        Args:
            tap: called in every layer with `vision.<layer>.self.*`, `.ffn.hidden`, `.ffn.sublayer_output` and
                `.residual`; see `model.networks.tap`.
        """
        stream = self.embed(pixels, tap)
        for number, layer in enumerate(self.layers):
            stream = layer(stream, tap, f"vision.{number}")
        return self.head(self.norm(stream[:, 0]))  # (batch, d_model) -> (batch, class)


def _initialise(module: nn.Module) -> None:
    if isinstance(module, nn.Linear):
        nn.init.trunc_normal_(module.weight, std=0.02)
        nn.init.zeros_(module.bias)
