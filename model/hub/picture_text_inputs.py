"""A text with pictures as a network of both reads it: by the model's own processor, which has a tokenizer in it."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch import Tensor
from torch.overrides import TorchFunctionMode

from ..runtime.device import device_of
from ..runtime.messages import Template, UserError
from ..tracing.kinds import DECODER, PREFIX, VISION, AttentionKind
from .call_plan import CallPlan
from .chats import ANSWERED, apply_template, check_messages, check_options, render_fullest
from .eager_attention import AttentionCall, CallRecorder, Place, RunningLayers, is_half, watch_layers
from .errors import OpenError, raised_as
from .forward_run import ModelInputs, output_tensor, reported_weights, run_network
from .input_forms import one_text
from .interface import attention_implementation, use_own_attention
from .library_version import Network
from .picture_forms import one_picture, upright_picture
from .softmax_calls import SOFTMAX
from .token_offsets import Tokens, tokens_of_ids
from .verification import HALF, MAPS, OpeningCheck, check_untouched, compare_outputs

PROBE = "The quick brown fox"
FAILED = Template(
    "The processor of this model cannot read this text with these pictures ({reason}); see how many pictures it "
    "expects."
)
UNUSABLE = Template(
    "The processor of this model cannot read a short text with a picture ({reason}), as its settings do not fit; save "
    "or download its files again."
)


@dataclass(frozen=True, eq=False)
class PictureText:
    """A text with pictures, as the processor of a model prepared it; `OpenedModel.trace` takes it as it is."""

    tokens: Tokens
    """Of the sequence that the network reads; those of pictures are numbered."""
    inputs: ModelInputs
    """Tensors by the library's names."""
    is_picture: np.ndarray
    """`(token,)` bool, which tokens stand for parts of a picture."""
    pictures: int
    """How many were given; a processor may cut each into several tiles."""


def read_picture_text(
    network: Network, processor: Any, text: object, pictures: object, special: bool = True
) -> PictureText:
    """Prepare a text with its pictures.

    Args:
        text: with one placeholder of the processor for each picture, such as "<image>"; where it has none, the pictures
            come first.
        pictures: one, or several.
        special: whether the tokenizer adds its special tokens.

    Raises:
        OpenError: the text has another number of placeholders, or the processor or a picture cannot be used.
    """
    given = one_text(text)
    if not isinstance(given, str):
        raise OpenError("Pictures go with a text, not with ids; give the text itself.")
    images = _read_pictures(pictures)
    written = with_placeholders(network, processor, given, len(images))
    options: dict[str, Any] = {} if special else {"add_special_tokens": False}
    try:
        with raised_as(FAILED):
            encoded = processor(text=written, images=images, return_tensors="pt", **options)
    except OpenError:
        with raised_as(UNUSABLE):
            processor(text=with_placeholders(network, processor, PROBE, 1), images=[_pattern()], return_tensors="pt")
        raise
    dtype, device = next(network.parameters()).dtype, device_of(network)
    accepted = inspect.signature(network.forward).parameters
    tensors = {name: torch.as_tensor(value) for name, value in encoded.items() if name in accepted and name != "labels"}
    inputs = {name: value.to(device, dtype if value.is_floating_point() else None) for name, value in tensors.items()}
    ids = inputs["input_ids"][0].tolist()
    picture_id = picture_token_id(network)
    is_picture = np.array([id_ == picture_id for id_ in ids])
    if "pixel_values" not in inputs or inputs["input_ids"].shape[0] != 1 or not is_picture.any():
        raise OpenError("The processor of this model gives no tokens to a picture, so none can be shown in the text.")
    tokens = _number(tokens_of_ids(processor.tokenizer, ids, [picture_id]), is_picture)
    return PictureText(tokens, inputs, is_picture, len(images))


def probe_picture_text(network: Network, processor: Any) -> PictureText:
    """A short text with one picture."""
    return read_picture_text(network, processor, PROBE, _pattern())


def _pattern() -> Image.Image:
    rows, columns = np.indices((64, 64))
    return Image.fromarray(np.stack([rows * 4, columns * 4, (rows + columns) * 2], axis=-1).astype(np.uint8))


def check_pictures(pictures: object) -> list[Image.Image]:
    """One picture or several, as a list.

    Raises:
        OpenError: there is none, or something else among them.
    """
    several = list(pictures) if isinstance(pictures, list | tuple) else [pictures]
    if not several:
        raise OpenError("There is no picture; give one, such as Image.open(path) of PIL, or leave `picture` out.")
    checked = [one_picture(picture) for picture in several]
    return [picture for picture in checked if isinstance(picture, Image.Image)]


def _read_pictures(pictures: object) -> list[Image.Image]:
    """The pictures as RGB.

    Raises:
        OpenError: one cannot be used; of several with its number.
    """
    given, read = check_pictures(pictures), []
    for number, picture in enumerate(given, 1):
        try:
            read.append(upright_picture(picture))
        except UserError as error:
            if len(given) == 1:
                raise
            raise OpenError(
                "Of {count} pictures, number {number} cannot be used: {problem}",
                count=len(given),
                number=number,
                problem=error,
            ) from None
    return read


def with_placeholders(network: Network, processor: Any, text: str, count: int) -> str:
    """A text with one placeholder for each picture; they come first where the text has none.

    Raises:
        OpenError: it has some, but not as many as there are pictures.
    """
    placeholder = processor.image_token
    written = text.count(placeholder)
    if written not in (0, count):
        raise OpenError(
            "The text has {written} {written:placeholder|placeholders} {placeholder}, and there {count:is|are} "
            "{count} {count:picture|pictures}; give one for each.",
            written=written,
            placeholder=placeholder,
            count=count,
        )
    if written:
        return text
    before, after = (
        "" if id_ is None else processor.tokenizer.convert_ids_to_tokens(id_)
        for id_ in (getattr(network.config, f"vision_{end}_token_id", None) for end in ("start", "end"))
    )
    return f"{before}{placeholder}{after}" * count + text


def render_picture_chat(processor: Any, messages: object, count: int, options: Mapping[str, Any] | None = None) -> str:
    """A chat with pictures as the text that the model reads, by the template of its processor or tokenizer.

    Pictures that no message names come first in the first message of the user.

    Args:
        options: as of `model.hub.chats.render_chat`.

    Raises:
        OpenError: there is no template, or it cannot render these messages.
    """
    chosen = dict(options or {})
    template = chosen.pop("chat_template", None) or getattr(processor, "chat_template", None)
    template = chosen["chat_template"] = template or getattr(processor.tokenizer, "chat_template", None)
    checked = check_messages(messages, template)
    check_options(chosen)
    if chosen.get("add_generation_prompt") is None:
        continued = chosen.get("continue_final_message")
        chosen["add_generation_prompt"] = checked[-1]["role"] in ANSWERED and not continued
    contents = [message.get("content") for message in checked]
    parts = [
        [{"type": "text", "text": content}] if isinstance(content, str) else list(content or ()) for content in contents
    ]
    if not any(isinstance(part, Mapping) and part.get("type") == "image" for content in parts for part in content):
        first = next((place for place, message in enumerate(checked) if message["role"] == "user"), 0)
        parts[first] = [{"type": "image"}] * count + parts[first]
    chat = [
        {**message, "content": content} if content or "content" in message else dict(message)
        for message, content in zip(checked, parts, strict=True)
    ]
    with raised_as(
        "The chat template of this model refuses these messages ({reason}); see their roles and their order, and the "
        "options."
    ):
        written = [_with_written_pictures(message, processor.image_token) for message in chat]
        return render_fullest([chat, written], partial(apply_template, processor.tokenizer, **chosen), chat)


def _with_written_pictures(message: Mapping[str, Any], placeholder: str) -> Mapping[str, Any]:
    """A message whose content is one text, with placeholders of pictures; as it is, if it has other parts."""
    content = [part for part in message.get("content") or () if isinstance(part, Mapping)]
    parts = [part.get("text", placeholder * (part.get("type") == "image")) for part in content]
    return (
        {**message, "content": "\n".join(parts)} if parts and all(isinstance(part, str) for part in parts) else message
    )


def picture_token_id(network: Network) -> int:
    """The id of the tokens that stand for a picture.

    Raises:
        OpenError: the configuration has none.
    """
    names = ("image_token_id", "image_token_index")
    id_ = next((id_ for name in names if (id_ := getattr(network.config, name, None)) is not None), None)
    if id_ is None:
        raise OpenError("config.json does not state which token represents a picture (image_token_id); add it.")
    return int(id_)


def _number(tokens: Tokens, is_picture: np.ndarray) -> Tokens:
    """Tokens of which those of pictures are numbered, and are no special tokens."""
    labels, special = list(tokens.labels), list(tokens.special)
    for number, place in enumerate(np.flatnonzero(is_picture), 1):
        labels[place], special[place] = f"picture token {number}", False
    return replace(tokens, labels=tuple(labels), special=tuple(special))


# Verify a network on a short text with a picture: its outputs, and the maps of its text and within its pictures.

UNKNOWN_FORM = Template(
    "The attention of this model is not computed by the interface of the library, so its pictures are not shown; its "
    "text is."
)
OTHER_HEADS = Template(
    "The layers of this model differ in their number of heads, so its pictures are not shown; its text is."
)


@dataclass(frozen=True)
class PictureTextCheck:
    """Results of the check on a short text with a picture."""

    kinds: dict[str, AttentionKind]  # name of a list of the network's modules -> the kind of attention in its layers
    layers: dict[str, tuple[int, ...]]  # name of a kind -> numbers from 0 of the layers that have it
    heads: dict[str, int]  # name of a kind -> number of heads
    # `outputs`, `maps`: largest differences; see `model.hub.verification.OpeningCheck`
    outputs: float
    maps: float

    def as_opening_check(self) -> OpeningCheck:
        """The same for a network that reads no text without a picture."""
        plan = CallPlan((), tuple(self.kinds.values()), self.layers)
        sizes = {name: (len(layers), self.heads[name], 0) for name, layers in self.layers.items()}
        return OpeningCheck(plan, True, self.outputs, self.maps, sizes)

    def kind_at(self, place: Place | None) -> AttentionKind | None:
        """The kind of attention in a layer; None outside of the lists of layers."""
        return None if place is None else self.kinds.get(place[0])

    def name_at(self, place: Place | None) -> str | None:
        """The name of a call in the tap."""
        kind = self.kind_at(place)
        return None if kind is None or place is None else kind.tap_name(place[1])


def verify_with_pictures(network: Network, given: PictureText) -> PictureTextCheck:
    """Verify that recording changes no output, and yields the network's own maps of text and pictures."""
    inputs: ModelInputs = given.inputs
    untouched, again = (output_tensor(run_network(network, inputs, None, True)) for _ in range(2))
    check_untouched(network, untouched, again)
    output, own = own_weights(network, inputs)
    reported = reported_weights(output).get("attentions", ())
    if not use_own_attention(network):
        raise OpenError(UNKNOWN_FORM)
    with watch_layers(network) as layers:
        recorder = CallRecorder(layers=layers)
        tapped = output_tensor(run_network(network, inputs, recorder, True))
    if not recorder.calls:
        raise OpenError(UNKNOWN_FORM)
    factor = HALF if is_half(recorder.calls[0].weights.dtype) else 1.0
    outputs = compare_outputs(untouched, output_tensor(output), tapped, factor)
    calls = list(zip(recorder.places, recorder.calls, strict=True))
    kinds = _kinds(calls, len(given.tokens.ids))
    maps = 0.0
    for name, kind in kinds.items():
        recorded = [call.weights for place, call in calls if place is not None and place[0] == name]
        seen = [weights for place, weights in own if place is not None and place[0] == name]
        maps = max(maps, largest_difference(seen, recorded))
        if kind.name != VISION.name:
            maps = max(maps, largest_difference(list(reported), recorded))
    if not maps <= MAPS * factor:
        raise OpenError(
            "With a picture, the maps differ from those of this model's own eager form by {difference:.1e}, where "
            "{limit:.0e} is allowed; they are not shown.",
            difference=maps,
            limit=MAPS * factor,
        )
    numbers = {
        kind.name: tuple(sorted({place[1] for place, _ in calls if place is not None and place[0] == name}))
        for name, kind in kinds.items()
    }
    heads = {
        kind.name: {call.weights.shape[1] for place, call in calls if place is not None and place[0] == name}
        for name, kind in kinds.items()
    }
    if any(len(counts) != 1 for counts in heads.values()):
        raise OpenError(OTHER_HEADS)
    return PictureTextCheck(kinds, numbers, {name: counts.pop() for name, counts in heads.items()}, outputs, maps)


def _kinds(calls: Sequence[tuple[Place | None, AttentionCall]], count: int) -> dict[str, AttentionKind]:
    """Name of a list of modules -> the kind of attention in it: of the text, which runs last, and of its pictures."""
    listed = [(place[0], call) for place, call in calls if place is not None]
    text = next(
        (name for name, call in reversed(listed) if tuple(call.weights.shape[::2]) == (1, count)),
        None,
    )
    if text is None or listed[-1][0] != text:
        raise OpenError(
            "The pictures of this model are not in the sequence of its text, so no token's attention is drawn over "
            "them."
        )
    own = [call.weights for name, call in listed if name == text]
    if any(weights.shape[-2:] != (count, count) for weights in own):
        raise OpenError("The layers of this model attend to parts of the text; its pictures are not shown.")
    later = torch.ones(count, count, dtype=torch.bool).triu(1)
    causal = not any(bool(weights[0][:, later].any()) for weights in own)
    kinds = {text: DECODER if causal else PREFIX}
    first = next((name for name, call in listed if name != text and _is_square(call)), None)
    return kinds if first is None else {first: VISION, **kinds}


def _is_square(call: AttentionCall) -> bool:
    return call.weights.shape[-1] == call.weights.shape[-2]


# The weights that a network's own eager form computes, seen at its softmax: what our maps are compared with.


class _OwnSoftmax(TorchFunctionMode):
    """Within this context, records every softmax over `(row, head, query, key)` with the place of its layer."""

    def __init__(self, layers: RunningLayers) -> None:
        super().__init__()
        self.layers = layers
        self.results: list[tuple[Place | None, Tensor]] = []

    def __torch_function__(self, function: Any, types: Any, arguments: Any = (), options: Any = None) -> Any:
        result = function(*arguments, **(options or {}))
        if function in SOFTMAX and isinstance(result, Tensor) and result.ndim == 4:
            self.results.append((self.layers.outermost, result))
        return result


def own_weights(network: Network, inputs: ModelInputs) -> tuple[Any, list[tuple[Place | None, Tensor]]]:
    """The output of a network in its eager form, and the place and the weights of every softmax of its attention."""
    with attention_implementation(network, "eager"), watch_layers(network) as layers, _OwnSoftmax(layers) as watched:
        output = run_network(network, inputs, None, True, output_attentions=True)
    return output, watched.results


def largest_difference(own: list[Tensor], recorded: list[Tensor]) -> float:
    """The largest difference between two lists of weights; infinite where they differ in number or shape."""
    if len(own) != len(recorded) or any(a.shape != b.shape for a, b in zip(own, recorded, strict=True)):
        return float("inf")
    pairs = zip(own, recorded, strict=True)
    return max((float((a.to(b.device).float() - b.float()).abs().max()) for a, b in pairs), default=0.0)
