"""An opened network that reads pictures: traces of CLS and the patches, and attribution of a class."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from ..attribution.faithfulness import Occlusion, leave_out_in_steps, occlude
from ..attribution.intervention_result import InterventionCheck
from ..attribution.rollout import METHODS, ClassGradients, slope_along
from ..causal.traced_inputs import TracedInput
from ..classifier import GradientScores, VisionInterventionResult
from ..networks.tap import Recorder
from ..runtime.arrays import to_array
from ..runtime.device import device_of
from ..runtime.progress import InSteps
from ..tracing.interventions import HeadInterventions
from ..tracing.kinds import VISION
from ..tracing.picture_trace import PatchTrace
from ..tracing.trace import TraceOfModel, share_model
from .causal.opened_inputs import read_patches
from .eager_attention import CallRecorder
from .errors import states_errors
from .forward_run import call_options
from .hub_trace import HubTrace
from .interface import recording_calls
from .model_inputs import picture_inputs
from .opened_model import OpenedModel
from .picture_forms import as_processed
from .record import HubRecord


@dataclass(frozen=True, eq=False, repr=False)
class OpenedPictureTrace(PatchTrace, TraceOfModel):
    """CLS and the patches of a trace, without the registers between them; see `PatchTrace`."""

    record: HubRecord
    received: np.ndarray  # `(3, height, width)` float32, the input tensor of the network
    leading: int  # tokens before the patches, CLS and registers

    @property
    def network_input(self) -> np.ndarray:
        """`(3, height, width)`, as received."""
        return self.received

    @property
    def places(self) -> list[int]:
        """Positions of CLS and of every patch, without registers."""
        return [0, *range(self.leading, self.leading + self.grid[0] * self.grid[1])]


def patch_trace(trace: HubTrace) -> OpenedPictureTrace | None:
    """CLS and the patches of a trace; None where the network has no CLS, or the input was not a picture."""
    if trace.grid is None or trace.pixels is None or trace.received is None or trace.leading < 1:
        return None
    if VISION.name not in trace.records:  # layers of different numbers of heads
        return None
    chosen = [0, *range(trace.leading, trace.leading + trace.grid[0] * trace.grid[1])]
    record = trace.records[VISION.name]
    weights = record.weights[:, :, chosen][:, :, :, chosen].astype(np.float32, copy=False)
    classes, logits = trace.classes or (), trace.logits.reshape(-1)
    reduced = replace(record, weights=weights, scores=None, queries=None, keys=None, values=None, outputs=None)
    patches = OpenedPictureTrace(trace.pixels, classes, logits, trace.grid, reduced, trace.received, trace.leading)
    return share_model(patches, trace)


class OpenedPictureModel(OpenedModel):
    """A network that reads pictures. The methods below are for classifiers with CLS; see `OpenedModel`."""

    def receive(self, image: Image.Image) -> np.ndarray:
        """A picture as the network receives it, `(channel, height, width)` float32."""
        inputs = picture_inputs(self.network, self.reader, image)
        return as_processed(to_array(inputs["pixel_values"][0].float()))

    def read_trace(self, trace: HubTrace | OpenedPictureTrace) -> TracedInput:
        """Read the input of a trace, or of its patches; see `CausalMethods`."""
        if isinstance(trace, OpenedPictureTrace):
            return read_patches(self.resumable, trace.received, trace.answer)
        return super().read_trace(trace)

    @states_errors
    def intervene(self, trace: OpenedPictureTrace, interventions: HeadInterventions) -> VisionInterventionResult:
        """Trace the picture of `trace` again under interventions.

        Raises:
            InterventionError: see `HeadInterventions.check`.
        """
        whole = self.trace(trace.received, intervention=interventions)
        check = InterventionCheck(whole.verify().max_difference, None, whole.records[VISION.name].half)
        after = patch_trace(whole)
        assert after is not None, "the trace before the interventions has CLS"
        return VisionInterventionResult(after, check)

    @states_errors
    def gradient_scores(self, trace: OpenedPictureTrace, class_index: int) -> GradientScores:
        """The last two of `METHODS`; see `model.attribution.rollout`."""
        gradients = self._gradients(self._tensor(trace.received), class_index)
        first, patches = trace.leading - 1, trace.grid[0] * trace.grid[1]
        relevance = gradients.relevance()[first : first + patches]
        scores = {METHODS[2]: relevance, METHODS[3]: gradients.raw(self._side(trace))}
        slope = slope_along(self._logits, self._tensor(trace.received), class_index, gradients.pixels)
        return GradientScores(scores, float(gradients.pixels.norm()), slope)

    @states_errors
    def occlusions(self, trace: OpenedPictureTrace, orders: np.ndarray) -> list[Occlusion]:
        """Probabilities of all classes as patches are occluded in each of `orders`, `(order, patch)`."""
        return occlude(self._callable(trace), self._tensor(trace.received), orders)

    def leave_out_patches_in_steps(self, trace: OpenedPictureTrace) -> InSteps[np.ndarray]:
        """Probabilities of all classes with each patch occluded alone, `(patch, class)`."""
        return leave_out_in_steps(self._callable(trace), self._tensor(trace.received))

    def _callable(self, trace: OpenedPictureTrace) -> "_CallableNetwork":
        return _CallableNetwork(self._logits, SimpleNamespace(patch_size=self._side(trace)))

    def _gradients(self, pixels: Tensor, class_index: int) -> ClassGradients:
        recorder = Recorder([f"{VISION.tap_name(layer)}.weights" for layer in self.layers[VISION.name]])
        calls = CallRecorder(self.proof.plan.names, recorder, lambda index, call: None)
        with torch.enable_grad():
            pixels = pixels.clone().requires_grad_(True)
            with recording_calls(calls, self.proof.by_interface):
                logit = self._logits(pixels[None])[0, class_index]
            maps = list(recorder.tensors.values())
            gradients = torch.autograd.grad(logit, [pixels, *maps])
        weights = torch.cat([layer.detach() for layer in maps]).float()  # (layer, head, position, position)
        return ClassGradients(weights, torch.cat(gradients[1:]).float(), gradients[0].float())

    def _logits(self, pixels: Tensor) -> Tensor:
        """`(picture, 3, height, width)` -> logits `(picture, class)`."""
        inputs = {"pixel_values": pixels}
        return self.network(**inputs, **call_options(self.network, inputs)).logits

    def _tensor(self, received: np.ndarray) -> Tensor:
        return torch.from_numpy(received).to(device_of(self.network), next(self.network.parameters()).dtype)

    @staticmethod
    def _side(trace: OpenedPictureTrace) -> int:
        return trace.received.shape[1] // trace.grid[0]


@dataclass(frozen=True)
class _CallableNetwork:
    """A network as `occlude` calls it."""

    logits: Callable[[Tensor], Tensor]
    config: Any

    def __call__(self, pixels: Tensor) -> Tensor:
        return self.logits(pixels)
