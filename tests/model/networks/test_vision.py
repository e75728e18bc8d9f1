"""The ViT is the paper's: same numbers as Hugging Face's, patches in reading order, interpolated positions."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from model.export.vit import write_vit
from model.networks.tap import Intervention, Recorder, identity_tap
from model.networks.vision import VisionConfig, VisionTransformer, to_patches
from tests.model.images import CLASSES, tiny_vision


def pixels(*shape: int, seed: int = 1) -> torch.Tensor:
    return torch.rand(shape, generator=torch.Generator().manual_seed(seed)) * 2 - 1


@pytest.fixture(scope="module")
def peer(tmp_path_factory):
    """Hugging Face's ViT with our weights, from the exported files."""
    from transformers import ViTForImageClassification

    folder = tmp_path_factory.mktemp("vit")
    ours = tiny_vision()
    write_vit(ours, folder)
    theirs, report = ViTForImageClassification.from_pretrained(
        folder, attn_implementation="eager", output_loading_info=True
    )
    assert not report["missing_keys"] and not report["unexpected_keys"]
    assert tuple(theirs.config.id2label.values()) == CLASSES
    return ours, theirs.eval()


@torch.inference_mode()
def test_logits_and_attentions_are_hugging_faces(peer):
    ours, theirs = peer
    recorder = Recorder()
    batch = pixels(3, 3, 12, 12)
    logits = ours(batch, recorder)
    expected = theirs(batch, output_attentions=True)
    torch.testing.assert_close(logits, expected.logits, atol=1e-4, rtol=0)
    for layer, attention in enumerate(expected.attentions):
        torch.testing.assert_close(recorder.tensors[f"vision.{layer}.self.weights"], attention, atol=1e-4, rtol=0)


@torch.inference_mode()
@pytest.mark.parametrize("size", [(8, 8), (24, 24), (12, 20)])
def test_another_size_interpolates_positions_as_hugging_face_does(peer, size):
    ours, theirs = peer
    batch = pixels(2, 3, *size)
    expected = theirs(batch, interpolate_pos_encoding=True).logits
    torch.testing.assert_close(ours(batch), expected, atol=1e-4, rtol=0)


def test_a_resized_network_computes_what_interpolation_did_at_that_size():
    network, batch = tiny_vision(), pixels(2, 3, 24, 24)
    with torch.no_grad():
        before = network(batch)
        network.resize(24)
        assert network.config.image_size == 24 and len(network.position_embedding) == 1 + network.config.grid**2
        assert torch.equal(network(batch), before)
    with pytest.raises(ValueError, match="whole number"):
        network.resize(25)


@torch.inference_mode()
def test_explicit_attention_equals_fused():
    network, batch = tiny_vision(), pixels(2, 3, 12, 12)
    torch.testing.assert_close(network(batch, identity_tap), network(batch), atol=1e-5, rtol=0)


def test_patches_are_cut_in_reading_order_with_colours_one_after_another():
    image = torch.arange(2 * 3 * 4 * 6).reshape(2, 3, 4, 6)
    patches = to_patches(image, 2)
    assert patches.shape == (2, 6, 12)
    for number in range(6):
        row, column = divmod(number, 3)
        block = image[:, :, 2 * row : 2 * row + 2, 2 * column : 2 * column + 2]
        assert torch.equal(patches[:, number], block.reshape(2, 12))


@torch.inference_mode()
def test_patch_embedding_is_a_convolution_with_the_same_numbers():
    network, batch = tiny_vision(), pixels(2, 3, 12, 12)
    weight = network.patch_embedding.weight.unflatten(1, (3, 4, 4))
    expected = F.conv2d(batch, weight, network.patch_embedding.bias, stride=4).flatten(2).transpose(1, 2)
    torch.testing.assert_close(network.patch_embedding(to_patches(batch, 4)), expected, atol=1e-5, rtol=0)


@torch.inference_mode()
def test_the_sequence_is_cls_then_patches_each_with_its_position():
    network, batch = tiny_vision(), pixels(1, 3, 12, 12)
    recorder = Recorder()
    network(batch, recorder)
    embedded = recorder.tensors["vision.embedded"][0]
    assert embedded.shape == (10, 16)
    torch.testing.assert_close(embedded[0], network.class_embedding + network.position_embedding[0])
    torch.testing.assert_close(embedded[1:], recorder.tensors["vision.patches"][0] + network.position_embedding[1:])


@torch.inference_mode()
def test_without_positions_the_order_of_patches_does_not_matter():
    network, batch = tiny_vision(), pixels(1, 3, 12, 12)
    order = torch.from_numpy(np.random.default_rng(0).permutation(9))
    shuffle = {"vision.patches": lambda patches: patches[:, order]}
    drop = {"vision.positions": torch.zeros_like}
    with_positions = network(batch), network(batch, Intervention(shuffle))
    assert not torch.allclose(*with_positions, atol=1e-3)
    without = network(batch, Intervention(drop)), network(batch, Intervention({**shuffle, **drop}))
    torch.testing.assert_close(*without, atol=1e-5, rtol=0)


def test_stochastic_depth_skips_whole_images_in_training_only():
    network = tiny_vision(n_layers=1, drop_path=0.5).train()
    assert network.layers[0].drop_path == 0  # the first layer is never skipped
    network = tiny_vision(n_layers=3, drop_path=0.5).train()
    assert [layer.drop_path for layer in network.layers] == [0, 0.25, 0.5]
    layer, stream = network.layers[2], torch.ones(400, 2, 16)
    torch.manual_seed(0)
    scaled = layer._skip(stream)
    assert set(scaled.flatten().tolist()) == {0.0, 2.0}
    assert (scaled == scaled[:, :1, :1]).all()
    assert 0.4 < (scaled[:, 0, 0] > 0).float().mean() < 0.6
    assert torch.equal(layer.eval()._skip(stream), stream)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (dict(image_size=13), "no whole number of patches of 4 pixels"),
        (dict(d_model=15), "not divisible by n_heads 2"),
        (dict(n_layers=0), "n_layers is 0; it must be at least 1"),
        (dict(drop_path=1.0), "drop_path 1.0 is outside"),
        (dict(classes=("one",)), "at least two classes"),
    ],
)
def test_impossible_sizes_are_refused(changes, sentence):
    sizes = dict(classes=CLASSES, image_size=12, patch_size=4, d_model=16, n_heads=2)
    with pytest.raises(ValueError, match=sentence):
        VisionConfig(**{**sizes, **changes})


def test_the_configuration_survives_json():
    config = tiny_vision().config
    assert VisionConfig.from_dict(config.to_dict()) == config
    assert (config.grid, config.patch_values) == (3, 48)
    with pytest.raises(ValueError, match="unknown keys: colour"):
        VisionConfig.from_dict({**config.to_dict(), "colour": 1})


def test_a_picture_that_is_no_whole_number_of_patches_is_refused():
    with pytest.raises(ValueError, match="multiples of 4 pixels"):
        tiny_vision()(pixels(1, 3, 12, 13))


def test_all_parameters_learn():
    network = tiny_vision()
    network(pixels(2, 3, 12, 12)).square().sum().backward()
    for name, parameter in network.named_parameters():
        assert parameter.grad is not None and (parameter.grad != 0).any() or name.endswith("attention.key.bias"), name
    assert sum(p.numel() for p in VisionTransformer(VisionConfig(CLASSES)).parameters()) > 2_500_000
