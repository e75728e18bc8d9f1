"""Training in one process and in several."""

import pytest
import torch
from torch import nn

from model.runtime.processes import ProcessGroup
from model.text.tokenizer import Tokenizer
from tests.training.programs import finish, reproducible_rows, run, run_in_process, start, toy_training
from training.translation import EncodedPair, plan_epoch

EXACT = {"dropout": 0, "precision": "fp32", "epochs": 1}


def test_without_torchrun_there_is_one_process_that_leads(monkeypatch):
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    group = ProcessGroup.join("cpu")
    assert (group.rank, group.world_size, group.leads) == (0, 1, True)
    assert group.device == torch.device("cpu")
    group.wait()
    group.leave()


def test_one_process_wraps_nothing_and_its_total_is_a_copy():
    group = ProcessGroup(0, 1, torch.device("cpu"))
    module, value = nn.Linear(2, 2), torch.ones(3)
    assert group.wrap(module) is module
    total = group.total(value)
    assert torch.equal(total, value)
    total.zero_()
    assert value.sum() == 3


def test_only_rank_0_leads():
    assert not ProcessGroup(1, 2, torch.device("cpu")).leads


@pytest.mark.parametrize(
    ("variables", "named"),
    [({"WORLD_SIZE": "two"}, "WORLD_SIZE is 'two'"), ({"WORLD_SIZE": "2"}, "RANK is ''")],
)
def test_an_environment_that_torchrun_did_not_make_is_named(monkeypatch, variables, named):
    monkeypatch.delenv("RANK", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ValueError, match=f"^The environment variable {named} and no number; start with torchrun"):
        ProcessGroup.join("cpu")


@pytest.mark.nightly
def test_two_processes_take_the_steps_of_one_with_the_doubled_batch(data_file, corpus, tmp_path):
    two, one = tmp_path / "two", tmp_path / "one"
    run(*toy_training(data_file, two, batch_tokens=60, **EXACT), processes=2)
    run_in_process(*toy_training(data_file, one, batch_tokens=120, **EXACT))
    assert (two / "tokenizer.model").read_bytes() == (one / "tokenizer.model").read_bytes()

    expected, rows = reproducible_rows(one), reproducible_rows(two)
    exact = ("event", "epoch", "step", "steps", "rate")
    assert [[row.get(key) for key in exact] for row in rows] == [[row.get(key) for key in exact] for row in expected]
    assert len(rows) >= 3 and rows[-1]["event"] == "epoch"
    for row, other in zip(rows, expected, strict=True):
        for key in row.keys() & {"loss", "nll", "heldout_nll"}:
            assert row[key] == pytest.approx(other[key], rel=1e-3)  # rounding accumulates over 50 steps
    # after 25 steps rounding shows in the fifth digit; a gradient weighted by process instead of by term, in the fourth
    assert rows[0]["loss"] == pytest.approx(expected[0]["loss"], rel=5e-5)

    tokenizer = Tokenizer(one / "tokenizer.model")
    pairs = [EncodedPair(tokenizer.encode_source(e), tokenizer.encode_target(f)) for e, f in corpus.train]
    sizes = {len(batch) for batch in plan_epoch(pairs, 120, 2017, 0)}
    assert 1 in sizes, "a batch of one pair, of which the second process gets nothing, must be among them"
    assert any(size % 2 for size in sizes - {1}), "and one that cannot be halved"


@pytest.mark.nightly
def test_a_failure_in_the_first_process_ends_the_others(data_file, tmp_path):
    program = start(*toy_training(data_file, tmp_path / "out", vocabulary=100, **EXACT), processes=2)
    printed = finish(program, patience=90)
    assert program.returncode != 0
    assert "training: No tokenizer of 100 tokens can be trained on this text" in printed
