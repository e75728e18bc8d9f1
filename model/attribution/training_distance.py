"""Whether a picture is unlike a Vision Transformer's training pictures, by how far its vectors are from theirs.

The Mahalanobis distance to the nearest class (Lee et al. 2018, section 2.1, equation 2): every class has the mean of
its training pictures, and all share one covariance, shrunk towards a multiple of the identity (Ledoit and Wolf 2004,
section 3.3). A picture is unlike the training pictures if its distance is above a threshold that was chosen by pictures
held back from training; `python -m training unlike-vision` measures how often that is right.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor

from ..networks.vision import VisionTransformer
from ..runtime.checkpoint import (
    CheckpointError,
    display_path,
    load_tensors,
    read_json,
    save_tensors,
    sha256_of,
    write_json,
)

FILE, TENSORS = "training_distance.json", "training_distance.safetensors"  # next to the weights


@dataclass(frozen=True)
class TrainingDistance:
    """How far a picture is from the training pictures."""

    distance: float  # to the nearest class
    threshold: float

    @property
    def is_unlike(self) -> bool:
        """True if the distance is above the threshold."""
        return self.distance > self.threshold


def picture_vectors(network: VisionTransformer, stream: Tensor) -> Tensor:
    """What is compared: CLS as the output layer reads it, and the mean of the patches after the last layer.

    Args:
        stream: `(batch, 1 + patch, d_model)`, the output of the last layer.

    Returns:
        `(batch, 2 * d_model)`.
    """
    return torch.cat([network.norm(stream[:, 0]), stream[:, 1:].mean(dim=1)], dim=-1)


@dataclass(frozen=True, eq=False)
class TrainingDistances:
    """Means and covariance of the training pictures' vectors."""

    means: np.ndarray  # `(class, value)` float32
    # `(value, value)` float32: multiplied by it, the vectors of a class have covariance 1
    whitening: np.ndarray
    threshold: float = float("nan")
    figures: dict[str, Any] = field(default_factory=dict)  # what was measured, see `training.unlike_study`

    @classmethod
    def fit(cls, vectors: np.ndarray, labels: np.ndarray) -> Self:
        """Fit means and covariance to `vectors` `(picture, value)` of pictures with `labels` `(picture,)`.

        Raises:
            ValueError: a class between 0 and the largest label has no picture.
        """
        counts = np.bincount(labels)
        if not len(counts) or (counts == 0).any():
            raise ValueError("Every class needs a training picture for a distance to its mean.")
        vectors = vectors.astype(np.float64)
        means = np.stack([vectors[labels == label].mean(axis=0) for label in range(len(counts))])
        covariance = shrunk_covariance(vectors - means[labels])
        whitening = np.linalg.cholesky(np.linalg.inv(covariance))
        return cls(means.astype(np.float32), whitening.astype(np.float32))

    def distances(self, vectors: np.ndarray) -> np.ndarray:
        """Compute the distance of each of `vectors` `(picture, value)` to its nearest class: `(picture,)` float64."""
        whitening = self.whitening.astype(np.float64)
        apart = (vectors.astype(np.float64) @ whitening)[:, None] - self.means.astype(np.float64) @ whitening
        return np.sqrt(np.square(apart).sum(axis=-1).min(axis=1))

    @torch.inference_mode()
    def measure(self, network: VisionTransformer, stream: Tensor) -> TrainingDistance:
        """Measure one picture by the output of the last layer, `(1 + patch, d_model)`."""
        vectors = picture_vectors(network, stream[None]).float().cpu().numpy()
        return TrainingDistance(float(self.distances(vectors)[0]), self.threshold)

    def save(self, folder: Path, weights_sha256: str, figures: dict[str, Any]) -> None:
        """Write both files into the folder of the weights, bound to them and to each other by hashes."""
        tensors = {"means": torch.from_numpy(self.means), "whitening": torch.from_numpy(self.whitening)}
        save_tensors(folder / TENSORS, tensors)
        bound = {"weights_sha256": weights_sha256, "tensors_sha256": sha256_of(folder / TENSORS)}
        write_json(folder / FILE, {**bound, "threshold": self.threshold, **figures})

    @classmethod
    def load(cls, folder: Path, weights_sha256: str) -> Self | None:
        """Read what `save` wrote; None where nothing was measured on these weights.

        Raises:
            CheckpointError: the tensors are missing or damaged, or are not those of the figures.
        """
        if not (folder / FILE).is_file():
            return None
        figures = read_json(folder / FILE)
        if figures.get("weights_sha256") != weights_sha256:
            return None
        try:
            digest, threshold = figures["tensors_sha256"], float(figures["threshold"])
            tensors, _ = load_tensors(folder / TENSORS, digest)
            return cls(tensors["means"].numpy(), tensors["whitening"].numpy(), threshold, figures)
        except (KeyError, TypeError) as error:
            raise CheckpointError(
                "{file} is damaged: {error}.", file=display_path(folder / FILE), error=repr(error)
            ) from error


def shrunk_covariance(centred: np.ndarray) -> np.ndarray:
    """Covariance of `centred` `(sample, value)`, whose means are 0, shrunk as Ledoit and Wolf (2004, section 3.3) do.

    The share of the identity is the one with the smallest expected squared error; it also makes a covariance of fewer
    samples than values invertible.
    """
    count, size = centred.shape
    covariance = centred.T @ centred / count
    scale = np.trace(covariance) / size
    target = scale * np.eye(size)
    apart = np.square(covariance - target).sum()
    error = (np.square(np.square(centred).sum(axis=1)).mean() - np.square(covariance).sum()) / count
    share = min(error / apart, 1.0) if apart > 0 else 1.0
    return share * target + (1 - share) * covariance
