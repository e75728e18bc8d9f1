"""The payload of the stage, compared with the trace of the shipped translator."""

from dataclasses import replace

import numpy as np
import pytest

from model import HeadInterventions, Trace, Translator
from model.pulling.pulled_trace import trace_pulls
from model.tracing.head_interventions import Pull
from pages.translate.candidates import chances
from tests.payloads import read_payload
from views import kind_labels
from views.components.component import changes_mark
from views.components.stage import Stage, changes, payload, stage_choices
from views.components.stage_changes import PulledStage
from views.viewer.attention_maps import from_trace

SENTENCE = "The red dog is running very fast on the green grass today."
SHORT = "The little dog sleeps today."
LONG = (
    "A man in a blue shirt is standing on a ladder cleaning a window while two children are playing with a small dog "
    "in the garden."
)  # 26 words


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load(device="cpu")


def stage_of(trace: Trace) -> Stage:
    maps = from_trace(trace, kind_labels.KINDS)
    choices = stage_choices(maps)
    return Stage(maps, chances(trace), trace.target_text, choices, {choice.key: choice.first for choice in choices})


def test_the_payload_has_all_weights_and_the_candidates(translator):
    trace = translator.trace(SENTENCE)
    stage = stage_of(trace)
    data = payload(stage, "light")
    header, arrays = read_payload(data)
    assert header["english"] == [token.strip() for token in trace.source_tokens]
    assert header["french"] == [token.strip() for token in trace.next_tokens]
    assert header["start"] == trace.target_tokens[0]
    for kind in ("encoder", "cross", "decoder"):
        sent, own = (np.asarray(each, np.float64) for each in (arrays[kind], trace.attention(kind)))
        assert (sent.round(3) == own.round(3)).all()
    assert header["decimals"] == 3
    for place, row in zip(header["places"], trace.predictions(5), strict=True):
        assert place[1::2] == [each.token.strip() or "\u2423" for each in row.top]
        assert place[::2] == pytest.approx([row.probability, *(each.probability for each in row.top)], rel=1e-6)
    assert [control["name"] for control in header["controls"]] == ["kind", "layer", "head"]
    assert [control.get("elsewhere", False) for control in header["controls"]] == [False, True, True]


@pytest.mark.parametrize("sentence", [SHORT, SENTENCE, LONG])
def test_the_payload_of_a_sentence_is_small(translator, sentence):
    assert len(payload(stage_of(translator.trace(sentence)), "light")) <= 75_000


def pulled_of(trace: Trace, translator: Translator, *pulls: Pull) -> PulledStage:
    after = trace_pulls(translator, trace, HeadInterventions(pulls)).after
    last = pulls[-1]
    lines = ("One line of text.",) * 3
    texts = trace.target_text, after.target_text, lines, (0.1,) * 5, "You forced this weight.", len(pulls)
    return PulledStage(from_trace(after, kind_labels.KINDS), chances(after), last.query, last.key, last.kind, *texts)


LAYERS = {"layer 4": range(3, 4), "all layers": range(4)}


@pytest.mark.parametrize("sentence", [SHORT, SENTENCE, LONG])
@pytest.mark.parametrize("layers", list(LAYERS))
@pytest.mark.parametrize("query", [0, 3])
def test_the_message_of_a_pull_is_small(translator, sentence, layers, query):
    trace = translator.trace(sentence)
    heads = tuple((layer, head) for layer in LAYERS[layers] for head in range(8))
    pulled = pulled_of(trace, translator, Pull("cross", heads, 2, query, 6.0))
    assert len(changes_mark(changes(replace(stage_of(trace), pulled=pulled)))) <= 30_000


def test_a_pull_sends_the_rows_that_it_changes(translator):
    """In layer 4 at a place whose token stays: its row of this layer alone."""
    trace = translator.trace(SENTENCE)
    place = 8
    pulled = pulled_of(trace, translator, Pull("cross", tuple((3, head) for head in range(8)), 2, place, 6.0))
    stage = replace(stage_of(trace), pulled=pulled)
    header, arrays = read_payload(changes(stage))
    assert header["of"] == read_payload(payload(stage, "light"))[0]["name"]
    assert list(header["places"]) == [str(place)]
    assert np.argwhere(arrays["rows-cross"]).tolist() == [[3, place]]
    assert arrays["rows-encoder"].sum() == arrays["rows-decoder"].sum() == 0
    after = pulled.maps["cross"].weights[3, :, place]
    np.testing.assert_allclose(arrays["cross"].reshape(after.shape), after, atol=1e-3)


def test_the_payload_stays_the_same_under_a_pull(translator):
    trace = translator.trace(SENTENCE)
    stage = stage_of(trace)
    assert changes(stage) == b""
    pulled = pulled_of(trace, translator, Pull("decoder", ((0, 0),), 0, 4, 9.0))
    assert payload(replace(stage, pulled=pulled), "light") == payload(stage, "light")


def test_it_opens_on_cross_attention_of_the_last_layer_averaged_over_heads(translator):
    assert stage_of(translator.trace("Where?")).chosen == {"kind": "cross", "layer": "4", "head": "mean"}


def test_what_is_chosen_does_not_change_the_payload(translator):
    trace = translator.trace("Where?")
    stage = stage_of(trace)
    other = replace(stage, chosen={"kind": "encoder", "layer": "1", "head": "3"}, answer={"serial": 1})
    assert payload(other, "light") == payload(stage, "light")
