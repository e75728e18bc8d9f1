"""Three kinds of coloured shapes that a tiny ViT learns in seconds, as files in both forms that the program reads."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
from PIL import Image, ImageDraw

from tests.training.programs import as_words

CLASSES = ("circle", "square", "stripes")
COLOURS = ("#D03030", "#30A040", "#3050C0")


def draw(label: int, seed: int, size: tuple[int, int] = (48, 48)) -> Image.Image:
    """One shape in its colour at a random position on a noisy background."""
    random = np.random.default_rng((label, seed))
    background = random.integers(120, 200, (size[1], size[0], 3), dtype=np.uint8)
    image = Image.fromarray(background)
    canvas = ImageDraw.Draw(image)
    left, top = (int(place) for place in random.integers(2, 18, 2))
    box = (left, top, left + 24, top + 24)
    if label == 0:
        canvas.ellipse(box, COLOURS[0])
    elif label == 1:
        canvas.rectangle(box, COLOURS[1])
    else:
        for line in range(top, top + 24, 6):
            canvas.rectangle((left, line, left + 24, line + 2), COLOURS[2])
    return image


def encode_picture(image: Image.Image, form: str = "PNG") -> bytes:
    """Encode the picture as a file's content."""
    content = io.BytesIO()
    image.save(content, form)
    return content.getvalue()


def rows(count: int, first: int = 0) -> list[tuple[bytes, int]]:
    """`count` pictures of each class."""
    return [
        (encode_picture(draw(label, first + seed)), label) for seed in range(count) for label in range(len(CLASSES))
    ]


def write_parquet(path: Path, pictures: list[tuple[bytes, int]], names: tuple[str, ...] | None = CLASSES) -> None:
    """Write a shard in the hub's layout, with the names of the classes in its metadata if there are any."""
    table = pyarrow.table(
        {
            "image": [{"bytes": content, "path": f"{number}.png"} for number, (content, _) in enumerate(pictures)],
            "label": [label for _, label in pictures],
        }
    )
    if names is not None:
        hub = {"info": {"features": {"label": {"names": list(names), "_type": "ClassLabel"}}}}
        table = table.replace_schema_metadata({"huggingface": json.dumps(hub)})
    pyarrow.parquet.write_table(table, path)


def write_shards(folder: Path, train: int = 12, validation: int = 4) -> Path:
    """Two training shards and one for validation."""
    folder.mkdir(parents=True, exist_ok=True)
    pictures = rows(train)
    half = len(pictures) // 2
    write_parquet(folder / "train-00000-of-00002.parquet", pictures[:half])
    write_parquet(folder / "train-00001-of-00002.parquet", pictures[half:])
    write_parquet(folder / "validation-00000-of-00001.parquet", rows(validation, first=1000))
    return folder


def convolution_training(data: Path, out: Path, **options: object) -> list[object]:
    """Arguments that train a tiny convolutional network on the shapes."""
    chosen = {
        "stages": "16x1,32x1",
        "blocks": 1,
        "squeeze": 4,
        "device": "cpu",
        "batch_tokens": 24,
        "held_back": 6,
        "warmup_steps": 2,
        "learning_rate": 0.01,
        "matrix_learning_rate": 0.02,
        "average_decay": 0.5,
        **options,
    }
    return ["convolution", "--data", data, "--out", out, "--widths", 8, 16, *as_words(chosen)]


def vision_training(data: Path, out: Path, **options: object) -> list[object]:
    """Arguments that train a tiny ViT on the shapes."""
    chosen = {
        "stages": "8x1,16x1",
        "patch_size": 4,
        "d_model": 16,
        "n_heads": 2,
        "n_layers": 2,
        "d_ff": 32,
        "drop_path": 0.0,
        "device": "cpu",
        "batch_tokens": 60,
        "held_back": 6,
        "warmup_steps": 2,
        "learning_rate": 0.003,
        "matrix_learning_rate": 0.01,
        "average_decay": 0.5,
        **options,
    }
    return ["vision", "--data", data, "--out", out, *as_words(chosen)]
