"""Traces, interventions and ablations of networks with each kind of positions."""

import dataclasses

import numpy as np
import pytest

from model import InputError, Translator
from model.lessons.one_weight import recompute_weight
from model.lessons.position_effects import position_losses_in_steps
from model.runtime.progress import run_to_end
from model.tracing.head_interventions import Pull, Scale, Temperature
from model.tracing.interventions import HeadInterventions
from tests.model.networks import tiny_network
from tests.tiers import nightly

TEXT, FRENCH = "The cat sees the small black bird.", "Le chat voit le petit oiseau noir."


@pytest.fixture(scope="module", params=[nightly("sinusoidal"), nightly("learned"), "rotary", "alibi", "none"])
def translator(request, tokenizer):
    """Random weights large enough for uneven attention."""
    network = tiny_network(vocabulary_size=len(tokenizer), positions=request.param, max_positions=40).requires_grad_(
        False
    )
    for name, parameter in network.named_parameters():
        if "query" in name or "key" in name:
            parameter.mul_(3)
    return Translator(network, tokenizer)


@pytest.fixture(scope="module")
def trace(translator):
    return translator.trace(TEXT, target=FRENCH)


def test_recorded_attention_equals_the_fused_kernel(translator, trace):
    assert trace.verify().max_difference < 1e-5 and trace.verify().row_sum_error < 1e-5
    assert trace.verify().masked_weight == 0
    biased = translator.config.positions == "alibi"
    assert [record.bias is not None for record in trace.records.values()] == [biased, biased, False]
    if biased:  # the check sees a wrong bias
        record = trace.records["decoder"]
        assert dataclasses.replace(record, bias=record.bias * 0.5).verify().max_difference > 1e-2


def test_the_parts_of_one_weight_are_recomputed(trace):
    for kind, record in trace.records.items():
        weight = recompute_weight(record, 1, 0, 3, 2)
        assert weight.difference < 1e-5
        expected = 0.0 if record.bias is None else record.bias[1, 0, 3, 2]
        assert weight.added == pytest.approx(expected, abs=1e-5), kind


@pytest.mark.parametrize("kind", ["encoder", "decoder"])
def test_interventions_equal_changed_weights(translator, trace, kind):
    heads = ((0, 1), (1, 0))
    changes = (Temperature(kind, heads, temperature=2.5), Scale(kind, ((1, 1),), factor=0.5))
    result = translator.intervene(trace, HeadInterventions(changes))
    assert max(result.check.recomputed, result.check.edited) < 1e-4
    assert np.abs(result.after.logits - trace.logits).max() > 1e-2
    pulled = HeadInterventions((Pull(kind, heads, query=3, key=1, delta=2.0),))
    assert translator.intervene(trace, pulled).check.recomputed < 1e-4


def test_ablated_heads_equal_a_network_without_them(translator, trace):
    ablation = run_to_end(translator.ablate_in_steps(trace))
    for place in (("encoder", 0, 1), ("decoder", 1, 0), ("cross", 1, 1)):
        kind, layer, head = place
        change = ablation.changes[kind][layer, head]
        assert ablation.reference + change == pytest.approx(translator.loss_without(trace, place), abs=1e-5)


def test_shuffled_positions_change_the_loss_unless_there_are_none(translator, trace):
    losses = run_to_end(
        position_losses_in_steps(translator.network, list(trace.source_ids), list(trace.next_ids), seed=3, shift=4)
    )
    assert losses.difference < 1e-5
    kept, kind = losses.mean("both", "kept"), translator.config.positions
    for where in ("encoder", "decoder", "both"):
        change = abs(losses.mean(where, "shuffled") - kept)
        assert change < 1e-5 if kind == "none" else change > 1e-4
    if kind in ("rotary", "alibi", "none"):  # only distances matter
        assert losses.mean("both", "shifted") == pytest.approx(kept, abs=1e-5)


def test_a_sentence_longer_than_the_table_is_refused_in_one_sentence(tokenizer):
    network = tiny_network(vocabulary_size=len(tokenizer), positions="learned", max_positions=6)
    translator = Translator(network, tokenizer)
    count = len(tokenizer.encode(TEXT))
    message = f"That sentence has {count} tokens and the model reads at most 5. Shorten it by {count - 5} tokens."
    with pytest.raises(InputError, match=message):
        translator.trace(TEXT)
    short = tokenizer.decode(tokenizer.encode(TEXT)[:5])
    assert translator.trace(short).encoder_attention.shape == (2, 2, 6, 6)
    assert len(translator.trace(short).next_ids) <= 6
