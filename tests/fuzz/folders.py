"""Hostile checkpoint folders from a seed: damaged files, impossible numbers, pipes and links, paths elsewhere."""

from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path

from PIL import Image

from model import OpenError
from model.open_model import open_model
from tests.model.hub import tiny

ARCHITECTURES = ("gpt2", "bert-classes", "llama", "t5", "bart", "vit", "dinov2", "deberta")
NUMBERS = (0, -1, 1, 3, 10**4, 10**7, 2**31 - 1, 2**31, 2**63, 10**30, 0.5, float("nan"), float("inf"))
OTHERS = (None, "", "many", [], {}, True, [10**9], "../x", "/etc/passwd", "[" * 50)
EXPRESSIONS = (r"(a+)+$", r"(?:\w+\s?)+\$", "(((.*)*)*)*!", "[", "(" * 300 + ")" * 300, r"\p{L}+(?=b)", "(?<=a+)b")
LONGEST = 1_000_000  # bytes of a file that is changed
TEXT = "The quick fox aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"
PICTURE = Image.linear_gradient("L").resize((48, 40)).convert("RGB")


def originals(folder: Path) -> list[Path]:
    """Save one tiny checkpoint of each architecture."""
    return [tiny.save(name, folder / name) for name in ARCHITECTURES]


def damage(random: random.Random, original: Path, folder: Path) -> Path:
    """Copy a checkpoint and change it in one to three ways."""
    shutil.copytree(original, folder)
    for _ in range(random.choice((1, 1, 2, 3))):
        random.choice(_DAMAGES)(random, folder)
    return folder


def open_and_run(folder: Path) -> str:
    """Open a folder and trace an input; the outcome in a word. Every error is one sentence."""
    try:
        model = open_model(folder, device="cpu", dtype="float32")
    except OpenError as error:
        _check_sentence(error)
        return "refused"
    try:
        options = {"target": "A fox."} if model.task == "translate" else {}
        trace = model.trace(PICTURE if model.vision else TEXT, **options)
    except OpenError as error:
        _check_sentence(error)
        return "input refused"
    difference = trace.verify().max_difference
    assert difference < 1e-3, difference
    return "opened"


def _check_sentence(error: OpenError) -> None:
    text = str(error)
    assert text.endswith(".") and "\n" not in text and len(text) < 500 and "Traceback" not in text, text


def _file(random: random.Random, folder: Path) -> Path:
    """A regular file of the folder that is not as long as `_sparse` makes them."""
    files = [file for file in folder.iterdir() if file.is_file() and file.stat().st_size < LONGEST]
    return random.choice(sorted(files) or [folder / "README.txt"])


def _content(file: Path) -> object:
    """What a JSON file contains; None where it is none any more."""
    if not file.is_file() or file.stat().st_size >= LONGEST:
        return None
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        return None


def _number(random: random.Random, folder: Path) -> None:
    """Replace a value of a JSON file, at any depth, by a hostile one."""
    content = _content(file := random.choice(sorted(folder.glob("*config.json")) or [folder / "config.json"]))
    parts = [content]
    for part in parts:
        parts += [value for value in (part.values() if isinstance(part, dict) else ()) if isinstance(value, dict)]
    part = random.choice([part for part in parts if isinstance(part, dict)] or [{}])
    if part:
        part[random.choice(sorted(part))] = random.choice(NUMBERS if random.random() < 0.8 else OTHERS)
        file.write_text(json.dumps(content))


def _flip(random: random.Random, folder: Path) -> None:
    file = _file(random, folder)
    file.touch()
    content = bytearray(file.read_bytes())
    for _ in range(random.choice((1, 8, 64))):
        if content:
            content[random.randrange(min(len(content), 4000))] ^= 1 << random.randrange(8)
    file.write_bytes(content)


def _truncate(random: random.Random, folder: Path) -> None:
    file = _file(random, folder)
    file.touch()
    file.write_bytes(file.read_bytes()[: random.randrange(file.stat().st_size + 1)])


def _remove(random: random.Random, folder: Path) -> None:
    _file(random, folder).unlink(missing_ok=True)


def _irregular(random: random.Random, folder: Path) -> None:
    file = _file(random, folder)
    file.unlink(missing_ok=True)
    kind = random.choice(("pipe", "folder", "circle", "elsewhere", "device", "nothing"))
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()
    else:
        targets = {"circle": file.name, "elsewhere": "/etc/hostname", "device": "/dev/zero", "nothing": "missing"}
        file.symlink_to(targets[kind])


def _index(random: random.Random, folder: Path) -> None:
    name = random.choice(
        ("../other.safetensors", "/etc/hostname", "model.safetensors", "x/../../y.safetensors", "no.safetensors")
    )
    index = {"metadata": {}, "weight_map": {"a": name}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def _expression(random: random.Random, folder: Path) -> None:
    content = _content(file := folder / "tokenizer.json")
    if not isinstance(content, dict):
        return
    pattern = {"Regex": random.choice(EXPRESSIONS)}
    if random.random() < 0.5:
        content["pre_tokenizer"] = {"type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": False}
    else:
        content["normalizer"] = {"type": "Replace", "pattern": pattern, "content": ""}
    file.write_text(json.dumps(content))


def _sparse(random: random.Random, folder: Path) -> None:
    with open(_file(random, folder), "ab") as file:
        file.truncate(random.choice((10**6, 10**9, 20 * 2**30)))


_DAMAGES = (
    _number,
    _number,
    _number,
    _number,
    _flip,
    _truncate,
    _remove,
    _irregular,
    _irregular,
    _index,
    _expression,
    _sparse,
)
