"""The picture classifier as pages and notebooks use it: load once, then classify, trace and explain."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from model import faithfulness
from model.checkpoint import CheckpointError, load_tensors, load_weights, read_json
from model.device import choose_device, device_name
from model.faithfulness import Curves, order_of
from model.relevance import class_gradients, rollout
from model.tap import Chain, Recorder, Tap
from model.trace import AttentionRecord, gather_attention, gather_stream
from model.verify import Verification
from model.vision import VisionConfig, VisionTransformer
from model.vit_export import write_vit

SHIPPED = Path(__file__).resolve().parent.parent / "assets" / "vision"
METHODS = ("CLS attention", "rollout", "gradient relevance", "raw gradient")


@dataclass(frozen=True, eq=False)
class VisionTrace:
    """Everything a ViT computes for one picture. P patches, row by row; position 0 is CLS, patch p is position 1 + p.

    Attributes:
        pixels: `(height, width, 3)` float32 in [0, 1], the picture as the model receives it.
        grid: rows and columns of patches.
        classes: the names, in the order of `logits`.
        logits: `(class,)` float32.
        record: attention with queries, keys, values, scores and head outputs; see `AttentionRecord`.
        patches: `(P, d_model)`, each patch after the linear embedding, before positions are added.
        stream: `(layers + 1, 1 + P, d_model)`: the embedded sequence, then the output of each layer.
    """

    pixels: np.ndarray
    grid: tuple[int, int]
    classes: tuple[str, ...]
    logits: np.ndarray
    record: AttentionRecord
    patches: np.ndarray
    stream: np.ndarray

    @property
    def attention(self) -> np.ndarray:
        """`(layers, heads, 1 + P, 1 + P)` float32; rows are queries, columns are keys."""
        return self.record.weights

    @property
    def probabilities(self) -> np.ndarray:
        """`(class,)` float32, summing to 1."""
        exponentials = np.exp(self.logits.astype(np.float64) - self.logits.max())
        return (exponentials / exponentials.sum()).astype(np.float32)

    @property
    def answer(self) -> int:
        """The most probable class."""
        return int(self.logits.argmax())

    @cached_property
    def verification(self) -> Verification:
        """The proof, computed once."""
        return self.record.verify()

    def verify(self) -> Verification:
        """Compare with an independent recomputation; see `Verification`. Nothing is masked, so no leak is possible."""
        return self.verification


class VisionClassifier:
    """A trained ViT with its classes. Safe to share between threads.

    Attributes:
        network: the `VisionTransformer`, in evaluation mode.
        card: figures about data, training and quality, as the evaluation wrote them.
    """

    def __init__(self, network: VisionTransformer, card: dict | None = None, card_markdown: str = "") -> None:
        self.network = network.eval().requires_grad_(False)
        self.card = card or {}
        self.card_markdown = card_markdown

    @classmethod
    def load(cls, path: str | Path | None = None, device: str = "auto") -> VisionClassifier:
        """Read a classifier's folder; by default the one this project ships.

        Args:
            path: folder with `config.json`, `model.safetensors` and `card.json`.
            device: "auto" picks CUDA, MPS or CPU.

        Raises:
            CheckpointError: a file is missing, damaged, or does not match the hash in `card.json`.
            ValueError: the named device does not exist.
        """
        folder = Path(path) if path is not None else SHIPPED
        card = read_json(folder / "card.json")
        try:
            config = VisionConfig.from_dict(read_json(folder / "config.json"))
            tensors, _ = load_tensors(folder / "model.safetensors", card["weights_sha256"])
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise CheckpointError(
                f"The classifier in {folder} cannot be read ({error}); restore it with `git checkout -- assets` "
                f"or train it again."
            ) from error
        network = VisionTransformer(config)
        load_weights(network, tensors, str(folder))
        markdown = folder / "card.md"
        text = markdown.read_text(encoding="utf-8") if markdown.is_file() else ""
        return cls(network.to(choose_device(device)), card, text)

    @property
    def config(self) -> VisionConfig:
        """The network's sizes."""
        return self.network.config

    @property
    def device(self) -> torch.device:
        """Where the network runs."""
        return self.network.class_embedding.device

    @property
    def device_name(self) -> str:
        """The same for people."""
        return device_name(self.device)

    @cached_property
    def parameters(self) -> int:
        """How many numbers were trained."""
        return sum(parameter.numel() for parameter in self.network.parameters())

    def prepare(self, image: Image.Image) -> np.ndarray:
        """The picture as the network receives it: the middle square, scaled. `(side, side, 3)` float32 in [0, 1]."""
        return middle_square(image, self.config.image_size).astype(np.float32) / 255

    @torch.inference_mode()
    def probabilities(self, pixels: np.ndarray, tap: Tap | None = None) -> np.ndarray:
        """Class probabilities `(class,)` float32 of prepared pixels, with an intervention where a tap is given."""
        return self.network(self._tensor(pixels)[None], tap)[0].float().softmax(dim=0).cpu().numpy()

    @torch.inference_mode()
    def trace(self, image: Image.Image | np.ndarray, *, intervention: Tap | None = None) -> VisionTrace:
        """Everything the network computes for a picture.

        Args:
            image: a picture of any size, or pixels from `prepare`.
            intervention: a tap that changes tensors before they are recorded; see `model.tap.Intervention`.
        """
        pixels = image if isinstance(image, np.ndarray) else self.prepare(image)
        recorder = Recorder()
        tap = recorder if intervention is None else Chain(intervention, recorder)
        logits = self.network(self._tensor(pixels)[None], tap)
        layers, size = self.config.n_layers, self.config.patch_size
        return VisionTrace(
            pixels=pixels,
            grid=(pixels.shape[0] // size, pixels.shape[1] // size),
            classes=self.config.classes,
            logits=logits[0].float().cpu().numpy(),
            record=gather_attention(recorder.tensors, "vision", "self", layers),
            patches=recorder.tensors["vision.patches"][0].float().cpu().numpy(),
            stream=gather_stream(recorder.tensors, "vision", layers),
        )

    def explain(self, trace: VisionTrace, class_index: int) -> dict[str, np.ndarray]:
        """What the answer `class_index` rests on, by every name in `METHODS`: `(patch,)` scores, higher matters more.

        CLS attention is the last layer's, averaged over heads; rollout fuses heads by their mean. Neither depends on
        the class. The two gradients do; see `model.relevance`.
        """
        gradients = class_gradients(self.network, self._tensor(trace.pixels), class_index)
        return {
            "CLS attention": trace.attention[-1, :, 0, 1:].mean(axis=0),
            "rollout": rollout(trace.attention)[-1, 0, 1:].astype(np.float32),
            "gradient relevance": gradients.relevance(),
            "raw gradient": gradients.raw(self.config.patch_size),
        }

    def faithfulness(
        self,
        trace: VisionTrace,
        scores: dict[str, np.ndarray],
        class_index: int,
        *,
        random_orders: int = 3,
        points: int = 13,
        seed: int = 0,
    ) -> dict[str, Curves]:
        """Deletion and insertion curves of each explanation, and of "random", the mean over some random orders."""
        patches = trace.grid[0] * trace.grid[1]
        draw = np.random.default_rng(seed)
        orders = [order_of(score) for score in scores.values()]
        orders += [draw.permutation(patches) for _ in range(random_orders)]
        pixels = self._tensor(trace.pixels)
        found = faithfulness.curves(self.network, pixels, class_index, np.stack(orders), points)
        result = dict(zip(scores, found, strict=False))
        at_random = found[len(scores) :]
        result["random"] = Curves(
            at_random[0].share,
            np.mean([curve.deletion for curve in at_random], axis=0),
            np.mean([curve.insertion for curve in at_random], axis=0),
        )
        return result

    def export_vit(self, path: str | Path) -> None:
        """Write the weights as a Hugging Face ViT checkpoint; see `model.vit_export.write_vit`."""
        write_vit(self.network, Path(path))

    def _tensor(self, pixels: np.ndarray) -> Tensor:
        """`(height, width, 3)` in [0, 1] -> `(3, height, width)` in [-1, 1] on the network's device."""
        return torch.from_numpy(np.ascontiguousarray(pixels.transpose(2, 0, 1))).to(self.device) * 2 - 1


def middle_square(image: Image.Image, side: int) -> np.ndarray:
    """The middle square of a picture, scaled (bicubic) to `(side, side, 3)` uint8."""
    width, height = image.size
    short = min(width, height)
    left, top = (width - short) / 2, (height - short) / 2
    image = image.convert("RGB")
    if image.size != (side, side):
        image = image.resize((side, side), Image.Resampling.BICUBIC, (left, top, left + short, top + short))
    return np.asarray(image)
