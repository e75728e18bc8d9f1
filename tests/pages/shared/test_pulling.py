"""What a page states about many pulls: the names of places under all others, computed in steps."""

import pytest

from model import HeadInterventions, Translator
from model.pulling.pulls import heads_in_scope
from model.tracing.head_interventions import Pull
from pages.shared import pulling
from pages.shared.pull_sentences import PulledPlaces
from pages.shared.service import Service

ALL = heads_in_scope("all", (), 4, 8)


@pytest.fixture(scope="module")
def service():
    return Service(Translator.load(device="cpu"))


def test_places_are_named_as_the_trace_under_the_other_pulls_names_them(service):
    trace = service.model.trace("She is wearing a small red dress.")
    plan = HeadInterventions((Pull("cross", ALL[24:], 4, 4, 6.676),))
    under = service.model.trace_under(trace, plan)
    assert under.next_ids != trace.next_ids
    for kind in ("encoder", "cross", "decoder"):
        assert PulledPlaces.of_ids(trace, kind, under.next_ids) == PulledPlaces.of(under, kind)


def test_twelve_pulls_are_described_in_steps(service):
    trace = service.model.trace("She is wearing a red dress.")
    plan = HeadInterventions(tuple(Pull("cross", ALL, number % 6, number % 5, 0.1) for number in range(12)))
    steps = service.model.generate_each_in_steps(trace, [HeadInterventions(plan.changes[:each]) for each in range(3)])
    assert list(steps) == [(1, 3), (2, 3), (3, 3)]
    assert len(pulling.describe_pulls(service, trace, plan)) == 12
