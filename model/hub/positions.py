"""How many tokens a network can read: from its tables of positions, as it uses them, and from its configuration."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode

from .errors import OpenError
from .library_types import Config, Network

NAMES = ("max_position_embeddings", "max_seq_len")  # other names of the library are mapped to the first
ENCODER_NAMES, DECODER_NAMES = ("max_encoder_position_embeddings",), ("max_decoder_position_embeddings",)
PARTS = ("text_config", "encoder", "decoder", "text_encoder", "generator")  # that may contain them


@dataclass(frozen=True)
class PositionLimits:
    """The most tokens that a network reads; None without a limit."""

    source: int | None  # of its only text, or of its encoder
    target: int | None = None  # of its decoder, where it has an encoder too

    def check(self, source: int, target: int = 0) -> None:
        """Refuse more tokens than there are positions.

        Raises:
            OpenError: with both numbers.
        """
        for count, most in ((source, self.source), (target, self.target)):
            if most is not None and count > most:
                raise OpenError(
                    "This text has {count} tokens, and the model has {most} positions; shorten the text.",
                    count=count,
                    most=most,
                )


class PositionTables(TorchFunctionMode):
    """Within this context, records each table that is read at consecutive rows, one for each token.

    Attributes:
        uses: number of tokens, first row and number of rows of each use. Rows before the first are reserved: a table of
            24 rows whose first token reads row 2 has positions for 22 tokens.
    """

    def __init__(self) -> None:
        super().__init__()
        self.uses: set[tuple[int, int, int]] = set()

    def __torch_function__(self, function: Any, types: Any, arguments: Any = (), options: Any = None) -> Any:
        if function is F.embedding:
            rows, table = (*arguments, *(options or {}).values())[:2]
            ids = rows.reshape(-1).tolist() if isinstance(rows, Tensor) and not rows.is_meta else []
            if len(ids) > 1 and rows.shape[-1] == len(ids) and ids == list(range(ids[0], ids[0] + len(ids))):
                self.uses.add((len(ids), ids[0], table.shape[0]))
        return function(*arguments, **(options or {}))

    def most(self, tokens: int | None) -> int | None:
        """The most tokens in the tables that were read for an input of `tokens` tokens."""
        return min((rows - first for count, first, rows in self.uses if count == tokens), default=None)


@contextmanager
def watch_positions() -> Iterator[Callable[[Network, int, int | None], PositionLimits]]:
    """Within this context, watch the tables of positions; yields a function that returns the limits found.

    Its arguments are the network, and the numbers of tokens that its encoder, or it itself, and its decoder read.
    """
    tables = PositionTables()

    def limits(network: Network, source: int, target: int | None) -> PositionLimits:
        first = _least(tables.most(source), _configured(network.config, ENCODER_NAMES, decoder=False))
        if target is None:
            return PositionLimits(first)
        second = _least(tables.most(target), _configured(network.config, DECODER_NAMES, decoder=True))
        return PositionLimits(first, second)

    with tables:
        yield limits


def _configured(config: Config, names: tuple[str, ...], *, decoder: bool) -> int | None:
    """The limit that a configuration states for one side, itself or in a part of it."""
    other = "encoder" if decoder else "decoder"
    parts = [config, *(getattr(config, name, None) for name in PARTS if name != other)]
    counts = (getattr(part, name, None) for part in parts for name in (*names, *NAMES))
    return _least(*(count for count in counts if type(count) is int and count > 0))


def _least(*counts: int | None) -> int | None:
    return min((count for count in counts if count is not None), default=None)
