"""The input of a trace, as the causal methods read it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor

from ..tracing.language_trace import LanguageTrace
from ..tracing.picture_trace import PatchTrace
from ..tracing.trace import SentenceTrace
from .causal_error import CausalError, check_whole
from .experiments import Experiment, patch_labels
from .metrics import Metric, Probability, TargetLoss
from .own_networks import ResumableLanguageModel, ResumableTranslator, ResumableVision
from .resumable import Inputs


@dataclass(frozen=True, eq=False)
class TracedInput:
    """One input with its labels."""

    inputs: Inputs
    """With a batch of one."""
    labels: Mapping[str, Sequence[str]]
    """Stack -> labels of the positions."""
    next_ids: tuple[int, ...]
    """The token that follows each position of the output stack; of a picture, the answer at each position."""
    outputs: int
    """Number of output positions."""
    metric: Metric
    """The loss of the target, or the probability of the answer."""

    def following(self, position: int, stated: int | None = None) -> int:
        """The token or class that is asked for at an output position: a stated one, else the one that follows.

        Raises:
            CausalError: there is no such position.
        """
        if not -self.outputs <= position < self.outputs:
            raise CausalError(
                "There is no output position {place}; there are {count}, from 0 to {last}.",
                place=position,
                count=self.outputs,
                last=self.outputs - 1,
            )
        return self.next_ids[position] if stated is None else stated

    def experiment(self, position: int | None = None) -> Experiment:
        """This input as both sides of an experiment, for methods that corrupt it themselves.

        Args:
            position: of the output; the probability of what follows there is measured. By default, `metric` is.

        Raises:
            CausalError: there is no such position.
        """
        if position is not None:
            check_whole("position", position)
        metric = self.metric if position is None else Probability(self.following(position), position)
        return Experiment(self.inputs, self.inputs, self.labels, self.labels, metric)


def read_translation(resumable: ResumableTranslator, trace: SentenceTrace) -> TracedInput:
    """Read the input of a trace of a translation."""
    network = resumable.network
    return TracedInput(
        (network.ids(trace.source_ids), network.ids(trace.target_ids)),
        {"encoder": trace.source_tokens, "decoder": trace.target_tokens},
        trace.next_ids,
        len(trace.next_ids),
        TargetLoss(trace.next_ids),
    )


def read_completion(resumable: ResumableLanguageModel, trace: LanguageTrace) -> TracedInput:
    """Read the input of a trace of a continued text; the loss is that of what follows the prompt."""
    first = trace.prompt_length - 1
    return TracedInput(
        (resumable.network.ids(trace.target_ids),),
        {"decoder": trace.target_tokens},
        trace.next_ids,
        len(trace.next_ids),
        TargetLoss(trace.next_ids[first:], tuple(range(first, len(trace.next_ids)))),
    )


def read_picture(resumable: ResumableVision, trace: PatchTrace, pixels: Tensor) -> TracedInput:
    """Read the input of a trace of a picture, whose pixels are `(3, height, width)` in [-1, 1]."""
    inputs = (pixels[None],)
    labels = patch_labels(resumable, inputs)
    return TracedInput(inputs, labels, (trace.answer,) * len(labels["vision"]), 1, Probability(trace.answer))
