"""Run an opened network on any input, with or without a recorder, and read its outputs."""

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .eager_attention import CallRecorder
from .interface import recording_calls
from .library_types import Network
from .saved_settings import NO_OUTPUTS

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
