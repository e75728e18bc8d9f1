"""Times of forward passes: passes alternate between networks, and shipped figures belong to the shipped weights."""

import json

import pytest
import torch

from model.lessons import forward_times as lesson
from model.lessons.forward_times import FILE, LENGTHS, ForwardTimes, NetworkTimes, forward_times, forward_times_in_steps
from model.networks.recurrent_config import VARIANTS
from model.recurrent_translator import SHIPPED, RecurrentTranslator
from model.runtime.checkpoint import CheckpointError
from model.translator import SHIPPED as TRANSLATOR
from model.translator import Translator
from tests.model.networks import tiny_network, tiny_recurrent


@pytest.fixture
def models():
    return {
        "transformer": Translator(tiny_network(), None, {"weights_sha256": "transformer"}),
        "rnn-vector": RecurrentTranslator(tiny_recurrent("rnn-vector"), None, {"weights_sha256": "rnn-vector"}),
    }


def test_lowest_and_median_of_the_counted_rounds(models, monkeypatch):
    passes, durations = [], iter([9.0] * 4 + [3.0, 1.0, 8.0, 2.0, 1.0, 5.0, 4.0, 6.0, 2.0, 7.0, 6.0, 4.0])

    def timed(network, source, target):
        assert source.shape == target.shape and int(source.min()) > network.config.eos_id
        passes.append((type(network).__name__, source.shape[1]))
        return next(durations)

    monkeypatch.setattr(lesson, "_time_pass", timed)
    measured = forward_times(models, lengths=(2, 4), rounds=3)
    assert passes == [(name, length) for length in (2, 4) for name in ("Transformer", "RecurrentNetwork")] * 4
    assert measured.networks["transformer"].lowest == (1.0, 4.0)
    assert measured.networks["transformer"].median == (2.0, 6.0)
    assert measured.networks["rnn-vector"].lowest == (1.0, 2.0)
    assert measured.networks["rnn-vector"].median == (5.0, 4.0)
    assert measured.growth("transformer") == 4
    assert [times.weights_sha256 for times in measured.networks.values()] == ["transformer", "rnn-vector"]
    assert all(0 <= times.difference < 1e-5 for times in measured.networks.values())
    assert (measured.rounds, measured.threads, measured.torch) == (3, torch.get_num_threads(), torch.__version__)
    assert "core" in measured.hardware


def test_every_pass_is_one_step(models):
    steps = list(forward_times_in_steps(models, lengths=(2,), rounds=2))
    assert [step.done for step in steps] == list(range(1, 2 + 3 * 2 + 1))
    assert {step.total for step in steps} == {8}


def test_both_networks_read_the_same_tokens(models):
    for ours, theirs in zip(*(lesson._ids(model.network, 8) for model in models.values()), strict=True):
        assert torch.equal(ours, theirs)


def test_figures_can_be_written_and_read(tmp_path):
    times = ForwardTimes({"a": NetworkTimes((1.0, 2.0), (1.5, 2.5), 1e-6, "ff")}, (8, 16), 5, "2 cores", 2, "2.13")
    (tmp_path / FILE).write_text(json.dumps(times.to_dict()))
    assert ForwardTimes.read(tmp_path) == times
    for damaged in ("[]", "{}", '{"networks": {"a": {}}}', '{"networks": 3}'):
        (tmp_path / FILE).write_text(damaged)
        with pytest.raises(CheckpointError, match=FILE):
            ForwardTimes.read(tmp_path)


def test_the_shipped_figures_belong_to_the_shipped_weights():
    shipped = ForwardTimes.read(SHIPPED)
    assert list(shipped.networks) == ["transformer", *VARIANTS] and shipped.lengths == LENGTHS
    for name, times in shipped.networks.items():
        folder = TRANSLATOR if name == "transformer" else SHIPPED / name
        assert times.weights_sha256 == json.loads((folder / "card.json").read_text())["weights_sha256"]
        assert times.difference < 1e-3
        assert all(0 < low <= median for low, median in zip(times.lowest, times.median, strict=True))
