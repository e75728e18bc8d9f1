"""The causal methods of opened models: what is measured for each task, their checks, and what is refused."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import transformers
from PIL import Image

from model.attribution.rollout import rollout
from model.causal.causal_error import CausalError
from model.causal.head_replacement import record_pool
from model.causal.metrics import Logit, LogitDifference, Probability, TargetLoss
from model.hub.errors import OpenError
from model.open_model import open_model
from tests.model.hub import tiny
from tests.model.hub.causal.live_models import live
from tests.model.hub.conftest import PICTURE
from tests.tiers import nightly

CLEAN, CORRUPT = "The quick brown fox jumps", "The quick brown dog jumps"
MASKED = "The quick [MASK] fox jumps", "The quick [MASK] dog jumps"
METRIC = LogitDifference(5, 9)


def pair_of(name: str) -> tuple:
    model = live(name)
    if model.vision:
        return PICTURE, PICTURE.transpose(Image.Transpose.ROTATE_90)
    return MASKED if model.task == "fill" else (CLEAN, CORRUPT)


def test_the_token_that_follows_is_measured():
    model = live("llama")
    experiment = model.prepare_experiment(CLEAN, CORRUPT)
    first, second = (int(model.trace(text).logits[-1].argmax()) for text in (CLEAN, CORRUPT))
    assert experiment.metric == LogitDifference(first, second, -1)
    assert experiment.clean_labels["decoder"] == model.trace(CLEAN).source.labels


def test_a_target_is_measured_by_its_loss():
    model = live("llama")
    experiment = model.prepare_experiment(CLEAN, CORRUPT, " over")
    ids = tuple(model.reader(" over", add_special_tokens=False)["input_ids"])
    assert experiment.metric == TargetLoss(ids, tuple(range(-len(ids), 0)))
    assert experiment.clean[0].shape[1] == len(model.trace(CLEAN).source.ids) + len(ids) - 1


def test_the_masked_token_is_measured():
    model = live("bert")
    trace = model.trace(MASKED[0])
    place = trace.source.ids.index(model.reader.mask_token_id)
    read = model.read_trace(trace)
    assert read.metric == TargetLoss((int(trace.logits[place].argmax()),), (place,))
    assert read.next_ids[1] == trace.source.ids[1]
    assert model.prepare_experiment(CLEAN, CORRUPT).metric is None  # nothing is masked


def test_classes_are_measured():
    model = live("vit")
    trace = model.trace(PICTURE)
    assert model.read_trace(trace).metric == Probability(int(trace.logits.argmax()))
    whole = model.prepare_experiment(trace.received, trace.received)
    assert whole.metric == Probability(int(trace.logits.argmax()))
    assert whole.clean_labels["vision"][0] == "CLS"
    texts = live("bert-classes")
    assert isinstance(texts.prepare_experiment(CLEAN, CORRUPT).metric, LogitDifference | Probability)
    form = dataclasses.replace(texts.trace(CLEAN), form="scores")
    assert isinstance(texts.read_trace(form).metric, Probability | Logit)


def test_a_translation_is_fed_what_both_answers_share(monkeypatch):
    model = live("bart")
    answers = {CLEAN: (2, 30, 31, 32), CORRUPT: (2, 30, 40)}
    own = type(model)._read

    def read(self, given, second, target, language):
        return own(self, given, second, answers[given], language)

    monkeypatch.setattr(type(model), "_read", read)
    experiment = model.prepare_experiment(CLEAN, CORRUPT)
    assert experiment.clean[1].tolist() == [[2, 30]]
    assert experiment.metric == LogitDifference(31, 40)


@pytest.mark.parametrize(
    "name", ["gpt2", "bert", "vit", nightly("llama"), nightly("gpt-neox"), nightly("bert-classes")]
)
@pytest.mark.parametrize("direction", ["denoising", nightly("noising")])
def test_patching_everything_reproduces_the_other_run(name, direction):
    model = live(name)
    metric = LogitDifference(1, 2) if model.classes is not None else METRIC
    for site in ("residual", "head_output", "feed_forward_output"):
        result = model.patch(*pair_of(name), metric, site, direction=direction)
        assert max(result.check.everything, result.check.nothing) < 1e-5
        assert abs(result.check.effect_of_nothing) < 1e-5
        assert np.abs(result.effects).max() > 1e-3
    last = model.patch(*pair_of(name), metric, direction=direction)
    place = 0 if model.classes is not None else -1  # CLS has the answer of a classifier, the last position of a text
    if model.task != "fill":
        assert last.restored[-1, place] == pytest.approx(1, abs=1e-3)


def test_heads_that_share_keys_are_patched_one_by_one():
    model = live("llama")  # four heads, two of keys
    keys = model.patch(CLEAN, CORRUPT, METRIC, "keys")
    assert keys.grid.values.shape == (2, 4)
    assert len(set(np.round(keys.effects[0], 9))) == 4


@pytest.mark.parametrize("name", ["gpt2", "bert", "vit", nightly("llama"), nightly("bart"), nightly("gemma2")])
def test_integrated_gradients_are_complete(name):
    model = live(name)
    trace = model.trace(pair_of(name)[0]) if name != "bart" else model.trace(CLEAN, target=CORRUPT)
    result = model.integrated_gradients(trace)
    assert abs(result.gap) < 0.02 * abs(result.value - result.baseline)
    assert len(result.labels[next(iter(result.labels))]) == len(next(iter(result.attributions.values())))


@pytest.mark.parametrize("name", ["gpt2", "vit", "bart", nightly("gpt-j"), nightly("llama"), nightly("deit")])
def test_parts_sum_to_the_logit(name):
    model = live(name)
    trace = model.trace(CLEAN, target=CORRUPT) if name == "bart" else model.trace(pair_of(name)[0])
    result = model.logit_attribution(trace)
    assert abs(result.remainder) < 1e-4
    assert result.logit == pytest.approx(float(np.atleast_2d(trace.logits)[-1, result.index]), abs=1e-5)


@pytest.mark.parametrize("name", ["gpt2", "bert", "vit", "bert-classes"])
def test_the_last_row_of_the_lens_is_the_answer(name):
    model = live(name)
    result = model.logit_lens(model.trace(pair_of(name)[0]))
    assert result.difference < 1e-5
    assert (result.divergence[-1] == 0).all()


def test_noise_and_replaced_heads_have_their_checks():
    model = live("gpt2")
    trace, other = model.trace(CLEAN), model.trace(CORRUPT)
    assert model.patch_noise(trace, [1], samples=2).check.everything < 1e-5
    for replacement in ("mean", "resample"):
        result = model.replace_heads(trace, replacement, others=[other], samples=2, pairs_among=2)
        assert result.nothing == 0
        assert np.abs(result.effects["decoder"]).max() > 0
    pool = record_pool(model.resumable, [model.read_trace(other).inputs])
    assert pool.outputs["decoder"].shape[1:] == (2, 4, 8)


def test_scores_on_repeated_ids_use_no_special_tokens():
    model = live("bert")
    ids, most = model.resumable.ordinary_ids()
    assert not set(ids.tolist()) & set(model.reader.all_special_ids)
    assert most == 32
    assert model.head_scores(length=4, rows=2).row_sum_error < 1e-6
    with pytest.raises(CausalError, match="choose at most 32"):
        model.head_scores(length=40)


def test_long_grids_state_their_time():
    model = live("gpt2")
    estimate = model.estimate_patching(CLEAN, CORRUPT)
    assert estimate.runs == model.patch(CLEAN, CORRUPT, METRIC).grid.values.size
    assert estimate.seconds > 0
    assert not estimate.asks_first
    assert dataclasses.replace(estimate, runs=2001).asks_first


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: live("dinov2").prepare_experiment(PICTURE, PICTURE), "predicts nothing"),
        (lambda: live("vit").prepare_experiment(PICTURE, "a text"), "reads pictures"),
        (lambda: live("vit").prepare_experiment(PICTURE, PICTURE, "a text"), "no target text"),
        (lambda: live("gpt2").prepare_experiment(CLEAN, PICTURE), "reads text"),
        (lambda: live("bert").prepare_experiment(CLEAN, CORRUPT, "a"), "goes on writing"),
        (lambda: live("gpt2").patch(CLEAN, CORRUPT + " over", METRIC), "give an alignment"),
        (lambda: live("gpt2").patch(CLEAN, CORRUPT, Logit(10_000)), "no logit 10,000"),
        (lambda: live("gpt-j").path_patch(CLEAN, CORRUPT, METRIC), "do not pass our tap"),
        (lambda: live("bert").logit_attribution(live("bert").trace(CLEAN)), "not a matrix times"),
        (lambda: live("qwen3").composition(), "not linear"),
        (lambda: live("bart").composition(), "cross-attention"),
        (lambda: live("bert").copying_scores(), "continues text"),
        (lambda: live("vit").head_scores(), "reads text"),
        (lambda: live("gpt2").logit_lens("no trace"), "as model.trace"),
    ],
)
def test_what_is_impossible_is_refused_by_a_sentence(call, message):
    with pytest.raises(CausalError, match=message):
        call()


def test_answers_from_several_positions_have_no_lens():
    """DINOv2 classifies by CLS and the mean of all patches."""
    sizes = tiny.PICTURE_MODELS["dinov2"][2]
    network = transformers.Dinov2ForImageClassification(transformers.Dinov2Config(**sizes, num_labels=3)).eval()
    model = open_model(network, reader=tiny.processor())
    trace = model.trace(PICTURE)
    with pytest.raises(CausalError, match="several positions together"):
        model.logit_lens(trace)
    assert model.patch(*pair_of("vit"), LogitDifference(1, 2)).check.everything < 1e-5


def test_rollout_of_an_opened_model():
    model = live("bert")
    trace = model.trace(CLEAN)
    shares = model.rollout(trace)
    np.testing.assert_array_equal(shares, rollout(trace.attention("encoder")))
    np.testing.assert_allclose(shares.sum(axis=-1), 1, atol=1e-6)
    with pytest.raises(OpenError, match="all layers"):
        model.rollout(model.trace(CLEAN, keep=1))
    translator = live("bart")
    pair = translator.trace(CLEAN, target=CORRUPT)
    with pytest.raises(OpenError, match="within one sequence"):
        translator.rollout(pair, "cross")
    with pytest.raises(OpenError, match="no attention of kind"):
        model.rollout(trace, "decoder")
