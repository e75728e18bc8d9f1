"""The causal methods as methods of our networks' classes; each is described in its own module.

Every method that takes long also exists in steps, `patch_in_steps` and so on, for pages that show progress.
"""

from abc import abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ..runtime.device import NetworkOwner, falls_back
from ..runtime.progress import InSteps, run_to_end
from .activation_patching import ActivationPatching, Direction, patch_in_steps
from .composition import CompositionScores, CopyingScores, composition, copying_scores
from .embedding_noise import SAMPLES, SCALE, patch_noise_in_steps
from .experiments import Experiment
from .head_replacement import (
    PAIRS_AMONG,
    HeadAblation,
    HeadMeans,
    Replacement,
    ablate_in_steps,
    measure_means,
    record_pool,
)
from .integrated_gradients import MOST_POINTS, TOLERANCE, IntegratedGradients, integrate_gradients_in_steps
from .logit_attribution import LogitAttribution, attribute_logit
from .logit_lens import LogitLens, logit_lens_in_steps
from .metrics import Logit, Metric
from .own_networks import resumable
from .path_patching import INPUTS, FeedForward, PathPatching, path_patch_in_steps
from .repeated_ids import LENGTH, ROWS, RepeatedIdScores, score_heads
from .resumable import ResumableNetwork
from .sites import Alignment
from .traced_inputs import TracedInput


class CausalMethods(NetworkOwner):
    """What causes an answer; see `docs/causal.md`. A trace states the input of methods that need one input."""

    @abstractmethod
    def prepare_experiment(self, clean: Any, corrupt: Any, target: str | None = None) -> Experiment:
        """Prepare two inputs, and propose what is measured.

        Args:
            clean, corrupt: two texts, or two pictures.
            target: a text that both are followed by; then its loss is proposed.
        """

    @abstractmethod
    def read_trace(self, trace: Any) -> TracedInput:
        """Read the input of a trace, its labels, and what is measured unless stated otherwise."""

    @property
    def resumable(self) -> ResumableNetwork:
        """The network as the methods run it."""
        return resumable(self.network)

    def patch_in_steps(
        self,
        clean: Any,
        corrupt: Any,
        metric: Metric | None = None,
        site: str = "residual",
        part: str | None = None,
        *,
        target: str | None = None,
        direction: Direction = "denoising",
        by_position: bool | None = None,
        layers: Sequence[int] | None = None,
        positions: Sequence[int] | None = None,
        alignment: Alignment | None = None,
    ) -> InSteps[ActivationPatching]:
        """Patch activations; see `model.causal.activation_patching.patch_in_steps`."""
        pair = self.prepare_experiment(clean, corrupt, target)
        return patch_in_steps(
            self.resumable,
            pair.clean,
            pair.corrupt,
            pair.measured(metric),
            site,
            part,
            direction=direction,
            labels=pair.corrupt_labels if direction == "denoising" else pair.clean_labels,
            by_position=by_position,
            layers=layers,
            positions=positions,
            alignment=alignment,
        )

    @falls_back
    def patch(
        self,
        clean: Any,
        corrupt: Any,
        metric: Metric | None = None,
        site: str = "residual",
        part: str | None = None,
        **options: Any,
    ) -> ActivationPatching:
        """Run `patch_in_steps` to its end.

        Raises:
            CausalError: the experiment is impossible; the message states why.
        """
        return run_to_end(self.patch_in_steps(clean, corrupt, metric, site, part, **options))

    def path_patch_in_steps(
        self,
        clean: Any,
        corrupt: Any,
        metric: Metric | None = None,
        *,
        target: str | None = None,
        direction: Direction = "noising",
        inputs: Collection[str] = INPUTS,
        feed_forward: FeedForward = "recomputed",
    ) -> InSteps[PathPatching]:
        """Patch paths between heads; see `model.causal.path_patching.path_patch_in_steps`."""
        pair = self.prepare_experiment(clean, corrupt, target)
        own = pair.measured(metric)
        return path_patch_in_steps(
            self.resumable,
            pair.clean,
            pair.corrupt,
            own,
            direction=direction,
            inputs=inputs,
            feed_forward=feed_forward,
        )

    @falls_back
    def path_patch(self, clean: Any, corrupt: Any, metric: Metric | None = None, **options: Any) -> PathPatching:
        """Run `path_patch_in_steps` to its end; errors as of `patch`."""
        return run_to_end(self.path_patch_in_steps(clean, corrupt, metric, **options))

    def patch_noise_in_steps(
        self,
        trace: Any,
        noisy: Sequence[int] | Mapping[str, Sequence[int]],
        metric: Metric | None = None,
        site: str = "residual",
        part: str | None = None,
        *,
        samples: int = SAMPLES,
        scale: float = SCALE,
        seed: int = 0,
        by_position: bool | None = None,
        layers: Sequence[int] | None = None,
        positions: Sequence[int] | None = None,
    ) -> InSteps[ActivationPatching]:
        """Patch into runs whose input is noisy; see `model.causal.embedding_noise.patch_noise_in_steps`.

        Args:
            noisy: positions of the first stack that get noise, or stack -> positions.
        """
        own, first = self.read_trace(trace), next(iter(self.resumable.stacks))
        return patch_noise_in_steps(
            self.resumable,
            own.inputs,
            metric or own.metric,
            noisy if isinstance(noisy, Mapping) else {first: noisy},
            site,
            part,
            samples=samples,
            scale=scale,
            seed=seed,
            labels=own.labels,
            by_position=by_position,
            layers=layers,
            positions=positions,
        )

    @falls_back
    def patch_noise(
        self, trace: Any, noisy: Sequence[int] | Mapping[str, Sequence[int]], **options: Any
    ) -> ActivationPatching:
        """Run `patch_noise_in_steps` to its end; errors as of `patch`."""
        return run_to_end(self.patch_noise_in_steps(trace, noisy, **options))

    def logit_lens_in_steps(self, trace: Any, top: int | None = None, right: int | None = None) -> InSteps[LogitLens]:
        """Read out every layer of a trace's input; see `model.causal.logit_lens`.

        Args:
            right: the token or class whose probability is stated at every position; by default the token that follows,
                or the answer.
        """
        own, causal = self.read_trace(trace), self.resumable
        labels = own.labels[causal.output_stack]
        ids = own.next_ids if right is None else (right,) * len(labels)
        return logit_lens_in_steps(causal, own.inputs, ids, labels, top)

    @falls_back
    def logit_lens(self, trace: Any, top: int | None = None, right: int | None = None) -> LogitLens:
        """Run `logit_lens_in_steps` to its end; errors as of `patch`."""
        return run_to_end(self.logit_lens_in_steps(trace, top, right))

    @falls_back
    def logit_attribution(
        self, trace: Any, index: int | None = None, other: int | None = None, position: int = -1
    ) -> LogitAttribution:
        """Split a logit of a trace's input into its parts; see `model.causal.logit_attribution`.

        Args:
            index: token or class; by default the one that follows at this position, or the answer.
            other: the token or class whose logit is subtracted.
        """
        own = self.read_trace(trace)
        return attribute_logit(self.resumable, own.inputs, own.following(position, index), other, position)

    def replace_heads_in_steps(
        self,
        trace: Any,
        replacement: Replacement = "zero",
        metric: Metric | None = None,
        *,
        others: Sequence[Any] = (),
        means: HeadMeans | None = None,
        samples: int = SAMPLES,
        seed: int = 0,
        pairs_among: int = PAIRS_AMONG,
    ) -> InSteps[HeadAblation]:
        """Ablate heads and pairs of heads; see `model.causal.head_replacement.ablate_in_steps`.

        Args:
            others: traces of other inputs, for "mean" and "resample"; without any, "mean" takes the means that were
                measured over a corpus, where there are some for these weights.
            means: of `measure_head_means`, for "mean".
        """
        own, causal = self.read_trace(trace), self.resumable
        pool = record_pool(causal, [self.read_trace(other).inputs for other in others]) if others else None
        if means is None and replacement == "mean" and pool is None:
            means = self.head_means
        return ablate_in_steps(
            causal,
            own.inputs,
            metric or own.metric,
            replacement,
            means=means,
            pool=pool,
            samples=samples,
            seed=seed,
            pairs_among=pairs_among,
        )

    @falls_back
    def replace_heads(self, trace: Any, replacement: Replacement = "zero", **options: Any) -> HeadAblation:
        """Run `replace_heads_in_steps` to its end; errors as of `patch`."""
        return run_to_end(self.replace_heads_in_steps(trace, replacement, **options))

    def measure_head_means(self, traces: Iterable[Any]) -> HeadMeans:
        """Mean output of every head over the inputs of some traces, which are read one at a time: of a whole corpus.

        `measure_head_means(map(model.trace, texts))` stores no trace. `means.save(folder, model.weights_sha256)` writes
        them to a file.

        Raises:
            CausalError: there is no trace, or one is not of this model.
        """
        return measure_means(self.resumable, (self.read_trace(trace).inputs for trace in traces))

    @property
    def head_means(self) -> HeadMeans | None:
        """Mean outputs of the heads over a corpus, where they were measured on these weights."""
        folder, weights = getattr(self, "folder", None), getattr(self, "weights_sha256", "")
        return HeadMeans.load(folder, weights) if folder is not None and weights else None

    def integrated_gradients_in_steps(
        self,
        trace: Any,
        metric: Metric | None = None,
        *,
        position: int = -1,
        stacks: Collection[str] | None = None,
        tolerance: float = TOLERANCE,
        most_points: int = MOST_POINTS,
    ) -> InSteps[IntegratedGradients]:
        """Attribute a metric to tokens or pixels; see `model.causal.integrated_gradients`.

        Args:
            metric: by default the logit of the token that follows at `position`, or of the answer.
        """
        own = self.read_trace(trace)
        return integrate_gradients_in_steps(
            self.resumable,
            own.inputs,
            metric or Logit(own.following(position), position),
            stacks=stacks,
            labels=own.labels,
            tolerance=tolerance,
            most_points=most_points,
        )

    @falls_back
    def integrated_gradients(self, trace: Any, metric: Metric | None = None, **options: Any) -> IntegratedGradients:
        """Run `integrated_gradients_in_steps` to its end; errors as of `patch`."""
        return run_to_end(self.integrated_gradients_in_steps(trace, metric, **options))

    @falls_back
    def head_scores(self, *, length: int = LENGTH, rows: int = ROWS, seed: int = 0) -> RepeatedIdScores:
        """Score heads on repeated random ids; see `model.causal.repeated_ids.score_heads`."""
        return score_heads(self.resumable, length=length, rows=rows, seed=seed)

    @falls_back
    def composition(self) -> CompositionScores:
        """Composition of all pairs of heads, from the weights; see `model.causal.composition`."""
        return composition(self.resumable)

    @falls_back
    def copying_scores(self) -> CopyingScores:
        """Copying scores of all heads of self-attention that reach the logits; see `model.causal.composition`."""
        return copying_scores(self.resumable)
