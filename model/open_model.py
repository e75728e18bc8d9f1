"""Opens any Hugging Face checkpoint for tracing."""

import hashlib
import os
from pathlib import Path

from torch import nn

from .hub.downloading import DownloadProgress
from .hub.errors import OpenError, raised_as
from .hub.folder import list_entries, open_regular, select_weights
from .hub.forward_run import return_outputs_by_default
from .hub.interface import configs_of, in_eager_form
from .hub.library_version import Network, check_library_version
from .hub.live_network import LiveNetwork, share_tensors
from .hub.loading import DTYPES, LoadedModel, check_input, load_model
from .hub.model_inputs import reads_pictures_with_text
from .hub.opened_model import OpenedModel
from .hub.opened_pictures import OpenedPictureModel
from .hub.readers import NO_PROCESSOR, check_vocabulary, is_picture_text_processor
from .hub.source import check_reader, check_source, check_task, commit_of, folder_of, network_inside, read_source
from .hub.tasks import ModelTask, body_of, task_of_network
from .runtime.device import choose_device, place_on_device

SPREAD = "spread"  # in place of a device: as many devices as are needed


def open_model(
    source: str | os.PathLike | nn.Module,
    *,
    reader=None,
    task: ModelTask | None = None,
    device: str = "auto",
    dtype: str = "auto",
    memory: int | None = None,
    download: bool = True,
    progress: DownloadProgress | None = None,
) -> OpenedModel:
    """Open a checkpoint, verify that our tap records what it computes, and return it as a `TracedModel`.

    Args:
        source: a folder with config, safetensors and tokenizer or image processor; an id of the hub, optionally
            with `@revision`, also as a pasted address of it; or a live model of `transformers`, or of PEFT with its
            adapters, together with its `reader`. A live model stays as it is; what its owner does to it later is seen
            in the next trace.
        reader: tokenizer or image processor of a live model, or a processor that has it.
        task: the model's task, if its configuration or class does not state it: "complete", "fill", "translate",
            "classify" (pictures), "classify-text" or "encode".
        device: "auto" picks CUDA, MPS or CPU; "spread" distributes the layers of a folder or an id over all GPUs, and
            over memory and disk if these do not suffice, by the library `accelerate`.
        dtype: "auto" uses that of the files; or "float32", "float16", "bfloat16".
        memory: with "spread", bytes of this machine's memory that the weights may take; the rest stays on disk and is
            read whenever it is needed. By default a share of what is free.
        download: whether files that are not in this machine's cache may be downloaded from the hub.
        progress: called with the bytes so far and the bytes in total during a download.

    Returns:
        The opened model. It is also a context: at its end, as by `close()`, it releases the network.

    Raises:
        OpenError: the model cannot be opened; the message is one sentence.
        ValueError: the named device does not exist.
    """
    check_library_version()
    check_task(task)
    check_source(source, reader)
    if dtype != "auto" and dtype not in tuple(DTYPES):
        raise OpenError("There is no precision {dtype}; choose auto, {known}.", dtype=dtype, known=", ".join(DTYPES))
    target = None if device == SPREAD else choose_device(device)
    if isinstance(source, nn.Module):
        return _live(source, reader, task)
    source = read_source(source)
    folder = folder_of(source, download=download, progress=progress)
    with raised_as("This folder cannot be opened as a model ({reason}); save or download it again."):
        loaded = load_model(folder, task, dtype, "auto" if target is None else None, memory)
        if target is not None:
            place_on_device(loaded.network, target)
        name = folder.name if Path(source).expanduser().is_dir() else str(source)
        return _opened(loaded, name, hash_of(folder), commit_of(folder))


def hash_of(folder: Path) -> str:
    """Compute the SHA-256 of the weight files in the order of their names."""
    digest = hashlib.sha256()
    for file in select_weights(list_entries(folder)):
        with open_regular(file) as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def _live(network: nn.Module, reader, task: ModelTask | None) -> OpenedModel:
    live = network_inside(network)
    check_input(live)
    is_offloaded = any(hasattr(module, "_hf_hook") for module in live.modules())
    if not hasattr(live, "hf_device_map") and not is_offloaded and any(p.is_meta for p in live.parameters()):
        raise OpenError("This live model has no weights, as it was built on the device meta; load them first.")
    vision = live.main_input_name == "pixel_values"
    processor = reader if not vision and is_picture_text_processor(reader) else None
    reader = check_reader(reader, vision)
    if not vision:
        check_vocabulary(reader, live.config)
    with raised_as("This live model cannot be copied ({reason}); open the folder that it is saved to."):
        shared = share_tensors(live)
        for config in configs_of(shared):
            return_outputs_by_default(config)
        copied: Network = in_eager_form(shared)
    known = task_of_network(copied)
    if known is not None and task not in (None, known):
        raise OpenError(
            "{name} has the task {known}, not {task}; open a model with another head for that.",
            name=type(copied).__name__,
            known=known,
            task=task,
        )
    given, task = task, known or task or "encode"
    refusal = None
    if not reads_pictures_with_text(copied):
        processor = None
    elif processor is None:
        refusal = OpenError(NO_PROCESSOR)
    name = copied.config.name_or_path or type(copied).__name__
    body = body_of(copied) if task == "encode" else copied
    head = None if body is copied else type(copied).__name__
    opened = _opened(LoadedModel(body.eval(), reader, vision, task, head, processor, refusal), name, "")
    opened.follow(LiveNetwork(live), lambda changed: _live(changed, processor or reader, given))
    return opened


def _opened(loaded: LoadedModel, name: str, weights_sha256: str, commit: str | None = None) -> OpenedModel:
    with raised_as(
        "This model could not be run on a short text or a picture alone ({reason}); models that need more are not "
        "opened."
    ):
        return (OpenedPictureModel if loaded.vision else OpenedModel)(loaded, name, weights_sha256, commit)
