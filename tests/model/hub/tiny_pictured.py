"""Tiny models of pictures and text with random weights, and their processors, all built here."""

from __future__ import annotations

import copy
import functools
import logging
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from PIL import Image

from tests.model.hub import tiny

EYE = {"hidden_size": 32, "num_attention_heads": 4, "num_hidden_layers": 2, "intermediate_size": 40, "image_size": 32,
       "patch_size": 8}  # fmt: skip
LONG = tiny.GROUPED | {"max_position_embeddings": 256}
SIDE = {"height": 32, "width": 32}
WORDS = "The quick fox"
QWEN = ("<|vision_start|>", "<|image_pad|>", "<|vision_end|>", "<|video_pad|>")


class PicturesOnly(transformers.Qwen2_5_VLProcessor):
    """Qwen's processor without its part for videos, which needs torchvision."""

    def __init__(self, image_processor=None, tokenizer=None, chat_template=None):
        self.image_token, self.video_token = QWEN[1], QWEN[3]
        self.image_token_id = tokenizer.convert_tokens_to_ids(self.image_token)
        self.video_token_id = tokenizer.convert_tokens_to_ids(self.video_token)
        transformers.ProcessorMixin.__init__(self, image_processor, tokenizer, chat_template=chat_template)


def tokenizer(*names: str, **roles: str) -> transformers.PreTrainedTokenizerFast:
    """The tokenizer of the tiny models with more special tokens, some of which have a role such as `image_token`."""
    own: Any = copy.deepcopy(tiny.tokenizer())
    own.add_special_tokens({"additional_special_tokens": list(names)})
    for role, name in roles.items():
        setattr(own, role, name)
        if role.endswith("_token"):
            setattr(own, f"{role}_id", own.convert_tokens_to_ids(name))
    return own


def with_weights(network: transformers.PreTrainedModel) -> transformers.PreTrainedModel:
    """A network with random weights, far enough from 0 that its maps are not uniform."""
    generator = torch.Generator().manual_seed(1)
    for parameter in network.parameters():
        if parameter.ndim > 1:
            torch.nn.init.normal_(parameter, std=0.3, generator=generator)
    return network.eval()


def llava():
    own = tokenizer("<image>")
    config = transformers.LlavaConfig(
        text_config={"model_type": "llama", **tiny.GROUPED},
        vision_config={"model_type": "clip_vision_model", **EYE},
        image_token_id=own.convert_tokens_to_ids("<image>"),
    )
    pictures = transformers.CLIPImageProcessor(size={"shortest_edge": 32}, crop_size=SIDE)
    options = {"patch_size": 8, "vision_feature_select_strategy": "default", "num_additional_image_tokens": 1}
    return transformers.LlavaForConditionalGeneration(config), transformers.LlavaProcessor(pictures, own, **options)


def paligemma():
    own = tokenizer("<image>", image_token="<image>", bos_token="[CLS]", eos_token="[SEP]")
    pictures = transformers.SiglipImageProcessor(size=SIDE)
    pictures.image_seq_length = 16
    processor = transformers.PaliGemmaProcessor(pictures, own)  # it adds tokens of places
    config = transformers.PaliGemmaConfig(
        text_config={"model_type": "gemma", **tiny.GROUPED, "vocab_size": len(own)},
        vision_config={"model_type": "siglip_vision_model", **EYE, "vision_use_head": False},
        image_token_id=own.image_token_id,
        projection_dim=32,
    )
    return transformers.PaliGemmaForConditionalGeneration(config), processor


def gemma3():
    roles = {"image_token": "<soft>", "boi_token": "<start>", "eoi_token": "<end>"}
    own = tokenizer(*roles.values(), **roles)
    config = transformers.Gemma3Config(
        text_config=tiny.GROUPED | {"sliding_window": 4, "query_pre_attn_scalar": 8},
        vision_config=EYE | {"vision_use_head": False},
        mm_tokens_per_image=4,
        image_token_id=own.image_token_id,
        boi_token_index=own.boi_token_id,
        eoi_token_index=own.eoi_token_id,
    )
    pictures = transformers.Gemma3ImageProcessor(size=SIDE)
    processor = transformers.Gemma3Processor(pictures, own, image_seq_length=4)
    return transformers.Gemma3ForConditionalGeneration(config), processor


def qwen():
    own = tokenizer(*QWEN)
    names = dict(zip(("vision_start", "image", "vision_end", "video"), QWEN, strict=True))
    config = transformers.Qwen2_5_VLConfig(
        text_config=tiny.GROUPED | {"rope_scaling": {"rope_type": "default", "mrope_section": [1, 1, 2]}},
        vision_config={
            "depth": 3, "hidden_size": 32, "intermediate_size": 40, "num_heads": 4, "out_hidden_size": 32,
            "patch_size": 8, "window_size": 32, "fullatt_block_indexes": [1],
        },
        **{f"{role}_token_id": own.convert_tokens_to_ids(name) for role, name in names.items()},
    )  # fmt: skip
    pictures = transformers.Qwen2VLImageProcessor(patch_size=8, merge_size=2, min_pixels=32 * 32, max_pixels=64 * 64)
    return transformers.Qwen2_5_VLForConditionalGeneration(config), PicturesOnly(pictures, own)


def qwen3():
    own = tokenizer(*QWEN)
    names = dict(zip(("vision_start", "image", "vision_end", "video"), QWEN, strict=True))
    config = transformers.Qwen3VLConfig(
        text_config=tiny.GROUPED | {"rope_scaling": {"rope_type": "default", "mrope_section": [2, 1, 1]}},
        vision_config={
            "depth": 3, "hidden_size": 32, "intermediate_size": 40, "num_heads": 4, "out_hidden_size": 32,
            "patch_size": 8, "num_position_embeddings": 16, "deepstack_visual_indexes": [1],
        },
        **{f"{role}_token_id": own.convert_tokens_to_ids(name) for role, name in names.items()},
    )  # fmt: skip
    pictures = transformers.Qwen2VLImageProcessor(patch_size=8, merge_size=2, min_pixels=32 * 32, max_pixels=64 * 64)
    return transformers.Qwen3VLForConditionalGeneration(config), PicturesOnly(pictures, own)


def llava_next():
    own, pinpoints = tokenizer("<image>"), [[32, 64], [64, 32], [64, 64]]
    config = transformers.LlavaNextConfig(
        text_config={"model_type": "llama", **LONG},
        vision_config={"model_type": "clip_vision_model", **EYE},
        image_token_id=own.convert_tokens_to_ids("<image>"),
        image_grid_pinpoints=pinpoints,
    )
    size = {"size": {"shortest_edge": 32}, "crop_size": SIDE}
    pictures = transformers.LlavaNextImageProcessor(**size, image_grid_pinpoints=pinpoints)
    options = {"patch_size": 8, "vision_feature_select_strategy": "default", "num_additional_image_tokens": 1}
    return transformers.LlavaNextForConditionalGeneration(config), transformers.LlavaNextProcessor(
        pictures, own, **options
    )


def idefics3():
    tiles = [f"<row_{row}_col_{column}>" for row in (1, 2) for column in (1, 2)]
    own = tokenizer("<image>", "<fake_token_around_image>", "<global-img>", "<end_of_utterance>", *tiles)
    config = transformers.Idefics3Config(
        text_config={"model_type": "llama", **LONG, "vocab_size": len(own)},
        vision_config={"model_type": "idefics3_vision", **EYE},
        image_token_id=own.convert_tokens_to_ids("<image>"),
        scale_factor=2,
    )
    largest = {"size": {"longest_edge": 64}, "max_image_size": {"longest_edge": 32}}
    pictures = transformers.Idefics3ImageProcessor(**largest)
    processor = transformers.Idefics3Processor(pictures, own, image_seq_len=4)
    return transformers.Idefics3ForConditionalGeneration(config), processor


BUILDERS = {"llava": llava, "paligemma": paligemma, "gemma3": gemma3, "qwen2.5-vl": qwen, "qwen3-vl": qwen3}
TILED = {"llava-next": llava_next, "idefics3": idefics3}  # they cut a picture into tiles


@functools.cache
def build(name: str) -> tuple[transformers.PreTrainedModel, Any]:
    """The network and the processor of a type, the same in every test."""
    torch.manual_seed(1)
    network, processor = {**BUILDERS, **TILED}[name]()
    return with_weights(network), processor


def save(name: str, folder: Path) -> Path:
    """Build a model and save it with its processor, in a folder of its name below `folder`."""
    logging.getLogger("transformers").setLevel(logging.ERROR)
    network, processor = build(name)
    network.save_pretrained(folder / name)
    processor.save_pretrained(folder / name)
    return folder / name


def picture(seed: int = 0, width: int = 64, height: int = 64) -> Image.Image:
    """A picture of random colours."""
    colours = np.random.default_rng(seed).integers(0, 256, (height // 8, width // 8, 3), dtype=np.uint8)
    return Image.fromarray(colours).resize((width, height), Image.Resampling.NEAREST)
