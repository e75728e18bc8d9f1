"""Attribution by attention maps: by hand, as sums over all paths, and as contributions to the sub-layer."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from model.attribution.source_attention import (
    SourceRollout,
    check_source_rollout,
    cross_attention_means,
    source_rollout,
    value_weighted,
)
from model.networks.tap import Recorder


def replace_attention(trace, encoder: np.ndarray, decoder: np.ndarray, cross: np.ndarray):
    """The trace with other maps, `(layer, head, query, key)` each."""
    weights = {"encoder": encoder, "decoder": decoder, "cross": cross}
    records = {kind: replace(trace.records[kind], weights=np.array(weights[kind], np.float32)) for kind in weights}
    length, width = cross.shape[2:]
    return replace(trace, records=records, target_ids=tuple(range(length)), source_ids=tuple(range(width)))


def test_means_of_cross_attention(trace):
    last, every = cross_attention_means(trace)
    maps = trace.cross_attention
    np.testing.assert_allclose(last, (maps[1, 0] + maps[1, 1]) / 2, atol=1e-7)
    np.testing.assert_allclose(every, (maps[0, 0] + maps[0, 1] + maps[1, 0] + maps[1, 1]) / 4, atol=1e-7)


def test_rollout_by_hand(trace):
    # Encoder: both tokens attend to the second, so it is [[1/2, 1/2], [0, 1]]. Decoder: all attend to the first.
    encoder, decoder = np.array([[[[0, 1], [0, 1]]]]), np.array([[[[1, 0], [1, 0]]]])
    cross = np.array([[[[1, 0], [0, 1]]]])
    result = source_rollout(replace_attention(trace, encoder, decoder, cross))
    np.testing.assert_allclose(result.source, [[0.25, 0.25], [0, 0.5]])
    np.testing.assert_allclose(result.target, [[0.5, 0], [0.25, 0.25]])
    # A second decoder layer of the same kind: mixes with the first position, then halves and adds the same again.
    twice = source_rollout(
        replace_attention(trace, encoder, np.tile(decoder, (2, 1, 1, 1)), np.tile(cross, (2, 1, 1, 1)))
    )
    np.testing.assert_allclose(twice.source, [[0.125 + 0.25, 0.125 + 0.25], [0.0625, 0.1875 + 0.5]])
    np.testing.assert_allclose(twice.target, [[0.25, 0], [0.1875, 0.0625]])


def paths(trace, position: int) -> tuple[np.ndarray, np.ndarray]:
    """Shares of a decoder position by following every path, in plain Python."""
    encoder, decoder, cross = (
        trace.attention(kind).astype(float).mean(axis=1) for kind in ("encoder", "decoder", "cross")
    )
    source, target = np.zeros(cross.shape[2]), np.zeros(cross.shape[1])

    def follow_encoder(layer: int, place: int, share: float) -> None:
        if layer < 0:
            source[place] += share
            return
        follow_encoder(layer - 1, place, share / 2)
        for key in range(len(source)):
            follow_encoder(layer - 1, key, share / 2 * encoder[layer, place, key])

    def follow_decoder(layer: int, place: int, share: float) -> None:
        if layer < 0:
            target[place] += share
            return
        for key in range(len(source)):
            follow_encoder(len(encoder) - 1, key, share / 2 * cross[layer, place, key])
        follow_decoder(layer - 1, place, share / 4)
        for key in range(place + 1):
            follow_decoder(layer - 1, key, share / 4 * decoder[layer, place, key])

    follow_decoder(len(decoder) - 1, position, 1.0)
    return source, target


def test_rollout_is_the_sum_over_all_paths(trace):
    result = source_rollout(trace)
    length = len(trace.target_ids)
    for position in (0, 2, length - 1):
        source, target = paths(trace, position)
        np.testing.assert_allclose(result.source[position], source, atol=1e-6)
        np.testing.assert_allclose(result.target[position], target, atol=1e-6)
    assert result.row_sum_error < 1e-12
    assert check_source_rollout(trace, result) < 1e-12
    assert (np.triu(result.target, 1) == 0).all()  # nothing comes from later tokens
    # two layers: one half of one half stays on the decoder's own tokens
    np.testing.assert_allclose(result.target.sum(axis=1), 0.25)


def test_the_check_detects_a_wrong_rollout(trace):
    result = source_rollout(trace)
    wrong = SourceRollout(result.source[:, ::-1], result.target)
    assert check_source_rollout(trace, wrong) > 1e-3
    assert SourceRollout(result.source * 2, result.target).row_sum_error == pytest.approx(0.75)


@torch.inference_mode()
def test_value_weighted_attention_is_the_length_of_each_tokens_contribution(network, trace):
    """Set the weights of all source tokens but one to 0, and compare the sub-layer's output without its bias."""
    source, target = torch.tensor([trace.source_ids]), torch.tensor([trace.target_ids])
    expected = np.zeros((len(trace.target_ids), len(trace.source_ids)))
    steps = {f"decoder.{layer}.cross.{step}" for layer in range(2) for step in ("weights", "values")}
    recorder = Recorder(steps)
    network.decode(target, network.encode(source, None, recorder), None, recorder)
    for layer in range(2):
        weights, values = (recorder.tensors[f"decoder.{layer}.cross.{step}"][0] for step in ("weights", "values"))
        output = network.decoder[layer].cross_attention.output
        for key in range(len(trace.source_ids)):
            heads = weights[:, :, key, None] * values[:, None, key]  # (head, T, d_k)
            contribution = output(heads.transpose(0, 1).flatten(1)) - output.bias
            expected[:, key] += contribution.norm(dim=1).numpy() / 2
    result = value_weighted(network, trace)
    np.testing.assert_allclose(result, expected, atol=1e-6)
    assert result.min() > 0
