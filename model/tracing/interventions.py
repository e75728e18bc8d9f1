"""Interventions as plain values: which heads change how. They can be saved as text, combined, and converted to a tap.

Layers, heads, queries and keys count from 0 here; the text form counts from 1, as pages do. The networks do not depend
on interventions: a tap changes their tensors (see `model.networks.tap`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from torch import Tensor

from ..networks.recurrent_config import READS, RecurrentConfig
from ..networks.tap import AtEveryStep, Chain, Intervention, Tap, hold_gate
from ..runtime.device import ran_out_of_memory
from ..runtime.messages import Place, Places, UserError
from .head_interventions import (
    HEAD_INTERVENTIONS,
    Forbid,
    HeadIntervention,
    Heads,
    InterventionError,
    Layers,
    NoMask,
    OneHot,
    Pull,
    Scale,
    Shapes,
    Temperature,
    Window,
)
from .kinds import kind_of

OUTER = "attention_atlas."  # the package that has this one in it, where it is installed


@dataclass(frozen=True)
class HeadInterventions:
    """Several changes at once, applied by step: scores, mask, weights, outputs; within a step in their order."""

    changes: tuple[HeadIntervention, ...] = ()

    @property
    def looks_ahead(self) -> bool:
        """True if a decoder query may attend to a later token."""
        return any(isinstance(change, NoMask) and change.heads for change in self.changes)

    def with_change(self, change: HeadIntervention) -> HeadInterventions:
        """Return these changes with one more, the last.

        One-hot attention replaces earlier one-hot attention of the same rows and heads; pulls of a row add up.
        """
        rest = [_without_rows(earlier, change) for earlier in self.changes]
        return HeadInterventions((*(earlier for earlier in rest if earlier is not None), change))

    def without_last(self) -> HeadInterventions:
        """Return these changes without the last one, as undo does; without any, the same."""
        return HeadInterventions(self.changes[:-1])

    def check(self, shapes: Shapes, layers: Layers | None = None) -> None:
        """Check that all changes are possible with these shapes, see `attention_shapes`.

        Args:
            layers: kind -> numbers of the layers that have it, where these are not all of a network.

        Raises:
            InterventionError: a kind, head, query or key does not exist, a number is out of range, or a query would
                be left without any key.
        """
        if not isinstance(self.changes, tuple | list) or not all(
            isinstance(change, HeadIntervention) for change in self.changes
        ):
            raise InterventionError("HeadInterventions takes a tuple of changes; give HeadInterventions((change,)).")
        for change in self.changes:
            change.check(_with_all_layers(shapes, layers or {}))
            numbers = (layers or {}).get(change.kind)
            for layer, _ in change.heads:
                if numbers is not None and layer not in numbers:
                    raise InterventionError(
                        "Layer {layer} has no {kind} attention; these layers have it: {layers}.",
                        layer=Place(layer),
                        kind=change.kind,
                        layers=Places(numbers),
                    )
        hiding = [change for change in self.changes if isinstance(change, Window | Forbid | Pull)]
        for kind, layer, head in {(change.kind, *head) for change in hiding for head in change.heads}:
            allowed = self.allowed(kind, layer, head, *shapes[kind][2:])
            if kind_of(kind).causal:  # during generation a query has no later keys even without the mask
                allowed &= np.tri(*allowed.shape, dtype=np.bool_)
            blind = np.flatnonzero(~allowed.any(axis=1))
            if blind.size:
                raise InterventionError(
                    "Query {query} of {kind} head {head} in layer {layer} has no key left; "
                    "leave every query at least one key.",
                    query=Place(blind[0]),
                    kind=kind,
                    head=Place(head),
                    layer=Place(layer),
                )

    def allowed(self, kind: str, layer: int, head: int, queries: int, keys: int) -> np.ndarray:
        """Mark which weights of a head may differ from 0, before one-hot attention: `(query, key)` bool."""
        own = [change for change in self.changes if change.kind == kind and (layer, head) in change.heads]
        causal = kind_of(kind).causal and not any(isinstance(change, NoMask) for change in own)
        allowed = np.tri(queries, keys, dtype=np.bool_) if causal else np.ones((queries, keys), dtype=bool)
        for change in own:
            if isinstance(change, Window | Forbid | Pull):
                allowed &= ~change.hidden(queries, keys)
        return allowed

    def tap(self, shapes: Shapes, layers: Layers | None = None) -> Tap:
        """Return the tap for the network; without changes it passes everything unchanged.

        Raises:
            InterventionError: see `check`.
        """
        self.check(shapes, layers)
        taps = []
        for change in self.changes:
            functions: dict[str, Callable[[Tensor], Tensor]] = {
                f"{kind_of(change.kind).tap_name(layer)}.{change.step}": partial(
                    change.change, heads=change.in_layer(layer), n_heads=shapes[change.kind][1]
                )
                for layer, _ in change.heads
            }
            taps.append(Intervention(functions))
        return Chain(*taps)

    def to_text(self) -> str:
        """Encode as short text that `from_text` reads, counted from 1: `scale:cross:4.1.2:0.5;...`."""
        return ";".join(
            ":".join((change.word, change.kind, heads_to_text(change.heads), change.values()))
            for change in self.changes
        )

    @classmethod
    def from_text(cls, text: str) -> HeadInterventions:
        """Read what `to_text` wrote; `check` tests whether a network has such heads.

        Raises:
            InterventionError: the text has another form.
        """
        try:
            return cls(tuple(_read(part) for part in text.split(";") if part))
        except (ValueError, KeyError, IndexError, TypeError, AttributeError):
            raise InterventionError("That text describes no intervention; choose one with the controls.") from None


def to_tap(
    intervention: HeadInterventions | Tap | None, shapes: Callable[[], Shapes], layers: Layers | None = None
) -> Tap | None:
    """The tap of what is given as `intervention=` of a trace.

    Args:
        intervention: changes to heads; a tap, a function `(name, tensor) -> tensor` that every named tensor passes; or
            None.
        shapes: returns those of `HeadInterventions.check`; called for changes to heads only.
        layers: as of `HeadInterventions.check`.

    Raises:
        InterventionError: see `HeadInterventions.check`; or it is something else.
    """
    if isinstance(intervention, HeadInterventions):
        return intervention.tap(shapes(), layers)
    if isinstance(intervention, HeadIntervention):
        raise InterventionError("This is one change alone; give HeadInterventions((change,)).")
    if is_of_other_import(intervention):
        raise InterventionError(
            "{type} was imported from {given}, and this model from {own}, the same package under another name; import "
            "both from one of them.",
            type=type(intervention).__name__,
            given=type(intervention).__module__.partition(".tracing")[0],
            own=__name__.partition(".tracing")[0],
        )
    if intervention is not None and (not callable(intervention) or isinstance(intervention, type)):
        raise InterventionError(
            "An intervention is HeadInterventions, or a function of the name and the tensor, not {type}.",
            type=intervention.__name__ if isinstance(intervention, type) else type(intervention).__name__,
        )
    return None if intervention is None else partial(_call, intervention)


def is_of_other_import(value: object) -> bool:
    """Whether a value is of a class of this package that was imported under the package's other name.

    In a checkout that is `model` or `attention_atlas.model`.
    """
    module = type(value).__module__
    is_own = module.removeprefix(OUTER).startswith("model.tracing.")
    return is_own and module.startswith(OUTER) != __name__.startswith(OUTER)


def _call(function: Tap, name: str, tensor: Tensor) -> Tensor:
    """Call a tap that may be a user's function.

    Raises:
        InterventionError: it fails, or returns something else than a tensor of this shape.
    """
    try:
        changed = function(name, tensor)
    except UserError:
        raise
    except Exception as error:
        if isinstance(error, RuntimeError) and ran_out_of_memory(error):
            raise
        raise InterventionError(
            "The function that is given as intervention fails at {name}: {error}",
            name=name,
            error=f"{type(error).__name__}: {error}",
        ) from error
    if not isinstance(changed, Tensor) or (changed.shape != tensor.shape and not name.endswith(".mask")):
        raise InterventionError(
            "The function that is given as intervention must return a tensor of shape {shape} at {name}, like the "
            "one it receives; return an unchanged tensor as it is.",
            shape=" x ".join(map(str, tensor.shape)),
            name=name,
        )
    return changed


def heads_to_text(heads: Heads) -> str:
    """Encode heads: `4.1.2_5.8` for heads 1 and 2 of layer 4 and head 8 of layer 5."""
    layers = sorted({layer for layer, _ in heads})
    return "_".join(
        ".".join(str(number + 1) for number in (layer, *sorted({head for other, head in heads if other == layer})))
        for layer in layers
    )


def heads_from_text(text: str) -> Heads:
    """Read what `heads_to_text` wrote.

    Raises:
        ValueError: the text has another form.
    """
    pairs: list[tuple[int, int]] = []
    for part in text.split("_") if text else ():
        layer, *heads = _read_indices(part)
        pairs += [(layer, head) for head in heads]
    return tuple(pairs)


def _without_rows(earlier: HeadIntervention, change: HeadIntervention) -> HeadIntervention | None:
    """Return what remains of earlier one-hot attention when a later one takes its rows; None if nothing does."""
    if not (isinstance(earlier, OneHot) and isinstance(change, OneHot) and earlier.kind == change.kind):
        return earlier
    every_row = change.query is None and not kind_of(change.kind).causal  # in the decoder, rows before the key stay
    if not (every_row or change.query == earlier.query and (change.query is not None or change.key <= earlier.key)):
        return earlier
    heads = tuple(head for head in earlier.heads if head not in change.heads)
    return replace(earlier, heads=heads) if heads else None


def _with_all_layers(shapes: Shapes, layers: Layers) -> Shapes:
    """Shapes whose number of layers is that of the network up to the last one of each kind."""
    return {kind: (max(layers[kind]) + 1, *shape[1:]) if layers.get(kind) else shape for kind, shape in shapes.items()}


def _read_indices(text: str) -> list[int]:
    """Read numbers that count from 1, with dots between them, as indices that count from 0."""
    parts = text.split(".") if text else []
    if not all(part.isascii() and part.isdigit() and len(part) < 5 and part != "0" for part in parts):
        raise ValueError("no such indices")
    return [int(part) - 1 for part in parts]


def _read(part: str) -> HeadIntervention:
    word, kind, heads, values = part.split(":")
    kind_of(kind)  # KeyError: no such kind
    change = {change.word: change for change in HEAD_INTERVENTIONS}[word]
    target = kind, heads_from_text(heads)
    if change is Scale or change is Temperature:
        number = float(values)
        if not math.isfinite(number):
            raise ValueError("no such number")
        return Scale(*target, number) if change is Scale else Temperature(*target, number)
    if change is Window:
        return Window(*target, _read_indices(values)[0] + 1)
    if change is Forbid:
        return Forbid(*target, tuple(_read_indices(values)))
    if change is OneHot:
        at, *queries = _read_indices(values)
        return OneHot(*target, at, *queries)
    if change is Pull:
        first, second, delta = values.split(".", 2)
        (key,), (query,) = _read_indices(first), _read_indices(second)
        if math.isnan(float(delta)) or float(delta) == math.inf:
            raise ValueError("no such number")
        return Pull(*target, key, query, float(delta))
    return NoMask(*target)


# Interventions on the gates of an LSTM as plain values: which gate of which layer is held at which value.
#
# They can be saved as text, combined and converted to a tap, as those on heads.

GATES = ("input", "forget", "output")


def gated_layers(config: RecurrentConfig) -> tuple[str, ...]:
    """List the layers of a network that have gates, as the tap names them; none in a plain RNN."""
    if config.cell != "lstm":
        return ()
    return (*(f"encoder.{direction}" for direction in READS[config.reads]), "decoder")


@dataclass(frozen=True)
class HeldGate:
    """One gate of one layer, held at one value in every unit and at every step."""

    layer: str
    """Of `gated_layers`."""
    gate: str
    """One of `GATES`."""
    value: float
    """From 0, shut, to 1, open."""


@dataclass(frozen=True)
class GateInterventions:
    """Several gates held at once; if two hold the same gate of the same layer, the later one applies."""

    changes: tuple[HeldGate, ...] = ()

    def check(self, layers: Sequence[str]) -> None:
        """Check that all changes are possible.

        Args:
            layers: of `gated_layers`.

        Raises:
            InterventionError: a layer or a gate does not exist, or a value is out of range.
        """
        if self.changes and not layers:
            raise InterventionError("This network has no gates to hold; choose one with LSTM cells.")
        for change in self.changes:
            if change.layer not in layers:
                raise InterventionError(
                    "There is no layer {layer!r} with gates; choose one of {known}.",
                    layer=change.layer,
                    known=", ".join(layers),
                )
            if change.gate not in GATES:
                raise InterventionError(
                    "There is no gate {gate!r}; choose one of {known}.", gate=change.gate, known=", ".join(GATES)
                )
            if not 0 <= change.value <= 1:
                raise InterventionError(
                    "A gate cannot be held at {value:g}; choose a value from 0 (shut) to 1 (open).", value=change.value
                )

    def held(self, layer: str) -> dict[str, float]:
        """Map each held gate of one layer to its value."""
        return {change.gate: change.value for change in self.changes if change.layer == layer}

    def tap(self, layers: Sequence[str]) -> AtEveryStep:
        """Return the tap for the network; without changes it passes everything unchanged.

        Raises:
            InterventionError: see `check`.
        """
        self.check(layers)
        return AtEveryStep({f"{change.layer}.{change.gate}_gate": hold_gate(change.value) for change in self.changes})

    def to_text(self) -> str:
        """Encode as short text that `from_text` reads: `encoder.backwards:forget:0;decoder:input:1`."""
        return ";".join(f"{change.layer}:{change.gate}:{change.value:.15g}" for change in self.changes)

    @classmethod
    def from_text(cls, text: str) -> GateInterventions:
        """Read what `to_text` wrote; `check` tests whether a network has such layers.

        Raises:
            InterventionError: the text has another form.
        """
        try:
            parts = [part.split(":") for part in text.split(";") if part]
            changes = tuple(HeldGate(layer, gate, float(value)) for layer, gate, value in parts)
            if not all(math.isfinite(change.value) for change in changes):
                raise ValueError("no such number")
        except (ValueError, TypeError, AttributeError):
            raise InterventionError("That text describes no intervention; choose one with the controls.") from None
        return cls(changes)
