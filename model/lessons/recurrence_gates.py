"""Gates of an LSTM at every step of a sentence."""

from dataclasses import dataclass

import numpy as np

from ..attribution.fixed_gates import cells_of_layer, largest_cell_difference, recompute_cells
from ..networks.recurrent import RecurrentNetwork
from ..networks.recurrent_trace import CellRecord, RecurrentTrace

OPEN, SHUT = 0.9, 0.1  # a gate above the first counts as open, below the second as shut


@dataclass(frozen=True, eq=False)
class GateActivations:
    """One LSTM layer over one sentence, in the order in which it reads; `(step, unit)` unless stated otherwise."""

    tokens: tuple[str, ...]  # its input
    record: CellRecord  # gates and states; see `CellRecord`
    before: np.ndarray  # c_(t-1)
    remaining: np.ndarray  # product of all later forget gates: the share of c_t that they pass to the last cell state
    # share of all units and steps whose gates nearly copy the state: forget above `OPEN`, input below `SHUT`
    copying: float
    difference: float  # largest |difference| of any gate or state to the formulas in double precision

    def order(self, by: str) -> np.ndarray:
        """Units from the most to the least open one.

        Args:
            by: "input", "forget" or "output" sorts by that gate's mean over the steps, "number" by index.
        """
        if by == "number":
            return np.arange(self.before.shape[1])
        means = getattr(self.record, f"{by}_gate").mean(axis=0, dtype=np.float64)  # (unit,)
        return np.argsort(-means, kind="stable")


def read_gates(network: RecurrentNetwork, trace: RecurrentTrace, layer: str) -> GateActivations:
    """Read the gates of a layer, of `gated_layers`, from a recorded pass."""
    recorded = cells_of_layer(trace, layer)
    difference = largest_cell_difference(recorded, recompute_cells(network, trace, layer))
    steps = slice(None, None, -1 if layer.endswith("backwards") else 1)
    record = CellRecord(**{name: array[steps] for name, array in vars(recorded).items()})
    decoding = layer == "decoder"
    tokens = trace.target_tokens if decoding else trace.source_tokens[steps]
    forget, accept, cell = record.forget_gate, record.input_gate, record.cell
    assert forget is not None and accept is not None and cell is not None, "a gated layer is an LSTM"
    start = trace.start_cell if decoding else np.zeros_like(cell[0])
    assert start is not None
    before = np.concatenate([start[None], cell[:-1]])
    remaining = np.ones_like(forget, dtype=np.float64)
    remaining[:-1] = np.cumprod(forget[:0:-1].astype(np.float64), axis=0)[::-1]
    copying = float(np.mean((forget > OPEN) & (accept < SHUT)))
    return GateActivations(tokens, record, before, remaining, copying, difference)
