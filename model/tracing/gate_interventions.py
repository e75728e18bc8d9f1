"""Interventions on the gates of an LSTM as plain values: which gate of which layer is held at which value.

They can be saved as text, combined and converted to a tap, as those on heads (`model.tracing.interventions`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..networks.recurrent_config import READS, RecurrentConfig
from ..networks.tap import AtEveryStep, hold_gate
from .head_interventions import InterventionError

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
