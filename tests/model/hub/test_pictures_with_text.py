"""Texts with pictures: maps equal the library's own, and every part of a picture is at the place of its token."""

from __future__ import annotations

import functools
import json
from importlib.util import find_spec

import numpy as np
import pytest
import torch
from PIL import Image

from model import CausalError, HeadInterventions, Logit, OpenError, Scale, ablate, open_model
from model.hub.opened_model import OpenedModel
from model.tracing.kinds import VISION
from tests.model.hub.tiny_pictured import BUILDERS, TILED, WORDS, build, picture

TEXT_KIND = dict.fromkeys([*BUILDERS, *TILED], "decoder") | {"paligemma": "prefix", "gemma3": "prefix"}
APART = {f"vision.{layer}.self.weights" for layer in range(4)}  # attention within pictures
SIZES = {"llava": (32, 32), "paligemma": (32, 32), "gemma3": (32, 32), "qwen2.5-vl": (64, 64), "qwen3-vl": (64, 64)}


@functools.cache
def opened(name: str) -> OpenedModel:
    network, processor = build(name)
    return open_model(network, reader=processor, device="cpu")


def own_output(name: str, trace):
    """The network's own eager run of what a trace read."""
    network, _ = build(name)
    before = network.config._attn_implementation
    network.set_attn_implementation("eager")
    with torch.no_grad():
        output = network(**trace.picture_text.inputs, output_attentions=True)
    network.set_attn_implementation(before)
    return output


@pytest.mark.parametrize("name", BUILDERS)
def test_maps_and_answers_are_those_of_the_network_s_eager_form(name):
    trace = opened(name).trace(WORDS, picture=picture())
    output = own_output(name, trace)
    own = torch.cat(list(output.attentions)).numpy()
    np.testing.assert_allclose(trace.attention(TEXT_KIND[name]), own, atol=1e-5)
    np.testing.assert_allclose(trace.logits, output.logits[0].numpy(), atol=1e-4)
    assert trace.verify().max_difference < 1e-5 and list(trace.records) == [TEXT_KIND[name], "vision"]
    later = np.triu(np.ones(own.shape[-2:], dtype=bool), 1)
    assert own[..., later].any() == (TEXT_KIND[name] == "prefix")  # tokens of a picture see each other


@pytest.mark.parametrize("name", ["llava", "paligemma", "gemma3"])
def test_maps_within_a_picture_are_those_of_the_tower(name):
    trace = opened(name).trace(WORDS, picture=picture())
    network, _ = build(name)
    tower = network.model.vision_tower
    before = tower.config._attn_implementation
    tower.set_attn_implementation("eager")
    with torch.no_grad():
        own = tower(trace.picture_text.inputs["pixel_values"], output_attentions=True).attentions
    tower.set_attn_implementation(before)
    np.testing.assert_allclose(trace.attention("vision"), torch.cat(list(own)).numpy(), atol=1e-5)
    seen = trace.pictures[0].tower
    assert seen.grid == (4, 4) and seen.leading == (name == "llava")
    assert trace.axes("vision")[0] == seen.axes("vision")[0]


@pytest.mark.parametrize("name", BUILDERS)
def test_one_changed_patch_is_at_the_place_of_its_token(name):
    model, (width, height) = opened(name), SIZES[name]
    corner = np.array(picture(width=width, height=height))
    corner[:8, :8], corner[:8, 8:16] = 0, 255  # so that the darkest and the brightest colour stay
    first = Image.fromarray(corner)
    grid = model.trace(WORDS, picture=first).pictures[0].grid
    row, column = grid[0] - 1, 1
    high, wide = height // grid[0], width // grid[1]
    pixels = np.array(first)
    part = np.s_[row * high : (row + 1) * high, column * wide : (column + 1) * wide]
    pixels[part] = 255 - pixels[part]

    def without_spread(name, tensor):
        return torch.eye(tensor.shape[-1]).expand(tensor.shape) if name in APART else tensor

    traces = [
        model.trace(WORDS, picture=each, intervention=without_spread) for each in (first, Image.fromarray(pixels))
    ]
    keys = [trace.records[TEXT_KIND[name]].keys[0] for trace in traces]  # of the first layer, (head, token, d)
    changed = np.flatnonzero(np.abs(keys[0] - keys[1]).max(axis=(0, 2)) > 1e-4)
    assert changed.tolist() == [traces[0].pictures[0].place(row, column)]
    shown = np.abs(traces[0].pictures[0].pixels - traces[1].pictures[0].pixels).max(axis=-1) > 0.02
    outside = shown.copy()
    outside[part] = False
    assert shown[part].any() and not outside.any()  # the picture that is shown has it in the same place


@pytest.mark.parametrize("name", TILED)
def test_tiles_of_a_picture_have_their_tokens(name):
    """A changed patch is in its tile, and in the smaller picture of the whole, which is the first or the last one."""
    model, pixels = opened(name), np.array(picture())
    pixels[40:56, 16:32] = 255 - pixels[40:56, 16:32]  # of the tile below the first one: rows 8 to 24, columns 16 to 32

    def without_spread(name, tensor):
        return torch.eye(tensor.shape[-1]).expand(tensor.shape) if name in APART else tensor

    first, second = (
        model.trace(WORDS, picture=image, intervention=without_spread) for image in (picture(), Image.fromarray(pixels))
    )
    assert len(first.pictures) == 5 and first.picture_text.pictures == 1
    np.testing.assert_allclose(model.trace(WORDS, picture=picture()).attention("decoder"), own_maps(name), atol=1e-5)
    keys = [trace.records["decoder"].keys[0] for trace in (first, second)]
    changed = set(np.flatnonzero(np.abs(keys[0] - keys[1]).max(axis=(0, 2)) > 1e-4).tolist())
    tiles = first.pictures[1:] if name == "llava-next" else first.pictures[:-1]
    side = 32 // tiles[0].grid[0]  # of the square of pixels that a token stands for
    expected = {tiles[2].place(row, column) for row, column in np.ndindex(*tiles[0].grid) if _within(row, column, side)}
    assert changed & {int(place) for tile in tiles for place in tile.places} == expected
    assert len(changed) > len(expected)


def _within(row: int, column: int, side: int) -> bool:
    """Whether the square of a token meets the pixels that were changed."""
    return row * side < 24 and (row + 1) * side > 8 and column * side < 32 and (column + 1) * side > 16


def own_maps(name: str) -> np.ndarray:
    trace = opened(name).trace(WORDS, picture=picture())
    return torch.cat(list(own_output(name, trace).attentions)).numpy()


def test_patches_of_a_tower_with_windows_are_row_by_row():
    """Its positions go window by window; a patch that is changed has another query in its own row of the map."""
    model, first = opened("qwen2.5-vl"), picture()
    pixels = np.array(first)
    pixels[40:48, 16:24] = 255 - pixels[40:48, 16:24]  # row 5, column 2
    towers = [model.trace(WORDS, picture=each).pictures[0].tower for each in (first, Image.fromarray(pixels))]
    assert towers[0].grid == (8, 8) and towers[0].records["vision"].layers == (1,)  # the other layers see windows
    change = np.abs(towers[0].records["vision"].queries - towers[1].records["vision"].queries).max(axis=(0, 1, 3))
    rows, columns = np.divmod(np.flatnonzero(change > 1e-4), 8)
    assert set(rows) == {4, 5, 6, 7} and set(columns) == {0, 1, 2, 3}  # its window, in which layer 0 has spread it


def test_a_map_over_the_picture_has_each_part_s_weight():
    trace = opened("llava").trace(WORDS, picture=picture())
    (own,) = trace.pictures
    weights = trace.attention("decoder")
    over = own.over(weights[1, 2, -1])
    assert over.shape == own.grid == (4, 4)
    assert over[2, 3] == weights[1, 2, -1, own.place(2, 3)] > 0
    assert own.over(weights.mean(axis=(0, 1))).shape == (trace.picture_text.is_picture.size, 4, 4)
    assert [trace.source.labels[place] for place in own.places] == [
        f"picture token {number}" for number in range(1, 17)
    ]


@pytest.mark.parametrize("name", ["llava", "gemma3", "qwen2.5-vl"])
def test_several_pictures_are_where_their_placeholders_are(name):
    model = opened(name)
    placeholder = model.pictured.processor.image_token
    text = f"A {placeholder} and {placeholder} too"
    first, second = picture(1), picture(2, width=96 if name == "qwen2.5-vl" else 64)
    trace = model.trace(text, picture=[first, second])
    pictures = trace.pictures
    assert len(pictures) == 2 and pictures[0].places.max() < pictures[1].places.min() - 1
    assert trace.verify().max_difference < 1e-5
    alone = [model.trace(WORDS, picture=each) for each in (first, second)]
    for own, each in zip(pictures, alone, strict=True):
        np.testing.assert_allclose(own.pixels, each.pictures[0].pixels, atol=0.01)
        towers = own.tower.records["vision"], each.records["vision"]
        np.testing.assert_allclose(towers[0].weights, towers[1].weights, atol=1e-5)
    assert [len(maps) for maps in trace.attention("vision")] == [len(alone[0].attention("vision"))] * 2
    assert "vision" not in trace.records  # one for each picture


@pytest.mark.parametrize("name", ["llava", "qwen2.5-vl"])
def test_methods_take_several_pictures_too(name):
    """Of inputs that run together, each has its own pictures, in their order."""
    model = opened(name)
    placeholder, pictures = model.pictured.processor.image_token, [picture(1), picture(2)]
    texts = [f"A {placeholder} and {placeholder} {last}" for last in ("fox", "car")]
    trace, other = (model.trace(text, picture=pictures) for text in texts)
    swapped = model.trace(texts[0], picture=pictures[::-1])
    assert np.abs(trace.logits[-1] - swapped.logits[-1]).max() > 1e-3
    causes = model.with_picture(pictures)
    lens = causes.logit_lens(trace)
    np.testing.assert_allclose(lens.top_probabilities[-1, -1, 0], trace.probabilities[-1].max(), rtol=1e-3)
    with pytest.raises(CausalError, match="another picture"):
        causes.logit_lens(swapped)
    index = int(trace.logits[-1].argmax())
    patched = causes.patch(*texts, Logit(index))
    assert patched.donor == pytest.approx(float(trace.logits[-1, index]), abs=1e-4)
    assert patched.receiver == pytest.approx(float(other.logits[-1, index]), abs=1e-4)
    assert patched.grid.values[-1, -1] == pytest.approx(patched.donor, abs=1e-4)  # all that the answer is read from
    effects = ablate(model, trace)
    assert effects["decoder"].shape == (2, 4) and np.abs(effects["decoder"]).max() > 0
    assert model.generate(texts[0], 3, picture=pictures) == model.generate(trace.picture_text, 3)


def test_heads_of_text_and_pictures_are_ablated_and_scored():
    model = opened("llava")
    trace = model.trace(WORDS, picture=picture())
    scored = model.scored(trace)
    assert scored == tuple(
        trace.source.labels[place] for place in range(1, 24) if not trace.picture_text.is_picture[place]
    )
    losses = -torch.from_numpy(trace.logits).double().log_softmax(dim=-1)
    assert model.score(trace)[-1] == pytest.approx(float(losses[-2, trace.source.ids[-1]]), abs=1e-6)
    effects = ablate(model, trace)
    assert {kind: effect.shape for kind, effect in effects.items()} == {"vision": (2, 4), "decoder": (2, 4)}
    without = HeadInterventions((Scale("vision", ((0, 1),), 0.0),))
    changed = model.trace(trace.given, intervention=without)
    assert changed.verify().max_difference < 1e-5
    expected = model.score(changed).mean() - model.score(trace).mean()
    assert effects["vision"][0, 1] == pytest.approx(expected) and expected != 0


def test_text_that_every_token_sees_is_not_scored():
    model = opened("paligemma")
    trace = model.trace(WORDS, picture=picture())
    with pytest.raises(OpenError, match="none is predicted"):
        model.score(trace)
    trace = opened("gemma3").trace(WORDS, picture=picture())
    assert len(opened("gemma3").score(trace)) == len(trace.ordinary_places) - 1


@pytest.mark.parametrize("name", BUILDERS)
def test_a_continuation_is_that_of_the_library(name):
    network, processor = build(name)
    model = opened(name)
    trace = model.trace(WORDS, picture=picture())
    with torch.no_grad():
        new = network.generate(**trace.picture_text.inputs, max_new_tokens=4, do_sample=False)
    own = processor.tokenizer.decode(new[0, len(trace.source.ids) :], skip_special_tokens=True)
    assert model.generate(WORDS, 4, picture=picture()) == own
    nothing = HeadInterventions((Scale(VISION.name, ((0, 0),), 1.0),))
    assert model.generate(WORDS, 4, picture=picture(), intervention=nothing) == own


def test_text_alone_is_read_as_before():
    model = opened("llava")
    assert model.unread == () and model.task == "complete"
    assert list(model.trace(WORDS).records) == ["decoder"] and model.trace(WORDS).pictures == ()
    assert opened("qwen2.5-vl").unread == ("videos",)


def test_one_layer_of_text_and_pictures_can_be_kept():
    trace = opened("llava").trace(WORDS, picture=picture(), keep=1)
    assert {name: record.layers for name, record in trace.records.items()} == {"decoder": (1,), "vision": (1,)}


def test_a_folder_opens_with_its_processor(tmp_path):
    network, processor = build("llava")
    network.save_pretrained(tmp_path)
    processor.save_pretrained(tmp_path)
    trace = open_model(tmp_path, device="cpu").trace(WORDS, picture=picture())
    np.testing.assert_allclose(trace.logits, opened("llava").trace(WORDS, picture=picture()).logits, atol=1e-4)


def test_a_chat_has_its_picture_in_the_first_message():
    network, processor = build("llava")
    template = (
        "{% for m in messages %}{{ m['role'] }}: {% for part in m['content'] %}"
        "{{ '<image>' if part['type'] == 'image' else part['text'] }}{% endfor %} {% endfor %}"
    )
    model = open_model(network, reader=type(processor)(
        processor.image_processor, processor.tokenizer, patch_size=8, chat_template=template,
        vision_feature_select_strategy="default", num_additional_image_tokens=1,
    ))  # fmt: skip
    trace = model.trace(messages=[{"role": "user", "content": "fox"}], picture=picture())
    assert (
        "".join(trace.source.labels).startswith("user:\u2423picture token 1picture token 2")
        and len(trace.pictures) == 1
    )


WRONG = [
    ({"given": WORDS, "picture": []}, "no picture"),
    ({"given": WORDS, "picture": "cat.png"}, "open a file first"),
    ({"given": WORDS, "picture": {"pixel_values": np.zeros((3, 32, 32))}}, r"Image\.fromarray"),
    ({"given": "<image> <image> fox", "picture": picture()}, "2 placeholders"),
    ({"given": [5, 6], "picture": picture()}, "not with ids"),
    ({"given": WORDS, "picture": picture(), "second": "A dog."}, "without second"),
    ({"given": "fox " * 60, "picture": picture()}, "64 positions"),
    ({"given": WORDS, "picture": picture(), "keep": 5}, "no attention in layer 5"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), WRONG, ids=[message for _, message in WRONG])
def test_a_wrong_use_is_one_sentence(arguments, message):
    with pytest.raises(OpenError, match=message):
        opened("llava").trace(**arguments)


def test_models_that_read_no_pictures_with_text_say_so():
    network, processor = build("llava")
    alone = open_model(network, reader=processor.tokenizer)
    assert alone.unread == ("pictures",)
    with pytest.raises(OpenError, match="its processor is missing"):
        alone.trace(WORDS, picture=picture())
    with pytest.raises(OpenError, match="only with a picture"):
        opened("paligemma").trace(WORDS)
    with pytest.raises(OpenError, match="only with a picture"):
        opened("paligemma").generate(WORDS)


def test_a_folder_whose_processor_needs_a_library_opens_its_text_and_says_so(tmp_path):
    if find_spec("torchvision") is not None:
        pytest.skip("torchvision is installed")
    network, processor = build("qwen2.5-vl")
    network.save_pretrained(tmp_path)
    processor.save_pretrained(tmp_path)
    file = tmp_path / "processor_config.json"
    own = {
        "processor_class": "Qwen2_5_VLProcessor",
        "video_processor": {"video_processor_type": "Qwen2VLVideoProcessor"},
    }
    file.write_text(json.dumps(json.loads(file.read_text()) | own))
    model = open_model(tmp_path, device="cpu")
    assert model.unread == ("pictures", "videos") and model.trace(WORDS).verify().max_difference < 1e-5
    with pytest.raises(OpenError, match="needs the library (?i:torchvision)"):
        model.trace(WORDS, picture=picture())
