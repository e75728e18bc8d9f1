"""One run of an opened network on an input of any kind, with or without somebody looking."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from .eager_attention import CallRecorder
from .interface import recording_calls

ModelInputs = Mapping[str, Tensor]  # the library's own names -> tensors with a batch of one


@torch.inference_mode()
def run_network(network: nn.Module, inputs: ModelInputs, watch: CallRecorder | None, by_interface: bool, **asked: bool):
    """What the network gives back; its attention goes through `watch`.

    Args:
        asked: what else the library shall give back, `output_hidden_states=True` say.
    """
    options = {"return_dict": True} | asked
    if "pixel_values" not in inputs:
        options["use_cache"] = False  # BERT takes and ignores it
    if watch is None:
        return network(**inputs, **options)
    with recording_calls(watch, by_interface):
        return network(**inputs, **options)


def output_tensor(output) -> Tensor:
    """Logits, or the last hidden states of a network without a head, in float32 without the batch."""
    found = output.logits if getattr(output, "logits", None) is not None else output.last_hidden_state
    return found[0].float()


def reported_weights(output) -> dict[str, tuple[Tensor, ...]]:
    """The weights that a network reports itself, by the library's name; empty where it reports none."""
    names = ("attentions", "encoder_attentions", "decoder_attentions", "cross_attentions")
    return {name: found for name in names if (found := getattr(output, name, None)) is not None and len(found)}
