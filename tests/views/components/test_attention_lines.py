"""The lines' payload and the checks of the browser's answers. Their script is tested in a browser."""

import html
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from tests.payloads import dtypes, read_payload
from views import kind_labels, map_weights, palette
from views.components import component
from views.components.attention_lines import (
    EXACT_BYTES,
    FULL_PRECISION_BYTES,
    AttentionLines,
    LinesOfKinds,
    LinesView,
    LockedToken,
    from_address,
    payload,
    payload_of_kinds,
    snapshot,
    to_address,
    valid_choice,
    valid_view,
)
from views.controls.widgets import Choice
from views.viewer.attention_maps import AttentionMaps, KindMaps, MapAxis

SHAPE = (4, 8, 5, 6)


def lines(queries: int, keys: int, kind: str = "cross", layers: int = 4, heads: int = 8) -> AttentionLines:
    noise = np.random.default_rng(0).normal(0, 3, (layers, heads, queries, keys)).astype(np.float32)
    noise[:, :, map_weights.causal_mask(queries, keys, kind_labels.KINDS[kind].causal)] = -np.inf
    weights = np.exp(noise) / np.exp(noise).sum(-1, keepdims=True)
    names = tuple(f"\u2009piece {place} é" for place in range(max(queries, keys)))
    axes = MapAxis(names[:queries]), MapAxis(names[:keys])
    maps = KindMaps(kind_labels.KINDS[kind], weights, *axes, tuple(range(layers)))
    return AttentionLines(maps, LinesView((0, 2), (1,)))


def test_short_inputs_are_sent_exactly():
    drawn = lines(7, 11)
    header, weights = read_payload(payload(drawn, "dark"))
    np.testing.assert_array_equal(weights[""], drawn.maps.weights)
    kind = header["kinds"][""]
    assert kind["queries"] == component.labels(drawn.maps.queries.labels)
    assert kind["keys"] == component.labels(drawn.maps.keys.labels)
    assert kind["queryAxis"] == "French query token"
    assert header["styles"]["dark"][1] == [palette.HEADS["dark"][1], []]


def test_masked_cells_of_a_causal_kind_are_not_sent():
    drawn = lines(9, 9, "decoder")
    content = payload(drawn, "dark")
    header, weights = read_payload(content)
    assert header["kinds"][""]["causal"]
    np.testing.assert_array_equal(weights[""], drawn.maps.weights)
    whole = replace(drawn, maps=replace(drawn.maps, kind=kind_labels.KINDS["encoder"]))
    assert len(content) - len(payload(whole, "dark")) < -4 * 4 * 8 * 35


@pytest.mark.parametrize("side", [64, 128])
def test_long_inputs_are_sent_in_three_bytes_per_weight(side):
    drawn = lines(side, side)
    assert drawn.maps.weights.nbytes > FULL_PRECISION_BYTES
    content = payload(drawn, "dark")
    header, weights = read_payload(content)
    assert dtypes(header) == {"": "float24"}
    assert len(content) < 3 * drawn.maps.weights.size + 10_000
    np.testing.assert_allclose(weights[""], drawn.maps.weights, rtol=2**-16)


@pytest.mark.parametrize("side", [9, 260])
def test_a_file_states_its_precision_and_a_causal_kind_takes_half(side):
    """2.2 million weights take more than 8 MB with every digit, of which a causal kind would send only 4.3 MB."""
    whole, causal = (snapshot(lines(side, side, kind)) for kind in ("encoder", "decoder"))
    form = "float32" if side == 9 else "float16"
    for each in (whole, causal):
        assert dtypes(read_payload(each.payload)[0]) == {"": form}
        assert ("rounded to half precision" in each.numbers) == (form == "float16")
    bodies = [len(each.payload) - 4 - int.from_bytes(each.payload[:4], "little") for each in (whole, causal)]
    assert bodies[1] * 2 * side == bodies[0] * (side + 1)  # the diagonal is sent too


def of_kinds(side: int) -> LinesOfKinds:
    maps = AttentionMaps({"decoder": lines(side, side, "decoder").maps, "cross": lines(side, side + 1).maps})
    choices = [Choice("Kind", tuple(maps), "kind"), Choice("Special", ("shown", "hidden"), "marks")]
    return LinesOfKinds(maps, choices, {"kind": "cross", "marks": "shown"}, LinesView((0,), (1,)))


@pytest.mark.parametrize(("side", "form"), [(9, "float32"), (70, "float24")])
def test_all_kinds_are_sent(side: int, form: str):
    drawn = of_kinds(side)
    assert (sum(each.weights.nbytes for each in drawn.maps.values()) > EXACT_BYTES) == (form == "float24")
    content = payload_of_kinds(drawn, "dark")
    header, weights = read_payload(content)
    assert list(header["kinds"]) == ["decoder", "cross"] and [each["name"] for each in header["controls"]][0] == "kind"
    assert dtypes(header) == {"decoder": form, "cross": form}
    kind = header["kinds"]["cross"]
    assert weights["cross"].shape == (4, 8, side, side + 1)
    assert (kind["causal"], kind["keyAxis"]) == (False, "English key token")


VIEW = {"layers": [0], "heads": [1, 3], "mass": 0.5, "locked": None}


def test_a_valid_selection_is_accepted():
    chosen = {"kind": "decoder", "marks": "hidden"}
    assert valid_choice(chosen | {"view": VIEW}, of_kinds(5)) == (chosen, LinesView((0,), (1, 3), 0.5))


@pytest.mark.parametrize(
    "sent",
    [
        None,
        [],
        {"kind": "cross", "marks": "shown"},
        {"kind": "cross", "view": VIEW},
        {"kind": "third", "marks": "shown", "view": VIEW},
        {"kind": ["cross"], "marks": "shown", "view": VIEW},
        {"kind": "cross", "marks": "shown", "view": VIEW, "more": 1},
        {"kind": "cross", "marks": "shown", "view": VIEW | {"heads": [8]}},
        {"kind": "decoder", "marks": "shown", "view": VIEW | {"locked": {"side": "key", "place": 5}}},
    ],
)
def test_an_invalid_selection_is_rejected(sent):
    assert valid_choice(sent, of_kinds(5)) is None


def test_a_selection_changes_the_mark_and_not_the_payload():
    one = lines(5, 6)
    other = replace(one, view=LinesView((3,), (0, 7), 0.9, LockedToken("key", 5)))
    assert payload(one, "dark") == payload(other, "dark")
    marks = (html.unescape(component.selection_mark(drawn.view)) for drawn in (one, other))
    selections = [json.loads(re.search('data-chosen="(.*)"', mark)[1]) for mark in marks]
    assert selections == [
        {"layers": [0, 2], "heads": [1], "mass": 0.7, "locked": None},
        {"layers": [3], "heads": [0, 7], "mass": 0.9, "locked": {"side": "key", "place": 5}},
    ]
    assert [valid_view(words, SHAPE) for words in selections] == [one.view, other.view]


def test_numbers_are_sorted_and_unique():
    sent = {"layers": [3, 0, 3], "heads": [], "mass": 1}
    assert valid_view(sent, SHAPE) == LinesView((0, 3), (), 1.0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"layers": [4]},
        {"heads": [-1]},
        {"heads": [True]},
        {"heads": "0"},
        {"layers": [0] * 99},
        {"mass": 0},
        {"mass": 1.01},
        {"mass": float("nan")},
        {"mass": "0.7"},
        {"locked": {"side": "query", "place": 5}},
        {"locked": {"side": "key", "place": 6}},
        {"locked": {"side": "head", "place": 0}},
        {"locked": {"side": ["key"], "place": 0}},
        {"locked": {"side": "key"}},
        {"locked": 3},
    ],
)
def test_any_other_answer_is_rejected(wrong):
    right = {"layers": [0], "heads": [1], "mass": 0.5, "locked": {"side": "query", "place": 4}}
    assert valid_view(right, SHAPE) == LinesView((0,), (1,), 0.5, LockedToken("query", 4))
    assert valid_view(right | wrong, SHAPE) is None


@pytest.mark.parametrize("sent", [None, 3, "x", [], {}])
def test_an_invalid_view_is_rejected(sent):
    assert valid_view(sent, SHAPE) is None


@pytest.mark.parametrize(
    ("view", "text"),
    [
        (LinesView((0, 1), (0, 2, 7), 0.7, LockedToken("query", 4)), "1.2-1.3.8-70-q5"),
        (LinesView((3,), (), 1.0, LockedToken("key", 0)), "4--100-k1"),
        (LinesView((), (5,), 0.05), "-6-5"),
    ],
)
def test_the_url_contains_the_view(view, text):
    assert to_address(view) == text
    assert from_address(text, SHAPE) == view


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "-",
        "x",
        "1-1-70-q6",
        "5-1-70",
        "0-1-70",
        "1-1-4",
        "1-1-101",
        "1-1-١٢",
        "1" * 900,
        "1.-1-70",
        "1-1-70-z1",
    ],
)
def test_any_other_url_is_rejected(text):
    assert from_address(text, SHAPE) is None


def test_the_fewest_keys_with_the_share_are_selected():
    weights = np.array([[0.5, 0.3, 0.2], [0.2, 0.6, 0.2], [1, 0, 0]], np.float32)
    assert map_weights.strongest_keys(weights, 0.7).tolist() == [
        [True, True, False],
        [True, True, False],
        [True, False, False],
    ]
    assert map_weights.strongest_keys(weights, 0.5).tolist() == [
        [True, False, False],
        [False, True, False],
        [True, False, False],
    ]
    assert map_weights.strongest_keys(weights, 0.8).tolist()[0] == [True, True, False]  # rounding adds no third key
    assert map_weights.strongest_keys(weights, 1).tolist() == (weights > 0).tolist()
    assert map_weights.strongest_keys(weights[:0], 0.7).shape == (0, 3)


def test_an_address_locks_the_query_with_its_number():
    view = LinesView((0,), (1,), 0.5, LockedToken("query", 0))
    order = [1, 2, 3, 4, 0]  # the first row is one that earlier versions hid
    assert to_address(view, order) == "1-2-50-q5" and from_address("1-2-50-q5", SHAPE, order) == view
    assert from_address("1-2-50-q1", SHAPE, order).locked == LockedToken("query", 1)
    key = replace(view, locked=LockedToken("key", 5))
    assert to_address(key, order) == "1-2-50-k6" and from_address("1-2-50-k6", SHAPE, order) == key
