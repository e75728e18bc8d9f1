"""Two texts of an opened model that are compared: alignments, what can be measured, and the answers."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch

from ...causal.activation_patching import Direction, check_direction
from ...causal.causal_error import CausalError, check_choice
from ...causal.experiments import Experiment
from ...causal.metrics import LogitDifference, Probability
from ...causal.sentence_pairs import Places, align, align_stack, best_alignment
from ...causal.sites import Alignment
from .opened_causal import OpenedCausalMethods

BEST = 4  # answers of each run that are listed
PairMetric = Literal["difference", "answer"]


class Experiments(dict[PairMetric, Experiment]):
    """What is measured -> the two inputs with it; another name is refused in a sentence, as recipes have them."""

    def __missing__(self, metric: str) -> Experiment:
        raise CausalError(
            "Of these two texts {metric!r} is not measured; choose one of {known}.",
            metric=metric,
            known=", ".join(self),
        )


@dataclass(frozen=True, eq=False)
class OpenedPair:
    """A clean and a corrupt text."""

    # what is measured -> the two inputs with it: "difference" of the logits of both answers, where they differ, and
    # "answer", the probability of the clean text's answer
    experiments: Experiments
    # `clean_ids`, `corrupt_ids`: of the stack that reads the texts
    clean_ids: tuple[int, ...]
    corrupt_ids: tuple[int, ...]
    # `clean_tokens`, `corrupt_tokens`: their labels
    clean_tokens: tuple[str, ...]
    corrupt_tokens: tuple[str, ...]
    alignments: dict[str, Places]  # see `model.causal.sentence_pairs.align`
    names: tuple[str, ...]  # label of the clean answer, and of the corrupt one where they differ
    stack: str

    @property
    def are_equal(self) -> bool:
        """Whether the network reads the same."""
        pair = next(iter(self.experiments.values()))
        return all(map(torch.equal, pair.clean, pair.corrupt))

    @property
    def best_alignment(self) -> str:
        """The alignment that pairs the most equal tokens."""
        return best_alignment(self.alignments, self.clean_ids, self.corrupt_ids)

    def alignment(self, name: str, direction: Direction) -> Alignment | None:
        """An alignment as patching reads it; None if every position corresponds to itself."""
        check_direction(direction)
        equal = len(self.clean_ids) == len(self.corrupt_ids)
        return align_stack(
            self.alignments[check_choice("alignment", name, self.alignments)], equal, self.stack, direction
        )


def pair_texts(model: OpenedCausalMethods, clean: str, corrupt: str) -> OpenedPair:
    """Read two texts, align them, and find what can be measured.

    Raises:
        OpenError: a text cannot be used.
        CausalError: nothing can be measured; the message states why.
    """
    pair = model.prepare_experiment(clean, corrupt)
    by_answer = model.measure_probability(pair)
    experiments = Experiments(answer=by_answer)
    indices = list(by_answer.measured(None).indices)
    if isinstance(pair.metric, LogitDifference):
        experiments = Experiments(difference=pair, answer=by_answer)
        indices = list(pair.metric.indices)
    stack = next(iter(pair.clean_labels))
    own, other = (tuple(inputs[0][0].tolist()) for inputs in (pair.clean, pair.corrupt))
    labels, other_labels = (tuple(sides[stack]) for sides in (pair.clean_labels, pair.corrupt_labels))
    names = model.answer_names(indices)
    return OpenedPair(experiments, own, other, labels, other_labels, align(own, other), names, stack)


@dataclass(frozen=True)
class ComparedAnswer:
    """A token or class, and its probability in the clean, the corrupt and the changed run."""

    name: str
    clean: float
    corrupt: float
    changed: float


def answer_position(experiment: Experiment) -> int:
    """The output position at which an experiment of `OpenedPair.experiments` reads the answer.

    Raises:
        CausalError: the answers do not exclude each other.
    """
    metric = experiment.measured(None)
    if not isinstance(metric, LogitDifference | Probability):
        raise CausalError("Answers that do not exclude each other have no probabilities that sum to 1.")
    return metric.position


@torch.inference_mode()
def compare_answers(model: OpenedCausalMethods, experiment: Experiment, changed: np.ndarray) -> list[ComparedAnswer]:
    """The most probable answers of both runs and of a changed one; most probable there first.

    Args:
        experiment: from `OpenedPair.experiments`; its metric states the position.
        changed: probabilities of the changed run at `answer_position`, `(column,)`.

    Raises:
        CausalError: the answers do not exclude each other.
    """
    resumable, place = model.resumable, answer_position(experiment)

    def run(inputs) -> np.ndarray:
        logits = resumable.logits(resumable.run(inputs)[:1, place])[0]
        return logits.double().softmax(dim=-1).cpu().numpy()

    runs = run(experiment.clean), run(experiment.corrupt), changed
    listed = list(dict.fromkeys(int(index) for each in runs for index in each.argsort()[::-1][:BEST]))
    listed.sort(key=lambda index: -changed[index])
    names = model.answer_names(listed)
    return [
        ComparedAnswer(name, *(float(each[index]) for each in runs)) for name, index in zip(names, listed, strict=True)
    ]
