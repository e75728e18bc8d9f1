"""The payload of all kinds. Its script is tested in a browser, see tests/browser/test_kinds_component.py."""

from dataclasses import replace

import numpy as np
import pytest

from model.text.words import Word
from tests.pages.kinds import read
from tests.payloads import dtypes, read_payload
from views import kind_labels
from views.components import controls
from views.components.attention_grid import EXACT_BYTES
from views.components.attention_kinds import GridOfKinds, payload
from views.controls.widgets import Choice
from views.viewer.attention_maps import AttentionMaps, KindMaps, MapAxis


def make_grid(side: int, kind: str = "encoder") -> GridOfKinds:
    tokens = ("\u2009a", *(f"b{place}" for place in range(side - 2)), "</s>")
    marks = tuple(token == "</s>" for token in tokens)
    queries = MapAxis(tokens, marks, (Word("ab", 0, side - 1), Word("</s>", side - 1, side, True)))
    keys = MapAxis(tokens, marks, (Word("a", 0, 1), Word("b", 1, side - 1), Word("</s>", side - 1, side, True)))
    rng, plain = np.random.default_rng(0), MapAxis(tokens, marks)
    maps = {
        name: KindMaps(
            kind_labels.KINDS[name],
            rng.dirichlet(np.ones(side), (4, 8, side)).astype(np.float32),
            *((queries, keys) if name == "cross" else (plain, plain)),
            tuple(range(4)),
        )
        for name in ("encoder", "cross")
    }
    choices = [Choice("Kind", dict.fromkeys(maps, "said"), "kind", varies=True), Choice("Layer", ("1", "2"), "layer")]
    return GridOfKinds(AttentionMaps(maps), choices, {"kind": kind, "layer": "1"})


def types(grid: GridOfKinds) -> list[str]:
    return list(dtypes(read_payload(payload(grid, "dark"))[0]).values())


def test_all_kinds_are_exact_then_only_the_selected_one_then_none():
    for side, exact in ((12, ["float32"] * 2), (70, ["float16", "float32"]), (130, ["float16"] * 2)):
        grid = make_grid(side, "cross")
        sizes = [sheet.weights.nbytes for sheet in grid.sheets.values()]
        assert (sum(sizes) <= EXACT_BYTES, sizes[1] <= EXACT_BYTES) == (side < 70, side < 130)
        assert types(grid) == exact
        for (name, (_, weights)), dtype in zip(read(payload(grid, "dark"))[1].items(), exact, strict=True):
            rough = {} if dtype == "float32" else {"rtol": 5e-4, "atol": 6e-8}
            np.testing.assert_allclose(weights, grid.sheets[name].weights, **{"rtol": 0, "atol": 0} | rough)


def test_a_selection_does_not_change_the_payload():
    for side in (12, 130):
        grid = make_grid(side)
        others = {"kind": "cross", "layer": "2"}
        assert payload(grid, "dark") == payload(replace(grid, chosen=others), "dark")


def test_special_tokens_and_words_are_sent_as_indices():
    header, by_name = read(payload(make_grid(5), "light"))
    encoder, cross = (kind for kind, _ in by_name.values())
    assert encoder["special"] == cross["special"] == [[4], [4]]
    assert encoder["queries"][0] == "a" and encoder["grouped"] is None
    words = cross["grouped"]
    assert (words["queries"], words["starts"], words["special"]) == (["ab", "</s>"], [[0, 4], [0, 1, 4]], [[1], [2]])
    assert words["detail"]["query_axis"] == "French query word"
    kind, layer = header["controls"]
    assert (kind["options"][1], kind["first"], kind["always"], "list" in kind) == (
        ["cross", "said"],
        "encoder",
        True,
        False,
    )
    assert (layer["options"], "always" in layer, layer["list"]) == ([["1", "1"], ["2", "2"]], False, True)


@pytest.mark.parametrize(
    "sent",
    [None, [], "cross", {}, {"kind": "cross"}, {"kind": "x", "layer": "1"}, {"kind": ["cross"], "layer": "1"}]
    + [{"kind": "cross", "layer": 1}, {"kind": "cross", "layer": "1", "more": "2"}],
)
def test_invalid_selections_are_rejected(sent):
    offered = make_grid(5).choices
    assert controls.valid_selection(sent, offered) is None
    good = {"kind": "cross", "layer": "2"}
    assert controls.valid_selection(good, offered) == good
