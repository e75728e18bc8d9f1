"""Picture classification as a task of the training loop."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image
from torch import Tensor, nn

from model.data.images import LabelledImages, PictureSplit
from model.networks.convolution import ConvolutionalNetwork
from model.networks.tap import identity_tap
from model.networks.vision import VisionTransformer
from model.picture_classifier import middle_square

from .augment import Augmentation, draw_example
from .distillation import Teacher, downscale
from .optimizer import Recipe

Recognizer = VisionTransformer | ConvolutionalNetwork
AT_ONCE = 100  # pictures that are classified together


@dataclass(frozen=True)
class Stages:
    """Epochs at each size of picture: small pictures first, which take a fraction of the time.

    The network's position vectors belong to the last size and are interpolated for the others.
    """

    pairs: tuple[tuple[int, int], ...]  # (pixels a side, epochs), in order

    @classmethod
    def parse(cls, text: str) -> "Stages":
        """Read `48x20,96x10`: 20 epochs at 48 pixels, then 10 at 96.

        Raises:
            ValueError: the text has another form.
        """
        try:
            pairs = tuple((int(size), int(epochs)) for size, epochs in (part.split("x") for part in text.split(",")))
        except ValueError:
            pairs = ()
        if not pairs or any(size < 1 or epochs < 1 for size, epochs in pairs):
            raise ValueError(f"{text!r} is no plan of sizes; write pixels x epochs, such as 48x20,96x10.")
        return cls(pairs)

    @property
    def epochs(self) -> int:
        """Number of epochs of all stages."""
        return sum(epochs for _, epochs in self.pairs)

    @property
    def final_size(self) -> int:
        """Pixels a side in the last stage, which the network is made for."""
        return self.pairs[-1][0]

    def size(self, epoch: int) -> int:
        """Pixels a side in `epoch`, from 0; after the last epoch, the last size."""
        for size, epochs in self.pairs:
            if epoch < epochs:
                return size
            epoch -= epochs
        return self.final_size


def to_pixels(pictures: np.ndarray) -> Tensor:
    """`(batch, side, side, 3)` in [0, 1] -> `(batch, 3, side, side)` float32 in [-1, 1], as the network reads them."""
    return torch.from_numpy(np.ascontiguousarray(pictures.transpose(0, 3, 1, 2), dtype=np.float32)) * 2 - 1


def resize_pictures(pictures: np.ndarray, side: int) -> np.ndarray:
    """`(batch, height, width, 3)` uint8 -> `(batch, side, side, 3)` float32 in [0, 1], nothing cut off."""
    return np.stack([middle_square(Image.fromarray(picture), side) for picture in pictures]).astype(np.float32) / 255


class RecognitionStep(nn.Module):
    """Loss of a batch of possibly mixed pictures, as one module, so that DDP can wrap it.

    On a CPU the explicit form of attention is used: with bf16 it trains 1.5 to 1.75 times as fast as the fused kernel.

    Args:
        smoothing: of the labels.
        teacher: network whose answers are learned besides the labels, or instead of them. It is not a part of the
            module, since it is not trained.
        compiled: whether whole batches run through `torch.compile`, which needs a C++ compiler and most of a minute for
            each size of picture; on two cores and small pictures it is 1.6 times as fast.
    """

    def __init__(
        self, network: Recognizer, smoothing: float, teacher: Teacher | None = None, compiled: bool = False
    ) -> None:
        super().__init__()
        self.network = network
        self.fast = torch.compile(network.forward, dynamic=False) if compiled else network.forward
        self.whole = 0  # pictures in a whole batch
        self.smoothing = smoothing
        self.teacher = teacher

    def forward(
        self, pixels: Tensor, label: Tensor, other: Tensor, share: Tensor, answers: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Sums over the batch: the loss, and -ln p of the labels without smoothing (detached).

        Args:
            pixels: `(batch, 3, side, side)` in [-1, 1].
            label, other, share: `(batch,)`; see `training.augment.TrainingExample`.
            answers: the teacher's logits for the same views, `(batch, class)`, where there is one.
        """
        tap = identity_tap if pixels.device.type == "cpu" else None
        forward = self.fast if len(pixels) == self.whole else self.network
        logits = forward(pixels, tap).float()  # (batch, class)

        def mixed(smoothing: float) -> Tensor:
            first = F.cross_entropy(logits, label, reduction="none", label_smoothing=smoothing)
            second = F.cross_entropy(logits, other, reduction="none", label_smoothing=smoothing)
            return (share * first + (1 - share) * second).sum()

        loss = mixed(self.smoothing)
        if self.teacher is not None and answers is not None:
            distilled = self.teacher.loss(logits, answers).sum()
            part = self.teacher.how.teacher_share
            loss = part * distilled + (1 - part) * loss
        return loss, mixed(0.0).detach()


class RecognitionTask:
    """Batches, loss and validation of the classifier; see `training.loop.TrainingTask`.

    Args:
        images: some are held back; the epoch with the highest accuracy on those, at the last size, is shipped.
        teacher, compiled: see `RecognitionStep`.
    """

    def __init__(
        self,
        network: Recognizer,
        images: LabelledImages,
        recipe: Recipe,
        stages: Stages,
        how: Augmentation,
        teacher: Teacher | None = None,
        compiled: bool = False,
    ) -> None:
        self.network, self.teacher = network, teacher
        self.step = RecognitionStep(network, recipe.label_smoothing, teacher, compiled)
        self.images, self.recipe, self.stages, self.how = images, recipe, stages, how
        taught = f"; teacher {teacher.facts}" if teacher else ""
        self.data = f"SHA-256 {images.sha256}; held back {len(images.held_back)}{taught}; views {asdict(how)}"
        self.epoch = 0
        self.cached: dict[tuple[int, int], list[Tensor]] = {}  # by round and picture, where views repeat
        self.drawing = ThreadPoolExecutor(torch.get_num_threads())  # views are drawn in parallel

    @property
    def side(self) -> int:
        """Pixels a side in the current epoch."""
        return self.stages.size(self.epoch)

    def plan(self, epoch: int, world_size: int) -> list[list[int]]:
        """Global batches in a random order; each process takes at most `batch_tokens` of the network's positions."""
        self.epoch = epoch
        self.step.whole = max(1, self.recipe.batch_tokens // self.network.config.positions(self.side))
        size = self.step.whole * world_size
        order = np.random.default_rng((self.recipe.seed, epoch)).permutation(len(self.images.train))
        return [order[start : start + size].tolist() for start in range(0, len(order), size)]

    def load(self, indices: list[int]) -> tuple[tuple[Tensor, ...], int]:
        """Random views of some training pictures, and a teacher's answers to them; each picture counts once.

        With a teacher a view is drawn at the larger size of both networks and scaled down for the other.
        """
        if self.teacher is None:
            return self._drawn(indices, self.epoch, self.side), len(indices)
        rounds = self.teacher.how.rounds
        if rounds:
            views, *rest = self._cached(self.teacher, indices, self.epoch % rounds)
        else:
            views, *rest = self._with_answers(self.teacher, indices, self.epoch)
        return (downscale(views, self.side), *rest), len(indices)

    def _cached(self, teacher: Teacher, indices: list[int], draw: int) -> list[Tensor]:
        """As `_with_answers`, with views in 256 steps; repeated ones come from the cache with their answers."""
        if new := [index for index in indices if (draw, index) not in self.cached]:
            views, *rest = self._with_answers(teacher, new, draw)
            in_bytes = ((views + 1) * 127.5).round().to(torch.uint8)
            self.cached |= {(draw, index): row for index, *row in zip(new, in_bytes, *rest, strict=True)}
        views, *rest = map(torch.stack, zip(*(self.cached[draw, index] for index in indices), strict=True))
        return [views.float() / 127.5 - 1, *rest]

    def _with_answers(self, teacher: Teacher, indices: list[int], draw: int) -> tuple[Tensor, ...]:
        """The tensors of `_drawn`, at the larger size of both networks, and the teacher's answers."""
        views, *rest = self._drawn(indices, draw, max(self.side, teacher.side))
        device = next(self.network.parameters()).device
        with torch.autocast(device.type, torch.bfloat16, enabled=self.recipe.precision == "bf16"):
            answers = teacher.answers(downscale(views, teacher.side).to(device))
        return views, *rest, answers.cpu()

    def _drawn(self, indices: list[int], draw: int, side: int) -> tuple[Tensor, ...]:
        """Views `(batch, 3, side, side)` in [-1, 1], and label, other and share, `(batch,)` each."""
        train, seed = self.images.train, (self.recipe.seed, draw)
        drawn = list(
            self.drawing.map(
                lambda index: draw_example(train.pictures, train.labels, index, side, self.how, seed), indices
            )
        )
        views = to_pixels(np.stack([example.pixels for example in drawn]))
        label, other = (torch.tensor([getattr(example, name) for example in drawn]) for name in ("label", "other"))
        return views, label, other, torch.tensor([example.share for example in drawn])

    @torch.inference_mode()
    def validate(self, network: nn.Module, device: torch.device) -> dict[str, float]:
        """Top-1 accuracy and mean -ln p of the pictures held back, at the current size."""
        assert isinstance(network, VisionTransformer | ConvolutionalNetwork)
        network.eval()
        logits, labels = classify_all(network, self.images.held_back, self.side, device)
        right = accuracy(logits, labels)
        figures = {"pixels": self.side, "top1": right, "heldout_nll": F.cross_entropy(logits, labels).item()}
        return figures | ({"merit": right} if self.side == self.stages.final_size else {})


@torch.inference_mode()
def classify_all(network: Recognizer, split: PictureSplit, side: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Logits `(picture, class)` float32 of whole pictures scaled to `side` pixels, and the labels; on the CPU."""
    parts = []
    for start in range(0, len(split), AT_ONCE):
        pixels = to_pixels(resize_pictures(split.pictures[start : start + AT_ONCE], side)).to(device)
        parts.append(network(pixels).float().cpu())
    return torch.cat(parts), torch.from_numpy(split.labels)


def accuracy(logits: Tensor, labels: Tensor) -> float:
    """Share of the pictures whose most probable class is their label."""
    return (logits.argmax(dim=1) == labels).double().mean().item()
