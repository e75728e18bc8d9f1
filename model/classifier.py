"""The picture classifier for pages and notebooks: load once, then classify, trace and explain."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Self

import numpy as np
import torch
from PIL import Image

from .attribution.faithfulness import (
    CENTRE,
    RANDOM,
    RANDOM_PAIRS,
    Occlusion,
    OcclusionCurves,
    average_curves,
    centre_order,
    leave_out_in_steps,
    occlude,
    random_orders,
    rank_patches,
)
from .attribution.head_ablation import ClassificationAblation, ablate_classification_heads, logits_without
from .attribution.intervention_result import InterventionCheck, check_intervention
from .attribution.rollout import INTEGRATED, METHODS, Fusion, attention_scores, class_gradients, slope_along
from .attribution.training_distance import TrainingDistance, TrainingDistances
from .causal.causal_error import CausalError
from .causal.causal_methods import CausalMethods
from .causal.experiments import Experiment, prepare_pictures
from .causal.metrics import Logit
from .causal.own_networks import ResumableVision
from .causal.traced_inputs import TracedInput, read_picture
from .export.vit import write_vit
from .export.whole_folder import whole_folder
from .networks.tap import Chain, Intervention, Tap
from .networks.vision import VisionConfig, VisionTransformer
from .picture_classifier import PictureClassifier
from .runtime.arrays import to_array
from .runtime.device import falls_back
from .runtime.progress import InSteps
from .tracing.interventions import HeadInterventions, to_tap
from .tracing.kinds import VISION
from .tracing.picture_trace import PatchTrace
from .tracing.trace import (
    AttentionRecord,
    LayerStacks,
    StackPlan,
    TraceOfModel,
    attach_model,
    attention_stacks,
    check_trace,
    gather_attention,
    layer_names,
    stream_stack,
)
from .tracing.traced_model import Capability
from .trained_model import ASSETS

SHIPPED = ASSETS / "vision"


@dataclass(frozen=True, eq=False)
class GradientScores:
    """Attribution by the gradients of one class's logit, and a check of them."""

    scores: dict[str, np.ndarray]  # name of the method -> `(patch,)` float32
    length: float  # of the gradient with respect to the pixels
    slope: float  # of the logit along that gradient, measured by moving the pixels; equals `length` up to rounding

    @property
    def difference(self) -> float:
        """Relative difference of the measured slope from the length."""
        return abs(self.slope - self.length) / max(self.length, float(np.finfo(np.float32).tiny))


@dataclass(frozen=True, eq=False, repr=False)
class VisionTrace(PatchTrace, TraceOfModel):
    """All intermediate results of a ViT for one picture; see `PatchTrace`. P patches."""

    record: AttentionRecord  # with queries, keys, values, scores and head outputs
    patches: np.ndarray  # `(P, d_model)`, each patch after the linear embedding, before positions are added
    stream: np.ndarray  # `(layers + 1, 1 + P, d_model)`: the embedded sequence, then the output of each layer
    # how far the picture is from the training pictures; None where it was not measured on these weights, and under
    # interventions
    training_distance: TrainingDistance | None = None


@dataclass(frozen=True, eq=False)
class VisionInterventionResult:
    """The result of a ViT under interventions, with a check of them."""

    after: PatchTrace
    check: InterventionCheck


class VisionClassifier(PictureClassifier, CausalMethods):
    """A trained ViT with its classes; see `PictureClassifier`, and `CausalMethods` for what causes an answer."""

    network: VisionTransformer
    network_type, config_type = VisionTransformer, VisionConfig
    folder = SHIPPED
    kinds = (VISION,)
    capabilities: frozenset[Capability] = frozenset({"classify", "ablate", "intervene", "explain", "export"})
    training_distances: TrainingDistances | None = None  # None where nothing was measured on these weights

    @classmethod
    def load(cls, path: str | Path | None = None, device: str = "auto") -> Self:
        """See `PictureClassifier.load`; also reads the distances to the training pictures, where there are some."""
        classifier = super().load(path, device)
        classifier.training_distances = TrainingDistances.load(classifier.folder, classifier.weights_sha256)
        return classifier

    def receive(self, image: Image.Image) -> np.ndarray:
        """A picture as the causal methods read it, `(height, width, 3)` float32; see `prepare`."""
        return self.prepare(image)

    @falls_back
    @torch.inference_mode()
    def trace(
        self, image: Image.Image | np.ndarray, *, intervention: HeadInterventions | Tap | None = None
    ) -> VisionTrace:
        """Record everything that the network computes for a picture.

        Args:
            image: a picture of any size, of PIL or as an array or tensor `(height, width, 3)` of RGB, see `prepare`; or
                pixels from it.
            intervention: changes to heads, or a tap that changes tensors before they are recorded; see
                `model.networks.tap.Intervention`.

        Raises:
            InputError: an array that is no picture.
            InterventionError: see `model.tracing.interventions.to_tap`.
        """
        pixels = self.to_pixels(image)
        layers, size = self.config.n_layers, self.config.patch_size
        stacks = LayerStacks(_plan(layers))
        count = 1 + (pixels.shape[0] // size) * (pixels.shape[1] // size)
        changes = to_tap(intervention, lambda: {VISION.name: (layers, self.config.n_heads, count, count)})
        tap = stacks if changes is None else Chain(changes, stacks)
        logits = self.network(self._tensor(pixels)[None], tap)
        stream, measured = stacks.array("vision.stream"), self.training_distances
        distance = None
        if measured is not None and intervention is None:
            distance = measured.measure(self.network, torch.from_numpy(stream[-1]).to(self.device))
        trace = VisionTrace(
            pixels=pixels,
            grid=(pixels.shape[0] // size, pixels.shape[1] // size),
            classes=self.config.classes,
            logits=to_array(logits[0]),
            record=gather_attention(stacks, VISION, layers),
            patches=to_array(stacks.tensors["vision.patches"][0]),
            stream=stream,
            training_distance=distance,
        )
        return attach_model(trace, lambda: self, intervention)

    @falls_back
    def intervene(self, trace: VisionTrace, interventions: HeadInterventions) -> VisionInterventionResult:
        """Run the picture of `trace` again under interventions.

        Raises:
            InterventionError: see `HeadInterventions.check`.
        """
        after = self.trace(trace.pixels, intervention=interventions.tap({"vision": trace.attention.shape}))
        pixels = self._tensor(trace.pixels)[None]
        records = {"vision": after.record}
        check = check_intervention(self.network, interventions, records, after.logits, lambda edited: edited(pixels)[0])
        return VisionInterventionResult(after, check)

    def explain(
        self,
        trace: VisionTrace,
        class_index: int,
        *,
        fusion: Fusion = "mean",
        layer: int = -1,
        integrated: bool = False,
    ) -> dict[str, np.ndarray]:
        """Attribute the class `class_index` to patches by all `METHODS`: `(patch,)` scores, higher is more important.

        The first two use attention maps only, by `fusion` and `layer` (see `attention_scores`), and are the same for
        every class; the gradients depend on the class.

        Args:
            integrated: whether to add `INTEGRATED`, of the class's logit; see
                `model.causal.integrated_gradients`.
        """
        scores = {**attention_scores(trace.attention, fusion, layer), **self.gradient_scores(trace, class_index).scores}
        if integrated:
            attributions = self.integrated_gradients(trace, Logit(class_index)).attributions
            scores[INTEGRATED] = attributions["patches"].astype(np.float32)
        return scores

    @falls_back
    def gradient_scores(self, trace: VisionTrace, class_index: int) -> GradientScores:
        """Compute the last two of `METHODS`; see `model.attribution.rollout`."""
        pixels = self._tensor(trace.pixels)
        gradients = class_gradients(self.network, pixels, class_index)
        scores = {METHODS[2]: gradients.relevance(), METHODS[3]: gradients.raw(self.config.patch_size)}
        slope = slope_along(self.network, pixels, class_index, gradients.pixels)
        return GradientScores(scores, float(gradients.pixels.norm()), slope)

    @falls_back
    @torch.inference_mode()
    def rearranged(self, pixels: np.ndarray, order: np.ndarray | None = None, *, positions: bool = True) -> np.ndarray:
        """Compute class probabilities `(class,)` float32 with patches moved or without positions.

        Args:
            pixels: from `prepare`.
            order: `(patch,)`, the patch whose content moves to each position; None moves none.
            positions: False leaves out the position vectors, that of CLS too.
        """
        changes = {}
        if order is not None:
            index = torch.from_numpy(np.ascontiguousarray(order)).to(self.device)
            changes["vision.patches"] = lambda patches: patches[:, index]  # (1, patch, d_model)
        if not positions:
            changes["vision.positions"] = torch.zeros_like
        return self.probabilities(pixels, Intervention(changes))

    @falls_back
    def occlusions(self, trace: VisionTrace, orders: np.ndarray) -> list[Occlusion]:
        """Compute every class as patches are occluded in each of `orders`, `(order, patch)`; see `Occlusion`."""
        return occlude(self.network, self._tensor(trace.pixels), orders)

    def leave_out_patches_in_steps(self, trace: VisionTrace) -> InSteps[np.ndarray]:
        """Compute every class with each patch occluded alone, `(patch, class)`; see `leave_out_in_steps`."""
        return leave_out_in_steps(self.network, self._tensor(trace.pixels))

    def faithfulness(
        self, trace: VisionTrace, scores: dict[str, np.ndarray], class_index: int, *, seed: int = 0
    ) -> dict[str, OcclusionCurves]:
        """Compute deletion and insertion curves of each explanation and of two baselines.

        The baselines do not depend on the network: "centre", the patches from the centre outwards, and "random", the
        mean over some random orders.

        Args:
            scores: name of an explanation -> `(patch,)`, higher is more important.
            class_index: the class of the curves.
            seed: of the random orders.
        """
        baseline = random_orders(trace.grid[0] * trace.grid[1], RANDOM_PAIRS, seed)
        orders = np.stack([*(rank_patches(score) for score in scores.values()), centre_order(trace.grid), *baseline])
        curves = [occlusion.curves(class_index) for occlusion in self.occlusions(trace, orders)]
        named = dict(zip([*scores, CENTRE], curves, strict=False))
        return {**named, RANDOM: average_curves(curves[len(named) :])}

    @falls_back
    def ablate_heads(self, trace: VisionTrace) -> ClassificationAblation:
        """Compute the logits without each head; see `model.attribution.head_ablation.ablate_classification_heads`."""
        return ablate_classification_heads(self.network, self._tensor(trace.pixels))

    @falls_back
    def logits_without(self, trace: VisionTrace, layer: int, head: int) -> np.ndarray:
        """Compute the logits `(class,)` without one head in another way; see `model.attribution.head_ablation`."""
        return logits_without(self.network, self._tensor(trace.pixels), layer, head)

    def prepare_experiment(
        self, clean: Image.Image | np.ndarray, corrupt: Image.Image | np.ndarray, target: str | None = None
    ) -> Experiment:
        """Prepare two pictures; see `model.causal.experiments.prepare_pictures`.

        Args:
            clean, corrupt: pictures, or pixels `(height, width, 3)` from `prepare`, as `replace_patches` mixes them.

        Raises:
            CausalError: a target was stated.
        """
        if target is not None:
            raise CausalError("A picture has no target text; state a metric instead.")
        both = (self.to_pixels(one) for one in (clean, corrupt))
        return prepare_pictures(ResumableVision(self.network), *(self._tensor(pixels) for pixels in both))

    def replace_patches(self, pixels: np.ndarray, other: np.ndarray, patches: Sequence[int]) -> np.ndarray:
        """Copy patches, by number from 0, of another picture into one; both are from `prepare`, `(height, width, 3)`.

        Raises:
            CausalError: a patch does not exist, or the pictures differ in size.
        """
        size = self.config.patch_size
        columns, count = pixels.shape[1] // size, (pixels.shape[0] // size) * (pixels.shape[1] // size)
        if pixels.shape != other.shape or not all(0 <= patch < count for patch in patches):
            raise CausalError("Choose patches from 0 to {last}, of two pictures of equal size.", last=count - 1)
        mixed = pixels.copy()
        for patch in patches:
            row, column = divmod(patch, columns)
            block = np.s_[row * size : (row + 1) * size, column * size : (column + 1) * size]
            mixed[block] = other[block]
        return mixed

    def read_trace(self, trace: VisionTrace) -> TracedInput:
        """Read the input of a trace; see `CausalMethods`."""
        check_trace(trace, VisionTrace, CausalError)
        return read_picture(ResumableVision(self.network), trace, self._tensor(trace.pixels))

    def export_vit(self, path: str | Path) -> None:
        """Write the weights as a Hugging Face ViT checkpoint; see `model.export.vit.write_vit`."""
        with whole_folder(Path(path)):
            write_vit(self.network, Path(path))


@lru_cache(maxsize=8)
def _plan(layers: int) -> StackPlan:
    """Plan the recording of a ViT with so many layers."""
    referenced = ["vision.patches", *layer_names("vision", "self.mask", layers)]
    return StackPlan.of(attention_stacks("vision", "self", layers) | stream_stack("vision", layers), referenced)
