"""Run an opened network on any input, with or without a recorder, and read its outputs."""

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .eager_attention import CallRecorder
from .errors import OpenError
from .interface import recording_calls
from .library_version import Config, Network
from .tasks import OPTIONS

ModelInputs = Mapping[str, Tensor]  # the library's own names -> tensors with a batch of one


@torch.inference_mode()
def run_network(
    network: Network, inputs: ModelInputs, recorder: CallRecorder | None, by_interface: bool, **outputs: bool
) -> Any:
    """Run the network once and return the library's output object; its attention passes `recorder`.

    Args:
        outputs: what else the library returns, such as `output_hidden_states=True`.
    """
    options = call_options(network, inputs) | outputs
    if recorder is None:
        return network(**inputs, **options)
    with recording_calls(recorder, by_interface):
        return network(**inputs, **options)


def call_options(network: Network, inputs: ModelInputs) -> dict[str, bool]:
    """Arguments of one run that decide what it returns, whatever the model's configuration asks for."""
    options = {"return_dict": True} | NO_OUTPUTS
    if "pixel_values" in inputs:
        options |= picture_options(network, inputs["pixel_values"])
    if "input_ids" in inputs:
        options["use_cache"] = False  # BERT accepts and ignores it
    return options


def picture_options(network: Network, pixels: Tensor) -> dict[str, bool]:
    """Arguments that let a network read a picture of another size than its own, where it interpolates positions."""
    if "interpolate_pos_encoding" not in inspect.signature(network.forward).parameters:
        return {}
    parts = (network.config, *(getattr(network.config, part, None) for part in network.config.sub_configs))
    size = next((size for part in parts if (size := getattr(part, "image_size", None)) is not None), None)
    own = (size, size) if isinstance(size, int) else tuple(size or ())
    return {"interpolate_pos_encoding": True} if tuple(pixels.shape[-2:]) != own else {}


def output_tensor(output: Any) -> Tensor:
    """Logits, or the last hidden states of a network without a head, in float32 without the batch."""
    tensor = output.logits if getattr(output, "logits", None) is not None else output.last_hidden_state
    return tensor[0].float()


def reported_weights(output: Any) -> dict[str, tuple[Tensor, ...]]:
    """The weights that a network reports itself, by the library's name; empty where it reports none."""
    names = ("attentions", "encoder_attentions", "decoder_attentions", "cross_attentions")
    return {name: maps for name in names if (maps := getattr(output, name, None)) is not None and len(maps)}


def residual_stream(output: Any, stack: str) -> dict[str, np.ndarray]:
    """Stack -> `(layers + 1, position, width)` float32, of a run with `output_hidden_states`.

    Args:
        stack: name of the stack of a network that has one.
    """
    names = {"hidden_states": stack, "encoder_hidden_states": "encoder", "decoder_hidden_states": "decoder"}
    stacks = ((name, getattr(output, field, None)) for field, name in names.items())
    return {
        name: torch.cat([state.to("cpu", torch.float32) for state in states]).numpy()
        for name, states in stacks
        if states and all(isinstance(state, Tensor) and state.shape == states[0].shape for state in states)
    }


# Settings that were saved with a model for the runs of its author: ours state their own, and read none of them.

NO_OUTPUTS = {"output_attentions": False, "output_hidden_states": False}
_RETURNED = {"return_dict", "use_return_dict", *NO_OUTPUTS}
# which form of attention, and of experts, the author's machine computed; some need libraries, or code of the hub
_FORMS = {
    f"{_}{part}_implementation{end}" for _ in ("", "_") for part in ("attn", "experts") for end in ("", "_internal")
}
_PRECISION = {"dtype", "torch_dtype"}
FLOATS = ("float16", "half", "bfloat16", "float32", "float", "float64", "double")
LONGEST_SHOWN = 40  # characters of a text of config.json in a message


def read_config(folder: Path) -> Config:
    """Read a folder's configuration without such settings; raises whatever the library does."""
    from transformers import CONFIG_MAPPING, PretrainedConfig

    described, _ = PretrainedConfig.get_config_dict(folder, **OPTIONS)
    type_ = described["model_type"]
    if type_ == "mistral" and "layer_types" in described and "ministral" in CONFIG_MAPPING:  # as AutoConfig reads it
        type_ = described["model_type"] = "ministral"
    config = CONFIG_MAPPING[type_].from_dict(without_run_settings(described), name_or_path=str(folder))
    return_outputs_by_default(config)
    return config


def without_run_settings(described: Mapping[str, Any]) -> dict[str, Any]:
    """A described configuration, and those inside it, without what decides how its author ran it.

    Raises:
        OpenError: it states a precision that no network can have, such as "auto".
    """
    kept = {name: value for name, value in described.items() if name not in _RETURNED | _FORMS | _PRECISION}
    for name in _PRECISION & described.keys():
        stated = described[name].get("") if isinstance(described[name], dict) else described[name]
        if stated is not None and stated not in FLOATS:
            raise OpenError(
                "config.json states the precision {stated}, in which the library builds no network; write float32, "
                "float16 or bfloat16 there.",
                stated=str(stated)[:LONGEST_SHOWN],
            )
        kept[name] = stated
    for name, value in kept.items():
        if isinstance(value, dict) and ("model_type" in value or _names_a_part(name)):
            kept[name] = without_run_settings(value)
    return kept


def _names_a_part(name: str) -> bool:
    return name.endswith("_config") and name != "quantization_config"


def return_outputs_by_default(config: Config) -> None:
    """Undo what a configuration and its parts ask every run to return; runs state it.

    A network passes its arguments on to the networks inside it only in part: one whose configuration has
    `return_dict=False` gets a tuple from its own body.
    """
    config.return_dict = True
    for name in NO_OUTPUTS:
        setattr(config, name, False)
    for part in (getattr(config, name, None) for name in config.sub_configs):
        if part is not None:
            return_outputs_by_default(part)
