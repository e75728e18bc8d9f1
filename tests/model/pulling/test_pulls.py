"""Sweep and control of a pull, compared with single runs, and the two examples of the shipped translator."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from model import HeadInterventions, InterventionError, Translator
from model.pulling.deltas import pulled_weights
from model.pulling.pulls import WEIGHTS, heads_in_scope
from model.tracing.head_interventions import Forbid, NoMask, Pull, Scale

LAYER_4 = heads_in_scope("layer", ((3, 0),), 4, 8)


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load(device="cpu")


@pytest.fixture(scope="module")
def robe(translator):
    """A trace, and the pull of "small" where "robe" is chosen."""
    trace = translator.trace("She is wearing a small red dress.")
    return trace, Pull("cross", LAYER_4, 4, 4)


@pytest.mark.parametrize(
    "pull",
    [
        Pull("cross", LAYER_4, 4, 4),
        Pull("cross", ((3, 7),), 0, 6),
        Pull("decoder", heads_in_scope("all", (), 4, 8), 1, 3),
        Pull("encoder", heads_in_scope("layer", ((0, 0),), 4, 8), 2, 5),
    ],
)
def test_each_row_of_a_sweep_is_a_single_run(translator, robe, pull):
    trace, _ = robe
    sweep = translator.sweep_pull(trace, pull, weights=(0, 0.3, 1))
    for weight, delta, row in zip(sweep.weights, sweep.deltas, sweep.translations, strict=True):
        single = Pull(pull.kind, pull.heads, pull.key, pull.query, delta)
        result = translator.intervene(trace, HeadInterventions((single,)))
        assert row.text == result.translation
        changed = [result.after.records[pull.kind].weights[place] for place in pull.heads]
        if len({layer for layer, _ in pull.heads}) == 1:  # later layers read what earlier ones changed
            assert np.mean([head[pull.query, pull.key] for head in changed]) == pytest.approx(weight, abs=1e-5)
        if pull.kind == "encoder":
            assert row.chosen is None and math.isnan(row.probability)
            continue
        logits = result.after.logits[pull.query].astype(np.float64)
        logits[list(translator.network.config.never_generated)] = -np.inf
        chances = np.sort(np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum())[::-1]
        assert row.probability == pytest.approx(chances[0], abs=1e-5)
        assert row.margin == pytest.approx(chances[0] - chances[1], abs=1e-5)
        assert row.ids[: pull.query] == trace.next_ids[: pull.query]  # nothing changes before the place


def test_a_sweep_states_which_word_appears_at_which_weight(translator, robe):
    trace, pull = robe
    sweep = translator.sweep_pull(trace, pull)
    assert sweep.weights == WEIGHTS and len(sweep.translations) == 17
    own = trace.cross_attention[3, :, 4, 4]
    assert sweep.before == pytest.approx(own.mean())
    assert pulled_weights(own, sweep.deltas[8]).mean() == pytest.approx(0.5, abs=1e-6)
    (first, low, before), (second, after, high) = sweep.words
    assert (first.strip(), low) == ("robe", 0) and (second.strip(), high) == ("petite", 1)
    assert before + 1 / 16 == after


def test_a_specific_pull(translator, robe):
    """No other key gives "petite"."""
    trace, pull = robe
    control = translator.control_pull(trace, pull, 0.75)
    assert control.pulled.chosen.strip() == "petite" and control.same == ()
    assert control.keys == (0, 1, 2, 3, 5, 6, 7, 8)
    assert not control.nearly_tied


def test_a_pull_that_many_keys_would_do(translator):
    """Many keys give "il", and hiding "animal" changes nothing."""
    trace = translator.trace("The animal didn't cross the street because it was too tired.")
    control = translator.control_pull(trace, Pull("cross", LAYER_4, 1, 14), 0.75)
    assert control.pulled.chosen == "il" and "qu'il était" in control.pulled.text
    assert (len(control.same), len(control.keys)) == (7, 16)
    assert control.hidden.chosen == "elle"


@pytest.mark.parametrize("sentence", ["My neighbour sold three old chairs.", "We swim in the cold river every Sunday!"])
@pytest.mark.parametrize(
    "pull",
    [
        Pull("cross", LAYER_4, 1, 2),
        Pull("cross", heads_in_scope("all", (), 4, 8), 3, 0),
        Pull("decoder", LAYER_4, 0, 5),
        Pull("decoder", ((0, 1), (2, 3)), 2, 3),
        Pull("encoder", heads_in_scope("layer", ((1, 0),), 4, 8), 2, 1),
    ],
)
def test_a_control_that_ends_with_the_pulled_token_states_the_same(translator, sentence, pull):
    trace = translator.trace(sentence)
    whole, ended = (translator.control_pull(trace, pull, 0.8, whole=whole) for whole in (True, False))
    assert (ended.keys, ended.same, ended.nearly_tied) == (whole.keys, whole.same, whole.nearly_tied)
    rows = zip((whole.pulled, *whole.others, whole.hidden), (ended.pulled, *ended.others, ended.hidden), strict=True)
    for long, short in rows:
        end = len(long.ids) if pull.kind == "encoder" else pull.query + 1
        assert short.ids == long.ids[:end] and short.chosen == long.chosen
        if short.chosen is not None:
            assert (short.probability, short.margin) == pytest.approx((long.probability, long.margin), abs=2e-6)


def test_the_weight_is_that_of_the_drawn_heads_and_the_scope_may_be_wider(translator, robe):
    trace, _ = robe
    drawn = ((2, 5),)
    pull = Pull("cross", heads_in_scope("layer", drawn, 4, 8), 4, 4)
    sweep = translator.sweep_pull(trace, pull, drawn, weights=(0.5,))
    assert pulled_weights([trace.cross_attention[2, 5, 4, 4]], sweep.deltas[0])[0] == pytest.approx(0.5)
    with pytest.raises(InterventionError, match="no scope 'head'"):
        heads_in_scope("head", drawn, 4, 8)


def test_earlier_interventions_stay(translator, robe):
    trace, pull = robe
    earlier = HeadInterventions((Scale("cross", ((0, 0), (1, 3)), 0.0), Forbid("encoder", ((2, 2),), (1,))))
    after = translator.intervene(trace, earlier).after
    sweep = translator.sweep_pull(after, pull, weights=(0.9,), earlier=earlier)
    single = Pull("cross", pull.heads, pull.key, pull.query, sweep.deltas[0])
    together = translator.intervene(trace, HeadInterventions((*earlier.changes, single)))
    assert sweep.translations[0].text == together.translation


@pytest.mark.parametrize(
    ("pull", "weight", "sentence"),
    [
        (Pull("cross", LAYER_4, 40, 4), 0.5, "There is no key 40"),
        (Pull("cross", LAYER_4, 4, 40), 0.5, "There is no query 40"),
        (Pull("cross", ((9, 0),), 4, 4), 0.5, "There is no head 0 in layer 9"),
        (Pull("cross", (), 4, 4), 0.5, "The pull names no head"),
        (Pull("decoder", LAYER_4, 5, 4), 0.5, "The mask hides key 5"),
        (Pull("decoder", LAYER_4, 0, 0), 0.5, "whatever its score"),
        (Pull("cross", LAYER_4, 4, 4), 2, "must be from 0 to 1"),
    ],
)
def test_impossible_pulls_are_refused_with_one_sentence(translator, robe, pull, weight, sentence):
    for run in (
        lambda: translator.sweep_pull(robe[0], pull, weights=(weight,)),
        lambda: translator.control_pull(robe[0], pull, weight),
    ):
        with pytest.raises(InterventionError, match=sentence):
            run()


def test_other_arguments_are_refused_with_one_sentence(translator, robe):
    trace, pull = robe
    for given, sentence in (
        (("a text", pull, 0.5), "a trace of this translator; this is a str"),
        ((trace, "a pull", 0.5), "Pass a Pull; this is a str"),
        ((trace, pull, "0.5"), "as numbers from 0 to 1; this is a str"),
        ((trace, pull, None), "as numbers from 0 to 1; this is a NoneType"),
    ):
        with pytest.raises(InterventionError, match=sentence):
            translator.control_pull(*given)
        with pytest.raises(InterventionError, match=sentence):
            translator.sweep_pull(*given[:2], weights=given[2:])


def test_a_removed_causal_mask_is_refused(translator, robe):
    unmasked = HeadInterventions((NoMask("decoder", ((0, 0),)),))
    with pytest.raises(InterventionError, match="put the mask back"):
        translator.sweep_pull(robe[0], robe[1], earlier=unmasked)


def test_a_row_of_a_batch_does_not_depend_on_its_neighbours(translator, robe):
    trace, pull = robe
    first, second = (translator.sweep_pull(trace, pull, weights=weights) for weights in ((0, 0.3, 1), (0.9, 0.3, 0.1)))
    assert first.translations[1] == second.translations[1]  # the same bits


def test_the_run_under_pulls_is_that_of_an_additive_mask(translator, robe):
    """PyTorch's own attention, with the number as a bias of the scores."""
    trace, pull = robe
    pulls = HeadInterventions((replace(pull, delta=2.75), replace(pull, key=2, query=1, delta=-math.inf)))
    under = translator.trace_under(trace, pulls)
    generated = translator.generate_under(trace, pulls)
    assert under.next_ids == generated.ids and under.target_ids == (translator.tokenizer.bos_id, *generated.ids[:-1])
    assert under.target_text == translator.intervene(trace, pulls).translation != trace.target_text
    record = under.records["cross"]
    queries, keys, values = (torch.from_numpy(array[3]) for array in (record.queries, record.keys, record.values))
    bias = torch.zeros(len(under.target_ids), len(under.source_ids))
    bias[4, 4], bias[1, 2] = 2.75, -math.inf
    outputs = torch.nn.functional.scaled_dot_product_attention(queries, keys, values, attn_mask=bias)
    np.testing.assert_allclose(outputs, record.outputs[3], atol=1e-5)
    np.testing.assert_allclose(record.weights.sum(axis=-1), 1, atol=1e-5)
    chances = [row.probability for row in under.predictions(1)]
    np.testing.assert_allclose(generated.probabilities, chances, atol=1e-5)


def test_nothing_changes_before_the_place_of_any_pull(translator, robe):
    trace, pull = robe
    pulls = HeadInterventions((replace(pull, delta=9.0), Pull("decoder", LAYER_4, 0, 6, 9.0)))
    after = translator.intervene(trace, pulls).after
    np.testing.assert_array_equal(after.logits[:4], trace.logits[:4])
    assert np.abs(after.logits[4:6] - trace.logits[4:6]).max() > 1e-3
