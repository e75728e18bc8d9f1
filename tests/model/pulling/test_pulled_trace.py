"""A sentence under pulls, compared with single interventions of the shipped translator."""

import numpy as np
import pytest

from model import HeadInterventions, InterventionError, Translator
from model.attribution.intervention_result import token_losses
from model.pulling.pulled_trace import trace_pulls
from model.pulling.pulls import heads_in_scope
from model.tracing.head_interventions import Pull, Scale

LAYER_4 = heads_in_scope("layer", ((3, 0),), 4, 8)
TO_ANIMAL = Pull("cross", LAYER_4, 1, 14, 8.847)


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load(device="cpu")


@pytest.fixture(scope="module")
def trace(translator):
    return translator.trace("The animal didn't cross the street because it was too tired.")


def test_translation_weights_and_losses_are_those_of_an_intervention(translator, trace):
    plan = HeadInterventions((TO_ANIMAL,))
    pulled, single = trace_pulls(translator, trace, plan), translator.intervene(trace, plan)
    assert pulled.after.target_text == single.translation
    assert pulled.after.next_tokens[14].strip() == "il"
    assert pulled.after.cross_attention[3, :, 14, 1].mean() == pytest.approx(0.75, abs=1e-3)
    assert pulled.loss_before == pytest.approx(token_losses(trace).mean())
    assert pulled.loss_after == pytest.approx(token_losses(single.after).mean(), abs=1e-5)
    np.testing.assert_allclose(pulled.after.cross_attention[:, :, :14], trace.cross_attention[:, :, :14], atol=1e-5)


@pytest.mark.parametrize("kind", ["cross", "decoder", "encoder"])
def test_all_arrays_are_those_of_a_pass_through_encoder_and_decoder(translator, trace, kind):
    plan = HeadInterventions((Pull(kind, heads_in_scope("all", (), 4, 8), 1, 4, 3.0),))
    pulled = trace_pulls(translator, trace, plan)
    whole = translator.trace(trace.source_text, target_ids=pulled.after.next_ids, intervention=plan)
    for name in ("logits", "encoder_stream", "decoder_stream", "encoder_hidden", "decoder_hidden"):
        np.testing.assert_allclose(getattr(pulled.after, name), getattr(whole, name), atol=1e-5, err_msg=name)
    for name, record in whole.records.items():
        np.testing.assert_allclose(pulled.after.records[name].weights, record.weights, atol=1e-6, err_msg=name)
    assert (pulled.after.source_text, pulled.after.target_text) == (whole.source_text, whole.target_text)


def test_several_pulls_add_up_in_any_order(translator, trace):
    other = Pull("cross", LAYER_4, 2, 6, 3.0)
    one, two = (
        trace_pulls(translator, trace, HeadInterventions(pair)) for pair in ((TO_ANIMAL, other), (other, TO_ANIMAL))
    )
    assert one.after.next_ids == two.after.next_ids
    np.testing.assert_allclose(one.after.cross_attention, two.after.cross_attention, atol=1e-5)


def test_a_place_behind_the_end_changes_nothing(translator, trace):
    pulled = trace_pulls(translator, trace, HeadInterventions((Pull("cross", LAYER_4, 1, 30, 5.0),)))
    assert pulled.after.next_ids == trace.next_ids and pulled.loss_after == pytest.approx(pulled.loss_before)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ((), "at least one pull"),
        ((TO_ANIMAL, Scale("cross", ((0, 0),), 0.0)), "no other change"),
        ((Pull("cross", LAYER_4, 40, 1, 1.0),), "There is no key 40"),
    ],
)
def test_other_changes_are_refused_with_one_sentence(translator, trace, changes, sentence):
    with pytest.raises(InterventionError, match=sentence):
        trace_pulls(translator, trace, HeadInterventions(changes))
