"""The convolutional network: compared with torch.nn, shapes for every size, and a small number of parameters."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from model.networks.convolution import Convolution, ConvolutionalNetwork, ConvolutionConfig, ResidualBlock
from model.networks.tap import Intervention, Recorder, identity_tap
from tests.model.images import CLASSES, tiny_convolution

MOST_PARAMETERS = 3_000_000


def random(*shape: int, seed: int = 1) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@torch.inference_mode()
@pytest.mark.parametrize(("size", "stride"), [(1, 1), (3, 1), (3, 2), (5, 2)])
@pytest.mark.parametrize("side", [8, 9])
def test_a_convolution_is_torch_nns_with_the_same_filters(size, stride, side):
    torch.manual_seed(0)
    ours = Convolution(6, 10, size, stride)
    theirs = nn.Conv2d(6, 10, size, stride, size // 2, bias=False)
    theirs.weight.copy_(ours.filters)
    maps = random(2, 6, side, side)
    torch.testing.assert_close(ours(maps), theirs(maps), atol=1e-5, rtol=0)


def test_a_row_of_the_matrix_is_one_filter_with_channels_last():
    convolution = Convolution(2, 3, 3)
    numbers = torch.arange(3 * 9 * 2, dtype=torch.float32)
    with torch.no_grad():
        convolution.weight.copy_(numbers.view(3, 18))
    assert torch.equal(convolution.filters, numbers.view(3, 3, 3, 2).permute(0, 3, 1, 2))
    assert convolution.filters.is_contiguous(memory_format=torch.channels_last)


@torch.inference_mode()
def test_a_block_adds_its_convolutions_output_times_each_channels_share():
    torch.manual_seed(0)
    block = ResidualBlock(8, 16, 2, squeeze=4).eval()
    nn.init.normal_(block.second_norm.weight)
    stream = random(3, 8, 6, 6)
    result = F.silu(block.first_norm(F.conv2d(stream, block.first.filters, None, 2, 1)))
    result = block.second_norm(F.conv2d(result, block.second.filters, None, 1, 1))
    share = block.excite(F.silu(block.squeeze(result.flatten(2).mean(2)))).sigmoid()
    before = F.conv2d(F.avg_pool2d(stream, 2), block.shortcut.filters)
    expected = F.silu(before + torch.einsum("bchw,bc->bchw", result, share))
    torch.testing.assert_close(block(stream), expected, atol=1e-5, rtol=0)


@torch.inference_mode()
@pytest.mark.parametrize("size", [(16, 16), (32, 32), (33, 17), (128, 96)])
def test_every_size_of_picture_gives_one_logit_a_class(size):
    network = tiny_convolution()
    recorder = Recorder()
    logits = network(random(2, 3, *size), recorder)
    assert logits.shape == (2, len(CLASSES)) and logits.isfinite().all()
    rows, columns = (-(-side // 4) for side in size)
    assert recorder.tensors["convolution.stem"].shape == (2, 8, rows, columns)
    last = recorder.tensors["convolution.3"]
    assert last.shape == (2, 16, -(-rows // 2), -(-columns // 2))
    torch.testing.assert_close(logits, network.head(last.mean(dim=(2, 3))), atol=1e-6, rtol=0)


@torch.inference_mode()
def test_a_tap_receives_and_changes_the_stream_after_every_block():
    network, pixels = tiny_convolution(), random(1, 3, 32, 32)
    recorder = Recorder()
    plain = network(pixels, recorder)
    assert list(recorder.tensors) == ["convolution.stem", *(f"convolution.{number}" for number in range(4))]
    assert torch.equal(network(pixels), plain) and torch.equal(network(pixels, identity_tap), plain)
    without = network(pixels, Intervention({"convolution.3": torch.zeros_like}))
    torch.testing.assert_close(without[0], network.head.bias)


@torch.inference_mode()
def test_a_picture_shifted_by_whole_cells_shifts_the_maps():
    """Translation equivariance, except at the borders, which depend on padding, and for shares of whole pictures."""
    network, pixels = tiny_convolution(widths=(8, 16), blocks=1), random(1, 3, 96, 96)
    for block in network.blocks:
        nn.init.zeros_(block.excite.weight)  # so that each channel's share is the same for every picture
    maps = []
    for window in (pixels[..., :80, :80], pixels[..., 8:88, 8:88]):  # 8 pixels are one cell of the last stage
        recorder = Recorder()
        network(window, recorder)
        maps.append(recorder.tensors["convolution.1"])  # (1, 16, 10, 10)
    torch.testing.assert_close(maps[0][..., 5, 5], maps[1][..., 4, 4], atol=1e-5, rtol=1e-5)
    assert not torch.allclose(maps[0][..., 5, 5], maps[1][..., 5, 5], atol=1e-2)


def test_the_network_that_ships_is_small_enough():
    network = ConvolutionalNetwork(ConvolutionConfig(CLASSES))
    assert 2_500_000 < sum(parameter.numel() for parameter in network.parameters()) <= MOST_PARAMETERS


def test_all_parameters_learn():
    network = tiny_convolution().train()
    network(random(4, 3, 32, 32)).square().sum().backward()
    for name, parameter in network.named_parameters():
        assert parameter.grad is not None and (parameter.grad != 0).any(), name


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (dict(blocks=0), "blocks is 0; it must be at least 1"),
        (dict(widths=()), "widths is empty"),
        (dict(widths=(8, 10)), "A stage of 10 channels: choose a multiple of squeeze, which is 4"),
        (dict(image_size=7), "smaller than one place of the last stage; choose at least 8"),
        (dict(classes=("one",)), "at least two classes"),
    ],
)
def test_impossible_sizes_are_refused(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        ConvolutionConfig(**{**dict(classes=CLASSES, image_size=32, widths=(8, 16), squeeze=4), **changes})


def test_the_configuration_survives_json():
    config = tiny_convolution().config
    assert ConvolutionConfig.from_dict(config.to_dict()) == config
    assert config.to_dict()["widths"] == [8, 16]
    assert (config.stride, config.positions(32), config.positions(40)) == (8, 16, 25)
    with pytest.raises(ValueError, match="unknown keys: colour"):
        ConvolutionConfig.from_dict({**config.to_dict(), "colour": 1})
