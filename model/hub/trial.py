"""Try out a checkpoint's small files in another process, with limits of memory and time, before this one reads them.

The numbers of a configuration, a tokenizer or an image processor decide how much memory and time the library takes,
under names that differ between types of models, alone or multiplied. So they are not judged one by one: the library
builds from them, without weights, what it would build here, and reads a short input, in a process that is ended at its
limits.
"""

import atexit
import functools
import json
import os
import queue
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..runtime.messages import Template
from .errors import OpenError

SECONDS = 60.0  # of one trial
MEMORY = 1_500_000_000  # bytes that one may take
START_SECONDS = 120.0  # in which the library is imported, on a busy machine
STAGES: dict[str, Template] = {  # of a trial -> why nothing is opened if it fails there
    "config": Template(
        "config.json has settings that a model of type {type} cannot have ({reason}); save or download it again."
    ),
    "network": Template("The weights cannot be loaded into this type of model ({reason}); save or download it again."),
    "reader": Template(
        "The tokenizer or image processor cannot read a short input ({reason}); save or download it again."
    ),
    "limits": Template(
        "Building this model from its small files takes more than {memory:.1f} GB or {seconds:.0f} seconds; a number "
        "in config.json or in the tokenizer's files is wrong."
    ),
    "crash": Template("The library crashes on the small files of this model; save or download it again."),
}


@dataclass(frozen=True)
class TrialResult:
    """The sizes of a network as its configuration describes it."""

    parameters: int  # number of its weights
    buffers: int  # bytes of its other tensors


def try_out(folder: Path, type_: str, task: str | None) -> TrialResult:
    """Build the network of a folder without weights, open its tokenizer or image processor, and read a short input.

    Args:
        type_: the type of model that config.json names.
        task: as of `model.hub.loading.load_model`.

    Raises:
        OpenError: it fails, or takes more than the limits; or no other process can be started.
    """
    answer = _helper().ask({"folder": str(folder.absolute()), "task": task, "memory": MEMORY, "seconds": SECONDS})
    if "template" in answer:
        raise OpenError(answer["template"], **answer["values"])
    if "stage" in answer:
        values = {"type": type_, "reason": answer.get("reason", ""), "memory": MEMORY / 1e9, "seconds": SECONDS}
        raise OpenError(STAGES[answer["stage"]], **values)
    return TrialResult(answer["parameters"], answer["buffers"])


class _Helper:
    """The other process, started at the first trial. It ends when it has been idle for a minute, or with this one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._owner = os.getpid()

    def ask(self, request: dict) -> dict[str, Any]:
        """Send one request and wait for the answer; one at a time."""
        with self._lock:
            for _ in range(2):  # it may have ended just now, idle
                answer = self._ask(request)
                if answer is not None:
                    return answer
        return {"stage": "limits"}

    def close(self) -> None:
        """End the process."""
        if self._process is not None and self._owner == os.getpid():
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()
        self._process = None

    def _ask(self, request: dict) -> dict[str, Any] | None:
        process = self._started()
        assert process.stdin is not None and process.stdout is not None
        lines: queue.Queue[str] = queue.Queue()
        read = process.stdout.readline
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            threading.Thread(target=lambda: lines.put(read()), daemon=True).start()
            line = lines.get(timeout=START_SECONDS + request["seconds"])
        except (OSError, ValueError, queue.Empty):
            line = ""
        if not line:
            self.close()
            return None
        return json.loads(line)

    def _started(self) -> subprocess.Popen[str]:
        if self._process is not None and (self._owner != os.getpid() or self._process.poll() is not None):
            self.close()
        if self._process is None:
            self._owner = os.getpid()
            path = os.pathsep.join(os.path.abspath(part) for part in sys.path)
            settings = {"PYTHONPATH": path, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "", "HF_HUB_OFFLINE": "1"}
            environment = {name: value for name, value in os.environ.items() if name != "HF_TOKEN"} | settings
            try:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", f"{__package__}.trial_worker"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=environment,
                    text=True,
                )
            except OSError:
                raise OpenError(
                    "Another process, which tries a model out before it is opened, cannot be started on this machine."
                ) from None
        return self._process


@functools.cache
def _helper() -> _Helper:
    helper = _Helper()
    atexit.register(helper.close)
    return helper
