"""Opened means proven: what a network answers, what it reports as its attention, and what our tap sees must agree.

A short input runs three times: untouched, in the model's own eager form, and with our tap. Which of the two ways into a
network serves it is decided by these runs alone.
"""

import itertools
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from .call_plan import CallPlan, identify_calls
from .eager_attention import CallRecorder
from .errors import OpenError
from .forward_run import ModelInputs, output_tensor, reported_weights, run_network
from .interface import attention_implementation, use_own_attention

OUTPUTS, MAPS = 1e-4, 1e-5  # largest differences in float32
HALF = 200.0  # times as much in half precision, whose numbers have 3 digits

NAMES = {  # under which the library reports weights
    "encoder": ("encoder_attentions", "attentions"),
    "decoder": ("decoder_attentions", "attentions"),
    "cross": ("cross_attentions",),
    "vision": ("attentions",),
}


@dataclass(frozen=True)
class OpeningCheck:
    """What opening a model has shown.

    Attributes:
        plan: its calls of attention.
        by_interface: whether it calls our function; otherwise its softmax is watched.
        outputs: largest difference of its answers, relative to the largest answer, untouched against tapped.
        maps: largest difference of its own weights to those that the tap saw.
        sizes: kind -> its layers, its heads, and how many queries it had.
    """

    plan: CallPlan
    by_interface: bool
    outputs: float
    maps: float
    sizes: dict[str, tuple[int, int, int]]

    @staticmethod
    def reported(kind: str, told: dict[str, tuple[Tensor, ...]]) -> list[Tensor] | None:
        """What a network says are the weights of a kind, by layer; None where it says nothing."""
        for name in NAMES[kind]:
            if name in told:
                return [found for found in told[name] if found is not None]
        return None


def verify_attention(
    network: nn.Module, inputs: ModelInputs, *, vision: bool, source: int | None, target: int | None
) -> OpeningCheck:
    """Open the better of two ways into a network, and show that it changes nothing.

    Args:
        inputs: a short input.
        source, target: how many tokens or patches encoder and decoder read; see `model.hub.call_plan.identify_calls`.

    Raises:
        OpenError: neither way shows what the network computes; with the measured difference.
    """
    untouched = output_tensor(run_network(network, inputs, None, True))
    with attention_implementation(network, "eager"):
        told = run_network(network, inputs, None, True, output_attentions=True)
        eager, reported = output_tensor(told), reported_weights(told)
    worst: OpenError | None = None
    for by_interface in (True, False):
        if by_interface and not use_own_attention(network):
            continue
        if not by_interface and network._can_set_attn_implementation():
            network.set_attn_implementation("eager")
        watch = CallRecorder()
        tapped = output_tensor(run_network(network, inputs, watch, by_interface))
        if not watch.calls:
            continue
        try:
            plan = identify_calls(watch.calls, vision=vision, source=source, target=target)
            return _compare_runs(plan, watch, by_interface, (untouched, eager, tapped), reported)
        except OpenError as error:
            worst = worst or error
    if worst is not None:
        raise worst
    raise OpenError("This model has no softmax attention, so there are no maps to show; open one that has.")


def _compare_runs(
    plan: CallPlan,
    watch: CallRecorder,
    by_interface: bool,
    answers: tuple[Tensor, Tensor, Tensor],
    reported: dict[str, tuple[Tensor, ...]],
) -> OpeningCheck:
    looseness = 1.0 if watch.calls[0].weights.dtype == torch.float32 else HALF
    scale = max(1.0, float(answers[0].abs().max()))
    outputs = max(float((one - other).abs().max()) for one, other in itertools.combinations(answers, 2)) / scale
    if not outputs <= OUTPUTS * looseness:  # also where it is not a number
        raise OpenError(
            "With our tap this model answers differently, by {difference:.1e} where {limit:.0e} is allowed; its maps "
            "would not be what it computes.",
            difference=outputs,
            limit=OUTPUTS * looseness,
        )
    maps = 0.0
    for kind in plan.kinds:
        seen = [watch.calls[place].weights for place in plan.places(kind)]
        own = OpeningCheck.reported(kind.name, reported)
        if own is None or len(own) != len(seen) or any(a.shape != b.shape for a, b in zip(own, seen, strict=True)):
            raise OpenError(
                "This model does not report its own weights for {kind}, so nothing proves that the maps are right.",
                kind=kind.title,
            )
        maps = max(
            maps, *(float((a.to(b.device).float() - b.float()).abs().max()) for a, b in zip(own, seen, strict=True))
        )
    if not maps <= MAPS * looseness:
        raise OpenError(
            "The maps differ from those that this model reports itself by {difference:.1e}, where {limit:.0e} is "
            "allowed; they are not shown.",
            difference=maps,
            limit=MAPS * looseness,
        )
    shapes = {kind.name: watch.calls[plan.places(kind)[0]].weights.shape for kind in plan.kinds}
    sizes = {kind.name: (len(plan.places(kind)), *shapes[kind.name][1:3]) for kind in plan.kinds}
    return OpeningCheck(plan, by_interface, outputs, maps, sizes)
