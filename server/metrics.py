"""Metrics for Prometheus.

Labels are names of this project's pages and outcomes, never anything that a visitor entered.
"""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector

SECONDS = (0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64)

REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)  # memory, processor time and open files of the server

RUNS = Counter(
    "atlas_runs",
    "Runs of a page, or of a part of it, by outcome: ok, interrupted, refused or error",
    ("page", "part", "outcome"),
    registry=REGISTRY,
)
ANSWERS = Histogram(
    "atlas_answer_seconds",
    "From a visitor's request to the end of its run, waiting included",
    ("page",),
    buckets=SECONDS,
    registry=REGISTRY,
)
QUEUED = Histogram("atlas_queued_seconds", "Waiting for a slot", buckets=SECONDS, registry=REGISTRY)
COMPUTING = Histogram("atlas_computing_seconds", "One computation of a model", buckets=SECONDS, registry=REGISTRY)
RESULTS = Counter(
    "atlas_results",
    "Requested results: computed, or served from the cache or from a running computation",
    ("source",),
    registry=REGISTRY,
)
RETAINED = Gauge("atlas_retained_bytes", "Results, and what open pages refer to", registry=REGISTRY)
EVICTED = Counter("atlas_evicted", "Results and inputs of open pages that the budget evicted", registry=REGISTRY)
RUNNING = Gauge("atlas_running", "Runs that have a slot", registry=REGISTRY)
WAITING = Gauge("atlas_waiting", "Runs that wait for a slot", registry=REGISTRY)
READY = Gauge("atlas_ready", "1 once both models have computed something", registry=REGISTRY)


def runs() -> int:
    """The number of runs that have ended."""
    samples = (sample for family in RUNS.collect() for sample in family.samples)
    return int(sum(sample.value for sample in samples if sample.name.endswith("_total")))
