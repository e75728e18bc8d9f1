"""What the network computes under pulls: the new translation recorded, and the loss of the former one."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from ..attribution.intervention_result import token_losses
from ..decoding.tapped_decoding import greedy_with_tap_in_steps
from ..networks.loss_terms import target_losses
from ..runtime.arrays import to_array
from ..runtime.progress import InSteps, Progress, as_one_call
from ..tracing.head_interventions import InterventionError, Pull, Shapes
from ..tracing.interventions import HeadInterventions
from ..tracing.trace import Trace, attach_model, encoder_output, record_trace

if TYPE_CHECKING:
    from ..translator import Translator


@dataclass(frozen=True, eq=False)
class PulledTrace:
    """A sentence under pulls."""

    after: Trace  # the pass over the translation that greedy decoding generates under the pulls
    # `loss_before`, `loss_after`: mean -ln p of the former translation without and with the pulls, in nats per token
    loss_before: float
    loss_after: float


@torch.inference_mode()
def trace_pulls_in_steps(translator: "Translator", trace: Trace, pulls: HeadInterventions) -> InSteps[PulledTrace]:
    """Translate the sentence of `trace` under pulls, and record that translation and the former one.

    A pull at a place that the new translation does not reach changes nothing.

    Raises:
        InterventionError: there is no pull, another change is among them, or one does not exist for this sentence.
    """
    own = [change for change in pulls.changes if isinstance(change, Pull)]
    if not own or len(own) < len(pulls.changes):
        raise InterventionError("Pass at least one pull, and no other change.")
    shapes, limit = shapes_with_room(translator, trace)
    tap = pulls.tap(shapes)
    network, source, former = translator.network, trace.source_ids, trace.next_ids
    encoded = trace if all(pull.kind != "encoder" for pull in own) else None
    memory = encoder_output(network, trace) if encoded else network.encode(network.ids(source), None, tap)
    ids = (yield from greedy_with_tap_in_steps(network, source, tap, limit, former, memory=memory)).ids
    fed = (network.config.bos_id, *ids[:-1])
    after = record_trace(network, translator.tokenizer, source, fed, ids, tap, encoded)
    yield Progress(limit, limit + 1)
    forced = network.project(network.decode(network.ids(trace.target_ids), memory, None, tap))[0]  # (T, vocabulary)
    losses = [token_losses(trace), target_losses(to_array(forced), former)]
    return PulledTrace(attach_model(after, lambda: translator, tap), *(float(each.mean()) for each in losses))


trace_pulls = as_one_call(trace_pulls_in_steps)


def shapes_with_room(translator: "Translator", trace: Trace) -> tuple[Shapes, int]:
    """Return the shapes of attention with room for the longest translation of a traced sentence, and its length."""
    limit = min(2 * len(trace.source_ids) + 10, translator.network.config.max_positions)
    sizes = {"encoder": len(trace.source_ids), "decoder": limit}
    shapes = {}
    for kind, record in trace.records.items():
        layers, heads = record.weights.shape[:2]
        queries = sizes["encoder" if kind == "encoder" else "decoder"]
        shapes[kind] = (layers, heads, queries, sizes["decoder" if kind == "decoder" else "encoder"])
    return shapes, limit
