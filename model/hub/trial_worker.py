"""The process in which checkpoints are tried out; see `model.hub.loading`. `python -m model.hub.trial_worker`.

It imports the library once and forks for each trial, so that the limits, and whatever goes wrong, belong to one trial.
Where a process cannot fork, it makes one trial and ends.
"""

import json
import os
import select
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import torch
import transformers

from .errors import OpenError, reason_of
from .folder import check_references
from .forward_run import read_config
from .languages import TargetLanguages, find_languages
from .library_version import Network
from .limited_process import FORKS, limit_memory, run_in_fork
from .model_inputs import has_decoder, probe_inputs, reads_pictures_with_text
from .picture_text_inputs import probe_picture_text
from .readers import load_processor, load_reader
from .tasks import loading_class, task_of

IDLE_SECONDS = 60.0
PRELOADED = (
    "AutoTokenizer",
    "AutoImageProcessor",
    "GPT2LMHeadModel",
    "ViTModel",
    "ViTImageProcessor",
)  # and their imports


def main() -> None:
    """Answer requests, one a line, until there are no more for `IDLE_SECONDS`."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is no answer
    torch.set_num_threads(1)
    for name in PRELOADED:  # once for all trials
        getattr(transformers, name)
    while True:
        if FORKS and not select.select([0], [], [], IDLE_SECONDS)[0]:
            return
        line = sys.stdin.readline()
        if not line:
            return
        request = json.loads(line)
        answer = run_in_fork(partial(_limited, request), request["seconds"]) if FORKS else _limited(request)
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
        if not FORKS:
            return


def _limited(request: dict[str, Any]) -> dict[str, Any]:
    """Make a trial in this process, within its limits."""
    limit_memory(request["memory"])
    stage = ["config"]
    try:
        return _try_out(Path(request["folder"]), request["task"], stage)
    except OpenError as error:
        return {"template": error.template, "values": {name: _plain(value) for name, value in error.values.items()}}
    except MemoryError:
        return {"stage": "limits"}
    except BaseException as error:  # also a panic of a library written in Rust
        if "can't allocate memory" in str(error):
            return {"stage": "limits"}
        return {"stage": stage[0], "reason": reason_of(error)}


def _try_out(folder: Path, task: Any, stage: list[str]) -> dict[str, Any]:
    check_references(folder)
    config = read_config(folder)
    task = task_of(config) if task is None else task
    stage[0] = "network"
    with torch.device("meta"):
        network: Network = getattr(transformers, loading_class(config, task)).from_config(
            config, trust_remote_code=False
        )
    sizes = {
        "parameters": sum(tensor.numel() for tensor in network.parameters()),
        "buffers": sum(tensor.numel() * tensor.element_size() for tensor in network.buffers()),
    }
    stage[0] = "reader"
    vision = network.main_input_name == "pixel_values"
    if vision or network.main_input_name == "input_ids":
        reader = load_reader(folder, vision, config)
        languages = find_languages(network, reader) if has_decoder(network) else TargetLanguages()
        probe_inputs(network, reader, languages, vision=vision)
    if reads_pictures_with_text(network):
        _try_pictures(folder, network)
    return sizes


def _try_pictures(folder: Path, network: Network) -> None:
    """Read a short text with a picture; where that fails, the text half alone is opened, and states why."""
    with suppress(OpenError):
        probe_picture_text(network, load_processor(folder))


def _plain(value: object) -> object:
    return value if isinstance(value, str | int | float) else str(value)


if __name__ == "__main__":
    main()
