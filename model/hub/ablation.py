"""What each head of an opened model does for one input: ablate it and measure how far the score moves.

The same question as `model.attribution.head_ablation` asks of the shipped networks (Michel et al. 2019, section 3), one
pass for each head, since nothing is known of an opened network's layers but their attention.
"""

from collections.abc import Collection, Mapping

import numpy as np

from ..runtime.progress import InSteps, Progress, in_one_go
from ..tracing.head_interventions import Scale
from ..tracing.interventions import HeadInterventions
from .hub_trace import HubTrace
from .opened_model import OpenedModel


def ablate_in_steps(
    model: OpenedModel,
    trace: HubTrace,
    given,
    options: Mapping[str, str],
    answer: int | None = None,
    kinds: Collection[str] | None = None,
) -> InSteps[dict[str, np.ndarray]]:
    """How much worse the score is without each head.

    Args:
        trace: of the whole network.
        given, options: what it was traced for.
        answer: the class that is scored; None takes the mean over all tokens.
        kinds: whose heads are ablated; None takes all.

    Returns:
        kind -> `(layer, head)` float64: mean -ln p in nats without the head minus the same with it.
    """
    usual = _mean(model, trace, answer)
    if trace.target is not None:
        options = {**options, "target": trace.target.ids}  # else a target would be generated for each head
    heads = {kind: shape[:2] for kind, shape in model.shapes_of(trace).items() if kinds is None or kind in kinds}
    total, done = sum(layers * count for layers, count in heads.values()), 0
    changes = {}
    for kind, size in heads.items():
        changes[kind] = np.zeros(size)
        for layer, head in np.ndindex(*size):
            without = HeadInterventions((Scale(kind, ((layer, head),), 0.0),))
            ablated = model.trace(given, intervention=without, keep=0, **options)  # none of its maps is needed
            changes[kind][layer, head] = _mean(model, ablated, answer, without) - usual
            done += 1
            yield Progress(done, total)
    return changes


ablate = in_one_go(ablate_in_steps)


def _mean(
    model: OpenedModel, trace: HubTrace, answer: int | None, interventions: HeadInterventions | None = None
) -> float:
    scores = model.score(trace, interventions)
    return float(scores.reshape(-1)[answer] if answer is not None else scores.mean())
