"""Which position of a network of pictures is which patch: found by changing patches, for every size of picture."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import torch
from torch import Tensor

from .eager_attention import AttentionCall, CallRecorder
from .errors import OpenError
from .forward_run import ModelInputs, run_network
from .library_version import Config, Network

TOLERANCE = 1e-4  # of the largest score; what a patch does not reach changes by less
HALF_TOLERANCE = 3e-2  # in half precision


@dataclass(frozen=True)
class PictureLayout:
    """The positions of a picture: other tokens, the patches row by row, other tokens."""

    grid: tuple[int, int]  # rows and columns of patches
    leading: int  # tokens before the patches, CLS and registers
    trailing: int = 0  # tokens after them, such as those of detections

    @property
    def positions(self) -> int:
        """The number of all tokens."""
        return self.leading + self.grid[0] * self.grid[1] + self.trailing


class _FirstCall(Exception):
    """Ends a run once the first call of attention between tokens is computed; no error leaves this module by it."""


class LayoutFinder:
    """The layout of pictures of a network, found once for each size.

    Args:
        names: of the calls in a run.
    """

    def __init__(self, network: Network, names: tuple[str | None, ...], *, by_interface: bool) -> None:
        self._network, self._names, self._by_interface = network, names, by_interface
        self._layouts: dict[tuple[int, ...], PictureLayout] = {}

    def __call__(self, inputs: ModelInputs) -> PictureLayout:
        """The layout of a picture; see `find_layout`."""
        size = tuple(inputs["pixel_values"].shape)
        if size not in self._layouts:
            with other_size_stated(self._network, inputs):
                self._layouts[size] = find_layout(self._network, inputs, self._names, by_interface=self._by_interface)
        return self._layouts[size]


def find_layout(
    network: Network, inputs: ModelInputs, names: tuple[str | None, ...], *, by_interface: bool
) -> PictureLayout:
    """Find the positions of the patches of a picture, and prove them.

    The pixels of a corner patch are changed, and the scores of the first layer are compared: exactly one position may
    have other queries and keys. Runs end after that layer.

    Args:
        names: of the calls in a run.

    Raises:
        OpenError: a changed patch changes several positions, or not those of a grid row by row.
    """
    pixels = inputs["pixel_values"]
    size = patch_size(network.config)
    rows, columns = pixels.shape[-2] // size[0], pixels.shape[-1] // size[1]
    first = next(index for index, name in enumerate(names) if name is not None)
    scores = _first_scores(network, inputs, first, by_interface)
    places = {}
    for row, column in sorted({(r, c) for r in (0, rows - 1) for c in (0, columns - 1)}):
        changed = pixels.clone()
        block = changed[..., row * size[0] : (row + 1) * size[0], column * size[1] : (column + 1) * size[1]]
        generator = torch.Generator().manual_seed(row * columns + column)
        noise = torch.rand(block.shape, generator=generator).to(block)
        block += (noise - 0.5) * (pixels.amax() - pixels.amin() + 1)
        other = _first_scores(network, {**inputs, "pixel_values": changed}, first, by_interface)
        places[row, column] = _changed_position(scores, other, half=pixels.dtype != torch.float32)
    start = places[0, 0]
    if start is None or any(place != start + row * columns + column for (row, column), place in places.items()):
        raise OpenError(
            "Which position of this model is which patch of {rows} x {columns} cannot be proven: changing one patch "
            "does not change exactly its position.",
            rows=rows,
            columns=columns,
        )
    return PictureLayout((rows, columns), start, scores.shape[-1] - start - rows * columns)


def patch_size(config: Config) -> tuple[int, int]:
    """Height and width of a patch.

    Raises:
        OpenError: the configuration has no patch size.
    """
    size = _of_parts(config, "patch_size")
    if size is None:
        raise OpenError("The configuration does not state the size of this model's patches (patch_size); add it.")
    height, width = (size, size) if isinstance(size, int) else size
    return height, width


def whole_patches(config: Config, pixels: Tensor) -> Tensor:
    """A picture without what is left of a row or column of patches, which is not read."""
    if _of_parts(config, "patch_size") is None or _of_parts(config, "patch_stride") is not None:  # patches overlap
        return pixels
    height, width = patch_size(config)
    whole = pixels[..., : pixels.shape[-2] // height * height, : pixels.shape[-1] // width * width]
    return whole if whole.numel() else pixels


def channels(config: Config) -> int:
    """Number of colour channels of the pictures."""
    count = _of_parts(config, "num_channels")
    return count if isinstance(count, int) else 3


def picture_size(config: Config) -> tuple[int, int] | None:
    """Height and width of the pictures that a network was trained with; None where the configuration has none."""
    size = _of_parts(config, "image_size")
    if isinstance(size, int):
        return size, size
    return tuple(size) if isinstance(size, list | tuple) and len(size) == 2 else None


@contextmanager
def other_size_stated(network: Network, inputs: ModelInputs) -> Iterator[None]:
    """Within this context, a network that fails on a picture of another size than its own is refused for that."""
    try:
        yield
    except OpenError:
        raise
    except Exception:
        pixels, expected = inputs.get("pixel_values"), picture_size(network.config)
        if pixels is None or expected is None or tuple(pixels.shape[-2:]) == expected:
            raise
        raise OpenError(
            "The image processor makes pictures of {width} x {height} pixels, and this model reads {own_width} x "
            "{own_height} only; correct the size in preprocessor_config.json.",
            width=pixels.shape[-1],
            height=pixels.shape[-2],
            own_width=expected[1],
            own_height=expected[0],
        ) from None


def _of_parts(config: Config, name: str):
    """A setting of the configuration, or of a part of it."""
    parts = (config, *(getattr(config, part, None) for part in config.sub_configs))
    return next((value for part in parts if (value := getattr(part, name, None)) is not None), None)


def _first_scores(network: Network, inputs: ModelInputs, first: int, by_interface: bool) -> Tensor:
    """Scores `(head, query, key)` of the call `first`; the run ends there."""
    scores: list[Tensor] = []

    def keep(index: int, call: AttentionCall) -> None:
        if index == first:
            scores.append(call.original_scores[0].float())
            raise _FirstCall

    with suppress(_FirstCall):
        run_network(network, inputs, CallRecorder(reduce=keep), by_interface)
    return scores[0]


def _changed_position(before: Tensor, after: Tensor, *, half: bool) -> int | None:
    """The only position whose scores as query and as key changed; None where that is not exactly one."""
    if before.shape != after.shape or before.shape[-1] != before.shape[-2]:
        return None
    change = (after - before).abs().amax(dim=0)  # (query, key)
    bound = (HALF_TOLERANCE if half else TOLERANCE) * max(1.0, float(before.abs().max()))
    place = int((change.sum(dim=0) + change.sum(dim=1)).argmax())
    others = torch.arange(change.shape[0], device=change.device) != place
    if float(change[others][:, others].max()) > bound or float(change[place].max()) <= bound:
        return None
    return place
