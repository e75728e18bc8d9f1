"""The gates of an LSTM as they stand at every step: what each unit keeps, takes in and gives out."""

from dataclasses import dataclass

import numpy as np

from ..attribution.fixed_gates import cells, largest_difference, recompute
from ..networks.recurrent import RecurrentNetwork
from ..networks.recurrent_trace import CellRecord, RecurrentTrace

OPEN, SHUT = 0.9, 0.1  # beyond which a gate counts as open, and below which as shut


@dataclass(frozen=True, eq=False)
class GateActivations:
    """One LSTM layer over one sentence, in the order in which it reads; `(step, unit)` unless it says otherwise.

    Attributes:
        tokens: what it reads.
        record: gates and states; see `CellRecord`.
        before: c_(t-1).
        left: the product of all later forget gates: what share of c_t is still in the last cell state by that way.
        copying: share of all units and steps in which the gates nearly copy: forget above `OPEN`, input below `SHUT`.
        difference: largest |difference| of any gate or state to the formulas in double precision.
    """

    tokens: tuple[str, ...]
    record: CellRecord
    before: np.ndarray
    left: np.ndarray
    copying: float
    difference: float

    def order(self, by: str) -> np.ndarray:
        """Units from the most to the least open one.

        Args:
            by: "input", "forget" or "output", whose mean over the steps decides, or "number" for their own order.
        """
        if by == "number":
            return np.arange(self.before.shape[1])
        means = getattr(self.record, f"{by}_gate").mean(axis=0, dtype=np.float64)  # (unit,)
        return np.argsort(-means, kind="stable")


def read_gates(network: RecurrentNetwork, trace: RecurrentTrace, layer: str) -> GateActivations:
    """What the gates of a layer, of `gated_layers`, did in a recorded pass."""
    recorded = cells(trace, layer)
    difference = largest_difference(recorded, recompute(network, trace, layer))
    steps = slice(None, None, -1 if layer.endswith("backwards") else 1)
    record = CellRecord(**{name: array[steps] for name, array in vars(recorded).items()})
    decoding = layer == "decoder"
    tokens = trace.target_tokens if decoding else trace.source_tokens[steps]
    start = trace.start_cell if decoding else np.zeros_like(record.cell[0])
    before = np.concatenate([start[None], record.cell[:-1]])
    later = np.ones_like(record.forget_gate, dtype=np.float64)
    later[:-1] = np.cumprod(record.forget_gate[:0:-1].astype(np.float64), axis=0)[::-1]
    copying = float(((record.forget_gate > OPEN) & (record.input_gate < SHUT)).mean())
    return GateActivations(tokens, record, before, later, copying, difference)
