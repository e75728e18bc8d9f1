"""The payload of the stage, compared with the trace of the shipped translator."""

import json
from dataclasses import replace

import numpy as np
import pytest

from model import Trace, Translator
from views import kind_labels
from views.components.stage import PlaceChances, Stage, payload, stage_choices
from views.viewer.attention_maps import from_trace

SENTENCE = "The red dog is running very fast on the green grass today."
MOST_BYTES = 75_000


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load(device="cpu")


def stage_of(trace: Trace) -> Stage:
    maps = from_trace(trace, kind_labels.KINDS)
    places = [
        PlaceChances(row.token, row.probability, [(each.token, each.probability) for each in row.top])
        for row in trace.predictions(5)
    ]
    choices = stage_choices(maps)
    return Stage(maps, places, trace.target_text, choices, {choice.key: choice.first for choice in choices})


def read(data: bytes) -> tuple[dict, dict[str, np.ndarray]]:
    """The header, and the arrays as they were sent."""
    end = 4 + int.from_bytes(data[:4], "little")
    header, arrays, offset = json.loads(data[4:end]), {}, end
    for listed in header["arrays"]:
        *maps, queries, keys = listed["shape"]
        cells = np.tri(queries, keys, dtype=bool).sum() if listed.get("causal") else queries * keys
        count = int(np.prod(maps) * cells)
        arrays[listed["name"]] = np.frombuffer(data, "<f2", count, offset).reshape(*maps, cells)
        offset += 2 * count
    assert offset == len(data)
    return header, arrays


def test_the_payload_has_all_weights_and_the_candidates(translator):
    trace = translator.trace(SENTENCE)
    stage = stage_of(trace)
    data = payload(stage, "light")
    header, arrays = read(data)
    assert header["english"] == [token.strip() for token in trace.source_tokens]
    assert header["french"] == [token.strip() for token in trace.next_tokens]
    assert header["start"] == trace.target_tokens[0]
    for kind in ("encoder", "cross"):
        weights = trace.attention(kind)
        np.testing.assert_allclose(arrays[kind], weights.reshape(4, 8, -1), rtol=2**-11, atol=1e-7)
    visible = trace.attention("decoder")[..., np.tri(len(trace.next_ids), dtype=bool)]
    np.testing.assert_allclose(arrays["decoder"], visible, rtol=2**-11, atol=1e-7)
    for place, row in zip(header["places"], trace.predictions(5), strict=True):
        assert [label for label, _ in place["top"]] == [each.token.strip() or "\u2423" for each in row.top]
        assert place["probability"] == pytest.approx(row.probability, abs=1e-4)
    assert [control["name"] for control in header["controls"]] == ["kind", "layer", "head"]
    assert [control.get("elsewhere", False) for control in header["controls"]] == [False, True, True]


def test_the_payload_of_twelve_words_is_small(translator):
    trace = translator.trace(SENTENCE)
    assert len(SENTENCE.split()) == 12
    assert len(payload(stage_of(trace), "light")) <= MOST_BYTES


def test_it_opens_on_cross_attention_of_the_last_layer_averaged_over_heads(translator):
    assert stage_of(translator.trace("Where?")).chosen == {"kind": "cross", "layer": "4", "head": "mean"}


def test_what_is_chosen_does_not_change_the_payload(translator):
    trace = translator.trace("Where?")
    stage = stage_of(trace)
    other = replace(stage, chosen={"kind": "encoder", "layer": "1", "head": "3"}, answer={"serial": 1})
    assert payload(other, "light") == payload(stage, "light")
