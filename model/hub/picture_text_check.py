"""Verify a network on a short text with a picture: its outputs, and the maps of its text and within its pictures."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from ..runtime.messages import Template
from ..tracing.kinds import DECODER, PREFIX, VISION, AttentionKind
from .call_plan import CallPlan
from .eager_attention import AttentionCall, CallRecorder, is_half
from .errors import OpenError
from .forward_run import ModelInputs, output_tensor, reported_weights, run_network
from .interface import attention_implementation, use_own_attention
from .layer_numbers import Place, RunningLayers, watch_layers
from .library_types import Network
from .picture_text_inputs import PictureText
from .softmax_calls import SOFTMAX
from .verification import HALF, MAPS, OpeningCheck, check_untouched, compare_outputs

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
