"""Two inputs of a network, ready for patching, and what is measured unless stated otherwise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ..decoding.search import greedy_batch
from ..networks.interfaces import TranslationNetwork
from ..runtime.messages import Template
from ..text.tokenizer import Tokenizer
from .activation_patching import number_positions
from .causal_error import CausalError
from .metrics import LogitDifference, Metric, Probability, TargetLoss, preferred
from .own_networks import ResumableLanguageModel, ResumableVision
from .resumable import Inputs

MOST_TOKENS = 128  # of a translation that is compared with another


@dataclass(frozen=True, eq=False)
class Experiment:
    """A clean and a corrupt input of a network."""

    clean: Inputs
    corrupt: Inputs
    """`clean`, `corrupt`: one input each, with a batch of one."""
    clean_labels: Mapping[str, Sequence[str]]
    corrupt_labels: Mapping[str, Sequence[str]]
    """`clean_labels`, `corrupt_labels`: stack -> labels of the positions."""
    metric: Metric | None
    """What is proposed; None where both inputs have the same answer."""
    same_answer: Template = Template("Both inputs have the same answer; state a metric, or change one of the inputs.")
    """The error where there is no metric."""

    def measured(self, metric: Metric | None) -> Metric:
        """A stated metric, else the proposed one.

        Raises:
            CausalError: there is neither.
        """
        if metric is not None and not isinstance(metric, Metric):
            kind = type(metric).__name__
            raise CausalError("A metric is one such as Logit(index) or Probability(index), not a {kind}.", kind=kind)
        if metric is None and self.metric is None:
            raise CausalError(self.same_answer)
        return metric or self.metric  # type: ignore[return-value]  # one of them is there


@torch.inference_mode()
def prepare_translations(
    network: TranslationNetwork,
    tokenizer: Tokenizer,
    clean: Sequence[int],
    corrupt: Sequence[int],
    target: Sequence[int] | None = None,
) -> Experiment:
    """Two source sentences with one decoder input.

    Without a target, the decoder is fed the beginning that both greedy translations share, and the metric is the logit
    of the next token of the clean translation minus that of the corrupt one: the word whose translation changes.

    Args:
        clean, corrupt: ids of the sentences, ending with `</s>`.
        target: ids of a translation, ending with `</s>`; then the metric is its loss.
    """
    metric: Metric | None
    if target is not None:
        fed, metric = [network.config.bos_id, *target[:-1]], TargetLoss(tuple(target))
    else:
        own, other = (greedy_batch(network, [list(ids)], MOST_TOKENS)[0] for ids in (clean, corrupt))
        pairs = enumerate(zip(own, other, strict=False))
        first = next((place for place, (one, two) in pairs if one != two), None)
        shared = own[:-1] if first is None else own[:first]
        fed, metric = [network.config.bos_id, *shared], None
        if first is not None:
            metric = LogitDifference(own[first], other[first])
    tokens = tuple(tokenizer.display(fed))
    return Experiment(
        (network.ids(clean), network.ids(fed)),
        (network.ids(corrupt), network.ids(fed)),
        {"encoder": tuple(tokenizer.display(clean)), "decoder": tokens},
        {"encoder": tuple(tokenizer.display(corrupt)), "decoder": tokens},
        metric,
    )


@torch.inference_mode()
def prepare_completions(
    resumable: ResumableLanguageModel,
    tokenizer: Tokenizer,
    clean: Sequence[int],
    corrupt: Sequence[int],
    target: Sequence[int] | None = None,
) -> Experiment:
    """Two texts that are continued.

    Without a target, the metric is the logit of the token that most probably follows the clean text minus that of the
    corrupt one.

    Args:
        target: ids that follow both texts; then the metric is their loss.
    """
    network = resumable.network
    metric: Metric | None
    if target is not None:
        own, other = [*clean, *target[:-1]], [*corrupt, *target[:-1]]
        metric = TargetLoss(tuple(target), tuple(range(-len(target), 0)))
    else:
        own, other = list(clean), list(corrupt)
        never = network.config.never_generated
        first, second = (preferred(resumable, resumable.run((network.ids(ids),)), never) for ids in (own, other))
        metric = LogitDifference(first, second) if first != second else None
    first_labels, second_labels = ({"decoder": tuple(tokenizer.display(ids))} for ids in (own, other))
    return Experiment((network.ids(own),), (network.ids(other),), first_labels, second_labels, metric)


@torch.inference_mode()
def prepare_pictures(resumable: ResumableVision, clean: Tensor, corrupt: Tensor) -> Experiment:
    """Two pictures, `(3, height, width)` in [-1, 1].

    The metric is the logit of the clean picture's class minus that of the corrupt one's; where both have the same
    class, its probability.
    """
    own, other = (clean[None],), (corrupt[None],)
    first, second = (preferred(resumable, resumable.run(one)) for one in (own, other))
    metric = LogitDifference(first, second) if first != second else Probability(first)
    return Experiment(own, other, patch_labels(resumable, own), patch_labels(resumable, other), metric)


def patch_labels(resumable: ResumableVision, inputs: Inputs) -> dict[str, tuple[str, ...]]:
    """CLS, then every patch by row and column, counted from 1."""
    columns = inputs[0].shape[-1] // resumable.network.config.patch_size
    count = len(number_positions(resumable.lengths(inputs))["vision"]) - 1
    places = (divmod(patch, columns) for patch in range(count))
    return {"vision": ("CLS", *(f"row {row + 1}, column {column + 1}" for row, column in places))}
