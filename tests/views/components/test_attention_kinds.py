"""The payload of all kinds. Its script is tested in a browser, see tests/browser/test_kinds_component.py."""

from dataclasses import replace

import numpy as np
import pytest

from tests.pages.kinds import read
from views import map_labels
from views.components import controls
from views.components.attention_grid import FULL_PRECISION_BYTES, Detail, Sheet
from views.components.attention_kinds import SheetsOfKinds, SheetWords, payload
from views.controls.widgets import Choice

DETAIL = Detail("{map}", "Query", "Key")


def make_sheets(side: int, kind: str = "encoder") -> SheetsOfKinds:
    tokens = ("\u2009a", *(f"b{place}" for place in range(side - 2)), "</s>")
    rng = np.random.default_rng(0)
    sheets = {
        name: Sheet(
            rng.dirichlet(np.ones(side), (5, 9, side)).astype(np.float32),
            map_labels.ids_with_mean(4),
            map_labels.ids_with_mean(8),
            tokens,
            tokens,
            name,
            name,
            False,
            True,
            (0, 0),
            detail=DETAIL,
        )
        for name in ("encoder", "cross")
    }
    words = {"cross": SheetWords(("ab", "</s>"), ("a", "b", "</s>"), ((0, side - 1), (0, 1, side - 1)), DETAIL)}
    choices = [Choice("Kind", dict.fromkeys(sheets, "said"), "kind", varies=True), Choice("Layer", ("1", "2"), "layer")]
    return SheetsOfKinds(sheets, words, frozenset({"</s>"}), choices, {"kind": kind, "layer": "1"})


def types(sheets: SheetsOfKinds) -> list[str]:
    return [header["type"] for header, _ in read(payload(sheets, "dark"))[1].values()]


def test_all_kinds_are_exact_then_only_the_selected_one_then_none():
    for side, exact in ((12, ["float32"] * 2), (70, ["float16", "float32"]), (130, ["float16"] * 2)):
        sheets = make_sheets(side, "cross")
        sizes = [sheet.weights.nbytes for sheet in sheets.sheets.values()]
        assert (sum(sizes) <= FULL_PRECISION_BYTES, sizes[1] <= FULL_PRECISION_BYTES) == (side < 70, side < 130)
        assert types(sheets) == exact
        for name, (header, weights) in read(payload(sheets, "dark"))[1].items():
            rough = {} if header["type"] == "float32" else {"rtol": 5e-4, "atol": 6e-8}
            np.testing.assert_allclose(weights, sheets.sheets[name].weights, **{"rtol": 0, "atol": 0} | rough)


def test_a_selection_does_not_change_the_payload():
    for side in (12, 130):
        sheets = make_sheets(side)
        others = {"kind": "cross", "layer": "2"}
        assert payload(sheets, "dark") == payload(replace(sheets, chosen=others), "dark")


def test_special_tokens_and_words_are_sent_as_indices():
    header, by_name = read(payload(make_sheets(5), "light"))
    encoder, cross = (kind for kind, _ in by_name.values())
    assert encoder["special"] == cross["special"] == [[4], [4]]
    assert encoder["queries"][0] == "a" and encoder["grouped"] is None
    words = cross["grouped"]
    assert (words["queries"], words["starts"], words["special"]) == (["ab", "</s>"], [[0, 4], [0, 1, 4]], [[1], [2]])
    assert words["detail"] == vars(DETAIL)
    kind, layer = header["controls"]
    assert (kind["options"][1], kind["first"], kind["always"], kind["list"]) == (
        ["cross", "said"],
        "encoder",
        True,
        False,
    )
    assert (layer["options"], layer["always"], layer["list"]) == ([["1", "1"], ["2", "2"]], False, True)


@pytest.mark.parametrize(
    "sent",
    [None, [], "cross", {}, {"kind": "cross"}, {"kind": "x", "layer": "1"}, {"kind": ["cross"], "layer": "1"}]
    + [{"kind": "cross", "layer": 1}, {"kind": "cross", "layer": "1", "more": "2"}],
)
def test_invalid_selections_are_rejected(sent):
    offered = make_sheets(5).choices
    assert controls.valid_selection(sent, offered) is None
    good = {"kind": "cross", "layer": "2"}
    assert controls.valid_selection(good, offered) == good
