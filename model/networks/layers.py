"""A list of layers of one type, known to type checkers."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar, overload

from torch import nn

Layer = TypeVar("Layer", bound=nn.Module)


class Layers(nn.ModuleList, Generic[Layer]):
    """`torch.nn.ModuleList` whose items all have the type `Layer`; `ModuleList` itself is not generic."""

    if TYPE_CHECKING:

        def __init__(self, layers: Iterable[Layer] = ()) -> None: ...

        def __iter__(self) -> Iterator[Layer]: ...

        @overload
        def __getitem__(self, idx: slice) -> "Layers[Layer]": ...

        @overload
        def __getitem__(self, idx: int) -> Layer: ...

        def __getitem__(self, idx: int | slice) -> "Layer | Layers[Layer]": ...
