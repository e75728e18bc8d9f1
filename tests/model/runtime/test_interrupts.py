"""Ctrl+C ends a program with one sentence and status 130, at its work and while its libraries are imported."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from model.runtime import interrupts
from model.study import __main__ as study
from model.study.run import Shards
from tests.model.toy_language import toy_pairs
from tests.processes import ROOT
from tests.training.programs import toy_training
from training import __main__ as training
from training import text_commands

AGAIN = "Stopped; start it again with the same arguments, and it goes on with what is missing."
PATIENCE = 120.0  # seconds


def start(module: str, *arguments: object, launcher: tuple[str, ...] = (), **environment: str) -> subprocess.Popen:
    """Start `python -m module` with these additional variables of the environment."""
    variables = os.environ | {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""} | environment
    command = [sys.executable, "-W", "ignore", *launcher, "-m", module, *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, env=variables, stderr=subprocess.PIPE, text=True)


def stop(module: str, *arguments: object, when, **options) -> tuple[int, str]:
    """Start a program, send Ctrl+C once `when` is true; the status, and what it prints to the error stream."""
    process = start(module, *arguments, **options)
    try:
        until = time.monotonic() + PATIENCE
        while not when(process) and process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        printed = process.communicate(timeout=PATIENCE)[1]
    finally:
        process.kill()
        process.wait()
    return process.returncode, printed


def imports_torch(process: subprocess.Popen) -> bool:
    """Whether a program has begun to import PyTorch, before which the project's own first module was imported."""
    return "libtorch" in Path(f"/proc/{process.pid}/maps").read_text(encoding="utf-8")


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="of Linux")
def test_while_the_libraries_are_imported(tmp_path):
    assert stop("attention_atlas.study", "lstm-dot", tmp_path, "--out", tmp_path, when=imports_torch) == (
        130,
        f"attention_atlas.study: {AGAIN}\n",
    )


@pytest.fixture
def default_interrupt():
    """Ctrl+C as in a new process, whatever handler a library has installed in this one."""
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, former)


@pytest.mark.usefixtures("default_interrupt")
def test_what_is_measured_stays(tmp_path, monkeypatch, capsys):
    texts, out = tmp_path / "texts.txt", tmp_path / "out"
    texts.write_text("\n".join(english for english, _ in toy_pairs()))
    replace = os.replace

    def stop_while_writing(source, target):
        if Path(target).name == "000001.safetensors":
            signal.raise_signal(signal.SIGINT)
        replace(source, target)

    monkeypatch.setattr(os, "replace", stop_while_writing)
    assert study.main(["lstm-dot", str(texts), "--out", str(out), "--device", "cpu", "--no-ablation"]) == 130
    printed = capsys.readouterr().err
    assert printed.splitlines()[-1] == f"model.study: {AGAIN}" and "Traceback" not in printed
    assert [path.name for path in (out / "shards").iterdir()] == ["000000.safetensors"]


@pytest.mark.nightly
def test_at_work_what_is_measured_stays(tmp_path):
    texts, out = tmp_path / "texts.txt", tmp_path / "out"
    texts.write_text("\n".join([english for english, _ in toy_pairs()] * 20))
    shards = Shards.of(out, 10_000)
    status, printed = stop(
        "attention_atlas.study", "lstm-dot", texts, "--out", out, "--device", "cpu",
        when=lambda _: any(shards.folder.glob("*.safetensors")),
    )  # fmt: skip
    assert status == 130
    assert "Traceback" not in printed and printed.splitlines()[-1] == f"attention_atlas.study: {AGAIN}"
    assert any(shards.folder.glob("*.safetensors")) and not list(shards.folder.glob(".*.part"))
    assert not (out / "heads.parquet").exists()


@pytest.mark.nightly
def test_under_torchrun_it_is_said_once_and_what_is_measured_stays(tmp_path):
    """The launcher is PyTorch's, and prints a report of its own after it has passed Ctrl+C on to its processes."""
    texts, out = tmp_path / "texts.txt", tmp_path / "out"
    texts.write_text("\n".join([english for english, _ in toy_pairs()] * 20))
    folder = Shards.of(out, 10_000).folder
    _, printed = stop(
        "attention_atlas.study", "lstm-dot", texts, "--out", out, "--device", "cpu",
        when=lambda _: any(folder.glob("*.safetensors")),
        launcher=("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"),
    )  # fmt: skip
    assert printed.count(f"attention_atlas.study: {AGAIN}") == 1
    assert "KeyboardInterrupt" not in printed and str(ROOT / "model") not in printed  # no traceback of our processes
    assert any(folder.glob("*.safetensors")) and not list(folder.glob(".*.part"))
    assert not (out / "heads.parquet").exists()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def rank_of_two(rank: int, port: int) -> dict[str, str]:
    """The variables by which torchrun tells a process which of two it is."""
    place = {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2"}
    return place | {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}


def test_while_it_waits_for_another_process(tmp_path):
    """PyTorch waits without looking at signals, for up to 30 days."""
    texts, port = tmp_path / "texts.txt", free_port()
    texts.write_text("The fox")

    def waits(process: subprocess.Popen) -> bool:
        with socket.socket() as caller:
            return caller.connect_ex(("127.0.0.1", port)) == 0

    arguments = ("attention_atlas.study", "lstm-dot", texts, "--out", tmp_path / "out", "--device", "cpu")
    begun = time.monotonic()
    status, printed = stop(*arguments, when=waits, **rank_of_two(0, port))
    assert (status, printed) == (130, f"attention_atlas.study: {AGAIN}\n")
    assert time.monotonic() - begun < PATIENCE


@pytest.mark.nightly
@pytest.mark.parametrize("stopped", [(0,), (1,), (0, 1)])
def test_of_two_trainings_the_other_one_says_that_it_cannot_go_on(tmp_path, stopped):
    data, out, port = tmp_path / "data.tsv", tmp_path / "out", free_port()
    data.write_text("".join(f"{english}\t{french}\n" for english, french in toy_pairs()))
    arguments = toy_training(data, out, epochs=200)
    both = [start("training", *arguments, **rank_of_two(rank, port)) for rank in (0, 1)]
    try:
        until, metrics = time.monotonic() + PATIENCE, out / "metrics.jsonl"
        while not (metrics.exists() and metrics.read_text().count("\n") > 1) and time.monotonic() < until:
            time.sleep(0.1)
        for rank in stopped:
            both[rank].send_signal(signal.SIGINT)
        printed = [process.communicate(timeout=PATIENCE)[1] for process in both]
    finally:
        for process in both:
            process.kill()
            process.wait()
    assert "Traceback" not in "".join(printed)
    others = {0, 1} - set(stopped)
    assert [process.returncode for process in both] == [2 if rank in others else 130 for rank in (0, 1)]
    if 0 in stopped:
        assert printed[0].splitlines()[-1].startswith("training: Stopped; start it again with --resume")
    for rank in others:
        assert printed[rank].splitlines()[-1] == "training: Another process has ended; start all of them again."


@pytest.mark.parametrize("rank", ["0", "1"])
@pytest.mark.parametrize(
    ("run", "arguments", "sentence"),
    [
        (study.main, ["lstm-dot", "x", "--out", "x"], f"model.study: {AGAIN}\n"),
        (
            training.main,
            ["translator", "--data", "x", "--out", "x"],
            "training: Stopped; start it again with --resume, and it goes on from the last checkpoint.\n",
        ),
    ],
)
def test_the_first_of_several_processes_says_so(monkeypatch, capsys, run, arguments, sentence, rank):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setenv("RANK", rank)
    monkeypatch.setattr(study, "read_inputs", interrupt)
    monkeypatch.setattr(text_commands, "read_split_of", interrupt)
    assert run(arguments) == 130
    assert capsys.readouterr().err == (sentence if rank == "0" else "")


@pytest.mark.parametrize(
    ("words", "program"),
    [
        (["python", "-m", "model.study", "x"], "model.study"),
        (["python", "-u", "-X", "dev", "-m", "attention_atlas.study"], "attention_atlas.study"),
        (["python", "-m", "pytest"], None),
        (["python", "-m"], None),
        (["python", "program.py", "-m", "model.study"], None),
    ],
)
def test_only_programs_of_this_project_are_changed(monkeypatch, words, program):
    monkeypatch.setattr(sys, "orig_argv", words)
    monkeypatch.setattr(sys, "argv", words[1:] if "program.py" in words else ["-m", *words[-1:]])
    assert interrupts._running_program() == program
    handler = signal.getsignal(signal.SIGINT)
    interrupts.raise_interrupts()
    assert signal.getsignal(signal.SIGINT) is handler
