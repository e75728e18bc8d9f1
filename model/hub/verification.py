"""Verify the attention of a model; a model is opened only after its attention has been verified.

A short input runs untouched, twice, in the model's own eager implementation, and with our tap. The outputs of all
runs and the attention that the model reports and the tap records must agree. The same runs decide how calls are
recorded: by our own attention function (`model.hub.interface`), else by watching softmax (`model.hub.softmax_calls`).
"""

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode

from ..runtime.messages import Template
from ..tracing.kinds import AttentionKind
from .call_plan import CallPlan, identify_calls
from .eager_attention import CallRecorder, is_half, watch_layers
from .errors import OpenError
from .forward_run import ModelInputs, output_tensor, reported_weights, run_network
from .interface import attention_implementation, set_implementation, use_own_attention
from .library_version import Network

OUTPUTS, MAPS = 1e-4, 1e-5  # largest differences in float32
HALF = 200.0  # factor on both in half precision, whose numbers have 3 digits

EAGER_HALF = Template(
    "Untouched, this model computes finite numbers, but its own eager form, with which its maps are compared, computes "
    "NaN or infinite ones, as half precision has no larger numbers; open it in float32 (dtype='float32', or "
    "model.float() of a live model)."
)
EAGER_FAILS = Template(
    "Untouched, this model computes finite numbers, but its own eager form, with which its maps are compared, computes "
    "NaN or infinite ones; no map of it can be checked."
)
NAMES = {  # of the weights in the library's outputs
    "encoder": ("encoder_attentions", "attentions"),
    "decoder": ("decoder_attentions", "attentions"),
    "cross": ("cross_attentions",),
    "vision": ("attentions",),
}


@dataclass(frozen=True)
class OpeningCheck:
    """Results of the check that opens a model."""

    plan: CallPlan  # its calls of attention
    by_interface: bool  # whether it calls our function; otherwise its softmax is watched
    outputs: float  # largest difference between the outputs of any two runs, relative to the largest output
    maps: float  # largest difference of its own weights to those that the tap recorded
    sizes: dict[str, tuple[int, int, int]]  # kind -> layers, heads and queries

    def shapes(self, first: int, second: int) -> dict[str, tuple[int, int, int, int]]:
        """Layers, heads, queries and keys of every kind.

        Args:
            first: positions of the encoder, or of a network with one stack.
            second: those of the decoder of an encoder-decoder, else `first`.
        """
        counts = {"source": first, "target": second, "patches": first}
        sizes = self.sizes
        return {kind.name: (*sizes[kind.name][:2], counts[kind.queries], counts[kind.keys]) for kind in self.plan.kinds}

    def reported(self, kind: AttentionKind, weights: dict[str, tuple[Tensor, ...]]) -> dict[int, Tensor] | None:
        """Weights of a kind that a network reports itself, by number of the layer; None where it reports none."""
        return _reported(self.plan, kind, weights)


def _reported(plan: CallPlan, kind: AttentionKind, weights: dict[str, tuple[Tensor, ...]]) -> dict[int, Tensor] | None:
    alike = [part for part in plan.kinds if (part.stack, part.sublayer) == (kind.stack, kind.sublayer)]
    numbers = sorted(number for part in alike for number in plan.layers[part.name])
    for name in NAMES[kind.stack if kind.sublayer == "self" else kind.sublayer]:
        if name in weights:
            layers = [layer for layer in weights[name] if layer is not None]
            if len(layers) != len(numbers):
                return None
            own = dict(zip(numbers, layers, strict=True))
            return {number: own[number] for number in plan.layers[kind.name]}
    return None


def verify_attention(
    network: Network,
    inputs: ModelInputs,
    *,
    vision: bool,
    source: int | None,
    target: int | None,
    identified_by: tuple[Network, ModelInputs] | None = None,
) -> OpeningCheck:
    """Find out how calls are recorded, and verify that recording changes no output and yields the network's own maps.

    Args:
        inputs: a short input.
        source, target: tokens or patches of encoder and decoder; see `model.hub.call_plan.identify_calls`.
        identified_by: the body and an input of it of which that holds, for a network whose decoder must read as many
            tokens as its encoder.

    Raises:
        OpenError: neither way records what the network computes; with the measured difference.
    """
    untouched, again = (output_tensor(run_network(network, inputs, None, True)) for _ in range(2))
    check_untouched(network, untouched, again)
    with attention_implementation(network, "eager"):
        output = run_network(network, inputs, None, True, output_attentions=True)
        eager, reported = output_tensor(output), reported_weights(output)
    _check_eager(eager, is_half(network.dtype))  # before its maps are read: NaN has no kind of attention
    first_error: OpenError | None = None
    windows = False
    for by_interface in (True, False):
        if by_interface and not use_own_attention(network):
            continue
        if not by_interface and network._can_set_attn_implementation():
            set_implementation(network, "eager")
        with watch_layers(network) as layers:
            recorder = CallRecorder(layers=layers)
            tapped = output_tensor(run_network(network, inputs, recorder, by_interface))
        windows |= recorder.windows
        if not recorder.calls:
            continue
        try:
            run = recorder if identified_by is None else _recorded(*identified_by, by_interface)
            plan = identify_calls(run.calls, run.places, vision=vision, source=source, target=target)
            return _compare_runs(plan, recorder, by_interface, (untouched, eager, tapped), reported)
        except OpenError as error:
            first_error = first_error or error
    if windows:
        raise OpenError(
            "The heads of this model attend within windows or bands of the input; only maps over all of it are shown."
        )
    if first_error is not None:
        raise first_error
    if _is_fused(network, inputs):
        raise OpenError(
            "This model computes its attention by PyTorch's fused function, which returns no weights, and cannot be "
            "set to another form; open one that can."
        )
    raise OpenError("This model has no softmax attention, so there are no maps to show; open one that has.")


class _FusedCalls(TorchFunctionMode):
    """Within this context, notes whether PyTorch's fused attention is called."""

    called = False

    def __torch_function__(self, function: Any, types: Any, arguments: Any = (), options: Any = None) -> Any:
        self.called |= function is F.scaled_dot_product_attention
        return function(*arguments, **(options or {}))


def _is_fused(network: Network, inputs: ModelInputs) -> bool:
    with _FusedCalls() as calls:
        run_network(network, inputs, None, True)
    return calls.called


def _are_no_weights(own: list[Tensor], recorded: list[Tensor]) -> bool:
    """Whether the rows of reported maps have other sums than those of the recorded weights; some report scores."""
    return any(
        float((a.to(b.device).float().sum(-1) - b.float().sum(-1)).abs().max()) > 0.01
        for a, b in zip(own, recorded, strict=True)
    )


def _recorded(network: Network, inputs: ModelInputs, by_interface: bool) -> CallRecorder:
    with watch_layers(network) as layers:
        recorder = CallRecorder(layers=layers)
        run_network(network, inputs, recorder, by_interface)
    return recorder


def check_untouched(network: Network, first: Tensor, second: Tensor) -> None:
    """Refuse a network whose answers cannot be compared with anything, for the reason that lies in itself."""
    check_finite(network, first, opening=True)
    if first.shape != second.shape or float((first - second).abs().max()) > OUTPUTS * max(
        1.0, float(first.abs().max())
    ):
        raise OpenError(
            "Untouched, this model answers the same input differently each time, since it masks or samples at random; "
            "there is no answer to compare with."
        )


def compare_outputs(untouched: Tensor, eager: Tensor, tapped: Tensor, factor: float) -> float:
    """Largest difference between the outputs of any two of three runs, relative to the largest output.

    Args:
        factor: on what is allowed.

    Raises:
        OpenError: it is larger than allowed; with the measured difference.
    """
    _check_eager(eager, factor != 1.0)
    results = untouched, eager, tapped
    scale = max(1.0, float(untouched.abs().max()))
    outputs = max(float((one - other).abs().max()) for one, other in itertools.combinations(results, 2)) / scale
    forms = float((untouched - eager).abs().max()) / scale
    if forms > OUTPUTS * factor and float((eager - tapped).abs().max()) <= OUTPUTS * factor * scale:
        raise OpenError(
            "Untouched, this model answers differently than in its own eager form, by {difference:.1e} where "
            "{limit:.0e} is allowed: its forms of attention mask differently, and no map is right for both.",
            difference=forms,
            limit=OUTPUTS * factor,
        )
    if not outputs <= OUTPUTS * factor:  # also where it is not a number
        raise OpenError(
            "With our tap this model answers differently, by {difference:.1e} where {limit:.0e} is allowed; its maps "
            "would not be what it computes.",
            difference=outputs,
            limit=OUTPUTS * factor,
        )
    return outputs


def _check_eager(eager: Tensor, half: bool) -> None:
    """Refuse a network whose eager form overflows where its own form, which was checked before, does not.

    Raises:
        OpenError: its output has a number that is not finite.
    """
    if not bool(torch.isfinite(eager).all()):
        raise OpenError(EAGER_HALF if half else EAGER_FAILS)


def _compare_runs(
    plan: CallPlan,
    recorder: CallRecorder,
    by_interface: bool,
    results: tuple[Tensor, Tensor, Tensor],
    reported: dict[str, tuple[Tensor, ...]],
) -> OpeningCheck:
    factor = HALF if is_half(recorder.calls[0].weights.dtype) else 1.0
    outputs = compare_outputs(*results, factor)
    maps = 0.0
    for kind in plan.kinds:
        recorded = [recorder.calls[place].weights for place in plan.places(kind)]
        by_layer = _reported(plan, kind, reported)
        own = [] if by_layer is None else list(by_layer.values())
        if len(own) != len(recorded) or any(a.shape != b.shape for a, b in zip(own, recorded, strict=True)):
            raise OpenError(
                "This model does not report its own weights for {kind}, so nothing proves that the maps are right.",
                kind=kind.title,
            )
        maps = max(
            maps, *(float((a.to(b.device).float() - b.float()).abs().max()) for a, b in zip(own, recorded, strict=True))
        )
        if not maps <= MAPS * factor and _are_no_weights(own, recorded):
            raise OpenError(
                "This model reports numbers as its {kind} that are not weights: their rows have other sums than "
                "the recorded ones, so nothing proves that the maps are right.",
                kind=kind.title,
            )
    if not maps <= MAPS * factor:
        raise OpenError(
            "The maps differ from those that this model reports itself by {difference:.1e}, where {limit:.0e} is "
            "allowed; they are not shown.",
            difference=maps,
            limit=MAPS * factor,
        )
    shapes = {kind.name: recorder.calls[plan.places(kind)[0]].weights.shape for kind in plan.kinds}
    sizes = {kind.name: (len(plan.places(kind)), *shapes[kind.name][1:3]) for kind in plan.kinds}
    return OpeningCheck(plan, by_interface, outputs, maps, sizes)


# Refuse to show numbers that are not finite, for the reason that is found in the network.

LARGEST_HALF = int(torch.finfo(torch.float16).max)


def check_finite(
    network: Network,
    output: Tensor,
    maps: Iterable[np.ndarray] = (),
    *,
    changed: bool = False,
    opening: bool = False,
) -> None:
    """Check what a network has answered, and its attention weights.

    Args:
        changed: whether it ran under an intervention.
        opening: whether it is being opened; afterwards what `is_pooler` names has no influence.

    Raises:
        OpenError: a number is NaN or infinite.
    """
    if not all(map(_is_finite, itertools.chain([output], map(torch.from_numpy, maps)))):
        raise explain_not_finite(network, changed, opening)


def _is_finite(tensor: Tensor) -> bool:
    """Whether all numbers are finite, in one pass: the extremes of a tensor with NaN are NaN."""
    tensor = tensor.float() if tensor.itemsize == 1 else tensor  # no extremes of numbers with 8 bits
    return tensor.numel() == 0 or all(math.isfinite(extreme) for extreme in tensor.aminmax())


@torch.inference_mode()
def explain_not_finite(network: Network, changed: bool, opening: bool) -> OpenError:
    """The reason why a network computes numbers that are not finite; reads all of its weights."""
    parameters, buffers = (
        {name: tensor for name, tensor in tensors if _is_read(tensor) and (opening or not is_pooler(name))}
        for tensors in (network.named_parameters(), network.named_buffers())
    )
    infinite = [name for name, tensor in parameters.items() if not _is_finite(tensor)]
    # a buffer may be a mask of infinite numbers
    missing = [name for name, tensor in (parameters | buffers).items() if bool(tensor.isnan().any())]
    half = any(tensor.dtype == torch.float16 for tensor in parameters.values())
    if missing or (infinite and not half):
        return OpenError(
            "Weights of this model are NaN or infinite, such as {name}, and so is what it computes; load or save the "
            "model again.",
            name=[*missing, *infinite][0],
        )
    if infinite:
        return OpenError(
            "Weights of this model are infinite, such as {name}, as float16 has no numbers above {limit}; open it in "
            "float32 from a copy whose weights are finite.",
            name=infinite[0],
            limit=LARGEST_HALF,
        )
    if changed:
        return OpenError(
            "Under this intervention the model computes numbers that are NaN or infinite, although its weights are "
            "finite; change less."
        )
    if half:
        return OpenError(
            "This model computes numbers that are NaN or infinite, although its weights are finite, as float16 has no "
            "numbers above {limit}; open it in float32 (dtype='float32', or model.float() of a live model).",
            limit=LARGEST_HALF,
        )
    return OpenError(
        "This model computes numbers that are NaN or infinite, although its weights are finite; try another input, or "
        "load or save the model again."
    )


def is_pooler(name: str) -> bool:
    """Whether a tensor of a body belongs to what follows its last hidden states, by its name alone.

    `model.hub.loading` opens a body without it, with NaN in its place.
    """
    return any("pool" in part for part in name.split(".")) or name.startswith("head.")


def _is_read(tensor: Tensor) -> bool:
    """Whether a tensor has numbers that can be read: not those of another process or on disk, and no whole numbers."""
    return not tensor.is_meta and tensor.is_floating_point()
