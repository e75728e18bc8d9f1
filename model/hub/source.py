"""Resolve the source of a model: a folder, or a repository of the hub, cached on this machine or downloaded."""

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from torch import nn

from .downloading import DownloadProgress, cached_folder
from .downloading import download as download_repository
from .errors import OpenError
from .folder import CONFIG, GGUF
from .library_version import Network, Reader
from .tasks import TABLES

_PULL = r"refs/(?:pr/\d+|convert/[\w.-]+)"  # revisions that the hub makes
ID = re.compile(rf"[A-Za-z0-9][\w.-]{{0,95}}(/[A-Za-z0-9][\w.-]{{0,95}})?(@(?:{_PULL}|[\w.-]{{1,64}}))?")


QUOTES = "'\"`\u2018\u2019\u201c\u201d"
OTHER_KINDS = ("datasets", "spaces")
LONGEST_SHOWN = 60  # characters of an address in a message
_HUB = re.compile(r"(?:(?:https?://)?(?:www\.)?(?:huggingface\.co|hf\.co|hf-mirror\.com)/|hf://)([^?#]*)(?:[?#]\S*)?")
_ADDRESS = re.compile(r"[a-z][a-z+.-]+://\S*|(?:www\.)[\w.-]+/\S*", re.IGNORECASE)
_PAGES = "api|blog|collections|docs|join|learn|login|models|organizations|papers|pricing|search|settings|tasks"
_PAGE = re.compile(rf"(?:{_PAGES})(?:/.*)?|")
_VIEWS = "tree|blob|resolve|raw|commits?|discussions|edit|settings|blame"
_ENDINGS = "safetensors|json|bin|pth?|ckpt|h5|msgpack|onnx|ot|txt|model|md|py|jinja|spm|tiktoken"
# names of files that no repository has; owner/run.json may be one
_KNOWN = (
    rf"(?:[\w.-]*model[\w.-]*|consolidated[\w.-]*|merges|vocab|optimizer|scheduler|training_args|README)\.(?:{_ENDINGS})"
    r"|[\w.-]*(?:config|tokenizer|vocab|special_tokens_map|added_tokens|trainer_state)\.json|[\w.-]*\.index\.json"
    r"|chat_template\.(?:jinja|json)"
)
# what is read of a path in the hub: a repository, with what follows it in the path of one of its files or pages
_REPOSITORY = re.compile(
    rf"(?P<id>[A-Za-z0-9][\w.-]*(?:/(?!(?:{_VIEWS})(?:/|$)|(?:{_KNOWN})$)[A-Za-z0-9][\w.-]*)?)"
    rf"(?:@(?P<at>{_PULL}|[\w.-]+))?"
    rf"(?P<rest>/(?:tree|blob|resolve|raw|blame|commits?)/(?P<revision>{_PULL}|[\w.-]+)(?:/.*)?"
    rf"|/(?:discussions|edit|settings)(?:/.*)?|/(?:[^/]+/)*[^/]+\.(?:{_ENDINGS}))?"
)
_FILE = re.compile(_KNOWN)
_CACHED = re.compile(  # a folder or file of the hub's cache
    r"(?:.*/)?(?P<kind>models|datasets|spaces)--(?P<id>[\w.-]+)(?:/snapshots/(?P<revision>[0-9a-f]{40})(?:/.*)?)?"
)
_CALL = re.compile(
    r"(?:from_pretrained|open_model|snapshot_download|load_model|pipeline)\((?:[^)]*?\b(?:model|repo_id)\s*=\s*)?"
    r"\s*([\"'][^\"']+[\"'])"
)
_COMMAND = re.compile(r"(?:^|\s)(?:(?:hf|huggingface-cli)\s+download|git\s+clone)\s+(\S+)")
_WITHIN = re.compile(r"(?<=[\s(<\"'])https?://(?:www\.)?(?:huggingface\.co|hf\.co|hf-mirror\.com)/[^\s)>\"']+")
# a file of llama.cpp, or a repository with the name of its quantization: owner/name:Q4_K_M
_GGUF = re.compile(r"(?:\.gguf|/[\w.-]+:(?:UD-)?(?:I?Q\d|TQ\d|B?F16|F32|MXFP4)\w*)$", re.IGNORECASE)
_REVISION = re.compile(r"(?:--revision[\s=]+|revision\s*=\s*)[\"']?([\w.-]+)")


def read_source(source: str | os.PathLike) -> str | os.PathLike:
    """What a pasted text names: an id of the hub, optionally with its revision, or a folder; other texts as they are.

    Read are addresses of a repository or of a file in it, commands that download one, calls of `from_pretrained`,
    paths of a file in a repository or in its folder of the hub's cache, and paths of a file in a checkpoint's folder;
    in quotes or with spaces around them.

    Raises:
        OpenError: it names a data set, a space, another page of the web, weights in the format GGUF, a file that is no
            part of a checkpoint's folder, or a file alone.
    """
    text = _without_quotes(str(source))
    if match := _CALL.search(text) or _COMMAND.search(text):
        revision = _REVISION.search(text)
        text = _without_quotes(match[1]) + (f"@{revision[1]}" if revision else "")
    if match := _WITHIN.search(text):
        text = match[0]
    if match := _HUB.fullmatch(text):
        return _read_path(match[1], text)
    text = text.removeprefix("file://")
    folder = Path(text).expanduser()
    if folder.is_dir():
        return _snapshot_in(folder)
    if folder.is_file():
        return _folder_of_file(folder)
    if _GGUF.search(text):
        raise OpenError(GGUF)
    if _ADDRESS.fullmatch(text):
        raise _other_page(text)
    trimmed = text.rstrip("/")
    if match := _CACHED.fullmatch(trimmed):
        return _repository(match["kind"], match["id"].replace("--", "/"), match["revision"])
    if trimmed.startswith(tuple(f"{kind}/" for kind in OTHER_KINDS)) and not Path(trimmed.partition("/")[0]).is_dir():
        return _read_path(trimmed, text)
    if _FILE.fullmatch(trimmed):
        raise OpenError(
            "{file} is the name of a file; give the folder that it is in, or the id of its repository, such as "
            "owner/name.",
            file=trimmed,
        )
    match = _REPOSITORY.fullmatch(trimmed)
    if match and match["rest"] and not folder.parent.is_dir():
        return _repository("models", match["id"], match["revision"] or match["at"])
    return trimmed if looks_like_id(trimmed) else text


def _read_path(path: str, address: str) -> str:
    """The id that a path in the hub names.

    Raises:
        OpenError: it is of a data set or a space, or of none of its repositories.
    """
    parts = [part for part in unquote(path).split("/") if part]
    if parts[:1] == ["api"]:
        del parts[0]
    kind = parts.pop(0) if parts and parts[0] in ("models", *OTHER_KINDS) else "models"
    joined = "/".join(parts)
    match = _REPOSITORY.fullmatch(joined)
    if kind == "models" and (match is None or _PAGE.fullmatch(joined)):
        raise _other_page(address)
    return _repository(kind, match["id"] if match else joined, match and (match["revision"] or match["at"]))


def _repository(kind: str, id_: str, revision: str | None) -> str:
    """An id with its revision.

    Raises:
        OpenError: it is of a data set or a space.
    """
    if kind in OTHER_KINDS:
        raise OpenError("This address is one of the hub's {kind}, not of a model; open a model.", kind=kind)
    return id_.removesuffix(".git") + ("" if revision in (None, "main") else f"@{revision}")


def _other_page(address: str) -> OpenError:
    return OpenError(
        "{address} is no address of a model; give the address of its page on the hub, or its id, such as owner/name.",
        address=address if len(address) <= LONGEST_SHOWN else address[: LONGEST_SHOWN - 1] + "\u2026",
    )


def _snapshot_in(folder: Path) -> Path:
    """A folder; of a repository's folder in the hub's cache the one with the files of its branch `main`."""
    if _CACHED.fullmatch(folder.name) and not (folder / CONFIG).is_file():
        snapshots = folder / "snapshots"
        with suppress(OSError, UnicodeDecodeError):
            commit = (folder / "refs" / "main").read_text(encoding="utf-8").strip()
            if re.fullmatch("[0-9a-f]{40}", commit) and (snapshots / commit).is_dir():
                return snapshots / commit
    return folder


def _folder_of_file(file: Path) -> Path:
    """The checkpoint's folder that a file is part of.

    Raises:
        OpenError: there is no configuration beside it.
    """
    if file.suffix.lower() == ".gguf":
        raise OpenError(GGUF)
    if not (file.parent / CONFIG).is_file():
        raise OpenError(
            "{file} is a file without {config} beside it; give the folder that a model was saved to.",
            file=file.name,
            config=CONFIG,
        )
    return file.parent


def _without_quotes(text: str) -> str:
    """A text without spaces around it, and without quotes around that."""
    text = text.strip()
    while len(text) > 1 and text[0] in QUOTES and text[-1] in QUOTES:
        text = text[1:-1].strip()
    return text


def looks_like_id(source: str) -> bool:
    """Whether a text has the form `owner/name` or `owner/name@revision`."""
    return bool(ID.fullmatch(source)) and ".." not in source


def folder_of(source: str | os.PathLike, *, download: bool, progress: DownloadProgress | None = None) -> Path:
    """Find or download the folder with the files of a source.

    Args:
        source: a folder, or the id of a repository, optionally with `@revision`; see `read_source`.
        download: whether what is not in this machine's cache may be downloaded.
        progress: receives the bytes so far and in total during a download.

    Raises:
        OpenError: there is no such folder; the repository is not in the cache, or cannot be reached or read.
    """
    source = read_source(source)
    folder = Path(source).expanduser()
    if folder.is_dir():
        return folder
    text = str(source)
    if not looks_like_id(text):
        raise OpenError("There is no such folder; give a folder with config.json and safetensors files.")
    repository, _, revision = text.partition("@")
    cached = cached_folder(repository, revision or None)
    if cached is not None:
        return cached
    if not download:
        raise OpenError("{id} is not in this machine's cache; download it first.", id=repository)
    return download_repository(repository, revision or None, progress)


def commit_of(folder: Path) -> str | None:
    """The commit of a folder of the hub's cache; None for any other folder."""
    return folder.name if folder.parent.name == "snapshots" else None


# Refuse what is no source of a model, and name what to give instead.

GET_BASE = "get_base_model"  # of a model of PEFT
PIPELINE = "transformers.pipelines.base.Pipeline"  # compared by name, as importing it takes long
PARALLEL = ("DataParallel", "DistributedDataParallel", "DeepSpeedEngine", "AveragedModel")
SHARDED = {"FullyShardedDataParallel", "FSDPModule"}  # also the class that `fully_shard` gives to each module
FORMS = "give a folder, an id of the hub, or a live model of transformers with its reader"


def check_task(task: object) -> None:
    """Refuse a task that no model here has.

    Raises:
        OpenError: with those that there are.
    """
    if task is not None and task not in tuple(TABLES):  # also of values that cannot be keys
        raise OpenError("There is no task {task!r}; choose one of {known}.", task=task, known=", ".join(TABLES))


def check_source(source: object, reader: object) -> None:
    """Refuse a source that is neither a path, an id nor a network of torch.

    Args:
        reader: what was given as the reader of a live model.

    Raises:
        OpenError: the message states what it is, and what to give.
    """
    from transformers import PretrainedConfig

    is_path = isinstance(source, str | os.PathLike)
    if any(f"{base.__module__}.{base.__name__}" == PIPELINE for base in type(source).__mro__):
        inside = getattr(getattr(source, "model", None), "main_input_name", "")
        raise OpenError(
            "A pipeline is not a model; give the model inside it: open_model(pipeline.model, "
            "reader=pipeline.{reader}).",
            reader="image_processor" if inside == "pixel_values" else "tokenizer",
        )
    if isinstance(source, PretrainedConfig):
        raise OpenError(
            "A configuration has no weights; {forms}, such as AutoModel.from_config(config) for random ones.",
            forms=FORMS,
        )
    if is_reader(source):
        raise OpenError("A {type} has no weights; {forms}.", type=type(source).__name__, forms=FORMS)
    if not is_path and not isinstance(source, nn.Module):
        raise OpenError("{type} is not a source of a model; {forms}.", type=_named(source), forms=FORMS)
    if is_path and reader is not None:
        raise OpenError("A folder or an id has its own tokenizer or image processor; leave `reader` out.")


def is_reader(value: object) -> bool:
    """Whether a value is a tokenizer or an image processor of the library."""
    from transformers import BaseImageProcessor, PreTrainedTokenizerBase, ProcessorMixin

    return isinstance(value, BaseImageProcessor | PreTrainedTokenizerBase | ProcessorMixin)


def network_inside(source: nn.Module) -> Network:
    """The model of the library that a live source is, or that a model of the library PEFT contains with its adapters.

    Adapters that change modules are inside that model: they act, or are merged, as the owner has set them.

    Raises:
        OpenError: it is none; its weights are cut into parts; its adapter adds tokens to the prompt, which are outside
            of that model; or its layers are stored in fewer bits.
    """
    from transformers import PreTrainedModel

    _check_whole(source)
    found: Any = _unwrapped(source)
    source = found
    if not isinstance(source, PreTrainedModel) and callable(getattr(source, GET_BASE, None)):
        if getattr(getattr(source, "active_peft_config", None), "is_prompt_learning", False):
            raise OpenError(
                "This adapter adds vectors to the prompt, outside of the model's own layers; only adapters that change "
                "layers, such as LoRA, are opened."
            )
        found = _unwrapped(getattr(source, GET_BASE)())
    if not isinstance(found, PreTrainedModel):
        if inside := _models_inside(found, PreTrainedModel):
            raise OpenError(
                "{type} is a module around a model of the library transformers; give that model, with its reader: "
                "open_model(model{place}, reader=...).",
                type=type(found).__name__,
                place=inside[0],
            )
        raise OpenError(
            "{type} is not a model of the library transformers, and only these can be read; {forms}.",
            type=type(source).__name__,
            forms=FORMS,
        )
    if any(type(module).__module__.startswith("bitsandbytes.") for module in found.modules()):
        raise OpenError(
            "The layers of this model are stored in 8 or 4 bits and round while they run, so that a recorded run is "
            "not the model's own; give it in full precision: open_model(model.dequantize(torch.float32), "
            "reader=tokenizer)."
        )
    return found


def _check_whole(source: nn.Module) -> None:
    """Refuse a module of which this process has a part of the weights alone.

    Raises:
        OpenError: PyTorch or DeepSpeed has cut them into parts.
    """
    for module in source.modules():
        is_sharded = any(base.__name__ in SHARDED for base in type(module).__mro__)
        if is_sharded or any(map(_is_part, module.parameters(recurse=False))):
            raise OpenError(
                "The weights of this {type} are cut into parts on several processes; save the whole model and open "
                "its folder.",
                type=type(module).__name__,
            )


def _is_part(weight: Any) -> bool:
    """Whether a weight is one process's part: a tensor of PyTorch on several devices, or one that DeepSpeed has cut."""
    devices = getattr(weight, "device_mesh", None)
    return (devices is not None and devices.size() > 1) or getattr(weight, "ds_shape", weight.shape) != weight.shape


def _unwrapped(source: nn.Module) -> nn.Module:
    """The module that a compiled, parallel or averaged one runs unchanged."""
    while True:
        name = next((name for name in ("_orig_mod", "module") if name in source._modules), None)
        inside = None if name is None else source._modules[name]
        is_wrapper = name == "_orig_mod" or type(source).__name__ in PARALLEL
        if inside is None or not is_wrapper:
            return source
        source = inside


def _models_inside(source: nn.Module, kind: type) -> list[str]:
    """Where models of the library are in a module, as one writes it in Python, those outside of others alone."""
    places: list[str] = []
    for name, module in source.named_modules():
        if isinstance(module, kind) and not any(name.startswith(f"{other}.") for other in places):
            places.append(name)
    return ["".join(f"[{part}]" if part.isdigit() else f".{part}" for part in name.split(".")) for name in places]


def check_reader(reader: Any, vision: bool) -> Reader:
    """The tokenizer or image processor of a live model; of a processor that has both, the one that is needed.

    Raises:
        OpenError: it is missing, or something else.
    """
    need = "image processor" if vision else "tokenizer"
    if reader is None:
        raise OpenError(
            "A live model needs its {need}; give it: open_model(model, reader={variable}).",
            need=need,
            variable="processor" if vision else "tokenizer",
        )
    from transformers import BaseImageProcessor, PreTrainedTokenizerBase

    inside = getattr(reader, "image_processor" if vision else "tokenizer", None)
    chosen = reader if inside is None else inside
    other = PreTrainedTokenizerBase if vision else BaseImageProcessor
    reads_text = vision or hasattr(chosen, "convert_ids_to_tokens")
    if not callable(chosen) or not reads_text or isinstance(chosen, other | type):
        kind = f"a {type(reader).__name__}" if is_reader(reader) else _named(reader).lower()
        raise OpenError("This model reads with its {need}, not with {type}; give it as `reader`.", need=need, type=kind)
    return chosen


def _named(value: object) -> str:
    if isinstance(value, type):
        return f"The class {value.__name__}"
    return "None" if value is None else f"A value of type {type(value).__name__}"
