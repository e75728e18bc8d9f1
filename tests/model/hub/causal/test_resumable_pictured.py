"""Causal methods on texts with a picture: runs are the model's own, and a patched cell is that of a hook by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from model.causal.causal_error import CausalError
from model.causal.metrics import Logit
from model.causal.resumable import stream_name
from model.hub.causal.opened_pair import pair_texts
from model.hub.causal.stream_proof import added_between
from model.hub.errors import OpenError
from model.open_model import open_model
from tests.model.hub.causal.live_models import live
from tests.model.hub.tiny_pictured import WORDS, build, picture
from tests.tiers import nightly

OTHER = "The quick dog"
NAMES = ["llava", *map(nightly, ("paligemma", "gemma3", "qwen2.5-vl", "qwen3-vl", "llava-next", "idefics3"))]


def opened(name: str):
    network, processor = build(name)
    return open_model(network, reader=processor)


def run_by_hand(model, text: str, image, replaced=None) -> tuple[list[torch.Tensor], torch.Tensor]:
    """What each layer of the text reads, and the logits; `replaced` is a layer, a position and a vector put there."""
    read: list[torch.Tensor] = []
    (block,) = [name for name, kind in model.pictured.check.kinds.items() if kind.stack == "decoder"]

    def hook(_, arguments, options, number):
        stream = (arguments or (options["hidden_states"],))[0].clone()
        if replaced is not None and replaced[0] == number:
            stream[0, replaced[1]] = replaced[2]
        read.append(stream)
        if arguments:
            return (stream, *arguments[1:]), options
        return arguments, {**options, "hidden_states": stream}

    layers = model.network.get_submodule(block)
    handles = [
        layer.register_forward_pre_hook(lambda *call, number=number: hook(*call, number), with_kwargs=True)
        for number, layer in enumerate(layers)
    ]
    try:
        with torch.no_grad():
            output = model.network(**model.read_pictures(text, image).inputs)
    finally:
        for handle in handles:
            handle.remove()
    return read, output.logits[0]


@pytest.mark.parametrize("name", NAMES)
def test_a_patched_cell_is_that_of_a_hook(name):
    model, image = opened(name), picture(3, 64, 48)
    pictured = model.with_picture(image)
    ids = [np.array(model.read_pictures(text, image).tokens.ids) for text in (WORDS, OTHER)]
    place = int(np.flatnonzero(ids[0] != ids[1])[0])
    clean, _ = run_by_hand(model, WORDS, image)
    _, logits = run_by_hand(model, OTHER, image, (1, place, clean[1][0, place]))
    result = pictured.patch(WORDS, OTHER, Logit(5))
    assert result.grid.values[1, place] == pytest.approx(float(logits[-1, 5]), abs=2e-5)
    assert result.check.everything < 1e-5 and result.check.nothing < 1e-5
    assert np.abs(result.effects[0, ids[0] == ids[1]]).max() < 1e-5 < abs(result.effects[0, place])  # of the picture


@pytest.mark.parametrize(
    "name", ["llava", *map(nightly, ("paligemma", "gemma3", "qwen2.5-vl", "llava-next", "idefics3"))]
)
def test_two_texts_with_pictures_of_their_own(name):
    """The same text with another picture: a part of the picture is patched as by a hook, all parts give the donor."""
    model, images = opened(name), (picture(3, 64, 48), picture(5, 64, 48))
    pictured = model.with_picture(*images)
    tokens = model.read_pictures(WORDS, images[0])
    place = int(np.flatnonzero(tokens.is_picture)[1])
    clean, own = run_by_hand(model, WORDS, images[0])
    _, corrupt = run_by_hand(model, WORDS, images[1])
    _, logits = run_by_hand(model, WORDS, images[1], (1, place, clean[1][0, place]))
    result = pictured.patch(WORDS, WORDS, Logit(5))
    assert result.donor == pytest.approx(float(own[-1, 5]), abs=2e-5)
    assert result.receiver == pytest.approx(float(corrupt[-1, 5]), abs=2e-5)
    assert name == "gemma3" or result.donor != result.receiver  # whose last word the tiny picture does not reach
    assert result.grid.values[1, place] == pytest.approx(float(logits[-1, 5]), abs=2e-5)
    assert result.check.everything < 1e-5 and result.check.nothing < 1e-5
    assert np.abs(result.effects[0][~tokens.is_picture]).max() < 1e-5  # of the words before the first layer
    pair = pair_texts(pictured, WORDS, WORDS)
    assert not pair.are_equal and pair_texts(model.with_picture(images[0]), WORDS, WORDS).are_equal
    paths = pictured.path_patch(WORDS, WORDS, Logit(5))
    assert (paths.receiver, paths.donor) == pytest.approx((result.donor, result.receiver), abs=2e-5)  # noising


@pytest.mark.parametrize("name", NAMES)
def test_the_last_row_of_the_lens_is_the_model_with_its_picture(name):
    model, image = opened(name), picture(4)
    trace = model.trace(WORDS, picture=image)
    lens = model.with_picture(image).logit_lens(trace)
    expected = torch.from_numpy(trace.logits).double().softmax(dim=-1).amax(dim=-1)
    np.testing.assert_allclose(lens.top_probabilities[-1, :, 0], expected, atol=1e-5)
    other = model.with_picture(picture(5)).logit_lens(model.trace(WORDS, picture=picture(5)))
    assert np.abs(other.top_probabilities[-1] - lens.top_probabilities[-1]).max() > 1e-4


def test_noise_on_a_word_after_a_picture_has_its_check():
    model, image = opened("llava"), picture(4)
    pictured = model.with_picture(image)
    trace = pictured.trace(WORDS)
    word = int(np.flatnonzero(trace.picture_text.is_picture)[-1]) + 2
    result = pictured.patch_noise(trace, [word], samples=2)
    assert result.check.everything < 1e-5 and result.donor != result.receiver


@torch.no_grad()
def test_what_pictures_add_between_layers_belongs_to_the_stream():
    """Qwen3-VL adds features of the picture after its first layer, at the tokens of the picture alone."""
    model, image = opened("qwen3-vl"), picture(3, 64, 48)
    pictured = model.with_picture(image)
    causal = pictured.resumable
    assert causal.streams.places.joined == {"decoder": frozenset({1})} and causal.proof.disturbed < 1e-5
    trace = pictured.trace(WORDS)
    run = causal.record(pictured.read_trace(trace).inputs)
    read, logits = run_by_hand(model, WORDS, image)
    for layer, stream in enumerate(read):
        np.testing.assert_allclose(run.tensors[stream_name("decoder", layer)], stream, atol=1e-6)
    (added,) = added_between(causal.streams.places, run.tensors).values()
    np.testing.assert_array_equal(added[0].abs().amax(dim=-1) > 1e-6, trace.picture_text.is_picture)
    for position in (-1, int(np.flatnonzero(trace.picture_text.is_picture)[-1])):  # a word, and a part of the picture
        attribution = pictured.logit_attribution(trace, 5, position=position)
        assert attribution.logit == pytest.approx(float(logits[position, 5]), abs=1e-5)
        assert abs(attribution.remainder) < 1e-5


def test_what_depends_on_the_stream_between_layers_is_refused():
    model = opened("qwen3-vl")
    process = model.network.model.language_model._deepstack_process
    model.network.model.language_model._deepstack_process = lambda stream, *rest: 1.5 * process(stream, *rest)
    with pytest.raises(CausalError, match="Changed parts"):
        _ = model.with_picture(picture()).resumable


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: opened("llava").with_picture("no picture"), OpenError, "picture"),
        (lambda: live("gpt2").with_picture(picture()), OpenError, "leave `picture` out"),
        (lambda: _lens(picture(1), {"picture": picture(2)}), CausalError, "has another picture"),
        (lambda: _lens(picture(1), {}), CausalError, "has no picture"),
        (lambda: _patch("qwen3-vl", picture(1), picture(2)), CausalError, "adds its picture between layers too"),
        (lambda: _patch("qwen2.5-vl", picture(1), picture(2, 96, 64)), CausalError, "in different sizes"),
        (lambda: _patch("llava", picture(1), [picture(2), picture(3)]), CausalError, "in different sizes"),
        (
            lambda: opened("llava").logit_lens(opened("llava").trace(WORDS, picture=picture())),
            CausalError,
            "with_picture",
        ),
    ],
)
def test_what_is_impossible_is_one_sentence(call, error, message):
    with pytest.raises(error, match=message):
        call()


def _patch(name: str, image, other):
    return opened(name).with_picture(image, other).patch(WORDS, OTHER)


def _lens(image, traced: dict):
    model = opened("llava")
    return model.with_picture(image).logit_lens(model.trace(WORDS, **traced))
