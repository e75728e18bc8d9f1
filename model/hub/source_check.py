"""Refuse what is no source of a model, and name what to give instead."""

import os
from typing import Any

from torch import nn

from .errors import OpenError
from .library_types import Network, Reader
from .tasks import TABLES

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
