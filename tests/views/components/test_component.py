"""The selection mark of a component, and the checks of its answers."""

import pytest

from views.components import component
from views.components.component import selection_mark, valid_cell


@pytest.mark.parametrize("chosen", [[0, 0], [4, 8], (2, 3)])
def test_valid_cells_are_accepted(chosen):
    assert valid_cell(chosen, 5, 9) == tuple(chosen)


@pytest.mark.parametrize(
    "chosen",
    [
        None,
        [],
        [1],
        [5, 0],
        [0, 9],
        [-1, 0],
        [1.5, 0],
        ["1", 0],
        [True, 0],
        {"0": 1},
        [1, 2, 3],
        "12",
        [float("nan"), 0],
    ],
)
def test_invalid_cells_are_rejected(chosen):
    assert valid_cell(chosen, 5, 9) is None


def test_the_mark_cannot_break_out_of_its_attribute():
    assert selection_mark('"><b>') == '<span hidden data-chosen="&quot;\\&quot;&gt;&lt;b&gt;&quot;"></span>'


def test_an_answer_of_a_removed_component_is_ignored(monkeypatch):
    there, accepted = {"grid": {"chosen": 5}}, []
    monkeypatch.setattr(component.st, "session_state", there)
    for key in ("left", "grid"):
        component._forward(key, "chosen", lambda sent: sent, accepted.append)
    assert accepted == [5]
