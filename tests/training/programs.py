"""The training program as a separate process with a timeout."""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import torch

from training.__main__ import main

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 150  # seconds after which a program is ended and its test fails


def start(
    *arguments: object, processes: int = 1, program: str = "training", host: tuple[int, int] | None = None
) -> subprocess.Popen:
    """`python -m training ...`, or another program, under torchrun where `processes` is more than 1.

    Args:
        host: its rank among two hosts, both of which are this machine, and the port of their rendezvous.
    """
    torchrun = ["-m", "torch.distributed.run", "--nproc-per-node", processes]
    if host is not None:
        torchrun += ["--nnodes", 2, "--node-rank", host[0], "--master-addr", "127.0.0.1", "--master-port", host[1]]
    else:
        torchrun = [*torchrun, "--standalone"] if processes > 1 else []
    command = [sys.executable, *torchrun, "-m", program, *arguments]
    return subprocess.Popen(
        [str(word) for word in command],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,  # a group of its own, so that its children end with it
    )


def finish(program: subprocess.Popen, patience: float = PATIENCE) -> str:
    """Wait for the end and return the program's output."""
    try:
        printed, _ = program.communicate(timeout=patience)
    except BaseException:
        program.terminate()  # torchrun then ends its processes, which are in groups of their own
        with suppress(subprocess.TimeoutExpired):
            program.wait(20)
        with suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)
        program.wait()
        program.stdout.close()
        raise
    return printed


def run(*arguments: object, **options: object) -> None:
    """Run to a successful end; see `start`."""
    program = start(*arguments, **options)
    printed = finish(program)
    assert program.returncode == 0, printed


def run_in_process(*arguments: object, status: int = 0) -> None:
    """Run to an end with this exit status in this process, on one thread as with `start`."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        assert main([str(word) for word in arguments]) == status
    finally:
        torch.set_num_threads(threads)


def toy_training(data: Path, out: Path, **options: object) -> list[object]:
    """Arguments that train a tiny network on the toy language."""
    chosen = {
        "preset": "tiny",
        "vocabulary": 340,
        "heldout": 6,
        "validation": 0,
        "device": "cpu",
        "warmup_steps": 20,
        "learning_rate": 0.01,
        "matrix_learning_rate": 0.01,
        "average_decay": 0.98,
        "batch_tokens": 60,
        **options,
    }
    return ["translator", "--data", data, "--out", out, *as_words(chosen)]


def toy_recurrent(data: Path, out: Path, tokenizer: Path, kind: str, **options: object) -> list[object]:
    """Arguments that train a recurrent network on the toy language, with its own tokenizer."""
    chosen = {
        "kind": kind,
        "tokenizer": tokenizer,
        "heldout": 6,
        "validation": 0,
        "device": "cpu",
        "warmup_steps": 10,
        "learning_rate": 0.02,
        "matrix_learning_rate": 0,
        "average_decay": 0.9,
        "batch_tokens": 120,
        "epochs": 2,
        **options,
    }
    return ["recurrent", "--data", data, "--out", out, *as_words(chosen)]


def as_words(options: dict[str, object]) -> list[object]:
    """Options as they are written on the command line: `batch_tokens=60` is `--batch-tokens 60`."""
    return [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", value)]


def reproducible_rows(folder: Path) -> list[dict]:
    """The step and epoch lines of a metrics file, without the fields that depend on the clock."""
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    clock = ("seconds", "tokens_per_second")
    return [{key: value for key, value in row.items() if key not in clock} for row in rows if row["event"] != "start"]
