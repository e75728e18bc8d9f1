"""Run what a file decides in a process of its own, with limits of memory and time.

On Linux the process is a fork, in which nothing is loaded again. Elsewhere what is loaded may not survive a fork.
"""

import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

FORKS = sys.platform == "linux"
LARGEST_ANSWER = 100_000  # bytes

Answer = dict[str, Any]  # what the work returns, as JSON can write it


def run_in_fork(work: Callable[[], Answer], seconds: float, largest: int = LARGEST_ANSWER) -> Answer:
    """Do some work in a fork of this process.

    Args:
        work: limits its own memory, see `limit_memory`.
        seconds: after which the fork is ended.
        largest: bytes of the answer.

    Returns:
        The answer; or `{"stage": "limits"}` where the fork ends without one, does not end in time, or answers with too
        much; or `{"stage": "crash"}` where a library crashes.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(json.dumps(work()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    deadline, content = time.monotonic() + seconds, b""
    try:
        while (left := deadline - time.monotonic()) > 0 and select.select([reading], [], [], left)[0]:
            part = os.read(reading, LARGEST_ANSWER)
            content += part
            if not part or len(content) > largest:
                break
    finally:
        os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
        os.close(reading)
    try:
        return json.loads(content)
    except ValueError:
        return {"stage": "crash" if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGSEGV else "limits"}


def limit_memory(memory: int) -> None:
    """Let this process take so many bytes more than it has, where the system has such limits; for good."""
    try:
        import resource
    except ImportError:  # Windows
        return
    most = _virtual_memory() + memory
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _virtual_memory() -> int:
    """Bytes of address space that this process has; 0 where the system does not report it."""
    sizes = Path("/proc/self/statm")
    return int(sizes.read_text(encoding="utf-8").split()[0]) * os.sysconf("SC_PAGE_SIZE") if sizes.is_file() else 0
