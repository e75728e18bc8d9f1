"""Costs of decoding with a cache: multiply-adds as PyTorch counts them, bytes of the cache, the same logits."""

import numpy as np
import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from model.lessons import cache_times as times_lesson
from model.lessons.cache_costs import cache_steps, cached_bytes, fill_table, multiply_adds
from model.lessons.cache_times import FILE, CacheTimes, cache_times, cache_times_in_steps
from model.networks.decoder_only import CachedSequence
from model.runtime.checkpoint import CheckpointError, write_json
from tests.model.random_language_model import random_model


@pytest.fixture(scope="module")
def model():
    return random_model()


@pytest.fixture(scope="module")
def network(model):
    return model.network


def counted(run) -> int:
    """Multiply-adds that PyTorch counts; it counts each as two operations."""
    counter = FlopCounterMode(display=False)
    with torch.no_grad(), sdpa_kernel(SDPBackend.MATH), counter:
        run()
    return counter.get_total_flops() // 2


@pytest.mark.parametrize("length", [5, 12])
def test_multiply_adds_equal_those_that_pytorch_counts(network, length):
    ids = torch.arange(10, 10 + length)[None]
    assert counted(lambda: network.project(network.states(ids)[:, -1])) == multiply_adds(network.config, length, length)
    with torch.no_grad():
        decoder = CachedSequence(network, ids[:, :-1])
        decoder.step(ids[:, -1])
    assert counted(lambda: decoder.step(ids[:, -1])) == multiply_adds(network.config, 1, length)


def test_every_step_with_and_without_the_cache(network):
    steps = cache_steps(network, [9, 8, 7, 3], [20, 21, 22, 3])
    assert steps.lengths.tolist() == [4, 5, 6, 7] and steps.computed.tolist() == [4, 1, 1, 1]
    assert steps.bytes.tolist() == [cached_bytes(network.config, length) for length in (4, 5, 6, 7)]
    assert 0 < steps.difference < 1e-5
    assert steps.cached[0] == steps.uncached[0] and (steps.cached[1:] < steps.uncached[1:]).all()
    assert steps.saved == steps.uncached.sum() / steps.cached.sum() > 1
    kept = [[2, 2, 2, 2, 0, 0, 0], [1, 1, 1, 1, 2, 0, 0], [1, 1, 1, 1, 1, 2, 0], [1, 1, 1, 1, 1, 1, 2]]
    assert fill_table(steps, True).tolist() == kept
    assert np.array_equal(fill_table(steps, False), 2 * np.tri(4, 7, 3))


def test_a_wrong_cache_shows_in_the_logits(network, monkeypatch):
    right = CachedSequence.step
    monkeypatch.setattr(CachedSequence, "step", lambda self, ids: 1.5 * right(self, ids))
    assert cache_steps(network, [9, 8, 3], [20, 3]).difference > 0.4


def test_lowest_and_median_of_the_counted_rounds(model, monkeypatch):
    timed, durations = [], iter([9.0] * 4 + [3.0, 1.0, 8.0, 2.0, 1.0, 5.0, 4.0, 6.0, 2.0, 7.0, 6.0, 4.0])
    monkeypatch.setattr(
        times_lesson, "_time_token", lambda _, length, cached: timed.append((length, cached)) or next(durations)
    )
    measured = cache_times(model, (4, 8, 4000), rounds=3)
    assert timed == [(4, True), (4, False), (8, True), (8, False)] * 4  # 4000 is more than the network has
    assert measured.lengths == (4, 8)
    assert (measured.cached, measured.uncached) == ((1.0, 4.0), (1.0, 2.0))
    assert (measured.cached_median, measured.uncached_median) == ((2.0, 6.0), (5.0, 4.0))
    assert (measured.rounds, measured.threads, measured.torch) == (3, torch.get_num_threads(), torch.__version__)
    assert "core" in measured.hardware and measured.weights_sha256 == ""


def test_both_ways_are_timed(model):
    steps = cache_times_in_steps(model, (4,), rounds=1)
    assert [step.done for step in steps] == [1, 2]
    measured = cache_times(model, (4,), rounds=1)
    assert measured.cached[0] > 0 and measured.uncached[0] > 0


def test_figures_can_be_written_and_read(tmp_path):
    lists = [(1.0, 2.0)] * 4
    times = CacheTimes((16, 32), *lists, 5, "2 cores", 2, "2.13", "ff")
    write_json(tmp_path / FILE, times.to_dict())
    assert CacheTimes.read(tmp_path, "ff") == times
    with pytest.raises(CheckpointError, match="other weights"):
        CacheTimes.read(tmp_path, "ee")
    for damaged in ({"cached": [1.0]}, {"cached": 3}, {"more": 1}):
        write_json(tmp_path / FILE, times.to_dict() | damaged)
        with pytest.raises(CheckpointError, match="damaged"):
            CacheTimes.read(tmp_path, "ff")
