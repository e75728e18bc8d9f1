"""Damaged folders of models that read pictures with text: what can be read opens, and one sentence says the rest."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from model import OpenError
from model.open_model import open_model
from tests.model.hub import tiny_pictured
from tests.model.hub.tiny_pictured import WORDS, picture

CHAT = [{"role": "user", "content": "fox"}]
OPEN, TRACE, CHATTED = "open", "trace", "chat"  # where a folder is refused
PROCESSOR, CONFIG, WEIGHTS, TOKENIZER = (
    "processor_config.json", "config.json", "model.safetensors", "tokenizer_config.json",
)  # fmt: skip


def text(file: str, content: str | bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / file).write_bytes(content if isinstance(content, bytes) else content.encode())


def setting(file: str, *keys: str, value: object) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        whole = json.loads((folder / file).read_text())
        part = whole
        for key in keys[:-1]:
            part = part[key]
        part[keys[-1]] = value
        (folder / file).write_text(json.dumps(whole))

    return change


def weight(part: str, make: Callable[[torch.Tensor], torch.Tensor | None]) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        weights = load_file(folder / WEIGHTS)
        name = next(name for name in weights if part in name)
        made = make(weights.pop(name))
        save_file(weights | ({} if made is None else {name: made}), folder / WEIGHTS, {"format": "pt"})

    return change


UNREAD, RUN = "The pictures of this model are not read, as its processor", "could not be run on a short text"
SETTINGS, BUILT = r"config.json has settings that a model of type \w+ cannot have", "cannot be loaded into this type"
CASES: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "no processor": (lambda folder: (folder / PROCESSOR).unlink(), TRACE, UNREAD),
    "empty processor": (text(PROCESSOR, ""), TRACE, UNREAD),
    "processor of bytes": (text(PROCESSOR, b"\xff\xfe\0\1"), TRACE, UNREAD),
    "processor of a list": (text(PROCESSOR, "[]"), TRACE, UNREAD),
    "processor of deep lists": (text(PROCESSOR, "[" * 5000), TRACE, UNREAD),
    "unknown processor": (setting(PROCESSOR, "processor_class", value="NopeProcessor"), TRACE, UNREAD),
    "processor class of a list": (setting(PROCESSOR, "processor_class", value=["x"]), TRACE, UNREAD),
    "pictures processor of a number": (setting(PROCESSOR, "image_processor", value=3), TRACE, UNREAD),
    "size of a text": (setting(PROCESSOR, "image_processor", "size", value="x"), TRACE, UNREAD),
    "negative size": (
        setting(PROCESSOR, "image_processor", "crop_size", value={"height": -1, "width": -1}), TRACE,
        "The processor of this model (cannot read a short text with a picture|gives no tokens to a picture)",
    ),
    "mean of a text": (
        setting(PROCESSOR, "image_processor", "image_mean", value="x"), TRACE,
        "The processor of this model cannot read a short text with a picture|" + UNREAD,
    ),
    "other pictures": (
        setting(PROCESSOR, "image_processor", "crop_size", value={"height": 48, "width": 48}), TRACE,
        rf"{RUN} with a picture \(.*\); save or download the model again",
    ),
    "other picture token": (setting(CONFIG, "image_token_index", value=7), TRACE, "gives no tokens to a picture"),
    "picture token of a text": (setting(CONFIG, "image_token_index", value="x"), OPEN, SETTINGS),
    "layer that is not there": (setting(CONFIG, "vision_feature_layer", value=9), TRACE, f"{RUN} with a picture"),
    "negative patches": (setting(CONFIG, "vision_config", "patch_size", value=-8), OPEN, f"{SETTINGS}|{BUILT}"),
    "no heads": (setting(CONFIG, "vision_config", "num_attention_heads", value=0), OPEN, f"{SETTINGS}|{BUILT}"),
    "huge tower": (setting(CONFIG, "vision_config", "hidden_size", value=10**6), OPEN, "do not belong together|1.5 GB"),
    "huge grid": (setting(CONFIG, "vision_config", "image_size", value=10**9), OPEN, "do not belong together|1.5 GB"),
    "tower of a list": (setting(CONFIG, "vision_config", value=[]), OPEN, f"{SETTINGS}|{BUILT}"),
    "tower of another type": (setting(CONFIG, "vision_config", "model_type", value="nope"), OPEN, SETTINGS),
    "activation that is not there": (setting(CONFIG, "projector_hidden_act", value="nope"), OPEN, BUILT),
    "no projector": (weight("projector", lambda old: None), OPEN, r"The weights lack 1 tensor .*projector"),
    "no patches": (weight("patch_embedding", lambda old: None), OPEN, r"The weights lack 1 tensor .*patch_embedding"),
    "projector of another shape": (weight("projector", lambda old: old[:3]), OPEN, "tensor of the weights has another"),
    "empty tower": (weight("self_attn.q_proj.weight", lambda old: old[:0]), OPEN, "tensor of the weights has another"),
    "tower of NaN": (
        weight("vision_tower", lambda old: old * torch.nan), TRACE, "Weights of this model are NaN or infinite",
    ),
    "list as template": (setting(TOKENIZER, "chat_template", value=[]), CHATTED, "template"),
    "named templates of numbers": (
        setting(TOKENIZER, "chat_template", value=[{"name": "default", "template": 3}]), CHATTED,
        r"The chat template of this model is a value of type \w+ and no text; save its files again",
    ),
    "template of a number": (setting(TOKENIZER, "chat_template", value=3), CHATTED, "a value of type int and no text"),
    "broken template": (text("chat_template.jinja", "{% for %}"), CHATTED, "chat template of this model refuses"),
    "template of 1 / 0": (text("chat_template.jinja", "{{ 1 / 0 }}"), CHATTED, "template of this model refuse"),
    "template without placeholders": (text("chat_template.jinja", "Hi <image><image>"), CHATTED, "2 placeholders"),
}  # fmt: skip


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    return tiny_pictured.save("llava", tmp_path_factory.mktemp("saved"))


@pytest.mark.parametrize("name", CASES)
def test_a_damaged_folder_is_refused_in_a_sentence(saved, tmp_path, name):
    damage, place, message = CASES[name]
    folder = Path(shutil.copytree(saved, tmp_path / "llava"))
    damage(folder)
    with pytest.raises(OpenError, match=message) as caught:
        opened = open_model(folder, device="cpu")
        assert place != OPEN, "it opens"
        assert opened.trace(WORDS).verify().max_difference < 1e-5  # text alone is read all the same
        opened.trace(WORDS, picture=picture()) if place == TRACE else opened.trace(messages=CHAT, picture=picture())
    sentence = str(caught.value)
    assert sentence.endswith(".") and "\n" not in sentence and len(sentence) < 450 and str(tmp_path) not in sentence
