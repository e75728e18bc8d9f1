"""A program names the picture under study, and only this project's own model has one."""

from __future__ import annotations

import pytest

from model.hub.opened_model import CAPABILITIES
from model.tracing.head_interventions import Scale, Window
from model.tracing.interventions import HeadInterventions
from pages.vision import program
from pages.vision.what_if import program_values
from tests.model.images import CLASSES
from tests.pages.vision.views import open_view, service, trace


def test_a_readers_own_picture_is_a_file_to_name():
    (fold,) = [fold for fold in open_view("heads").expander if fold.label == "The same in PyTorch"]
    lines = fold.code[0].value.splitlines()
    assert [line for line in lines if line.endswith("# yours")] == [
        "picture = 'your-picture.jpg'  # yours",
        f"explained = {CLASSES[trace().answer]!r}  # yours",
    ]


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_model_from_elsewhere_has_no_program(monkeypatch, elsewhere):
    offered = []
    monkeypatch.setattr(program, "render_program", lambda *where, **values: offered.append(where))
    if elsewhere:
        theirs = frozenset((*CAPABILITIES["classify"], "ablate", "explain", "intervene"))
        monkeypatch.setattr(type(service().model), "capabilities", theirs)
    program.render_vision_program(service(), "cls")
    assert offered == ([] if elsewhere else [("vision", "cls", "")])


def test_a_change_that_no_program_makes_leaves_none():
    ablated, window = Scale("vision", ((0, 1),), 0.0), Window("vision", ((0, 1),), 2)
    assert program_values(HeadInterventions((ablated,))) == (("values", ((1, 2),), 0.0),)
    assert program_values(HeadInterventions((ablated, window))) is None
