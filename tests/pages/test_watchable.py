"""Health, metrics and logs report the state of the server, and never a visitor's input."""

import io
import json
import logging

import pytest
import streamlit as st
from starlette.applications import Starlette

from pages.shared import fragments
from server import health, logs, metrics, run_context, warm_up
from server.limits import RunLimits
from server.run_queue import RunQueue
from tests.coroutines import run_in_thread
from tests.new_process import clear_all

HOSTILE = 'Zxqv <script>alert(1)</script> "}{ atlas_runs_total 7'
SECRET = "Zxqv"


@pytest.fixture
def log():
    """Lines logged during the test."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(logs.JsonLines())
    before = logs.LOG.level
    logs.LOG.addHandler(handler)
    logs.LOG.setLevel(logging.INFO)
    yield lambda: [json.loads(line) for line in written.getvalue().splitlines()]
    logs.LOG.removeHandler(handler)
    logs.LOG.setLevel(before)


@pytest.fixture
def fresh():
    clear_all()
    yield
    clear_all()


def get(path: str) -> tuple[int, str]:
    """Return status and body of a response of the health routes, without a server."""
    sent = []

    async def ask():
        async def receive():
            return {"type": "http.request"}

        async def send(message):
            sent.append(message)

        scope = {"type": "http", "method": "GET", "path": path, "headers": [], "query_string": b""}
        await Starlette(routes=health.routes("1.2"))(scope, receive, send)

    run_in_thread(ask())
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent).decode()


def value(name: str) -> float:
    """Return the value of a metric as Prometheus reads it."""
    (line,) = [line for line in get("/metrics")[1].splitlines() if line.startswith(f"{name} ")]
    return float(line.split()[-1])


def test_health_requires_that_both_models_have_computed(fresh):
    assert get("/healthz") == (503, '{"status":"loading","version":"1.2"}')
    health.readiness().expect(["translator", "classifier"])
    loading = '{"status":"loading","version":"1.2","translator":"loading","classifier":"loading"}'
    assert get("/healthz") == (503, loading)
    assert value("atlas_ready") == 0
    health.readiness().set("translator", "ready")
    assert get("/healthz")[0] == 503
    health.readiness().set("classifier", "ready")
    assert get("/healthz") == (200, '{"status":"ready","version":"1.2","translator":"ready","classifier":"ready"}')
    assert value("atlas_ready") == 1


def test_a_model_that_cannot_compute_is_unhealthy(fresh, log):
    def broken():
        raise RuntimeError(f"about {HOSTILE}")

    warm_up.warm_up({"translator": broken, "classifier": lambda: None})
    assert get("/healthz") == (503, '{"status":"broken","version":"1.2","translator":"broken","classifier":"ready"}')
    assert [(line["event"], line.get("error")) for line in log()] == [("broken", "RuntimeError"), ("not ready", None)]
    assert SECRET not in json.dumps(log())


def test_a_run_is_counted_and_logged_without_the_input(open_app, log):
    open_app("translate", text=HOSTILE)
    (line,) = [line for line in log() if line["event"] == "run"]
    assert line["page"] == "translate"
    assert line["outcome"] == "ok"
    assert line["tokens"] > 10
    assert line["milliseconds"] >= line["queued"] >= 0
    counted = get("/metrics")[1]
    assert 'atlas_runs_total{outcome="ok",page="translate",part=""}' in counted
    assert 'atlas_answer_seconds_count{page="translate"}' in counted
    assert 'atlas_results_total{source="computed"}' in counted
    assert SECRET not in counted
    assert SECRET not in json.dumps(log())


def test_a_full_server_answers_with_one_sentence(open_app, log, monkeypatch):
    monkeypatch.setattr(run_context, "run_queue", lambda: RunQueue(RunLimits(waiting=0)))
    app = open_app()
    assert [warning.value for warning in app.warning] == [
        "0 visitors are waiting already: please come again in a minute."
    ]
    assert [line["outcome"] for line in log()] == ["refused"]


def test_an_error_is_logged_by_its_type_only(log):
    with pytest.raises(ValueError, match=SECRET), fragments.queued_run("translate"):
        raise ValueError(HOSTILE)
    (line,) = log()
    assert (line["level"], line["outcome"]) == ("error", "error")
    assert SECRET not in json.dumps(line)
    assert run_context._current.get() is None


def test_a_fragment_takes_a_slot_only_when_it_runs_alone(log, monkeypatch):
    monkeypatch.setattr(st, "fragment", lambda function: function)
    contexts = []

    @fragments.fragment
    def part():
        contexts.append(run_context._current.get())

    with fragments.queued_run("attention"):
        whole = run_context._current.get()
        part()
    part()
    assert contexts[0] is whole
    assert contexts[1] not in (None, whole)
    assert [(line["page"], line["part"]) for line in log()] == [("attention", ""), ("attention", "part")]


def test_metric_labels_are_names_of_this_project():
    """A label is the title of a page, a function's name, an outcome or a source."""
    assert set(metrics.RUNS._labelnames) == {"page", "part", "outcome"}
    assert set(metrics.ANSWERS._labelnames) == {"page"}
    assert set(metrics.RESULTS._labelnames) == {"source"}
