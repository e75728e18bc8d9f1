"""The pictures in the inputs of a network of pictures and text: their patches, how to change some, and their pixels."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from .errors import OpenError
from .forward_run import ModelInputs
from .library_version import Config
from .picture_layout import patch_size

GRIDS = "image_grid_thw"  # of processors that give patches in place of pictures: times, rows and columns of each


class PixelFrames(ABC):
    """The pictures of an input, or the tiles of each, in the order in which the network receives them."""

    grids: tuple[tuple[int, int], ...]  # rows and columns of patches of every frame

    def __init__(self, inputs: ModelInputs, config: Config) -> None:
        self.values, self.config = inputs["pixel_values"], config

    @property
    def patches(self) -> int:
        """Number of patches of all frames."""
        return sum(rows * columns for rows, columns in self.grids)

    def changed(self, marks: Sequence[np.ndarray]) -> Tensor:
        """The pixel values with random numbers in the patches that are marked, `(row, column)` bool for each frame."""
        values = self.values.float().cpu()
        noise = torch.rand(values.shape, generator=torch.Generator().manual_seed(0)) - 0.5
        different = values + noise * (values.amax() - values.amin() + 1)
        return torch.where(self._mask(marks), different, values).to(self.values)

    @abstractmethod
    def _mask(self, marks: Sequence[np.ndarray]) -> Tensor:
        """Which pixel values belong to marked patches; broadcastable to the pixel values."""

    @abstractmethod
    def pixels(self, frame: int) -> np.ndarray:
        """A frame as a picture, `(height, width, 3)` float32 in [0, 1]."""

    def merged(self, factor: int) -> tuple[tuple[int, int], ...] | None:
        """Rows and columns of parts of `factor` x `factor` patches; None where a frame cannot be cut into these."""
        if any(rows % factor or columns % factor for rows, columns in self.grids):
            return None
        return tuple((rows // factor, columns // factor) for rows, columns in self.grids)


class StackedFrames(PixelFrames):
    """Pictures of one size, `(..., channel, height, width)`."""

    def __init__(self, inputs: ModelInputs, config: Config) -> None:
        super().__init__(inputs, config)
        self._patch = patch_size(config)
        height, width = self.values.shape[-2:]
        count = int(np.prod(self.values.shape[:-3]))
        self.grids = ((height // self._patch[0], width // self._patch[1]),) * count

    def _mask(self, marks: Sequence[np.ndarray]) -> Tensor:
        height, width = self.values.shape[-2:]
        whole = np.zeros((len(marks), height, width), dtype=bool)
        for frame, mark in enumerate(marks):
            block = np.kron(mark, np.ones(self._patch, dtype=bool))
            whole[frame, : block.shape[0], : block.shape[1]] = block
        return torch.from_numpy(whole).reshape(*self.values.shape[:-3], 1, height, width)

    def pixels(self, frame: int) -> np.ndarray:
        values = self.values.reshape(-1, *self.values.shape[-3:])[frame]
        return _as_picture(values.float().cpu().permute(1, 2, 0).numpy())


class FlatFrames(PixelFrames):
    """Patches of all pictures one after another, `(patch, numbers)`, those that are merged next to each other."""

    def __init__(self, inputs: ModelInputs, config: Config) -> None:
        super().__init__(inputs, config)
        vision = config.vision_config
        self._merge = int(getattr(vision, "spatial_merge_size", 1))
        self._side = patch_size(config)
        self.grids = tuple((int(rows), int(columns)) for _, rows, columns in inputs[GRIDS].tolist())
        if any(int(times) != 1 for times in inputs[GRIDS][:, 0]) or self.patches != self.values.shape[0]:
            raise OpenError("The processor of this model makes videos of pictures; such pictures are not shown.")

    def _rows(self, frame: int) -> np.ndarray:
        """Index of the pixel values of every patch of a frame, `(row, column)`."""
        first = sum(rows * columns for rows, columns in self.grids[:frame])
        rows, columns = self.grids[frame]
        merge = self._merge
        blocks = np.arange(rows * columns).reshape(rows // merge, columns // merge, merge, merge)
        return first + blocks.transpose(0, 2, 1, 3).reshape(rows, columns)

    def _mask(self, marks: Sequence[np.ndarray]) -> Tensor:
        mask = np.zeros((self.values.shape[0], 1), dtype=bool)
        for frame, mark in enumerate(marks):
            mask[self._rows(frame)[mark]] = True
        return torch.from_numpy(mask)

    def pixels(self, frame: int) -> np.ndarray:
        values = self.values.float().cpu().numpy()[self._rows(frame)]  # (row, column, numbers)
        height, width = self._side
        rows, columns = self.grids[frame]
        cut = values.reshape(rows, columns, 3, -1, height, width)[:, :, :, 0]  # all times show the same
        return _as_picture(cut.transpose(0, 3, 1, 4, 2).reshape(rows * height, columns * width, 3))


def frames_of(inputs: ModelInputs, config: Config) -> PixelFrames:
    """The frames of an input.

    Raises:
        OpenError: its pixel values have another form.
    """
    values = inputs["pixel_values"]
    if values.ndim >= 4:
        return StackedFrames(inputs, config)
    if values.ndim == 2 and GRIDS in inputs:
        return FlatFrames(inputs, config)
    raise OpenError(
        "The processor of this model makes pixel values of {shape}, and where a patch is in these is not known; its "
        "pictures are not shown.",
        shape=" x ".join(map(str, values.shape)),
    )


def _as_picture(values: np.ndarray) -> np.ndarray:
    """Values from 0 to 1 in three colours."""
    span = float(values.max() - values.min())
    scaled = ((values - values.min()) / max(span, 1e-6)).astype(np.float32)
    return scaled.repeat(3, axis=-1) if scaled.shape[-1] == 1 else scaled
