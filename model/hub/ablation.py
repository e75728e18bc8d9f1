"""Ablate each head of an opened model and measure how far the score of one input changes.

The same measurement as `model.attribution.head_ablation` makes of the shipped networks (Michel et al. 2019, section 3),
with one pass for each head, since only the attention of an opened network's layers is known.
"""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from ..attribution.head_labels import HeadScores, text_scores, vision_scores
from ..attribution.head_statistics import picture_measures, text_measures
from ..runtime.progress import InSteps, Progress, as_one_call
from ..tracing.head_interventions import Scale
from ..tracing.interventions import HeadInterventions
from ..tracing.kinds import kind_of
from .hub_trace import HubTrace
from .opened_model import OpenedModel, TraceInput
from .opened_pictures import patch_trace


def ablate_in_steps(
    model: OpenedModel,
    trace: HubTrace,
    trace_input: TraceInput,
    options: Mapping[str, Any],
    answer: int | None = None,
    kinds: Collection[str] | None = None,
) -> InSteps[dict[str, np.ndarray]]:
    """Measure how much worse the score is without each head.

    Args:
        trace: of the whole network.
        trace_input, options: the input and keyword arguments of that trace.
        answer: the class that is scored; None takes the mean over all tokens.
        kinds: kinds of attention whose heads are ablated; None takes all.

    Returns:
        kind -> `(layer, head)` float64, in the order of `model.layers_of(trace)`: mean -ln p in nats without the head
        minus the same with it.
    """
    baseline = _mean(model, trace, answer)
    if trace.target is not None:
        options = {**options, "target": trace.target.ids}  # otherwise a target would be generated for each head
    heads = {kind: shape[:2] for kind, shape in model.shapes_of(trace).items() if kinds is None or kind in kinds}
    total, done = sum(layers * count for layers, count in heads.values()), 0
    changes = {}
    for kind, size in heads.items():
        changes[kind] = np.zeros(size)
        for layer, head in np.ndindex(*size):
            number = model.layers_of(trace)[kind][layer]
            without = HeadInterventions((Scale(kind, ((number, head),), 0.0),))
            ablated = model.trace(trace_input, intervention=without, keep=number, **options)  # maps are not needed
            changes[kind][layer, head] = _mean(model, ablated, answer, without) - baseline
            done += 1
            yield Progress(done, total)
    return changes


ablate = as_one_call(ablate_in_steps)


def _mean(
    model: OpenedModel, trace: HubTrace, answer: int | None, interventions: HeadInterventions | None = None
) -> float:
    scores = model.score(trace, interventions)
    return float(scores.reshape(-1)[answer] if answer is not None else scores.mean())


# Score how much of each head's attention follows each known pattern, for a trace of an opened model.


def score_heads(trace: HubTrace, kind: str) -> HeadScores:
    """Pattern scores of one kind on this input; see `model.attribution.head_labels`."""
    if trace.grid is not None and trace.pixels is not None:
        return vision_scores(patch_weights(trace), trace.grid, trace.pixels)
    ids = trace.ids(kind)
    return text_scores(trace.records[kind].weights, kind_of(kind), *ids)


def measure_heads(trace: HubTrace, kind: str) -> dict[str, np.ndarray]:
    """Entropy and distance of one kind on this input; see `model.attribution.head_statistics`."""
    if trace.grid is not None and trace.pixels is not None:
        return picture_measures(patch_weights(trace), trace.grid, trace.pixels.shape[0] / trace.grid[0])
    return text_measures(trace.records[kind].weights, kind_of(kind))


def patch_weights(trace: HubTrace) -> np.ndarray:
    """Maps of a picture without registers, `(layer, head, 1 + patch, 1 + patch)`; without the 1 if there is no CLS."""
    picture = patch_trace(trace)
    return trace.records["vision"].weights if picture is None else picture.attention
