"""A training program that is killed and started again."""

import json
import os
import signal
import time

import pytest

from tests.training.conftest import EPOCHS
from tests.training.programs import PATIENCE, finish, reproducible_rows, run_in_process, start, toy_training
from training.loop import read_metrics


def kill_in_second_epoch(program, out) -> None:
    """Send SIGKILL to the program and its children once a checkpoint exists and the next epoch has begun."""
    deadline = time.monotonic() + PATIENCE
    try:
        while time.monotonic() < deadline and program.poll() is None:
            if any(row["event"] == "step" and row["epoch"] == 1 for row in read_metrics(out / "metrics.jsonl")):
                return
            time.sleep(0.005)
    finally:
        if program.poll() is None:
            os.killpg(program.pid, signal.SIGKILL)


@pytest.mark.nightly
def test_a_run_killed_in_mid_epoch_and_resumed_gives_the_losses_and_weights_of_an_uninterrupted_run(
    trained, data_file, tmp_path
):
    out = tmp_path / "killed"
    program = start(*toy_training(data_file, out, epochs=EPOCHS))
    kill_in_second_epoch(program, out)
    printed = finish(program)
    assert program.returncode == -signal.SIGKILL, printed
    left = read_metrics(out / "metrics.jsonl")
    assert [row["epoch"] for row in left if row["event"] == "epoch"] == [0], "killed too late or too early"
    assert not (out / "model.safetensors").exists()
    with (out / "metrics.jsonl").open("a") as file:
        file.write('{"event": "step", "epo')  # an incomplete line, as after a kill during a write

    run_in_process(*toy_training(data_file, out, epochs=EPOCHS), "--resume")
    assert reproducible_rows(out) == reproducible_rows(trained)
    assert (out / "model.safetensors").read_bytes() == (trained / "model.safetensors").read_bytes()
    starts = [row for row in read_metrics(out / "metrics.jsonl") if row["event"] == "start"]
    assert [row["epoch"] for row in starts] == [0, 1]
    card = json.loads((out / "card.json").read_text())
    assert card["training"]["epochs"] == EPOCHS
    assert not list(out.glob(".*.part"))
