"""A residual convolutional network (He et al. 2016), to compare with a Vision Transformer of about the same size.

A stem of two convolutions makes maps of a quarter of the picture's sides; stages of residual blocks follow, each stage
after the first at half the sides. In a block, two 3 x 3 convolutions with batch normalisation are scaled channel by
channel (squeeze-and-excitation, Hu et al. 2018) and added to the stream. The mean over all cells is classified.

A cell's value depends on its neighbours only, and every cell uses the same filters: locality and translation
equivariance are built in, while a Vision Transformer has to learn them.
"""

from dataclasses import dataclass
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .config import NetworkConfig
from .layers import Layers
from .tap import Tap

STEM_STRIDE = 4  # pixels of the picture along a side of one cell of the first stage


@dataclass(frozen=True)
class ConvolutionConfig(NetworkConfig):
    """Sizes of the network.

    Raises:
        ValueError: a size is not positive, a width is no multiple of `squeeze`, the picture is smaller than one cell
            of the last stage, or there are fewer than two classes; the message states what to change.
    """

    classes: tuple[str, ...]  # names, in the order of the logits
    image_size: int = 128  # pixels a side that pictures are read at, chosen after training; any other size works too
    widths: tuple[int, ...] = (64, 128, 256)  # channels of each stage
    blocks: int = 2  # residual blocks in each stage
    # a block's channels, divided by this, are the hidden units that decide how much each channel counts
    squeeze: int = 8

    def __post_init__(self) -> None:
        self.check_positive("image_size", "blocks", "squeeze")
        if not self.widths:
            raise ValueError("widths is empty; give the channels of at least one stage.")
        for width in self.widths:
            if width < 1 or width % self.squeeze:
                raise ValueError(f"A stage of {width} channels: choose a multiple of squeeze, which is {self.squeeze}.")
        if self.image_size < self.stride:
            raise ValueError(
                f"image_size {self.image_size} is smaller than one place of the last stage; choose at least "
                f"{self.stride}."
            )
        if len(self.classes) < 2:
            raise ValueError("A classifier needs at least two classes.")

    @property
    def stride(self) -> int:
        """Pixels of the picture along a side of one cell of the last stage."""
        return STEM_STRIDE * 2 ** (len(self.widths) - 1)

    def positions(self, side: int) -> int:
        """Cells in the last stage's maps of a picture of `side` pixels a side."""
        return max(1, side // self.stride) ** 2


class Convolution(nn.Module):
    """A convolution without bias, whose filters are the rows of one matrix.

    As a matrix they can be trained by the optimiser for matrices. Read as `(out, row, column, in)`, the channels of one
    cell are contiguous in memory (channels last), as in the maps, which is how a CPU convolves fastest.

    Args:
        channels_in, channels_out: of the maps.
        size: of a filter, in cells a side; odd, and the maps are padded with zeros so that their size stays the same.
        stride: cells between two results.
    """

    def __init__(self, channels_in: int, channels_out: int, size: int, stride: int = 1) -> None:
        super().__init__()
        self.size, self.stride = size, stride
        self.weight = nn.Parameter(torch.empty(channels_out, size * size * channels_in))
        nn.init.normal_(self.weight, std=(2 / (size * size * channels_in)) ** 0.5)  # He et al. 2015

    @property
    def filters(self) -> Tensor:
        """The same numbers as `(out, in, row, column)`, as `torch.nn.Conv2d` has them."""
        return self.weight.unflatten(1, (self.size, self.size, -1)).permute(0, 3, 1, 2)

    def forward(self, maps: Tensor) -> Tensor:
        """`(batch, in, row, column)` -> `(batch, out, row / stride, column / stride)`, rounded up."""
        return F.conv2d(maps, self.filters, None, self.stride, self.size // 2)


class ResidualBlock(nn.Module):
    """Two convolutions, scaled channel by channel, added to the stream.

    Args:
        channels_in, channels_out: of the stream before and after.
        stride: 2 halves the sides of the maps.
        squeeze: see `ConvolutionConfig`.
    """

    def __init__(self, channels_in: int, channels_out: int, stride: int, squeeze: int) -> None:
        super().__init__()
        self.stride = stride
        self.first = Convolution(channels_in, channels_out, 3, stride)
        self.first_norm = nn.BatchNorm2d(channels_out)
        self.second = Convolution(channels_out, channels_out, 3)
        self.second_norm = nn.BatchNorm2d(channels_out)
        self.squeeze = nn.Linear(channels_out, channels_out // squeeze)
        self.excite = nn.Linear(channels_out // squeeze, channels_out)
        self.shortcut = Convolution(channels_in, channels_out, 1) if channels_in != channels_out else None

    def forward(self, stream: Tensor) -> Tensor:
        """`(batch, in, row, column)` -> `(batch, out, row / stride, column / stride)`."""
        hidden = F.silu(self.first_norm(self.first(stream)))  # (batch, out, row', column')
        hidden = self.second_norm(self.second(hidden))
        summary = hidden.mean(dim=(2, 3))  # (batch, out)
        share = self.excite(F.silu(self.squeeze(summary))).sigmoid()  # (batch, out)
        if self.stride > 1:  # a mean over the cells that become one, so that none is left out (He et al. 2019)
            stream = F.avg_pool2d(stream, self.stride, ceil_mode=True)  # (batch, in, row', column')
        if self.shortcut is not None:
            stream = self.shortcut(stream)  # (batch, out, row', column')
        return F.silu(stream + hidden * share[:, :, None, None])


class ConvolutionalNetwork(nn.Module):
    """Pixels in, one logit a class out.

    Args:
        config: the sizes; see `ConvolutionConfig`.
    """

    def __init__(self, config: ConvolutionConfig) -> None:
        super().__init__()
        self.config = config
        first, last = config.widths[0], config.widths[-1]
        self.stem = Layers([Convolution(3, first // 2, 3, 2), Convolution(first // 2, first, 3, 2)])
        self.stem_norms = Layers([nn.BatchNorm2d(first // 2), nn.BatchNorm2d(first)])
        self.blocks: Layers[ResidualBlock] = Layers()
        for before, width in pairwise((first, *config.widths)):
            for number in range(config.blocks):
                halves = number == 0 and len(self.blocks) > 0
                self.blocks.append(
                    ResidualBlock(before if number == 0 else width, width, 2 if halves else 1, config.squeeze)
                )
        self.head = nn.Linear(last, len(config.classes))

    def forward(self, pixels: Tensor, tap: Tap | None = None) -> Tensor:
        """Logits `(batch, class)` of images `(batch, 3, height, width)` scaled to [-1, 1].

        Args:
            tap: called with `convolution.stem`, then with `convolution.<block>` after every block, counted from 0: the
                stream `(batch, channel, row, column)`.
        """
        stream = pixels.contiguous(memory_format=torch.channels_last)
        for convolution, norm in zip(self.stem, self.stem_norms, strict=True):
            stream = F.silu(norm(convolution(stream)))  # (batch, channel, row / 2, column / 2)
        if tap is not None:
            stream = tap("convolution.stem", stream)
        for number, block in enumerate(self.blocks):
            stream = block(stream)
            if tap is not None:
                stream = tap(f"convolution.{number}", stream)
        return self.head(stream.mean(dim=(2, 3)))  # (batch, channel, row, column) -> (batch, class)
