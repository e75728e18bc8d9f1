"""The kinds of positions against independent computations, and the whole network with each."""

import numpy as np
import pytest
import torch

from model import TransformerConfig
from model.decoding.search import DecodingOptions, beam_search, greedy_batch
from model.export.marian import ExportError, marian_tensors
from model.lessons.position_effects import positions_tap
from model.networks.attention import FIRST_CAPACITY
from model.networks.config import POSITION_KINDS, SizeError, part_sizes
from model.networks.masks import padding_mask
from model.networks.positional import sinusoidal_encoding
from model.networks.relative_positions import RotaryPositions, alibi_slopes
from model.networks.tap import Recorder, identity_tap
from model.networks.transformer import CachedDecoder, Transformer, parameter_count
from tests.model.networks import random_ids, tiny_network
from tests.tiers import nightly

OTHERS = ("rotary", "alibi", "none")  # sinusoids have tests of their own, and learned vectors are added like them
KINDS = pytest.mark.parametrize("kind", [nightly("sinusoidal"), nightly("learned"), *OTHERS])
SOURCE, TARGET = random_ids(3, 9), random_ids(3, FIRST_CAPACITY + 3, seed=2)
SOURCE[1, 6:] = 0
SOURCE[2, 2:] = 0


def test_an_older_config_has_sinusoids_and_an_unknown_kind_is_refused():
    older = TransformerConfig.preset("tiny").to_dict()
    del older["positions"]
    assert TransformerConfig.from_dict(older).positions == "sinusoidal"
    network = tiny_network()
    assert torch.equal(network.positions, sinusoidal_encoding(512, 16))
    assert not any("positions" in name for name in network.state_dict())
    with pytest.raises(SizeError, match="no positions of the kind relative; choose one of sinusoidal, learned, rotary"):
        TransformerConfig(positions="relative")
    with pytest.raises(SizeError, match="d_k 3 is odd; rotary positions rotate pairs"):
        TransformerConfig(d_model=12, n_heads=4, positions="rotary")


def test_rotary_positions_equal_a_product_of_complex_numbers():
    rotary = RotaryPositions(12, 512)
    vectors, places = torch.randn(2, 3, 5, 12, dtype=torch.float64), torch.tensor([[0, 1, 7, 100, 511]])
    turns = torch.exp(1j * places[0][:, None] * 10_000.0 ** -(torch.arange(6, dtype=torch.float64) / 6))
    expected = torch.view_as_real(torch.view_as_complex(vectors.unflatten(-1, (6, 2)).contiguous()) * turns).flatten(-2)
    assert (rotary.rotate(vectors, places) - expected).abs().max() < 1e-6


def test_rotary_scores_depend_on_the_distance_alone():
    rotary = RotaryPositions(12, 512)
    query, key = torch.randn(2, 1, 1, 1, 12, dtype=torch.float64)
    places = torch.arange(40)[None]
    queries, keys, _ = rotary(query.expand(-1, -1, 40, -1), key.expand(-1, -1, 40, -1), places)
    scores = (queries @ keys.mT)[0, 0]
    for offset in range(-39, 40):
        diagonal = scores.diagonal(offset)
        assert (diagonal - diagonal[0]).abs().max() < 1e-5
    assert np.ptp(scores[0].numpy()) > 0.1
    shifted = rotary(query.expand(-1, -1, 40, -1), key.expand(-1, -1, 40, -1), places + 300)
    assert (shifted[0] @ shifted[1].mT - scores).abs().max() < 1e-5


def test_slopes_of_linear_biases():
    assert alibi_slopes(8) == [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]
    assert alibi_slopes(2) == [1 / 16, 1 / 256] and alibi_slopes(1) == [1 / 256]
    assert alibi_slopes(12)[:8] == alibi_slopes(8)
    assert alibi_slopes(12)[8:] == [2**-0.5, 2**-1.5, 2**-2.5, 2**-3.5]


@torch.no_grad()
def test_biases_are_the_distance_in_self_attention_and_nothing_in_cross_attention():
    network, recorder = tiny_network(positions="alibi", n_heads=8), Recorder()
    network(SOURCE[:1], TARGET[:1, :7], recorder)
    distances = (torch.arange(9)[:, None] - torch.arange(9)).abs()
    for layer in range(2):
        for head in range(8):
            bias = recorder.tensors[f"encoder.{layer}.self.bias"][0, head]
            assert torch.equal(bias, -distances * 2.0 ** -(head + 1)) and torch.equal(bias, bias.T)
            assert torch.equal(recorder.tensors[f"decoder.{layer}.self.bias"][0, head], bias[:7, :7])
        steps = (recorder.tensors[f"encoder.{layer}.self.{step}"] for step in ("queries", "keys", "scores"))
        queries, keys, scores = steps
        taken = distances * torch.tensor(alibi_slopes(8))[:, None, None]
        assert (queries @ keys.mT / 2**0.5 - taken - scores).abs().max() < 1e-5
    assert not any(name.endswith((".cross.bias", ".cross.positions")) for name in recorder.tensors)


@torch.no_grad()
def test_without_positions_the_encoder_commutes_with_permutations():
    order = torch.tensor([4, 0, 8, 2, 1, 7, 3, 6, 5])
    for kind in POSITION_KINDS:
        network = tiny_network(positions=kind)
        moved = (network.encode(SOURCE[:1, order]) - network.encode(SOURCE[:1])[:, order]).abs().max()
        assert moved < 1e-5 if kind == "none" else moved > 1e-2


@torch.no_grad()
@KINDS
def test_permuted_positions_equal_permuted_tokens(kind):
    network = tiny_network(positions=kind)
    tap = positions_tap(network, "encoder", "reversed", 9, 5)
    expected = network.encode(SOURCE[:1].flip(1)).flip(1)
    assert (network.encode(SOURCE[:1], None, tap) - expected).abs().max() < 1e-5


@torch.no_grad()
@KINDS
def test_recorded_fused_padded_and_cached_forms_agree(kind):
    network = tiny_network(positions=kind)
    whole, recorder = network(SOURCE, TARGET), Recorder()
    assert (network(SOURCE, TARGET, recorder) - whole).abs().max() < 1e-5
    weights = [tensor for name, tensor in recorder.tensors.items() if name.endswith(".weights")]
    assert len(weights) == 6 and all((tensor.sum(-1) - 1).abs().max() < 1e-5 for tensor in weights)
    for row, length in enumerate((9, 6, 2)):
        assert (network(SOURCE[row : row + 1, :length], TARGET[row : row + 1]) - whole[row]).abs().max() < 1e-5
    allowed = padding_mask(SOURCE, 0)
    for tap, length in ((None, TARGET.shape[1]), (identity_tap, 5)):
        decoder = CachedDecoder(network, network.encode(SOURCE, allowed, tap), allowed, tap)
        steps = [decoder.step(TARGET[:, position]) for position in range(length)]
        assert (torch.stack(steps, dim=1) - whole[:, :length]).abs().max() < 1e-5


@torch.inference_mode()
@KINDS
def test_greedy_decoding_and_beams_follow_the_uncached_network(kind):
    network = tiny_network(positions=kind)
    sentences = [[*SOURCE[0].tolist(), 3], [*SOURCE[2, :2].tolist(), 3]]
    for sentence, generated in zip(sentences, greedy_batch(network, sentences, 12), strict=True):
        logits = network(network.ids(sentence), network.ids([2, *generated[:-1]]))[0]
        logits[:, list(network.config.never_generated)] = -torch.inf
        assert logits.argmax(-1).tolist() == list(generated)
    best, *_ = beam_search(network, sentences[0], DecodingOptions("beam", beam=3, max_length=8))
    logits = network(network.ids(sentences[0]), network.ids([2, *best.ids[:-1]]))[0]
    total = logits.log_softmax(-1)[range(len(best.ids)), list(best.ids)].sum().item()
    assert total == pytest.approx(best.log_probability, abs=1e-4)


@torch.no_grad()
def test_learned_positions_are_rows_that_are_trained_and_end():
    config = TransformerConfig.preset("tiny", max_positions=9, positions="learned")
    network = Transformer(config)
    assert network.state_dict()["positions"].shape == (9, 16)
    assert sum(part.total for part in part_sizes(config)) == parameter_count(network)
    assert parameter_count(network) == parameter_count(tiny_network()) + 9 * 16
    row = network.eval().embed(torch.tensor([[5, 6]]))[0, 1]
    torch.testing.assert_close(row, network.embedding.weight[6] * 4 + network.positions[1])
    with pytest.raises(ValueError, match="35 positions are more than the 9 this model has"):
        network(SOURCE, TARGET)


def test_the_other_weights_are_equal_for_one_seed():
    first, *others = (tiny_network(positions=kind).state_dict() for kind in POSITION_KINDS)
    for other in others:
        assert all(torch.equal(first[name], other[name]) for name in first if first[name].ndim == 2)


@pytest.mark.parametrize("kind", POSITION_KINDS[1:])
def test_other_positions_are_not_exported_to_marian(kind):
    with pytest.raises(ExportError, match=f"MarianMT has sinusoidal positions, and this network has others .{kind}."):
        marian_tensors(tiny_network(positions=kind))
