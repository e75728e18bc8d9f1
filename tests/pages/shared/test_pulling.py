"""What a page states about many pulls: the names of places under all others, computed in steps."""

import time
from contextlib import contextmanager

import pytest

from model import HeadInterventions, Translator
from model.pulling.pulls import heads_in_scope
from model.tracing.head_interventions import Pull
from pages.shared import pulling
from pages.shared.pull_sentences import PulledPlaces
from pages.shared.service import Service
from pages.translate.stage import answer_request
from views.components.stage import StageRequest
from views.map_labels import MEAN
from views.text import waiting

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


LONG = (
    "The old man in the long grey coat is slowly walking along the narrow street with his small white dog and "
    "two heavy bags."
)


@pytest.fixture
def reported(monkeypatch):
    """The progress that a page would show, one list for each computation."""
    reports = []

    @contextmanager
    def progress():
        reports.append([])
        yield lambda done, total: reports[-1].append((done, total))

    monkeypatch.setattr(waiting, "progress", progress)
    return reports


@pytest.mark.parametrize("sentence", ["A dog runs on the beach.", LONG])
@pytest.mark.parametrize("kind", ["cross", "encoder"])
def test_run_and_control_of_twelve_pulls_show_progress_and_end_within_three_seconds(service, reported, kind, sentence):
    trace = service.model.trace(sentence)
    places = len(trace.next_ids)
    pulls = tuple(Pull(kind, ALL, number % 5, (number + 3) % places, 0.5) for number in range(12))
    plan = HeadInterventions(pulls)
    began = time.process_time()
    pulling.describe_pulls(service, trace, plan)
    place = kind, MEAN, MEAN, pulls[-1].query
    request = StageRequest(1, "state", sentence, plan.to_text(), *place, "control", "all", pulls[-1].key, 0.5)
    answer, kept = answer_request(service, trace, request)
    facts = pulling.facts_of_pulls(service, trace, plan)
    assert time.process_time() - began < 3
    assert kept == pulls and tuple(answer["control"]) == facts.control[1:]
    assert len(reported) >= 4  # description, run, run under the earlier pulls, control
    assert all(own == sorted(own) and own[-1][0] <= own[-1][1] for own in reported)
    assert len(reported[0]) == 23 and max(map(len, reported[1:])) > 1  # one pass that settles all tokens is one step
