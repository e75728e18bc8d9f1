"""Ctrl+C in a program of this project: one sentence and exit status 130, also while its libraries are imported.

The package `model` imports this module first: PyTorch takes seconds, in which Python would print where it was.
"""

import os
import signal
import sys

STATUS = 130  # of a program that Ctrl+C ended, as shells have it
PROGRAMS = ("attention_atlas.study", "model.study", "training")  # modules that `python -m` runs


def report_interrupt(program: str) -> int:
    """Print that a program was stopped, in the first of several processes, and return its exit status."""
    if os.environ.get("RANK", "0") == "0":
        again = "with the same arguments, and it goes on with what is missing"
        if program == "training":
            again = "with --resume, and it goes on from the last checkpoint"
        print(f"{program}: Stopped; start it again {again}.", file=sys.stderr, flush=True)
    return STATUS


def raise_interrupts() -> None:
    """Raise `KeyboardInterrupt` by Ctrl+C from now on, as the program begins its work, and can end it in order."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _running_program() -> str | None:
    """The module of `PROGRAMS` that `python -m` runs in this process, while it is imported."""
    words = sys.orig_argv
    named = words[words.index("-m") + 1] if sys.argv[:1] == ["-m"] and "-m" in words[:-1] else None
    return named if named in PROGRAMS else None


def _end(*_: object) -> None:
    os._exit(report_interrupt(str(_running_program())))


if _running_program() is not None:
    signal.signal(signal.SIGINT, _end)
