"""All intermediate results of a recurrent network for one pair of sentences, as arrays, and their check."""

from collections.abc import Sequence
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


@dataclass(frozen=True, eq=False, repr=False)
class CellRecord:
    """One direction of a recurrent layer at every step, `(step, width)` float32 each; an RNN has hidden states only.

    Step t of the encoder belongs to source token t in either direction; a layer that reads backwards runs t + 1 before
    t.

    Attributes:
        input_gate, forget_gate, output_gate: i_t, f_t and o_t, in (0, 1).
    """

    hidden: np.ndarray
    """H_t."""
    input_gate: np.ndarray | None = None
    forget_gate: np.ndarray | None = None
    candidate: np.ndarray | None = None
    """G_t, in (-1, 1)."""
    output_gate: np.ndarray | None = None
    cell: np.ndarray | None = None
    """C_t = f_t c_(t-1) + i_t g_t."""

    def __repr__(self) -> str:
        kept = ", ".join(name for name, numbers in vars(self).items() if numbers is not None)
        return f"<CellRecord of {' x '.join(map(str, self.hidden.shape))}: {kept}>"


@dataclass(frozen=True, eq=False, repr=False)
class AlignmentRecord(AttentionRecord):
    """Alignment as attention with one layer and one head; query t is decoder state t - 1 or t, keys = values.

    Its scores are not scaled. `parameters` has W, its bias, U and v of the additive score; for a dot product it is
    empty.
    """

    verified_by: ClassVar[str] = "score"
    parameters: dict[str, np.ndarray]

    def verify(self) -> Verification:
        """Compare scores, weights and context vectors with a recomputation in double precision."""
        queries, keys, values = (part[0, 0].astype(np.float64) for part in (self.queries, self.keys, self.values))
        if self.parameters:
            exact = {name: parameter.astype(np.float64) for name, parameter in self.parameters.items()}
            projected = queries @ exact["W"].T + exact["b"]  # (T, width)
            scores = np.tanh(projected[:, None] + keys @ exact["U"].T) @ exact["v"]  # (T, S)
        else:
            scores = queries @ keys.T
        weights = softmax(scores)
        difference = max(
            largest_difference(weights, self.weights[0, 0]), largest_difference(weights @ values, self.outputs[0, 0])
        )
        return Verification(difference, largest_difference(self.weights.sum(axis=-1, dtype=np.float64), 1), 0.0)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class RecurrentTrace(SentenceTrace):
    """All intermediate results of a recurrent network in a teacher-forced pass; see `SentenceTrace` for the rest.

    Attributes:
        records: "cross" -> `AlignmentRecord`; empty for a network with one vector.
    """

    encoder: dict[str, CellRecord]
    """Direction, "forwards" or "backwards" -> its cells at every source token."""
    decoder: CellRecord
    """The cells at every decoder step."""
    start_hidden: np.ndarray
    start_cell: np.ndarray | None
    """`start_hidden`, `start_cell`: `(decoder_width,)`, the state before the decoder's first step. Without alignment
    they are the one vector that represents the source; an RNN has no cell state.
    """
    encoder_embedded: np.ndarray
    decoder_embedded: np.ndarray
    """`encoder_embedded`, `decoder_embedded`: `(S, d_model)` and `(T, d_model)`, inputs of the cells."""
    readout: np.ndarray
    """`(T, d_model)`, input of the output layer."""
    state_differences: dict[str, float]
    """ "encoder" and "decoder" -> largest |difference| of the recorded hidden states from those of PyTorch's fused
    layer with the recorded inputs.
    """

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
        states = {name: Verification(difference, 0.0, 0.0) for name, difference in self.state_differences.items()}
        return states | {kind: record.verify() for kind, record in self.records.items()}


@torch.inference_mode()
def record_recurrent_trace(
    network: RecurrentNetwork,
    tokenizer: Tokenizer,
    source_ids: Sequence[int],
    target_ids: Sequence[int],
    next_ids: Sequence[int],
    intervention: Tap | None = None,
) -> RecurrentTrace:
    """Run the network once with a recorder attached; the arguments are those of `model.tracing.trace.record_trace`."""
    labels = describe_tokens(tokenizer, source_ids, target_ids, next_ids)
    recorder = Recorder()
    tap = recorder if intervention is None else Chain(intervention, recorder)
    memory = network.encode(network.ids(source_ids), None, tap)
    logits = network.project(network.decode(network.ids(target_ids), memory, tap))
    steps = RecordedSteps(recorder, len(source_ids), len(target_ids))
    return RecurrentTrace(
        **labels,
        records={} if memory.keys is None else {"cross": steps.alignment(network)},
        logits=to_array(logits[0]),
        encoder={
            direction: steps.cells(f"encoder.{direction}", steps.source) for direction in network.encoder.directions
        },
        decoder=steps.cells("decoder", steps.target),
        start_hidden=steps.tensor("decoder.start.hidden"),
        start_cell=steps.tensor("decoder.start.cell") if network.config.cell == "lstm" else None,
        encoder_embedded=steps.tensor("encoder.embedded"),
        decoder_embedded=steps.tensor("decoder.embedded"),
        readout=steps.stack("decoder", "readout", steps.target),
        state_differences=steps.state_differences(network, memory.start),
    )


class RecordedSteps:
    """Combines the recorded tensors of one sentence pair."""

    def __init__(self, recorder: Recorder, source: int, target: int) -> None:
        self.tensors, self.source, self.target = recorder.tensors, source, target

    def tensor(self, name: str) -> np.ndarray:
        """Return a tensor that passed once, without the axis of the batch."""
        return to_array(self.tensors[name][0])

    def stack(self, name: str, quantity: str, count: int) -> np.ndarray:
        """Stack a quantity of all steps: `(step, ...)`."""
        return to_array(torch.cat([self.tensors[f"{name}.{step}.{quantity}"] for step in range(count)]))

    def cells(self, name: str, count: int) -> CellRecord:
        """Return one direction of one layer."""
        quantities = ("hidden", *GATES, "cell") if f"{name}.0.cell" in self.tensors else ("hidden",)
        return CellRecord(**{quantity: self.stack(name, quantity, count) for quantity in quantities})

    def alignment(self, network: RecurrentNetwork) -> AlignmentRecord:
        """Return the attention of all decoder steps, in the layout of all attention: layer, head, query, key."""

        def joined(step: str) -> np.ndarray:
            tensors = [self.tensors[f"decoder.{position}.cross.{step}"] for position in range(self.target)]
            return to_array(torch.cat(tensors, dim=2))  # (1, 1, T, ...)

        keys, values = (to_array(self.tensors[f"decoder.cross.{name}"]) for name in ("keys", "values"))
        scores = network.alignment
        parameters = {}
        if isinstance(scores, AdditiveAlignment):
            tensors = (scores.query.weight, scores.query.bias, scores.key.weight, scores.score.weight[0])
            parameters = {name: to_array(tensor) for name, tensor in zip("WbUv", tensors, strict=True)}
        queries, raw, weights, outputs = (joined(step) for step in ("queries", "scores", "weights", "outputs"))
        return AlignmentRecord(queries, keys, values, raw, weights, outputs, None, parameters)

    def state_differences(self, network: RecurrentNetwork, start: CellState) -> dict[str, float]:
        """Compare recorded hidden states with those of PyTorch's fused layers for the recorded inputs."""
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
        names = [f"{name}.{direction}" for direction in layer.directions] if start is None else [name]
        recorded = [self.stack(name, "hidden", inputs.shape[1]) for name in names]
        return largest_difference(np.concatenate(recorded, axis=1), to_array(fused[0]))
