"""Convert the user's text or picture to the input tensors of a network of the library."""

import inspect
import itertools
from typing import Any

import numpy as np
import torch
from PIL import Image

from ..runtime.device import device_of
from .errors import OpenError
from .forward_run import ModelInputs
from .languages import TargetLanguages
from .library_version import ImageProcessor, Network, Reader
from .picture_forms import ProcessedPixels, as_processed, one_picture, upright_picture
from .picture_layout import PictureLayout, channels, whole_patches
from .readers import OTHER_TOKENIZER, table_size
from .token_offsets import Tokens, tokenize

PROBE = "The quick brown fox jumps over the lazy dog."
OTHER_INPUTS = (  # what is read, its names among the arguments, and the part of a configuration
    ("pictures", ("pixel_values", "image"), "vision_config"),
    ("videos", ("pixel_values_videos",), "video_config"),
    ("sound", ("input_features", "input_values"), "audio_config"),
)
PROBE_TOKENS = 7  # of the probe that an encoder reads; the decoder reads fewer, so that both differ in shape


def text_inputs(network: Network, tokens: Tokens) -> ModelInputs:
    """Ids, and the segment of every token where the network has segments."""
    device = device_of(network)
    inputs = {"input_ids": torch.tensor([tokens.ids], device=device)}
    inputs["attention_mask"] = torch.ones_like(inputs["input_ids"])
    if any(tokens.segments) and has_segments(network, tokens):
        inputs["token_type_ids"] = torch.tensor([tokens.types or tokens.segments], device=device)
    return inputs


def has_segments(network: Network, tokens: Tokens) -> bool:
    """Whether a network distinguishes the tokens of two texts by their types; some have one type, or none at all.

    Args:
        tokens: of two texts. Where the configuration states no number of types, those decide that have types.
    """
    if "token_type_ids" not in inspect.signature(network.forward).parameters:
        return False
    types = getattr(network.config, "type_vocab_size", None)
    return bool(tokens.types) if types is None else types > max(tokens.types or tokens.segments)


def takes_pairs(reader: Reader) -> bool:
    """Whether a tokenizer separates two texts by tokens of their own."""
    count = getattr(reader, "num_special_tokens_to_add", None)
    return count is not None and count(pair=True) > count(pair=False)


def pair_inputs(network: Network, source: Tokens, decoder_ids: tuple[int, ...]) -> ModelInputs:
    """Inputs of encoder and decoder."""
    device = device_of(network)
    return {**text_inputs(network, source), "decoder_input_ids": torch.tensor([decoder_ids], device=device)}


class _DecoderReached(Exception):
    """Ends a forward pass where the decoder begins."""


def own_decoder_ids(network: Network, source: Tokens) -> tuple[int, ...]:
    """What a classifier with a decoder feeds it for a text: architectures differ in the token that they put first."""
    seen: list[torch.Tensor] = []

    def record(module: torch.nn.Module, arguments: tuple, named: dict[str, Any]) -> None:
        seen.append(named["input_ids"] if "input_ids" in named else arguments[0])
        raise _DecoderReached

    handle = network.get_decoder().register_forward_pre_hook(record, with_kwargs=True)
    try:
        with torch.inference_mode():
            network(**text_inputs(network, source))
    except _DecoderReached:
        pass
    finally:
        handle.remove()
    return tuple(seen[0][0].tolist())


def picture_inputs(network: Network, processor: ImageProcessor, given: object) -> ModelInputs:
    """Pixels from the network's own image processor, of a picture in any form of `model.hub.picture_forms`.

    Raises:
        OpenError: this is no picture, or the processor makes something else than pixels.
    """
    device, dtype = device_of(network), next(network.parameters()).dtype
    picture = one_picture(given, channels(network.config))
    if isinstance(picture, ProcessedPixels):
        pixels = torch.tensor(np.asarray(picture))[None]
    elif channels(network.config) == 1:
        grey = np.asarray(upright_picture(picture).convert("L"))[..., None]
        pixels = processor(images=grey, input_data_format="channels_last", return_tensors="pt")["pixel_values"]
    else:
        pixels = processor(images=upright_picture(picture), return_tensors="pt")["pixel_values"]
    if pixels.ndim != 4 or pixels.shape[0] != 1:
        raise OpenError(
            "The output of the image processor has the shape {shape}, not rows and columns of a picture; such "
            "models are not opened.",
            shape=" x ".join(map(str, pixels.shape)),
        )
    return {"pixel_values": whole_patches(network.config, pixels).to(device, dtype)}


def picture_fields(layout: PictureLayout, inputs: ModelInputs) -> dict[str, Any]:
    """The fields of a `HubTrace` that describe a picture."""
    pixels = inputs["pixel_values"][0].float().cpu()
    span = pixels.amax() - pixels.amin()
    scaled = ((pixels - pixels.amin()) / span.clamp_min(1e-6)).permute(1, 2, 0).numpy()
    if scaled.shape[-1] == 1:
        scaled = scaled.repeat(3, axis=-1)
    sizes = {"grid": layout.grid, "leading": layout.leading, "trailing": layout.trailing}
    return {**sizes, "pixels": scaled, "received": as_processed(pixels.numpy())}


def probe_inputs(
    network: Network, reader: Reader, languages: TargetLanguages, *, vision: bool
) -> tuple[ModelInputs, int | None, int | None]:
    """A short input, and the numbers of tokens in encoder and decoder; None for a picture."""
    if vision:
        rows, columns = np.indices((64, 64))
        pattern = np.stack([rows * 4, columns * 4, (rows + columns) * 2], axis=-1).astype(np.uint8)
        return picture_inputs(network, reader, Image.fromarray(pattern)), None, None
    ids = _probe_ids(network, reader)
    source = Tokens(ids, (), (), (0,) * len(ids), ())
    if not has_decoder(network):
        return text_inputs(network, source), len(ids), None
    start = first_ids(network, languages, languages.default or next(iter(languages.ids), None))
    target = (*start, *ids[: max(2, len(ids) - 2 - len(start))])
    if len(target) == len(ids):
        target = (*target, ids[-1])
    return pair_inputs(network, source, target), len(ids), len(target)


def _probe_ids(network: Network, reader: Reader) -> tuple[int, ...]:
    """The first ids of a short text; tokens that the network does not know are left out, and others come again.

    Raises:
        OpenError: it knows less than half of them: this is the tokenizer of another model.
    """
    ids = tokenize(reader, PROBE).ids
    known = [id_ for id_ in ids if id_ < table_size(network.config)]
    if 2 * len(known) < len(ids):
        raise OpenError(OTHER_TOKENIZER, size=len(reader), known=table_size(network.config))
    return tuple(itertools.islice(itertools.cycle(known), min(PROBE_TOKENS, len(ids))))


def same_length_inputs(network: Network, reader: Reader, end: int) -> ModelInputs:
    """A short input of a classifier with a decoder, which reads the text too, and answers at the end of the text."""
    ids = (*_probe_ids(network, reader)[: PROBE_TOKENS - 1], end)
    source = Tokens(ids, (), (), (0,) * len(ids), ())
    return pair_inputs(network, source, (start_id(network), *ids[:-1]))


def other_inputs(network: Network) -> tuple[str, ...]:
    """What a network of text could read besides: by the names of its inputs, or a part of its configuration."""
    parameters = inspect.signature(network.forward).parameters
    return tuple(
        kind
        for kind, names, part in OTHER_INPUTS
        if any(name in parameters for name in names) or getattr(network.config, part, None) is not None
    )


def reads_pictures_with_text(network: Network) -> bool:
    """Whether a network of text reads pictures too, and gives them tokens among those of the text."""
    return network.main_input_name == "input_ids" and "pictures" in other_inputs(network) and not has_decoder(network)


def has_decoder(network: Network) -> bool:
    """Whether a network has a decoder besides its encoder; the configuration of an encoder alone may say so too."""
    if not getattr(network.config, "is_encoder_decoder", False):
        return False
    return "decoder_input_ids" in inspect.signature(network.forward).parameters


def first_ids(network: Network, languages: TargetLanguages, language: str | None) -> tuple[int, ...]:
    """The first ids of a decoder's input: the start, and the code of the language where there are several.

    Raises:
        OpenError: the configuration has no start.
    """
    is_start = language is not None and languages.place == "start"
    return languages.begin(None if is_start else start_id(network), language)


def start_id(network: Network) -> int:
    """The first id of a decoder's input.

    Raises:
        OpenError: the configuration has none.
    """
    for config in (network.config, getattr(network, "generation_config", None)):
        if (id_ := getattr(config, "decoder_start_token_id", None)) is not None:
            return id_
    raise OpenError("config.json does not state which token starts the decoder (decoder_start_token_id); add it.")
