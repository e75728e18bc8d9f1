"""Everything a recurrent network computed for one pair of sentences, as plain arrays, and its check."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import torch

from ..runtime.arrays import largest_difference, softmax, to_array
from ..text.tokenizer import Tokenizer
from ..tracing.trace import AttentionRecord, SentenceTrace, Verification, describe_tokens
from .alignment import AdditiveAlignment
from .cells import GATES, CellState, RecurrentLayer
from .recurrent import RecurrentNetwork
from .tap import Chain, Recorder, Tap


@dataclass(frozen=True, eq=False)
class CellRecord:
    """One direction of a recurrent layer at every step, `(step, width)` float32 each; an RNN has hidden states alone.

    Step t of the encoder belongs to source token t in either direction; a layer that reads backwards takes t + 1
    before t.

    Attributes:
        hidden: h_t.
        input_gate, forget_gate, output_gate: i_t, f_t and o_t, in (0, 1).
        candidate: g_t, in (-1, 1).
        cell: c_t = f_t c_(t-1) + i_t g_t.
    """

    hidden: np.ndarray
    input_gate: np.ndarray | None = None
    forget_gate: np.ndarray | None = None
    candidate: np.ndarray | None = None
    output_gate: np.ndarray | None = None
    cell: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class AlignmentRecord(AttentionRecord):
    """Alignment as attention with one layer and one head; query t is decoder state t - 1 or t, keys = values.

    Its scores are not scaled. `parameters` holds W, its bias, U and v of the additive score, and nothing for a dot
    product.
    """

    verified_by: ClassVar[str] = "score"
    parameters: dict[str, np.ndarray]

    def verify(self) -> Verification:
        """Compare scores, weights and context vectors with a recomputation in double precision."""
        queries, keys, values = (part[0, 0].astype(np.float64) for part in (self.queries, self.keys, self.values))
        if self.parameters:
            found = {name: array.astype(np.float64) for name, array in self.parameters.items()}
            projected = queries @ found["W"].T + found["b"]  # (T, width)
            scores = np.tanh(projected[:, None] + keys @ found["U"].T) @ found["v"]  # (T, S)
        else:
            scores = queries @ keys.T
        weights = softmax(scores)
        difference = max(
            largest_difference(weights, self.weights[0, 0]), largest_difference(weights @ values, self.outputs[0, 0])
        )
        return Verification(difference, largest_difference(self.weights.sum(axis=-1, dtype=np.float64), 1), 0.0)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class RecurrentTrace(SentenceTrace):
    """Everything a recurrent network computed in a teacher-forced pass; see `SentenceTrace` for the rest.

    Attributes:
        records: "cross" -> `AlignmentRecord`; empty for a network with one vector.
        encoder: direction, "forwards" or "backwards" -> its cells at every source token.
        decoder: the cells at every decoder step.
        start_hidden, start_cell: `(decoder_width,)`, the state before the decoder's first step. Without alignment they
            are the one vector that carries the source; an RNN has no cell state.
        encoder_embedded, decoder_embedded: `(S, d_model)` and `(T, d_model)`, what the cells read.
        readout: `(T, d_model)`, what the output layer reads.
        state_differences: "encoder" and "decoder" -> largest |difference| of the recorded hidden states to those of
            the library's fused layer, given the recorded inputs.
    """

    encoder: dict[str, CellRecord]
    decoder: CellRecord
    start_hidden: np.ndarray
    start_cell: np.ndarray | None
    encoder_embedded: np.ndarray
    decoder_embedded: np.ndarray
    readout: np.ndarray
    state_differences: dict[str, float]

    @property
    def alignment(self) -> np.ndarray:
        """`(T, S)` float32, how much each decoder step attends to each source token.

        Raises:
            LookupError: the network has one vector and attends to nothing.
        """
        if not self.records:
            raise LookupError("This network hands over one vector; it has no alignment.")
        return self.records["cross"].weights[0, 0]

    @cached_property
    def verification(self) -> dict[str, Verification]:
        """The check of "encoder", "decoder" and, with alignment, "cross", computed once."""
        states = {name: Verification(found, 0.0, 0.0) for name, found in self.state_differences.items()}
        return states | {kind: record.verify() for kind, record in self.records.items()}


@torch.inference_mode()
def record_recurrent_trace(
    network: RecurrentNetwork,
    tokenizer: Tokenizer,
    source_ids: list[int],
    target_ids: list[int],
    next_ids: list[int],
    intervention: Tap | None = None,
) -> RecurrentTrace:
    """Run the network once with a recorder attached; the arguments are those of `model.tracing.trace.record_trace`."""
    labels = describe_tokens(tokenizer, source_ids, target_ids, next_ids)
    recorder = Recorder()
    tap = recorder if intervention is None else Chain(intervention, recorder)
    memory = network.encode(network.ids(source_ids), None, tap)
    logits = network.project(network.decode(network.ids(target_ids), memory, tap))
    found = RecordedSteps(recorder, len(source_ids), len(target_ids))
    return RecurrentTrace(
        **labels,
        records={} if memory.keys is None else {"cross": found.alignment(network)},
        logits=to_array(logits[0]),
        encoder={way: found.cells(f"encoder.{way}", found.source) for way in network.encoder.directions},
        decoder=found.cells("decoder", found.target),
        start_hidden=found.one("decoder.start.hidden"),
        start_cell=found.one("decoder.start.cell") if network.config.cell == "lstm" else None,
        encoder_embedded=found.one("encoder.embedded"),
        decoder_embedded=found.one("decoder.embedded"),
        readout=found.steps("decoder", "readout", found.target),
        state_differences=found.state_differences(network, memory.start),
    )


class RecordedSteps:
    """Reads the recorded tensors of one sentence pair by what they mean."""

    def __init__(self, recorder: Recorder, source: int, target: int) -> None:
        self.tensors, self.source, self.target = recorder.tensors, source, target

    def one(self, name: str) -> np.ndarray:
        """A tensor that passed once, without the axis of the batch."""
        return to_array(self.tensors[name][0])

    def steps(self, name: str, quantity: str, count: int) -> np.ndarray:
        """A quantity of every step, stacked in front: `(step, ...)`."""
        return to_array(torch.cat([self.tensors[f"{name}.{step}.{quantity}"] for step in range(count)]))

    def cells(self, name: str, count: int) -> CellRecord:
        """One direction of one layer."""
        quantities = ("hidden", *GATES, "cell") if f"{name}.0.cell" in self.tensors else ("hidden",)
        return CellRecord(**{quantity: self.steps(name, quantity, count) for quantity in quantities})

    def alignment(self, network: RecurrentNetwork) -> AlignmentRecord:
        """The attention of all decoder steps, in the layout of any attention: layer, head, query, key."""

        def joined(step: str) -> np.ndarray:
            parts = [self.tensors[f"decoder.{place}.cross.{step}"] for place in range(self.target)]
            return to_array(torch.cat(parts, dim=2))  # (1, 1, T, ...)

        keys, values = (to_array(self.tensors[f"decoder.cross.{name}"]) for name in ("keys", "values"))
        scores = network.alignment
        parameters = {}
        if isinstance(scores, AdditiveAlignment):
            given = (scores.query.weight, scores.query.bias, scores.key.weight, scores.score.weight[0])
            parameters = {name: to_array(tensor) for name, tensor in zip("WbUv", given, strict=True)}
        queries, raw, weights, outputs = (joined(step) for step in ("queries", "scores", "weights", "outputs"))
        return AlignmentRecord(queries, keys, values, raw, weights, outputs, None, parameters)

    def state_differences(self, network: RecurrentNetwork, start: CellState) -> dict[str, float]:
        """Recorded hidden states against the library's fused layers, given the inputs that were recorded."""
        inputs = self.tensors["decoder.embedded"]
        if network.config.alignment == "additive":
            contexts = [self.tensors[f"decoder.{step}.cross.outputs"][:, 0] for step in range(self.target)]
            inputs = torch.cat([inputs, torch.cat(contexts, dim=1)], dim=-1)
        return {
            "encoder": self._difference(network.encoder, "encoder", self.tensors["encoder.embedded"], None),
            "decoder": self._difference(network.decoder, "decoder", inputs, start),
        }

    def _difference(self, layer: RecurrentLayer, name: str, inputs: torch.Tensor, start: CellState | None) -> float:
        fused, _ = layer.run(inputs, start)  # (1, step, directions x width)
        names = [f"{name}.{way}" for way in layer.directions] if start is None else [name]
        ways = [self.steps(each, "hidden", inputs.shape[1]) for each in names]
        return largest_difference(np.concatenate(ways, axis=1), to_array(fused[0]))
