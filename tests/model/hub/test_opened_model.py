"""Maps of every architecture equal those that the library reports, and its outputs do not change."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from model import HeadInterventions, HubTrace, OpenError
from model.hub.eager_attention import CallRecorder
from model.hub.forward_run import output_tensor, run_network
from model.hub.opened_model import OpenedModel
from model.hub.token_offsets import tokenize
from model.lessons.one_weight import recompute_softmax, recompute_weight
from model.open_model import open_model
from model.runtime.progress import run_to_end
from model.tracing.head_interventions import OneHot, Scale
from model.tracing.traced_model import TracedModel
from tests.model.hub import tiny
from tests.model.hub.conftest import PICTURE, TEXT, example_input

ALL = [*tiny.TEXT_MODELS, *tiny.PICTURE_MODELS]
PAIRS = {"t5", "bart", "marian", "pegasus"}
CAUSAL = {"gpt2", "gpt-neox", "gpt-j", "bloom", "llama", "mistral", "qwen3", "gemma2", "gemma3", "gpt-oss"}
WATCHED = {"deberta", "gpt-j", "bloom"}  # with their own attention; their softmax is watched
TARGET = "She wants one."


def trace_example(model: OpenedModel, **options) -> HubTrace:
    target = {"target": TARGET} if model.config.is_encoder_decoder else {}
    return model.trace(example_input(model), **target, **options)


def run_eager(name: str, model: OpenedModel, trace: HubTrace):
    """Output of the network in its own eager implementation, without a tap, for the same input."""
    network = tiny.network(name)
    if network._can_set_attn_implementation():
        network.set_attn_implementation("eager")
    if model.vision:
        inputs = dict(model.reader(images=PICTURE, return_tensors="pt"))
    else:
        inputs = {"input_ids": torch.tensor([trace.source.ids])}
        if name in PAIRS:
            inputs["decoder_input_ids"] = torch.tensor([trace.target.ids])
    with torch.no_grad():
        return network(**inputs, output_attentions=True, output_hidden_states=True)


@pytest.mark.parametrize("name", ALL)
def test_maps_and_outputs_equal_the_library_s(name: str, opened):
    model = opened(name)
    trace = trace_example(model)
    output = run_eager(name, model, trace)
    if name in PAIRS:
        own = {
            "encoder": output.encoder_attentions,
            "decoder": output.decoder_attentions,
            "cross": output.cross_attentions,
        }
    else:
        own = {"vision" if model.vision else "decoder" if name in CAUSAL else "encoder": output.attentions}
    assert set(own) == set(trace.records) == {kind.name for kind in model.kinds}
    for kind, maps in own.items():
        expected = torch.cat(list(maps)).numpy()
        assert trace.attention(kind).shape == expected.shape
        np.testing.assert_allclose(trace.attention(kind), expected, atol=1e-5)
        rows, columns = trace.axes(kind)
        assert (len(rows), len(columns)) == expected.shape[2:]
    answer = output.logits if hasattr(output, "logits") else output.last_hidden_state
    np.testing.assert_allclose(trace.logits.squeeze(), answer.squeeze().numpy(), atol=1e-4)
    verification = trace.verify()
    assert max(verification.max_difference, verification.row_sum_error) < 1e-5
    assert verification.masked_weight == 0
    if name in PAIRS:
        streams = {"encoder": output.encoder_hidden_states, "decoder": output.decoder_hidden_states}
    else:
        streams = {next(iter(own)): output.hidden_states}
    assert set(trace.stream) == {model.kinds[0].stack} if name not in PAIRS else set(streams)
    for stream, expected in zip(trace.stream.values(), streams.values(), strict=True):
        np.testing.assert_allclose(stream, torch.cat(list(expected)).numpy(), atol=1e-3)


@pytest.mark.parametrize("name", ALL)
def test_how_calls_are_recorded_is_found_by_running_the_network(name: str, opened):
    model = opened(name)
    assert isinstance(model, TracedModel)
    assert model.proof.by_interface == (name not in WATCHED)
    assert model.proof.outputs < 1e-4
    assert model.proof.maps < 1e-5
    by = {record.by for record in trace_example(model).records.values()}
    assert by == ({"eager"} if name in WATCHED else {"double"} if name == "gemma2" else {"fused"})


def test_heads_of_keys_may_be_fewer_than_heads_of_queries(opened):
    record = opened("llama").trace(TEXT).records["decoder"]
    assert record.queries.shape[1] == record.weights.shape[1] == 4
    assert record.keys.shape[1] == record.values.shape[1] == 2


def test_a_sliding_window_is_in_the_mask(opened):
    weights = opened("mistral").trace(TEXT).attention("decoder")
    query, key = np.indices(weights.shape[2:])
    window = (key <= query) & (query - key < 4)
    assert (weights[:, :, ~window] == 0).all()
    assert (weights[:, :, window] > 0).all()


def test_layers_may_have_different_masks(opened):
    """In ModernBERT every second layer has a sliding window, the others have none."""
    weights = opened("modernbert").trace(TEXT).attention("encoder")
    far = np.abs(np.subtract(*np.indices(weights.shape[2:]))) > 4
    assert (weights[0][:, far] > 0).all()
    assert (weights[1][:, far] == 0).all()


def test_rows_with_a_sink_sum_to_less_than_one(opened):
    sums = opened("gpt-oss").trace(TEXT).attention("decoder").sum(axis=-1)
    assert (sums <= 1 + 1e-6).all()
    assert sums.min() < 0.95


@pytest.mark.parametrize("name", ["gpt2", "llama", "deberta", "gpt-j"])
def test_no_query_of_a_decoder_attends_to_later_tokens(name: str, opened):
    model = opened(name)
    (kind,) = model.kinds
    weights = model.trace(TEXT).attention(kind.name)
    later = np.triu(np.ones(weights.shape[2:], dtype=bool), 1)
    assert (not weights[:, :, later].any()) == kind.causal == (name != "deberta")


def test_two_texts_have_their_segments(opened):
    trace = opened("bert").trace("A fox.", second="A dog.")
    inputs = opened("bert").reader("A fox.", "A dog.", return_tensors="pt", return_token_type_ids=True)
    assert trace.source.segments == tuple(inputs["token_type_ids"][0].tolist())
    assert sum(trace.source.segments) > 3
    (axis, _) = trace.token_axes("encoder")
    assert axis.labels[1] == "A (A)" and axis.labels[-2:] == (". (B)", "[SEP] (B)")
    assert axis.special == trace.source.special and axis.words == trace.source.whole_words()
    with torch.no_grad():
        expected = tiny.network("bert")(**inputs).logits[0]
    np.testing.assert_allclose(trace.logits, expected.numpy(), atol=1e-4)


def test_losses_equal_the_library_s(opened):
    for name in ("gpt2", "bart"):
        model = opened(name)
        trace = trace_example(model)
        ids = torch.tensor([trace.source.ids])
        if name == "gpt2":
            expected = tiny.network(name)(ids, labels=ids).loss
        else:
            following = torch.tensor([[*trace.target.ids[1:], 3]])
            decoder = torch.tensor([trace.target.ids])
            expected = tiny.network(name)(ids, decoder_input_ids=decoder, labels=following).loss
        assert model.score(trace).mean() == pytest.approx(float(expected), abs=1e-4)


def test_a_masked_model_is_scored_with_one_token_masked_at_a_time(opened):
    model = opened("bert")
    trace = model.trace(TEXT)
    ids = torch.tensor([trace.source.ids])
    masked = ids.clone()
    masked[0, 3] = model.reader.mask_token_id
    with torch.no_grad():
        expected = -tiny.network("bert")(masked).logits[0, 3].log_softmax(dim=-1)[ids[0, 3]]
    losses = model.score(trace)
    assert len(losses) == len(trace.source.ids) - 2
    assert losses[2] == pytest.approx(float(expected), abs=1e-4)


@pytest.mark.parametrize("name", ["llama", "gpt-j", "t5", "bart"])
def test_generation_equals_the_library_s(name: str, opened):
    """In steps and in one call; with a cache, and without one under an intervention that changes nothing."""
    model = opened(name)
    tokens = model.trace(TEXT, **({"target": TARGET} if name in PAIRS else {})).source.ids
    network, first = tiny.network(name), 1 if name in PAIRS else len(tokens)
    ids = network.generate(torch.tensor([tokens]), max_new_tokens=20, do_sample=False)[0, first:]
    expected = model.reader.decode(ids, skip_special_tokens=True)
    assert model.generate(TEXT, 20) == expected
    nothing = HeadInterventions(tuple(Scale(kind.name, ((0, 1),), 1.0) for kind in model.kinds))
    assert model.generate(TEXT, 20, nothing) == expected


@pytest.mark.parametrize("name", ["gpt2", "gpt-j", "bart"])
def test_generation_under_an_intervention_equals_repeated_passes(name: str, opened):
    """Each token is the most probable one in a traced pass over those before it, under the same intervention."""
    model = opened(name)
    kind = "cross" if name in PAIRS else "decoder"
    plan = HeadInterventions((Scale(kind, ((0, 0), (0, 2), (1, 1)), 0.0), OneHot(kind, ((1, 3),), 1)))
    generated = run_to_end(model._generated(tokenize(model.reader, TEXT), 5, None, plan))
    if name in PAIRS:
        trace = model.trace(TEXT, target=(2, *generated[:-1]), intervention=plan)
        assert trace.logits.argmax(axis=-1).tolist() == list(generated)
        unchanged = model.trace(TEXT, target=(2, *generated[:-1]))
        assert np.abs(trace.logits - unchanged.logits).max() > 0.01
        return
    ids = [*tokenize(model.reader, TEXT).ids, *generated[:-1]]
    watch = CallRecorder(model.proof.plan.names, plan.tap({kind: (2, 4, len(ids), len(ids))}), lambda place, call: None)
    logits = output_tensor(
        run_network(model.network, {"input_ids": torch.tensor([ids])}, watch, model.proof.by_interface)
    )
    assert logits[-5:].argmax(dim=-1).tolist() == list(generated)
    with torch.no_grad():
        assert (logits - model.network(torch.tensor([ids])).logits[0]).abs().max() > 0.01


def test_classes_and_patches_have_names(opened):
    model = opened("deit")
    trace = model.trace(PICTURE)
    assert trace.classes == ("LABEL_0", "LABEL_1", "LABEL_2")
    assert (trace.grid, trace.leading) == ((4, 4), 2)
    assert trace.axes("vision")[0][:4] == ("CLS", "register 1", "row 1, column 1", "row 1, column 2")
    assert trace.probabilities.sum() == pytest.approx(1)
    assert trace.pixels.shape == (32, 32, 3)


def test_texts_are_classified(opened):
    model = opened("bert-classes")
    assert (model.task, model.capabilities) == ("classify-text", {"classify", "ablate", "intervene"})
    trace = model.trace(TEXT)
    with torch.no_grad():
        expected = tiny.network("bert-classes")(torch.tensor([trace.source.ids])).logits[0].softmax(dim=-1)
    assert trace.classes == model.scored(trace) == ("LABEL_0", "LABEL_1", "LABEL_2")
    np.testing.assert_allclose(trace.probabilities, expected.numpy(), atol=1e-5)
    np.testing.assert_allclose(model.score(trace), -expected.log().numpy(), atol=1e-4)


def test_stored_steps_follow_the_keep_argument(opened):
    model = opened("gpt2")
    everything = model.trace(TEXT)
    weights = model.trace(TEXT, keep="weights").records["decoder"]
    second = model.trace(TEXT, keep=1).records["decoder"]
    np.testing.assert_array_equal(weights.weights, everything.attention("decoder"))
    assert (weights.queries, weights.scores) == (None, None)
    np.testing.assert_array_equal(second.weights, everything.attention("decoder")[1:])
    assert second.layers == (1,)
    with pytest.raises(OpenError, match="no attention in layer 2; counted from 0, this model has it in 0, 1"):
        model.trace(TEXT, keep=2)


def test_half_precision_opens_with_looser_bounds(tmp_path):
    model = open_model(tiny.save("llama", tmp_path), dtype="bfloat16", device="cpu")
    trace = model.trace(TEXT)
    exact = open_model(tmp_path, dtype="float32", device="cpu").trace(TEXT)
    assert trace.attention("decoder").dtype == np.float32
    assert np.abs(trace.attention("decoder") - exact.attention("decoder")).max() < 0.1


def test_a_live_model_opens_with_its_tokenizer(opened):
    live = open_model(tiny.network("gpt2"), reader=tiny.tokenizer())
    np.testing.assert_array_equal(
        live.trace(TEXT).attention("decoder"), opened("gpt2").trace(TEXT).attention("decoder")
    )
    with pytest.raises(OpenError, match="needs its tokenizer"):
        open_model(tiny.network("gpt2"))


@pytest.mark.parametrize(
    ("name", "wrong", "message"),
    [("gpt2", PICTURE, "reads text"), ("vit", TEXT, "reads pictures"), ("gpt2", "", "no tokens")],
)
def test_an_input_that_cannot_be_read_is_refused_in_a_sentence(opened, name, wrong, message):
    with pytest.raises(OpenError, match=message):
        opened(name).trace(wrong)


def test_a_text_with_more_tokens_than_positions_is_refused(opened):
    with pytest.raises(OpenError, match=r"This text has \d+ tokens, and the model has 64 positions"):
        opened("bert").trace("dog " * 80)


@pytest.mark.parametrize("name", ["bert", "gpt2", "llama", "mistral", "modernbert", "gemma2", "gpt-oss", "t5", "vit"])
def test_every_weight_is_recomputed_from_query_and_key(name: str, opened):
    """Query, key and the form determine the weight, also with shared keys, windows, caps, biases and sinks."""
    trace = trace_example(opened(name))
    for record in trace.records.values():
        for place in ((0, 1, 3, 2), (1, 3, 4, 0), (1, 2, 2, 4)):
            one = recompute_weight(record, *place)
            assert one.weight == pytest.approx(float(record.weights[place]), abs=1e-5)
            assert one.difference < 1e-4
            assert one.product == pytest.approx(float(one.query @ one.key))
            if not one.form.biased and one.form.softcap is None:
                assert one.added == pytest.approx(0, abs=1e-9)
    assert (name == "gpt-oss") == (one.sink > 0)
    assert (name == "t5") == any(form.biased for form in record.forms)


@pytest.mark.parametrize("name", sorted(WATCHED))
def test_a_weight_without_recorded_products_follows_from_the_scores(name: str, opened):
    (record,) = trace_example(opened(name)).records.values()
    assert record.forms == ()
    for place in ((0, 1, 3, 2), (1, 3, 4, 4), (1, 2, 2, 4)):
        one = recompute_softmax(record, *place)
        assert one.weight == pytest.approx(float(record.weights[place]), abs=1e-6)
        assert one.difference < 1e-6
        assert one.masked == (name != "deberta" and place[3] > place[2])
