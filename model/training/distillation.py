"""Learning from a finished network: the student is shown what the teacher answers to the very same view.

"Knowledge distillation: a good teacher is patient and consistent" (Beyer et al. 2022): both see the same crop, mixed
pictures included, and training is long.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from ..convolution_classifier import ConvolutionClassifier
from .images import LabelledImages


@dataclass(frozen=True)
class Distillation:
    """How a student learns from its teacher.

    Attributes:
        teacher_share: of the loss, that the teacher's answers decide; the labels decide the rest.
        teacher_temperature: both networks' logits are divided by it, so that the small probabilities count too (Hinton
            et al. 2015).
        teacher_size: pixels a side at which the teacher reads a view; 0 is the size it was trained at last.
        rounds: epochs after which the same views come again; the teacher's answers to them are remembered (Shen
            and Xing 2022), which saves a third of the time where views are small and takes memory for as many views
            of every picture. 0 draws new views in every epoch.

    Raises:
        ValueError: a value lies outside its range.
    """

    teacher_share: float = 1.0
    teacher_temperature: float = 2.0
    teacher_size: int = 0
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
    """A finished convolutional network that another one learns from.

    Attributes:
        how: see `Distillation`.
        side: pixels a side at which it reads views.
        facts: what the student's card says of it, and what must be the same when the student's run is resumed.
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
        """The convolutional network in `folder`, which has seen none of the pictures held back in `images`.

        Raises:
            CheckpointError: the folder cannot be read.
            ValueError: it learned from other pictures, or from some of those that are now held back.
        """
        classifier = ConvolutionClassifier.load(folder, "cpu")
        data = classifier.card["data"]
        if data["sha256"] != images.sha256:
            raise ValueError("The teacher was trained with other pictures; train it with these first.")
        if data["held_back"] < len(images.held_back):  # the same ones are always held back first
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
        """How far a student's answers are from the teacher's, one number a picture, `(batch,)` float32.

        The Kullback-Leibler divergence of both at the temperature, times its square, so that the gradient keeps its
        size whatever the temperature is.
        """
        temperature = self.how.teacher_temperature
        wanted, found = ((each / temperature).log_softmax(dim=1) for each in (answers, logits))
        return F.kl_div(found, wanted, reduction="none", log_target=True).sum(dim=1) * temperature**2


def downscale(views: Tensor, side: int) -> Tensor:
    """`(batch, 3, height, width)` -> `(batch, 3, side, side)`, each pixel a mean of those it takes the place of."""
    if views.shape[-1] == side:
        return views
    return F.interpolate(views, (side, side), mode="bilinear", antialias=True, align_corners=False)
