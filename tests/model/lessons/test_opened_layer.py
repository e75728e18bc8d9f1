"""The numbers of an opened layer, recomputed with NumPy from the weights and the residual stream alone."""

import numpy as np
import pytest

from model import Translator
from model.lessons.opened_layer import open_layer

SENTENCE = "The little dog sleeps today."


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load(device="cpu")


def array(tensor) -> np.ndarray:
    return tensor.detach().numpy().astype(np.float64)


def through(linear, vector: np.ndarray) -> np.ndarray:
    return vector @ array(linear.weight).T + array(linear.bias)


def norm(module, vector: np.ndarray) -> np.ndarray:
    normal = (vector - vector.mean()) / np.sqrt(vector.var() + module.norm.eps)
    return normal * array(module.norm.weight) + array(module.norm.bias)


def attend(module, query: np.ndarray, stream: np.ndarray, heads: int) -> tuple[list[dict], np.ndarray]:
    """Every head of one query, and what the sub-layer adds."""
    q, k, v = through(module.query, query), through(module.key, stream), through(module.value, stream)
    parts = np.split(np.arange(len(q)), heads)
    every = []
    for part in parts:
        scores = k[:, part] @ q[part] / np.sqrt(len(part))
        weights = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
        every.append({"q": q[part], "k": k[:, part], "v": v[:, part], "scores": scores, "weights": weights})
    outputs = [each["weights"] @ each["v"] for each in every]
    return every, through(module.output, np.concatenate(outputs))


def check(opened, own: dict, stream: list[np.ndarray]) -> None:
    length = np.linalg.norm
    assert opened.query == pytest.approx(length(own["q"]), rel=1e-4)
    np.testing.assert_allclose(opened.keys, length(own["k"], axis=1), rtol=1e-4)
    np.testing.assert_allclose(opened.values, length(own["v"], axis=1), rtol=1e-4)
    np.testing.assert_allclose(opened.weights, own["weights"], atol=1e-5)
    assert opened.mean == pytest.approx(length(own["weights"] @ own["v"]), rel=1e-4)
    assert (*opened.attention, *opened.feed_forward) == pytest.approx([length(each) for each in stream], rel=1e-4)


@pytest.mark.parametrize(("layer", "head", "place"), [(0, 2, 3), (3, 7, 0)])
def test_a_place_of_the_encoder(translator, layer, head, place):
    trace = translator.trace(SENTENCE)
    network = translator.network
    block, stream = network.encoder[layer], trace.encoder_stream[layer].astype(np.float64)
    every, added = attend(block.self_attention, stream[place], stream, 8)
    after = norm(block.self_norm, stream[place] + added)
    hidden = np.maximum(0, through(block.feed_forward.expand, after))
    output = through(block.feed_forward.contract, hidden)
    opened = open_layer(network, trace, "encoder", layer, head, place)
    check(
        opened, every[head], [stream[place], added, after, after, output, norm(block.feed_forward_norm, after + output)]
    )
    np.testing.assert_allclose(opened.scores, every[head]["scores"], atol=1e-4)
    assert (opened.input, opened.units) == (pytest.approx(np.linalg.norm(stream[place]), rel=1e-5), len(hidden))
    assert opened.fired == (hidden > 0).sum() and opened.sizes == (len(added), len(added) // 8)


@pytest.mark.parametrize("place", [0, 4])
def test_a_place_of_the_decoder_reads_only_earlier_tokens_and_then_the_source(translator, place):
    trace = translator.trace(SENTENCE)
    network, layer, head = translator.network, 1, 5
    block, stream = network.decoder[layer], trace.decoder_stream[layer].astype(np.float64)
    earlier, added = attend(block.self_attention, stream[place], stream[: place + 1], 8)
    middle = norm(block.self_norm, stream[place] + added)
    source, read = attend(block.cross_attention, middle, trace.encoder_stream[-1].astype(np.float64), 8)
    after = norm(block.cross_norm, middle + read)
    output = through(block.feed_forward.contract, np.maximum(0, through(block.feed_forward.expand, after)))
    last = [after, output, norm(block.feed_forward_norm, after + output)]
    check(open_layer(network, trace, "cross", layer, head, place), source[head], [middle, read, after, *last])
    masked = open_layer(network, trace, "decoder", layer, head, place)
    np.testing.assert_allclose(masked.scores[: place + 1], earlier[head]["scores"], atol=1e-4)
    np.testing.assert_allclose(masked.weights[: place + 1], earlier[head]["weights"], atol=1e-5)
    assert np.isneginf(masked.scores[place + 1 :]).all() and not masked.weights[place + 1 :].any()
    assert masked.attention == pytest.approx(
        [np.linalg.norm(each) for each in (stream[place], added, middle)], rel=1e-4
    )
