"""Load a checkpoint as a network with its tokenizer or image processor: from safetensors, without running code."""

import atexit
import functools
import json
import math
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

from ..runtime.free_memory import free_memory
from ..runtime.messages import Template
from .errors import OpenError, raised_as
from .folder import ADAPTER, ADAPTER_WEIGHTS, SHARE, CheckpointFiles, check_memory, check_size, inspect_checkpoint
from .forward_run import read_config
from .interface import has_eager_form
from .library_version import Config, Network, Reader, check_adapter_libraries
from .model_inputs import reads_pictures_with_text
from .readers import load_processor, load_reader
from .tasks import OPTIONS, ModelTask, head_left_out, loading_class, task_of
from .verification import is_pooler

# Try out a checkpoint's small files in another process, with limits of memory and time, before this one reads them.
#
# The numbers of a configuration, a tokenizer or an image processor decide how much memory and time the library takes,
# under names that differ between types of models, alone or multiplied. So they are not judged one by one: the library
# builds from them, without weights, what it would build here, and reads a short input, in a process that is ended at
# its limits.

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
        task: as of `load_model`.

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


UNKNOWN = Template("This version of the library does not support models of type {type}.")
OTHER_SIZES = Template(
    "{count} {count:tensor of the weights has|tensors of the weights have} another size than config.json states, "
    "{name} for one; the two files do not "
    "belong together."
)
QUANTIZED = Template(
    "This model is stored in {bits} bits by {library}; load it with from_pretrained and give it live, in full "
    "precision: open_model(model.dequantize(torch.float32), reader=tokenizer)."
)
QUANTIZED_WITHOUT = Template(
    "This model is stored in {bits} bits by the library {library}, which is not installed; install it, load the model "
    "with from_pretrained and give it in full precision: open_model(model.dequantize(torch.float32), reader=tokenizer)."
)
QUANTIZERS = {
    "bitsandbytes": "bitsandbytes",
    "gptq": "gptqmodel",
    "awq": "gptqmodel",
    "hqq": "hqq",
    "torchao": "torchao",
}
LONGEST_SHOWN = 40  # characters of a text of config.json in a message
SURPLUS = 1.5  # largest ratio of a network's numbers to those in its files, which hold tied weights once
SMALL_SURPLUS = 1_000_000  # numbers that may be missing besides; the library states which
DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


@dataclass(frozen=True, eq=False)
class LoadedModel:
    """A network ready to run, with its tokenizer or image processor."""

    network: Network  # of the library, in evaluation mode
    reader: Reader  # its tokenizer, or its image processor
    vision: bool  # whether its input is a picture
    task: ModelTask  # the task it was trained for
    # name of the class with a head whose answers are not shown, of a body that is opened alone; else None
    head: str | None = None
    # of texts with pictures, with the tokenizer in it; None where the network reads no such texts
    processor: Any = None
    picture_refusal: OpenError | None = None  # why a network that could read such texts has no processor; else None


def load_model(
    folder: Path, task: ModelTask | None, dtype: str, device_map: str | dict | None = None, memory: int | None = None
) -> LoadedModel:
    """Load the network of a folder with its tokenizer or image processor.

    Args:
        device_map: how the library `accelerate` spreads the weights: "auto", or module -> device; None leaves them in
            memory.
        memory: bytes of this machine's memory that spread weights may take, by default a share of the free memory;
            weights that do not fit stay in their file and are read whenever they are needed.

    Raises:
        OpenError: the folder cannot be loaded; the message states why in one sentence.
    """
    files = inspect_checkpoint(folder)
    check_size(
        files,
        None if dtype == "auto" else DTYPES[dtype].itemsize,
        None if device_map is None else math.inf,
    )
    if device_map is not None and find_spec("accelerate") is None:
        raise OpenError(
            "A model is spread over several devices by the library accelerate, which is not installed; install it, or "
            "choose one device."
        )
    spread = {} if device_map is None else {"device_map": device_map, "max_memory": _memory_limits(memory)}
    import transformers

    _check_quantization(files.config)
    type_ = files.config["model_type"]
    with _newer_version_stated(files):
        if files.config.get("auto_map") and not _has_class(files.config):
            raise OpenError("This model needs program code of its own, which is never run; open a model that does not.")
        if type_ not in transformers.CONFIG_MAPPING:
            raise OpenError(UNKNOWN, type=type_)
        _check_adapter(folder)
        _check_trial(files, try_out(folder, type_, task), dtype, spread=device_map is not None)
        with raised_as(STAGES["config"], type=type_):  # each type of model checks its sizes in its own way
            config = read_config(folder)
        network, task = _load_network(folder, config, task, {"dtype": dtype, **spread})
    check_input(network)
    vision = network.main_input_name == "pixel_values"
    reader = load_reader(folder, vision, config)
    head = head_left_out(network, config) if task == "encode" else None
    processor = refusal = None
    if reads_pictures_with_text(network):
        try:
            processor = load_processor(folder)
        except OpenError as error:
            refusal = error
    return LoadedModel(network.eval().requires_grad_(False), reader, vision, task, head, processor, refusal)


def _has_class(config: dict[str, Any]) -> bool:
    """Whether the library itself has the type of a model, and the class that it was saved from, by its own spelling."""
    import transformers

    named = config.get("architectures")
    classes = {str(name).lower() for name in named} if isinstance(named, list) else set()
    known = {name.lower() for name in dir(transformers)} if classes else set()
    return config["model_type"] in transformers.CONFIG_MAPPING and classes <= known


def _check_adapter(folder: Path) -> None:
    """Refuse an adapter beside its base where it could not be applied: the base alone would answer otherwise.

    Raises:
        OpenError: peft is missing or transformers too old, or the adapter has no safetensors file.
    """
    if not (folder / ADAPTER).is_file():
        return
    if not (folder / ADAPTER_WEIGHTS).is_file():
        raise OpenError(
            "The folder has an adapter of its model, {file}, without {weights}; save the adapter as safetensors, or "
            "remove {file} to open the model without it.",
            file=ADAPTER,
            weights=ADAPTER_WEIGHTS,
        )
    check_adapter_libraries()


def _check_quantization(config: dict[str, Any]) -> None:
    """Refuse weights that were stored in fewer bits: their sizes cannot be checked before they are loaded.

    Raises:
        OpenError: the message states how they are opened.
    """
    plan = config.get("quantization_config")
    if not isinstance(plan, dict):
        return
    stated = plan.get("bits") or (4 if plan.get("load_in_4bit") else 8 if plan.get("load_in_8bit") else None)
    bits = str(stated) if isinstance(stated, int) else "fewer"
    method = str(plan.get("quant_method", "another library"))[:LONGEST_SHOWN]
    missing = method in QUANTIZERS and find_spec(QUANTIZERS[method]) is None
    raise OpenError(QUANTIZED_WITHOUT if missing else QUANTIZED, bits=bits, library=QUANTIZERS.get(method, method))


def _load_network(
    folder: Path, config: Config, task: ModelTask | None, options: dict[str, Any]
) -> tuple[Network, ModelTask]:
    """Load a network for its task, or its body alone where no task is required and the weights lack the head only.

    Raises:
        OpenError: other weights are missing.
    """
    import transformers

    transformers.utils.logging.disable_progress_bar()
    first = task_of(config) if task is None else task
    attempts: tuple[ModelTask, ...] = (first,) if task is not None or first == "encode" else (first, "encode")
    lacking: list[str] = []
    for attempt in attempts:
        with raised_as(STAGES["network"]):
            load = getattr(transformers, loading_class(config, attempt)).from_pretrained
            options = {"config": config, "use_safetensors": True, "output_loading_info": True, **OPTIONS, **options}
            options["ignore_mismatched_sizes"] = True  # they are listed, and refused below
            network, loading_info = load(folder, **options)
            if not has_eager_form(network):  # built with another form, which it cannot change
                network, loading_info = load(folder, **options, attn_implementation="eager")
        if others := sorted(key for key, *_ in loading_info.get("mismatched_keys", ())):
            raise OpenError(OTHER_SIZES, count=len(others), name=others[0])
        missing = sorted(loading_info["missing_keys"])
        if attempt == "encode" and all(map(is_pooler, missing)):
            _make_unusable(network, missing)
            missing = []
        if not missing:
            return network, attempt
        lacking = lacking or missing
        if any(name.startswith(f"{network.base_model_prefix}.") for name in missing):
            break  # the body is not complete either
    raise OpenError(
        "The weights lack {count} {count:tensor|tensors} that this type of model has, {name} for one; it would "
        "answer with random "
        "numbers.",
        count=len(lacking),
        name=lacking[0],
    )


def _make_unusable(network: Network, names: list[str]) -> None:
    """Make missing tensors NaN in place of random: opening fails if anything that is shown depends on them."""
    tensors = dict(network.named_parameters())
    for name in names:
        if name in tensors and not tensors[name].is_meta:
            tensors[name].data.fill_(math.nan)


@contextmanager
def _newer_version_stated(files: CheckpointFiles) -> Iterator[None]:
    """Within this context, a model that a later version of the library wrote is refused for that reason."""
    import transformers
    from packaging.version import InvalidVersion, Version

    try:
        yield
    except OpenError as error:
        try:
            written, installed = (
                Version(str(files.config.get("transformers_version"))[:LONGEST_SHOWN]),
                Version(transformers.__version__),
            )
        except InvalidVersion:
            raise error from None
        if error.template not in (UNKNOWN, OTHER_SIZES, STAGES["config"], STAGES["network"]) or written <= installed:
            raise
        raise OpenError(
            "Version {written} of the library transformers wrote this model of type {type}, and version {installed}, "
            "which is installed, cannot open it; install a later one.",
            written=str(written),
            installed=str(installed),
            type=files.config["model_type"],
        ) from None


def _check_trial(files: CheckpointFiles, built: TrialResult, dtype: str, *, spread: bool) -> None:
    """Refuse a configuration that describes a network larger than its weights, or than the memory.

    Raises:
        OpenError: with the figures.
    """
    if built.parameters > SURPLUS * files.parameters + SMALL_SURPLUS:
        raise OpenError(
            "config.json describes a model of {built:,} numbers, but the weights lack many: they are {saved:,}; "
            "the two files do not belong together.",
            built=built.parameters,
            saved=files.parameters,
        )
    if not spread:
        per_number = DTYPES[dtype].itemsize if dtype != "auto" else files.bytes / max(1, files.parameters)
        check_memory(int(built.parameters * per_number) + built.buffers)


def _memory_limits(memory: int | None) -> dict[int | str, int]:
    """Bytes that weights may take on each device."""
    from accelerate.utils import get_max_memory

    free = free_memory()
    share = {} if free is None else {"cpu": int(SHARE * free)}
    return get_max_memory() | (share if memory is None else {"cpu": memory})


def check_input(network: Network) -> None:
    """Refuse a network whose input is neither text nor a picture.

    Raises:
        OpenError: with the library's name of the input.
    """
    if network.main_input_name not in ("input_ids", "pixel_values"):
        raise OpenError(
            "This model reads neither text nor pictures but {input}; open one that does.", input=network.main_input_name
        )
