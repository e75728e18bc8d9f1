"""Distillation from a finished network: the student learns the teacher's answers to the same view.

"Knowledge distillation: a good teacher is patient and consistent" (Beyer et al. 2022): both receive the same crop,
also of mixed pictures, and training is long.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from model.convolution_classifier import ConvolutionClassifier
from model.data.images import LabelledImages


@dataclass(frozen=True)
class Distillation:
    """How a student learns from its teacher.

    Raises:
        ValueError: a value lies outside its range.
    """

    teacher_share: float = 1.0  # weight of the loss against the teacher's answers; the rest is against the labels
    # divisor of both networks' logits, so that small probabilities count too (Hinton et al. 2015).
    teacher_temperature: float = 2.0
    teacher_size: int = 0  # pixels a side at which the teacher reads a view; 0 is the last size of its training
    # epochs after which views repeat; the teacher's answers to them are cached (Shen and Xing 2022), which saves a
    # third of the time where views are small and needs memory for that many views of every picture. 0 draws new views
    # in every epoch.
    rounds: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.teacher_share <= 1:
            raise ValueError(f"teacher_share is {self.teacher_share}; it must be above 0 and at most 1.")
        if not 0 < self.teacher_temperature < math.inf:
            raise ValueError(f"teacher_temperature is {self.teacher_temperature}; it must be above 0.")
        for name in ("teacher_size", "rounds"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 0.")


class Teacher:
    """A finished convolutional network that another network learns from.

    Attributes:
        how: see `Distillation`.
        side: pixels a side at which it reads views.
        facts: entries of the student's card, which must be equal when the student's run is resumed.
    """

    def __init__(self, classifier: ConvolutionClassifier, how: Distillation) -> None:
        self.network = classifier.network
        self.how = how
        card = classifier.card
        self.side = how.teacher_size or card["training"]["stages"][-1][0]
        self.facts = {
            "sha256": classifier.weights_sha256,
            "parameters": classifier.parameters,
            "minutes": card["training"]["minutes"],
            "top1": card["training"]["chosen"]["top1"],
            "share": how.teacher_share,
            "temperature": how.teacher_temperature,
            "pixels": self.side,
            "rounds": how.rounds,
        }

    @classmethod
    def load(cls, folder: Path, how: Distillation, images: LabelledImages) -> Teacher:
        """Load the convolutional network in `folder`; it was trained on none of the pictures held back in `images`.

        Raises:
            CheckpointError: the folder cannot be read.
            ValueError: it was trained on other pictures, or on some that are now held back.
        """
        classifier = ConvolutionClassifier.load(folder, "cpu")
        data = classifier.card["data"]
        if data["sha256"] != images.sha256:
            raise ValueError("The teacher was trained with other pictures; train it with these first.")
        if data["held_back"] < len(images.held_back):  # pictures are held back in a fixed order
            raise ValueError(
                f"From the teacher {data['held_back']} pictures were held back; hold back no more of them from its "
                "student, or the student's epochs are chosen on pictures that its teacher knows."
            )
        return cls(classifier, how)

    @torch.no_grad()
    def answers(self, views: Tensor) -> Tensor:
        """Logits `(batch, class)` float32 of views `(batch, 3, side, side)` in [-1, 1]."""
        return self.network.to(views.device)(views).float()

    def loss(self, logits: Tensor, answers: Tensor) -> Tensor:
        """Kullback-Leibler divergence of a student's answers from the teacher's, `(batch,)` float32.

        Both at the temperature, times its square, so that the size of the gradient does not depend on it.
        """
        temperature = self.how.teacher_temperature
        target, predicted = ((values / temperature).log_softmax(dim=1) for values in (answers, logits))
        return F.kl_div(predicted, target, reduction="none", log_target=True).sum(dim=1) * temperature**2


def downscale(views: Tensor, side: int) -> Tensor:
    """`(batch, 3, height, width)` -> `(batch, 3, side, side)`, each pixel a mean of those it replaces."""
    if views.shape[-1] == side:
        return views
    return F.interpolate(views, (side, side), mode="bilinear", antialias=True, align_corners=False)
