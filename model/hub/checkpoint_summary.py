"""Summarize a model before it is opened: its type, its sizes and whether it fits, from its small files."""

import functools
import hashlib
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from .allowlist import AllowedModel, ModelAllowlist
from .errors import OpenError, raised_as
from .folder import CONFIG, check_layers, check_memory, inspect_checkpoint, list_entries
from .source import folder_of, looks_like_id

MOST_SUMMARIES = 256  # that are remembered

LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers")
DECODER_LAYERS = ("decoder_layers", "num_decoder_layers")
HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads")


@dataclass(frozen=True)
class CheckpointSummary:
    """A model that may be opened, with what its small files contain."""

    name: str  # see `AllowedModel`
    type: str = ""  # "bert", "llama"; empty where the files cannot be read
    layers: tuple[int, ...] = ()  # of the encoder and of the decoder, where it has both
    heads: int = 0  # of one layer; 0 where unknown
    # `parameters`, `bytes`: of the weight files
    parameters: int = 0
    bytes: int = 0
    problem: OpenError | None = None  # why it cannot be opened, or None if no reason is known
    downloaded: bool = True  # False if it has to be downloaded first


def summarize_allowed(allowed: ModelAllowlist) -> list[CheckpointSummary]:
    """Summarize the listed models; where any may be opened, those of the hub's cache on this machine."""
    listed: Iterable[AllowedModel] = allowed.listed
    if allowed.any:
        listed = (AllowedModel(name, name) for name in cached_ids())
    return [summarize(model.name, model.source) for model in listed]


def summarize(name: str, source: str) -> CheckpointSummary:
    """Summarize one model without a download."""
    try:
        folder = folder_of(source, download=False)
    except OpenError as error:
        return CheckpointSummary(name, problem=error, downloaded=False)
    return summarize_folder(name, folder)


def summarize_folder(name: str, folder: Path) -> CheckpointSummary:
    """Summarize a folder from its small files, which are read again only when a file of the folder has changed."""
    try:
        with raised_as("This folder cannot be read ({reason}); save or download the model again."):
            summary = _summarize(name, folder, _state_of(folder))
            if summary.problem is None:
                check_memory(summary.bytes)  # which is free at this moment
    except OpenError as error:
        return CheckpointSummary(name, problem=error)
    return summary


def cached_ids() -> list[str]:
    """Ids of the models in the hub's cache on this machine, sorted."""
    from huggingface_hub.constants import HF_HUB_CACHE

    ids = []
    with suppress(OSError, OpenError):
        for repository in list_entries(Path(HF_HUB_CACHE)):
            kind, _, id_ = repository.name.replace("--", "/").partition("/")
            if kind == "models" and looks_like_id(id_) and _has_configuration(repository):
                ids.append(id_)
    return sorted(ids)


def _has_configuration(repository: Path) -> bool:
    """Whether any revision of a repository in the hub's cache has a configuration."""
    with suppress(OSError, OpenError):
        return any((revision / CONFIG).is_file() for revision in list_entries(repository / "snapshots"))
    return False


def _state_of(folder: Path) -> bytes:
    """A hash of the names, sizes and times of a folder's entries; it changes whenever one of them does."""
    digest = hashlib.sha256()
    for file in sorted(list_entries(folder)) if folder.is_dir() else ():
        with suppress(OSError):  # a link that leads nowhere
            state = os.stat(file)
            digest.update(repr((file, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)).encode())
    return digest.digest()


@functools.lru_cache(MOST_SUMMARIES)
def _summarize(name: str, folder: Path, state: bytes) -> CheckpointSummary:
    """Summarize a folder in this state; its weights may still need more memory than is free."""
    try:
        files = inspect_checkpoint(folder)
        config = _with_sizes(files.config)
        layers = tuple(filter(None, (_first(config, LAYERS), _first(config, DECODER_LAYERS))))
        summary = CheckpointSummary(
            name, files.config["model_type"], layers, _first(config, HEADS), files.parameters, files.bytes
        )
    except OpenError as error:
        return CheckpointSummary(name, problem=_without_traceback(error))
    try:
        check_layers(files)
    except OpenError as error:
        return replace(summary, problem=_without_traceback(error))
    return summary


def _without_traceback(error: OpenError) -> OpenError:
    """The same error without what led to it, which refers to the content of files."""
    return OpenError(error.template, **error.values)


def _with_sizes(config: dict) -> dict:
    """The part of a configuration that contains the sizes, which may be one level down."""
    for name in ("text_config", "vision_config"):
        if not _first(config, LAYERS) and isinstance(config.get(name), dict):
            return config[name]
    return config


def _first(config: dict, names: Iterable[str]) -> int:
    return next((value for name in names if type(value := config.get(name)) is int and value > 0), 0)
