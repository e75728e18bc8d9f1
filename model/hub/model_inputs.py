"""What the reader gives, as the tensors that a network of the library takes."""

import inspect

import numpy as np
import torch
from PIL import Image
from torch import nn

from ..runtime.fallback import device_of
from .errors import OpenError
from .forward_run import ModelInputs
from .token_offsets import Tokens, tokenize

PROBE = "The quick brown fox jumps over the lazy dog."
PROBE_TOKENS = 7  # tokens of the probe that an encoder reads; the decoder reads fewer, so that the two are told apart


def text_inputs(network: nn.Module, tokens: Tokens) -> ModelInputs:
    """Ids, and the segment of every token where the network tells segments apart.

    Raises:
        OpenError: there are two texts, and the network cannot tell them apart; or more tokens than it has positions.
    """
    device = device_of(network)
    check_length(network, len(tokens.ids))
    inputs = {"input_ids": torch.tensor([tokens.ids], device=device)}
    inputs["attention_mask"] = torch.ones_like(inputs["input_ids"])
    if any(tokens.segments) and "token_type_ids" in inspect.signature(network.forward).parameters:
        inputs["token_type_ids"] = torch.tensor([tokens.segments], device=device)
    return inputs


def pair_inputs(network: nn.Module, source: Tokens, decoder_ids: tuple[int, ...]) -> ModelInputs:
    """What encoder and decoder read."""
    check_length(network, len(decoder_ids))
    device = device_of(network)
    return {**text_inputs(network, source), "decoder_input_ids": torch.tensor([decoder_ids], device=device)}


def picture_inputs(network: nn.Module, processor, picture: Image.Image | np.ndarray) -> ModelInputs:
    """Pixels as the network's own image processor makes them, or as it has made them: `(3, height, width)`."""
    device, dtype = device_of(network), next(network.parameters()).dtype
    if isinstance(picture, np.ndarray):
        pixels = torch.from_numpy(picture)[None]
    else:
        pixels = processor(images=picture.convert("RGB"), return_tensors="pt")["pixel_values"]
    return {"pixel_values": pixels.to(device, dtype)}


def max_positions(network: nn.Module) -> int | None:
    """How many tokens a network can read at once; None where nothing limits it."""
    most = getattr(network.config, "max_position_embeddings", None)
    return most if isinstance(most, int) and most > 0 else None


def check_length(network: nn.Module, count: int) -> None:
    """Refuse more tokens than there are positions.

    Raises:
        OpenError: with both numbers.
    """
    most = max_positions(network)
    if most is not None and most < count:
        raise OpenError(
            "This text has {count} tokens, and the model has {most} positions; shorten the text.",
            count=count,
            most=most,
        )


def probe_inputs(network: nn.Module, reader, *, vision: bool) -> tuple[ModelInputs, int | None, int | None]:
    """A short input, and how many tokens encoder and decoder read of it; no number for a picture."""
    if vision:
        rows, columns = np.indices((64, 64))
        pattern = np.stack([rows * 4, columns * 4, (rows + columns) * 2], axis=-1).astype(np.uint8)
        return picture_inputs(network, reader, Image.fromarray(pattern)), None, None
    found = tokenize(reader, PROBE)
    ids = found.ids[:PROBE_TOKENS]
    source = Tokens(ids, found.labels[:PROBE_TOKENS], found.special[:PROBE_TOKENS], (0,) * len(ids), ())
    if not network.config.is_encoder_decoder:
        return text_inputs(network, source), len(ids), None
    target = (start_id(network), *ids[: max(2, len(ids) - 3)])
    if len(target) == len(ids):
        target = (*target, ids[-1])
    return pair_inputs(network, source, target), len(ids), len(target)


def start_id(network: nn.Module) -> int:
    """The id that a decoder is started with.

    Raises:
        OpenError: the configuration names none.
    """
    for config in (network.config, getattr(network, "generation_config", None)):
        if (found := getattr(config, "decoder_start_token_id", None)) is not None:
            return found
    raise OpenError("config.json does not say which token starts the decoder (decoder_start_token_id); add it.")
