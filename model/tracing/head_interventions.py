"""Changes to heads: each kind of change as a plain value, with the function that applies it to a tensor.

Layers, heads, queries and keys count from 0.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from ..runtime.messages import Place, UserError
from .kinds import kind_of

Heads = tuple[tuple[int, int], ...]  # (layer, head)
Shapes = Mapping[str, tuple[int, ...]]  # kind of attention -> (layers, heads, queries, keys)
Layers = Mapping[str, Sequence[int]]  # kind of attention -> numbers of its layers in the network

LARGEST_FACTOR = 1000.0  # as a factor or a temperature
LARGEST_DELTA = 1000.0  # added to a score; far less makes a weight 0 or 1 in single precision


class InterventionError(UserError, ValueError):
    """An intervention that is impossible; the message is one sentence for the user."""


@dataclass(frozen=True)
class HeadIntervention(ABC):
    """One change to some heads."""

    kind: str  # name of a kind of attention; see `model.tracing.kinds`
    heads: Heads  # (layer, head) pairs; if empty, nothing changes

    word: ClassVar[str]  # its name in text
    step: ClassVar[str]  # the step of the tap that it changes

    def check(self, shapes: Shapes) -> None:
        """Check that a network and sentence of these shapes have such heads, queries and keys.

        Raises:
            InterventionError: the message states what there is.
        """
        if self.kind not in shapes:
            known = ", ".join(shapes)
            raise InterventionError(
                "There is no attention of kind {kind!r} here; choose one of {known}.", kind=self.kind, known=known
            )
        self._check_form()
        layers, heads = shapes[self.kind][:2]
        for layer, head in self.heads:
            if not (0 <= layer < layers and 0 <= head < heads):
                raise InterventionError(
                    "There is no head {head} in layer {layer}: {kind} attention has {layers} "
                    "{layers:layer|layers} of {heads} {heads:head|heads}.",
                    head=Place(head),
                    layer=Place(layer),
                    kind=self.kind,
                    layers=layers,
                    heads=heads,
                )

    def _check_form(self) -> None:
        """Check that heads are pairs of whole numbers, and that all other values are numbers.

        Raises:
            InterventionError: the message states what to give.
        """
        if not isinstance(self.heads, tuple | list) or not all(
            isinstance(pair, tuple | list) and len(pair) == 2 and all(isinstance(number, Integral) for number in pair)
            for pair in self.heads
        ):
            raise InterventionError(
                "Heads are given as pairs of a layer and a head, such as ((0, 3), (0, 5)), not as {heads!r}.",
                heads=self.heads,
            )
        for field in fields(self)[2:]:
            value = getattr(self, field.name)
            numbers = value if isinstance(value, tuple | list) else (value,)
            if not all(number is None or isinstance(number, Real) for number in numbers):
                raise InterventionError(
                    "{name} of a change is a number, not {value!r}; give another.", name=field.name, value=value
                )

    def in_layer(self, layer: int) -> list[int]:
        """List the heads of one layer that it changes."""
        return [head for head_layer, head in self.heads if head_layer == layer]

    def values(self) -> str:
        """Encode all fields but kind and heads as text."""
        return ".".join(f"{getattr(self, field.name):.15g}" for field in fields(self)[2:])

    @abstractmethod
    def change(self, tensor: Tensor, heads: list[int], n_heads: int) -> Tensor:
        """Compute the replacement of one layer's tensor of this step, `(batch, head, query, key)` or `(..., d)`."""


@dataclass(frozen=True)
class Scale(HeadIntervention):
    """Multiply the outputs of heads, before W_O; 0 ablates them."""

    factor: float = 0.0
    word, step = "scale", "outputs"

    def check(self, shapes: Shapes) -> None:
        """Check as `HeadIntervention.check` does. Raises: InterventionError."""
        super().check(shapes)
        if not abs(self.factor) <= LARGEST_FACTOR:
            raise InterventionError(
                "The factor is {factor}; it must be from {low:g} to {high:g}.",
                factor=self.factor,
                low=-LARGEST_FACTOR,
                high=LARGEST_FACTOR,
            )

    def change(self, tensor: Tensor, heads: list[int], n_heads: int) -> Tensor:
        """Compute the replacement of a step, `(batch, head, query, key)` or `(batch, head, query, d)`."""
        return _replace(tensor, heads, tensor[:, heads] * self.factor)


@dataclass(frozen=True)
class Temperature(HeadIntervention):
    """Divide scores; below 1 sharpens, above 1 flattens the weights."""

    temperature: float = 1.0
    word, step = "temperature", "scores"

    def check(self, shapes: Shapes) -> None:
        """Check as `HeadIntervention.check` does. Raises: InterventionError."""
        super().check(shapes)
        if not 1 / LARGEST_FACTOR <= self.temperature <= LARGEST_FACTOR:
            raise InterventionError(
                "The temperature is {temperature}; it must be from {low:g} to {high:g}.",
                temperature=self.temperature,
                low=1 / LARGEST_FACTOR,
                high=LARGEST_FACTOR,
            )

    def change(self, tensor: Tensor, heads: list[int], n_heads: int) -> Tensor:
        """Compute the replacement of a step, `(batch, head, query, key)` or `(batch, head, query, d)`."""
        return _replace(tensor, heads, tensor[:, heads] / self.temperature)


@dataclass(frozen=True)
class NoMask(HeadIntervention):
    """Remove the causal mask: queries attend to later keys too. Only decoder self-attention has one."""

    word, step = "unmask", "mask"

    def check(self, shapes: Shapes) -> None:
        """Check as `HeadIntervention.check` does. Raises: InterventionError."""
        super().check(shapes)
        if not kind_of(self.kind).causal:
            raise InterventionError(
                "Only decoder self-attention has a causal mask to remove, not {kind}.", kind=self.kind
            )

    def change(self, tensor: Tensor, heads: list[int], n_heads: int) -> Tensor:
        """Compute the replacement of a step, `(batch, head, query, key)` or `(batch, head, query, d)`."""
        allowed = tensor.expand(-1, n_heads, -1, -1).clone()  # (batch, head, query, key)
        allowed[:, heads] = True
        return allowed


@dataclass(frozen=True)
class Window(HeadIntervention):
    """A query attends only to keys less than `size` positions away. Not for cross-attention, with its two sequences."""

    size: int = 1
    word, step = "window", "scores"

    def check(self, shapes: Shapes) -> None:
        """Check as `HeadIntervention.check` does. Raises: InterventionError."""
        super().check(shapes)
        if not kind_of(self.kind).square:
            raise InterventionError(
                "A window needs queries and keys from one sequence; in cross-attention they come from two."
            )
        if self.size < 1:
            raise InterventionError(
                "The window is {size} wide; every query must attend to at least one key.", size=self.size
            )

    def hidden(self, queries: int, keys: int) -> np.ndarray:
        """Mark the hidden keys, `(query, key)` bool."""
        query, key = np.indices((queries, keys))
        return np.abs(query - key) >= self.size

    def change(self, tensor: Tensor, heads: list[int], n_heads: int) -> Tensor:
        """Compute the replacement of a step, `(batch, head, query, key)` or `(batch, head, query, d)`."""
        return _hide(tensor, heads, self.hidden(*tensor.shape[2:]))


@dataclass(frozen=True)
class Forbid(HeadIntervention):
    """No query attends to these keys."""

    keys: tuple[int, ...] = ()
    word, step = "forbid", "scores"

    def check(self, shapes: Shapes) -> None:
        """Check as `HeadIntervention.check` does. Raises: InterventionError."""
        super().check(shapes)
        for key in self.keys:
            _check_place("key", key, shapes[self.kind][3])

    def values(self) -> str:
        """Encode all fields but kind and heads as text."""
        return ".".join(str(key + 1) for key in self.keys)

    def hidden(self, queries: int, keys: int) -> np.ndarray:
        """Mark the hidden keys, `(query, key)` bool; a key may not exist yet."""
        return np.broadcast_to(np.isin(np.arange(keys), self.keys), (queries, keys))

    def change(self, tensor: Tensor, heads: list[int], n_heads: int) -> Tensor:
        """Compute the replacement of a step, `(batch, head, query, key)` or `(batch, head, query, d)`."""
        return _hide(tensor, heads, self.hidden(*tensor.shape[2:]))


@dataclass(frozen=True)
class OneHot(HeadIntervention):
    """A query attends to one key only, regardless of scores and mask: its weights become one-hot."""

    key: int = 0
    # None means every query; in the decoder, every query that does not precede the key
    query: int | None = None
    word, step = "force", "weights"

    def check(self, shapes: Shapes) -> None:
        """Check as `HeadIntervention.check` does. Raises: InterventionError."""
        super().check(shapes)
        queries, keys = shapes[self.kind][2:]
        _check_place("key", self.key, keys)
        if self.query is not None:
            _check_place("query", self.query, queries)
            if kind_of(self.kind).causal and self.query < self.key:
                raise InterventionError(
                    "Decoder query {query} cannot attend to key {key}, which is not generated yet; "
                    "choose a key up to {query}.",
                    query=Place(self.query),
                    key=Place(self.key),
                )

    def values(self) -> str:
        """Encode all fields but kind and heads as text."""
        return f"{self.key + 1}" if self.query is None else f"{self.key + 1}.{self.query + 1}"

    def rows(self, queries: int, keys: int) -> list[int]:
        """List the queries whose weights become one-hot; none while the key does not exist yet."""
        if self.key >= keys:
            return []
        if self.query is not None:
            return [self.query] if self.query < queries else []
        return list(range(self.key if kind_of(self.kind).causal else 0, queries))

    def change(self, tensor: Tensor, heads: list[int], n_heads: int) -> Tensor:
        """Compute the replacement of a step, `(batch, head, query, key)` or `(batch, head, query, d)`."""
        rows = self.rows(*tensor.shape[2:])
        if not rows:
            return tensor
        weights = tensor.clone()
        for head in heads:
            weights[:, head, rows] = 0
            weights[:, head, rows, self.key] = 1
        return weights


@dataclass(frozen=True)
class Pull(HeadIntervention):
    """Add a number to the score of one key at one query; the other weights of the row keep their proportions.

    `delta` is in units of the scores, before the softmax; -inf removes the key from the row. See `model.pulling.deltas`
    for the number that gives a key a wanted weight.
    """

    key: int = 0
    query: int = 0
    delta: float = 0.0
    word, step = "pull", "scores"

    def check(self, shapes: Shapes) -> None:
        """Check as `HeadIntervention.check` does. Raises: InterventionError."""
        super().check(shapes)
        queries, keys = shapes[self.kind][2:]
        _check_place("key", self.key, keys)
        _check_place("query", self.query, queries)
        if kind_of(self.kind).causal and self.query < self.key:
            raise InterventionError(
                "The mask hides key {key} from decoder query {query}, so no score gives it a weight; "
                "choose a key up to {query}.",
                query=Place(self.query),
                key=Place(self.key),
            )
        if not (abs(self.delta) <= LARGEST_DELTA or self.delta == -math.inf):
            raise InterventionError(
                "The number added to the score is {delta}; it must be from {low:g} to {high:g}, or be -inf.",
                delta=self.delta,
                low=-LARGEST_DELTA,
                high=LARGEST_DELTA,
            )

    def values(self) -> str:
        """Encode all fields but kind and heads as text."""
        return f"{self.key + 1}.{self.query + 1}.{float(self.delta)!r}"

    def hidden(self, queries: int, keys: int) -> np.ndarray:
        """Mark the hidden keys, `(query, key)` bool: this one, if its score becomes -inf."""
        hidden = np.zeros((queries, keys), dtype=bool)
        if self.delta == -math.inf and self._exists(queries, keys):
            hidden[self.query, self.key] = True
        return hidden

    def change(self, tensor: Tensor, heads: list[int], n_heads: int) -> Tensor:
        """Compute the replacement of a step, `(batch, head, query, key)` or `(batch, head, query, d)`."""
        if not self._exists(*tensor.shape[2:]):
            return tensor
        scores = tensor.clone()
        scores[:, heads, self.query, self.key] += self.delta
        return scores

    def _exists(self, queries: int, keys: int) -> bool:
        """Whether the place exists yet; while a translation is generated, queries and keys are added one by one."""
        return self.query < queries and self.key < keys


HEAD_INTERVENTIONS: tuple[type[HeadIntervention], ...] = (Scale, Temperature, NoMask, Window, Forbid, OneHot, Pull)


def _check_place(name: str, place: int, count: int) -> None:
    if not 0 <= place < count:
        values = {"name": name, "place": Place(place), "count": count, "first": Place(0)}
        raise InterventionError("There is no {name} {place}; there are {count}, counted from {first}.", **values)


def _replace(tensor: Tensor, heads: list[int], values: Tensor) -> Tensor:
    """Return a copy of `tensor` with other values for some heads."""
    tensor = tensor.clone()
    tensor[:, heads] = values
    return tensor


def _hide(scores: Tensor, heads: list[int], hidden: np.ndarray) -> Tensor:
    mask = torch.tensor(hidden, device=scores.device)
    return _replace(scores, heads, scores[:, heads].masked_fill(mask, -math.inf))
