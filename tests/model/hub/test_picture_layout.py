"""Positions of patches are found for every size of picture and proven; other tokens keep their own names."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import torch
import transformers
from PIL import Image

from model import HeadInterventions, OpenError
from model.hub.opened_pictures import patch_trace
from model.hub.picture_layout import PictureLayout
from model.hub.tasks import body_of
from model.open_model import open_model
from model.tracing.head_interventions import Scale
from tests.model.hub import tiny
from tests.model.hub.test_tasks import build

WIDE = Image.linear_gradient("L").resize((96, 40)).convert("RGB")
TALL = Image.radial_gradient("L").resize((40, 72)).convert("RGB")
VIT = tiny.PICTURE | {"num_labels": 3}
DINO = tiny.PICTURE | {"mlp_ratio": 2}
YOLOS = tiny.PICTURE | {"image_size": [32, 32], "num_detection_tokens": 3}

# configuration, class, sizes, leading tokens, trailing tokens
LAYOUTS = [
    ("ViT", "ViTForImageClassification", VIT, 1, 0), ("ViT", "ViTModel", tiny.PICTURE, 1, 0),
    ("DeiT", "DeiTForImageClassification", VIT, 2, 0), ("Dinov2", "Dinov2Model", DINO, 1, 0),
    ("Dinov2WithRegisters", "Dinov2WithRegistersModel", DINO | {"num_register_tokens": 4}, 5, 0),
    ("DINOv3ViT", "DINOv3ViTModel", tiny.PICTURE | {"num_register_tokens": 2}, 3, 0),
    ("SiglipVision", "SiglipVisionModel", tiny.PICTURE, 0, 0), ("CLIPVision", "CLIPVisionModel", tiny.PICTURE, 1, 0),
    ("Yolos", "YolosModel", YOLOS, 1, 3), ("Beit", "BeitForImageClassification", VIT, 1, 0),
    ("IJepa", "IJepaModel", tiny.PICTURE, 0, 0),
]  # fmt: skip
INTERPOLATING = [
    layout
    for layout in LAYOUTS
    if layout[0] in ("ViT", "DeiT", "Dinov2", "Dinov2WithRegisters", "CLIPVision", "SiglipVision", "DINOv3ViT", "Yolos")
]


def processor(**size: int):
    """One that keeps the aspect ratio, or makes one size."""
    if "shortest_edge" in size:
        return transformers.BitImageProcessor(size=size, do_center_crop=False)
    return transformers.ViTImageProcessor(size=size)


def embedding(network, received: np.ndarray) -> torch.Tensor:
    """First hidden states `(position, width)` of a picture."""
    pixels, options = torch.from_numpy(received)[None], {}
    body = body_of(network)
    if "interpolate_pos_encoding" in inspect.signature(body.forward).parameters:
        options["interpolate_pos_encoding"] = True
    states: list[torch.Tensor] = []
    layers = next(m for m in body.modules() if isinstance(m, torch.nn.ModuleList))
    hook = layers[0].register_forward_pre_hook(lambda _, a, k: states.append((*a, *k.values())[0]), with_kwargs=True)
    with torch.no_grad():
        body(pixel_values=pixels, **options)
    hook.remove()
    return states[0][0]


def check_positions(model, network, trace) -> None:
    """Change the pixels of single patches: exactly the position with that patch's label has another embedding."""
    rows, columns = trace.grid
    high, wide = trace.received.shape[1] // rows, trace.received.shape[2] // columns
    before, labels = embedding(network, trace.received), trace.axes("vision")[0]
    for row, column in ((0, 0), (rows - 1, 1), (rows // 2, columns - 1)):
        changed = trace.received.copy()
        changed[:, row * high : (row + 1) * high, column * wide : (column + 1) * wide] *= -0.5
        changed[:, row * high : (row + 1) * high, column * wide : (column + 1) * wide] += 0.3
        moved = (embedding(network, changed) - before).abs().amax(dim=1) > 1e-5
        assert [labels[place] for place in moved.nonzero().flatten()] == [f"row {row + 1}, column {column + 1}"]
    assert len(labels) == trace.attention("vision").shape[-1] == len(before)


@pytest.mark.parametrize(("config", "architecture", "sizes", "leading", "trailing"), LAYOUTS)
def test_labels_belong_to_the_patches_that_change(config, architecture, sizes, leading, trailing):
    network = build(config, architecture, sizes)
    model = open_model(network, reader=processor(height=32, width=32))
    trace = model.trace(WIDE)
    assert (trace.grid, trace.leading, trace.trailing) == ((4, 4), leading, trailing)
    check_positions(model, network, trace)
    labels = trace.axes("vision")[0]
    assert [label for label in labels if label.startswith("token")] == [
        f"token {n} after the patches" for n in range(1, trailing + 1)
    ]


@pytest.mark.parametrize(("config", "architecture", "sizes", "leading", "trailing"), INTERPOLATING)
def test_the_number_of_patches_follows_the_picture(config, architecture, sizes, leading, trailing):
    network = build(config, architecture, sizes)
    model = open_model(network, reader=processor(shortest_edge=32))
    for picture in (WIDE, TALL, WIDE.resize((48, 48))):
        trace = model.trace(picture)
        height, width = trace.received.shape[1:]
        assert trace.grid == (height // 8, width // 8) and min(trace.grid) == 4
        assert (trace.leading, trace.trailing) == (leading, trailing)
        check_positions(model, network, trace)
        assert trace.verify().max_difference < 1e-5
        plan = HeadInterventions((Scale("vision", ((0, 1),), 0.0),))
        assert model.trace(picture, intervention=plan).verify().max_difference < 1e-5
        count = leading + trailing + trace.grid[0] * trace.grid[1]
        assert model.shapes_of(trace)["vision"] == (2, 4, count, count)
        if leading:
            assert patch_trace(trace).attention.shape[-1] == 1 + trace.grid[0] * trace.grid[1]


def test_the_memory_of_maps_is_that_of_the_picture(monkeypatch):
    """Not of the square picture with which the model was tried when it was opened."""
    asked = []
    monkeypatch.setattr(
        "model.hub.opened_model.plan_retention", lambda maps, layers, keep: asked.append(maps) or _stop()
    )
    model = open_model(build("ViT", "ViTForImageClassification", VIT), reader=processor(shortest_edge=32))
    for picture in (WIDE, WIDE.resize((320, 40))):
        with pytest.raises(OpenError, match="Enough"):
            model.trace(picture)
    assert asked == [2 * 4 * (1 + 4 * columns) ** 2 for columns in (9, 32)]


def _stop():
    raise OpenError("Enough.")


def test_gradients_and_occlusion_of_a_picture_that_is_not_square():
    network = build("ViT", "ViTForImageClassification", VIT)
    model = open_model(network, reader=processor(shortest_edge=32))
    trace = patch_trace(model.trace(WIDE))
    patches = trace.grid[0] * trace.grid[1]
    assert all(score.shape == (patches,) for score in model.gradient_scores(trace, 1).scores.values())
    (curves,) = model.occlusions(trace, np.arange(patches)[None])
    assert curves.deletion[0].shape == (3,)
    np.testing.assert_allclose(curves.deletion[0], trace.probabilities, atol=1e-5)


@pytest.mark.parametrize(("config", "architecture"), [("ViT", "ViTForImageClassification"), ("Dinov2", "Dinov2Model")])
def test_pictures_of_one_channel(config, architecture):
    sizes = VIT | {"num_channels": 1, "mlp_ratio": 2}
    network = build(config, architecture, sizes)
    grey = transformers.ViTImageProcessor(size={"height": 32, "width": 32}, image_mean=[0.5], image_std=[0.5])
    model = open_model(network, reader=grey)
    trace = model.trace(WIDE)
    assert trace.received.shape == (1, 32, 32) and trace.pixels.shape == (32, 32, 3)
    check_positions(model, network, trace)
    expected = np.asarray(WIDE.convert("L").resize((32, 32), Image.Resampling.BILINEAR)) / 127.5 - 1
    np.testing.assert_allclose(trace.received[0], expected, atol=2e-2)
    if architecture.endswith("Classification"):
        assert model.gradient_scores(patch_trace(trace), 0).scores


def test_a_model_whose_patches_overlap_is_refused():
    """Positions are proven; where a changed patch changes several of them, nothing is drawn."""
    network = build("ViT", "ViTForImageClassification", VIT)
    projection = network.vit.embeddings.patch_embeddings.projection
    projection.register_forward_hook(lambda module, inputs, output: output + output.roll(1, dims=3))
    with pytest.raises(OpenError, match="Which position of this model is which patch of 4 x 4 cannot be proven"):
        open_model(network, reader=processor(height=32, width=32))


def test_the_layout_counts_every_token():
    assert PictureLayout((2, 3), 5, 4).positions == 15
