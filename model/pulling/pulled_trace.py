"""What the network computes under pulls: the new translation recorded, and the loss of the former one."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..attribution.intervention_result import token_losses
from ..decoding.tapped_decoding import greedy_with_tap_in_steps
from ..runtime.progress import InSteps, Progress, as_one_call
from ..tracing.head_interventions import InterventionError, Pull, Shapes
from ..tracing.interventions import HeadInterventions
from ..tracing.trace import Trace

if TYPE_CHECKING:
    from ..translator import Translator


@dataclass(frozen=True, eq=False)
class PulledTrace:
    """A sentence under pulls.

    Attributes:
        after: the pass over the translation that greedy decoding generates under the pulls.
        loss_before, loss_after: mean -ln p of the former translation without and with the pulls, in nats per token.
    """

    after: Trace
    loss_before: float
    loss_after: float


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
    generated = yield from greedy_with_tap_in_steps(translator.network, trace.source_ids, tap, limit, trace.next_ids)
    ids = generated.ids
    text = trace.source_text
    after = translator.trace(text, target_ids=ids, intervention=tap)
    yield Progress(limit, limit + 1)
    same = ids == tuple(trace.next_ids)
    forced = after if same else translator.trace(text, target_ids=trace.next_ids, intervention=tap)
    return PulledTrace(after, float(token_losses(trace).mean()), float(token_losses(forced).mean()))


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
