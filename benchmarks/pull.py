"""What a pulled weight takes: the sweep when it is pressed, the new translation on release, and the control."""

from __future__ import annotations

from itertools import cycle

from benchmarks.timing import Measurement, interleave
from model import HeadInterventions, Translator
from model.attribution.intervention_result import attention_shapes
from model.pulling.deltas import solve_delta
from model.pulling.pulls import WEIGHTS, heads_in_scope
from model.tracing.head_interventions import Pull

SENTENCE = "The animal didn't cross the street because it was too tired."
LAYER, WEIGHT = 3, 0.75


def pull(translator: Translator) -> list[Measurement]:
    """Time the model's part of each step of a pull, of a sentence of twelve words, at changing places.

    The budgets of the page: 250 ms from the press to the scale with words, 200 ms from release to the new translation.
    """
    trace = translator.trace(SENTENCE)
    shape = trace.records["cross"].weights.shape
    heads = heads_in_scope("layer", ((LAYER, 0),), *shape[:2])
    places = cycle([(query, key) for query in range(1, shape[2] - 1, 3) for key in range(0, shape[3] - 1, 3)])

    def pulled() -> tuple[Pull, float]:
        query, key = next(places)
        own = trace.records["cross"].weights[LAYER, :, query, key]
        return Pull("cross", heads, key, query), solve_delta(own, WEIGHT)

    def press() -> None:
        translator.sweep_pull(trace, pulled()[0], weights=WEIGHTS)

    def release() -> None:
        change, delta = pulled()
        changes = HeadInterventions((Pull(change.kind, change.heads, change.key, change.query, delta),))
        translator.trace_under(trace, changes)
        former = translator.trace(
            SENTENCE, target_ids=trace.next_ids, intervention=changes.tap(attention_shapes(trace))
        )
        translator.score(former)

    def control() -> None:
        translator.control_pull(trace, pulled()[0], WEIGHT)

    steps = {
        f"press: {len(WEIGHTS)} weights, one translation each": press,
        "release: new translation with its maps, loss of the former one": release,
        "control: the same weight on every other key": control,
    }
    return interleave("pull, 12 words, layer 4", steps, rounds=20)
