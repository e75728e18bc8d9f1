"""What a page computes about pulls, cached by the service: the run under them, their control, their description."""

from dataclasses import dataclass

import numpy as np

from model import HeadInterventions, InterventionError, Trace
from model.pulling.deltas import pulled_weights
from model.pulling.pulls import PullControl
from model.pulling.set_places import tokens_when_set
from model.tracing.head_interventions import Heads, OneHot, Pull
from pages.shared import pull_sentences
from pages.shared.pull_sentences import PulledPlaces
from pages.shared.service import Service
from views.text.catalogue import say_error

NONE = HeadInterventions()


@dataclass(frozen=True)
class ControlledPull:
    """The last change of a plan, which is a pull, with its control."""

    pull: Pull
    weight: float  # the mean weight over its heads that it gives its key
    before: Trace  # what the network computed under the changes before it, for the translation that it generated
    control: PullControl

    @property
    def places(self) -> PulledPlaces:
        """The names of its places."""
        return PulledPlaces.of(self.before, self.pull.kind)

    def sentences(self) -> tuple[str, ...]:
        """See `pull_sentences.control_sentences`."""
        return pull_sentences.control_sentences(self.control, self.pull, self.places)


def trace_under(service: Service, trace: Trace, plan: HeadInterventions = NONE) -> Trace:
    """Return everything the network computes under changes, for the translation that it generates under them.

    Raises:
        InterventionError: a change is impossible.
    """
    key = ("trace under", trace.source_ids, len(trace.target_ids), plan.to_text())
    return service.trace_in_steps(key, lambda model: model.trace_under_in_steps(trace, plan))


def control(
    service: Service,
    before: Trace,
    pull: Pull,
    weight: float,
    drawn: Heads = (),
    earlier: HeadInterventions = NONE,
) -> PullControl:
    """Give the same weight to every other key, and hide the key; `before` is `trace_under` the earlier changes.

    Translations under a pull in the decoder end with the token that its query chooses.

    Raises:
        InterventionError: see `model.pulling.pulls.control_in_steps`.
    """
    key = ("control", _identify(before, pull, drawn, earlier), weight)
    return service.analysis_in_steps(
        key, lambda model: model.control_pull_in_steps(before, pull, weight, drawn, earlier, whole=False)
    )


def _identify(before: Trace, pull: Pull, drawn: Heads, earlier: HeadInterventions) -> tuple:
    return before.source_ids, before.next_ids, HeadInterventions((pull,)).to_text(), tuple(drawn), earlier.to_text()


def control_last(
    service: Service, trace: Trace, plan: HeadInterventions, before: Trace | None = None
) -> ControlledPull | None:
    """Compute the control of the last change of a plan; None if that is no pull.

    Args:
        trace: of the sentence, without changes.
        before: of the sentence under the changes before the last one; by default that of its greedy translation.

    Raises:
        InterventionError: the pull has no place in the greedy translation under the changes before it, or no number
            changes its weight there.
    """
    if not plan.changes or not isinstance(pull := plan.changes[-1], Pull) or not pull.heads:
        return None
    earlier = plan.without_last()
    before = before or trace_under(service, trace, earlier)
    weights = before.records[pull.kind].weights
    HeadInterventions((pull,)).check({kind: record.weights.shape for kind, record in before.records.items()})
    own = [float(weights[layer, head, pull.query, pull.key]) for layer, head in pull.heads]
    if not all(0 < weight < 1 for weight in own):
        raise InterventionError(
            "The weight of that key is {weight:g} whatever its score; choose another.", weight=max(own)
        )
    weight = float(np.clip(pulled_weights(own, pull.delta).mean(), 0, 1))
    return ControlledPull(pull, weight, before, control(service, before, pull, weight, (), earlier))


@dataclass(frozen=True)
class PullFacts:
    """What must be stated about a plan with pulls."""

    pulls: tuple[str, ...]  # every pull and one-hot row, in order
    control: tuple[str, ...]  # about the last change if that is a pull, from `pull_sentences.control_sentences`
    problem: str = ""  # why it has no control; empty where it has one or needs none

    @property
    def captions(self) -> tuple[str, ...]:
        """Lines for exported files."""
        forced = () if self.control else (pull_sentences.forced(len(self.pulls)),)
        return (*self.pulls, " ".join((*forced, *self.control)))


def facts_of_pulls(service: Service, trace: Trace, plan: HeadInterventions) -> PullFacts | None:
    """Describe the pulls of a plan, with the control of the last change; None for a plan without pulls.

    Args:
        trace: of the sentence, without changes.
    """
    if "pull" not in service.model.capabilities or not any(isinstance(change, Pull) for change in plan.changes):
        return None
    pulls, problem = tuple(describe_pulls(service, trace, plan)), ""
    control: tuple[str, ...] = ()
    try:
        controlled = control_last(service, trace, plan)
        control = controlled.sentences() if controlled else ()
    except InterventionError as error:
        problem = say_error(error)
    return PullFacts(pulls, control, problem)


def describe_pulls(service: Service, trace: Trace, plan: HeadInterventions) -> list[str]:
    """Describe the pulls and one-hot rows of a plan, in order, each with the token at which it was set if that is gone.

    Args:
        trace: of the sentence, without changes.
    """
    if not any(isinstance(change, Pull | OneHot) for change in plan.changes):
        return []
    others = [HeadInterventions((*plan.changes[:number], *plan.changes[number + 1 :])) for number in _numbers(plan)]
    before = [HeadInterventions(plan.changes[:number]) for number in _numbers(plan)]
    key = ("generated around", trace.source_ids, len(trace.target_ids), plan.to_text())
    generated = service.analysis_in_steps(
        key, lambda model: model.generate_each_in_steps(trace, [*before, *others])
    )  # of many changes, each of which is left out in turn
    set_at = tokens_when_set(lambda changes: generated[changes].ids, trace.tokenizer, plan)
    lines = []
    for change, token, without in zip(plan.changes, set_at, others, strict=True):
        if isinstance(change, Pull | OneHot):
            places = PulledPlaces.of_ids(trace, change.kind, generated[without].ids)
            lines.append(pull_sentences.describe_pull(change, places, token))
    return lines


def _numbers(plan: HeadInterventions) -> range:
    return range(len(plan.changes))
