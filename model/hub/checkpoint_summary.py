"""Summarize a model before it is opened: its type, its sizes and whether it fits, from its small files."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .allowlist import AllowedModel, ModelAllowlist
from .errors import OpenError, raised_as
from .folder import check_size, inspect_checkpoint
from .source import folder_of

LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers")
DECODER_LAYERS = ("decoder_layers", "num_decoder_layers")
HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads")


@dataclass(frozen=True)
class CheckpointSummary:
    """A model that may be opened, with what its small files contain.

    Attributes:
        name: see `AllowedModel`.
        type: "bert", "llama"; empty where the files cannot be read.
        layers: of the encoder and of the decoder, where it has both.
        heads: of one layer; 0 where unknown.
        parameters, bytes: of the weight files.
        problem: why it cannot be opened, or None if no reason is known.
        downloaded: False if it has to be downloaded first.
    """

    name: str
    type: str = ""
    layers: tuple[int, ...] = ()
    heads: int = 0
    parameters: int = 0
    bytes: int = 0
    problem: OpenError | None = None
    downloaded: bool = True


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
    """Summarize a folder from its small files."""
    try:
        with raised_as("This folder cannot be read ({reason}); save or download the model again."):
            files = inspect_checkpoint(folder)
    except OpenError as error:
        return CheckpointSummary(name, problem=error)
    try:
        check_size(files, None)
        problem = None
    except OpenError as error:
        problem = error
    config = _with_sizes(files.config)
    layers = tuple(filter(None, (_first(config, LAYERS), _first(config, DECODER_LAYERS))))
    return CheckpointSummary(
        name, files.config["model_type"], layers, _first(config, HEADS), files.parameters, files.bytes, problem
    )


def cached_ids() -> list[str]:
    """Ids of the models in the hub's cache on this machine, sorted."""
    from huggingface_hub import scan_cache_dir
    from huggingface_hub.errors import CacheNotFound

    try:
        repositories = scan_cache_dir().repos
    except CacheNotFound:
        return []
    ids = [
        repository.repo_id
        for repository in repositories
        if repository.repo_type == "model"
        and any({"config.json"} <= {file.file_name for file in revision.files} for revision in repository.revisions)
    ]
    return sorted(ids)


def _with_sizes(config: dict) -> dict:
    """The part of a configuration that contains the sizes, which may be one level down."""
    for name in ("text_config", "vision_config"):
        if not _first(config, LAYERS) and isinstance(config.get(name), dict):
            return config[name]
    return config


def _first(config: dict, names: Iterable[str]) -> int:
    return next((value for name in names if isinstance(value := config.get(name), int) and value > 0), 0)
